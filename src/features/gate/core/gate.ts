/** Checks an evaluation against the demands of a gate. */
import * as l10n from '@vscode/l10n';
import { openStateText, sentence, stateText } from '../../../core/facts.ts';
import { counted } from '../../../core/counted.ts';
import type { PerspectiveState } from '../../../core/coverage-states.ts';
import { movementBetween } from '../../../core/analysis/movement.ts';
import { correctionOf } from '../../../core/metrics/corrected.ts';
import { expectedDocumentChecks, expectsDocuments } from './expected-documents.ts';
import { falseRetrievalChecks } from './false-retrieval.ts';
import { baselineChecks } from './baseline-checks.ts';
import { lostPerspectiveChecks } from './lost-perspectives.ts';
import { fateOf, type Fate } from './lost-since.ts';
import type { Baseline, BaselineQuery } from './baseline.ts';
import { findInBaseline } from './compare-baseline.ts';
import { repeatedText } from './repeated-verdict.ts';
import { scored, type EvaluatedDataset, type EvaluatedQuery, type Scored } from './evaluated.ts';
import { gateNotes } from './notes.ts';
import {
  gapsOf,
  type DatasetReport,
  type GateCheck,
  type GateReport,
  type LostView,
  type PipelineReport,
  type QueryReport,
  type ShownPassage,
  type WonView,
} from './report.ts';
import { depthOf, measuresOf, type GateSpec } from './spec.ts';
import { thresholdChecks } from './threshold-checks.ts';
import { firstOf, withRemedy } from './wording.ts';

export interface GateInput {
  readonly spec: GateSpec;
  readonly datasets: readonly EvaluatedDataset[];
  readonly judge: string;
  /** The file's path is for display. */
  readonly baseline?: { readonly file: string; readonly content: Baseline } | undefined;
  /** ISO 8601. */
  readonly at: string;
  readonly commit?: string | undefined;
  readonly asked?: GateReport['asked'];
}

/**
 * Evaluates all checks of a gate. Expects every name in the spec to exist, see `checkNames`.
 *
 * A mean reaches a threshold if it is at least as high, up to rounding. A baseline check is missed by a loss beyond the
 * tolerance with a Holm-corrected p-value of at most α over all comparisons of the gate, or if the whole corrected
 * interval is such a loss. A check is decided if the outcome is the same with none and with all unjudged passages
 * supporting. Otherwise, or without a comparison, it is undecided and keeps the gate from passing. So do rankings
 * scored by the judge that made them, now or in the baseline.
 */
export function gateReport(input: GateInput): GateReport {
  const { spec, datasets, judge, baseline, at, commit, asked } = input;
  const all = datasets.flatMap((dataset) => scored(spec, dataset));
  const checks = [
    ...thresholdChecks(all, spec),
    ...expectedDocumentChecks(all, spec),
    ...falseRetrievalChecks(all, spec),
    ...(spec.baseline && baseline
      ? [
          ...baselineChecks(all, spec, spec.baseline, baseline.content),
          ...lostPerspectiveChecks(all, spec, baseline.content),
        ]
      : []),
  ];
  const reports = datasets.map((dataset) =>
    datasetReport(
      dataset,
      all.filter((result) => result.dataset === dataset),
      { spec, checks, baseline: baseline?.content },
    ),
  );
  return {
    version: 1,
    outcome: gapsOf({ datasets: reports }).length > 0 ? 'not-evaluated' : outcomeOf(checks),
    at,
    ...(commit === undefined ? {} : { commit }),
    k: spec.k,
    judge,
    ...(baseline ? { baseline: describeBaseline(baseline) } : {}),
    checks,
    datasets: reports,
    notes: gateNotes(all, spec, baseline?.content),
    ...(asked ? { asked } : {}),
  };
}

function outcomeOf(checks: readonly GateCheck[]): GateReport['outcome'] {
  if (checks.some(({ outcome }) => outcome === 'missed')) return 'missed';
  return checks.some(({ outcome }) => outcome === 'undecided') ? 'undecided' : 'passed';
}

function describeBaseline({ file, content }: NonNullable<GateInput['baseline']>): GateReport['baseline'] {
  const { at, commit } = content;
  return { file, at, ...(commit === undefined ? {} : { commit }) };
}

interface ReportParts {
  readonly spec: GateSpec;
  readonly checks: readonly GateCheck[];
  readonly baseline: Baseline | undefined;
}

function datasetReport(dataset: EvaluatedDataset, all: readonly Scored[], parts: ReportParts): DatasetReport {
  const { name, evalSet, file, corpus, queries, judgements, repeats, unreadable = [], failed = [] } = dataset;
  const gaps = [
    ...unreadable,
    ...failed.map((own) => l10n.t`"${own.name}" could not be run: ${own.error}`),
    ...tooFew(queries.length, parts.spec),
    ...(parts.baseline ? goneSince(dataset, parts.baseline) : []),
  ];
  return {
    name,
    evalSet,
    file,
    corpus,
    judgements,
    ...(gaps.length > 0 ? { gaps } : {}),
    ...(repeats ? { repeats } : {}),
    queries: queries.length,
    pipelines: all.map((result) => pipelineReport(result, parts)),
  };
}

function tooFew(count: number, { queries }: GateSpec): string[] {
  if (!queries || count >= queries.min) return [];
  return [l10n.t`The gate demands at least ${queries.min} questions, and there are ${count}.`];
}

/** Queries of the baseline that no longer exist. The mean over the others would hide their losses. */
function goneSince({ name, queries }: EvaluatedDataset, { datasets }: Baseline): string[] {
  const now = new Set(queries.map(({ id }) => id));
  const then = datasets.find((dataset) => dataset.name === name)?.pipelines ?? [];
  const gone = new Set(
    then.flatMap((pipeline) => pipeline.queries.flatMap(({ id }) => (now.has(id) ? [] : id))),
  );
  if (gone.size === 0) return [];
  return [
    counted(
      l10n.t(
        'The baseline has {0} [0:question that is|questions that are] no longer there ({1}). Put [0:it|them] back, or accept a new baseline: parallax gate --accept.',
      ),
      gone.size,
      firstOf([...gone]),
    ),
  ];
}

function pipelineReport(result: Scored, parts: ReportParts): PipelineReport {
  const { dataset, pipeline, scores } = result;
  const then = parts.baseline && findInBaseline(parts.baseline, result);
  const before = new Map(
    then === undefined || typeof then === 'string'
      ? []
      : then.pipeline.queries.map((query) => [query.id, query]),
  );
  const uncompared = (query: EvaluatedQuery): string | undefined =>
    typeof then === 'string' ? withRemedy(then) : then && uncomparedReason(query, before.get(query.id));
  return {
    name: pipeline.name,
    pipeline: pipeline.pipeline,
    models: pipeline.models,
    metrics: scores.mean,
    ...boundsIn(result),
    queries: dataset.queries.map((query) => ({
      ...queryReport(query, result, before.get(query.id), parts),
      ...notCompared(uncompared(query)),
    })),
    ...(pipeline.queryErrors ? { queryErrors: pipeline.queryErrors } : {}),
    ...(pipeline.unanswerable ? { unanswerable: pipeline.unanswerable } : {}),
    ...(pipeline.circular === undefined ? {} : { circular: pipeline.circular }),
    ...(dataset.opinions
      ? { correction: correctionOf(pipeline.run, measuresOf(parts.spec), dataset.opinions) }
      : {}),
  };
}

/** The means that further verdicts may change. */
function boundsIn({ measured: { means } }: Scored): Pick<PipelineReport, 'bounds'> {
  const open = Object.entries(means).filter(([, { bound }]) => bound !== 'exact');
  return open.length > 0 ? { bounds: Object.fromEntries(open) } : {};
}

function queryReport(
  query: EvaluatedQuery,
  result: Scored,
  before: BaselineQuery | undefined,
  { spec, checks }: ReportParts,
): QueryReport {
  const { dataset, pipeline, scores } = result;
  const { id, text, digest, line } = query;
  const ranked = (pipeline.run.get(id) ?? []).slice(0, depthOf(spec)).map(({ item }) => item);
  const placesOf = (isOf: (check: GateCheck) => boolean | undefined): number[] =>
    [...checks.entries()]
      .filter(
        ([, check]) => check.dataset === dataset.name && check.pipeline === pipeline.name && isOf(check),
      )
      .map(([place]) => place);
  const missed = placesOf(({ failing }) => failing.includes(id));
  const open = placesOf((check) => check.open?.includes(id));
  const lost = lostViews(query, result, before, spec);
  const won = wonViews(query, lost, before);
  const milliseconds = pipeline.times.get(id);
  const demands =
    checks.filter((check) => looksAt(check, query, result, before)).length + (mayLose(query, before) ? 1 : 0);
  const isWorse = missed.length > 0 || lost.some(({ newly }) => newly);
  return {
    id,
    text,
    digest,
    ...(line === undefined ? {} : { line }),
    metrics: scores.perTopic.get(id)!,
    lost,
    ...(won.length > 0 ? { won } : {}),
    unjudged: unjudgedPairs(query, ranked.slice(0, spec.k), dataset),
    ranked,
    ...(dataset.passages ? { passages: shown(ranked.slice(0, spec.k), dataset.passages) } : {}),
    missed,
    ...(open.length > 0 ? { open } : {}),
    ...(isUnknown(query, result) ? { unknown: true as const } : {}),
    demands,
    ...(milliseconds === undefined ? {} : { milliseconds }),
    ...(isWorse && before ? { moved: movementBetween([before.ranked, ranked], spec.k) } : {}),
  };
}

/** @returns `undefined` if the baseline has the same question */
function uncomparedReason(
  { id, digest }: EvaluatedQuery,
  before: BaselineQuery | undefined,
): string | undefined {
  if (before?.digest === digest) return undefined;
  return withRemedy(
    before
      ? l10n.t`The baseline has another text or other perspectives for the question "${id}".`
      : l10n.t`The baseline does not have the question "${id}".`,
  );
}

function notCompared(uncompared: string | undefined): Pick<QueryReport, 'uncompared'> {
  return uncompared === undefined ? {} : { uncompared };
}

/** Skips passages of foreign retrievers whose text is unknown. */
function shown(top: readonly string[], passages: ReadonlyMap<string, ShownPassage>): ShownPassage[] {
  return top.flatMap((id) => passages.get(id) ?? []);
}

/** Whether the baseline covered a perspective of the same question, so that it can be lost. */
function mayLose({ digest, perspectives }: EvaluatedQuery, before: BaselineQuery | undefined): boolean {
  return before?.digest === digest && before.lost.length < perspectives.length;
}

/** Whether a query counts in the mean of a decided check and could make it worse. */
function looksAt(
  check: GateCheck,
  query: EvaluatedQuery,
  { dataset, pipeline }: Scored,
  before: BaselineQuery | undefined,
): boolean {
  if (check.dataset !== dataset.name || check.pipeline !== pipeline.name) return false;
  const isDecided = check.outcome !== 'undecided' || check.open !== undefined;
  // A figure of zero cannot get worse.
  if (check.kind === 'baseline') return isDecided && (before?.metrics[check.metric] ?? 0) > 0;
  if (check.kind === 'perspectives') return isDecided && mayLose(query, before);
  if (check.kind === 'documents') return expectsDocuments(query);
  if (check.kind === 'unanswerable') return false;
  return check.tag === undefined || (query.tags?.includes(check.tag) ?? false);
}

function unjudgedPairs(
  { id, perspectives }: EvaluatedQuery,
  top: readonly string[],
  { qrels }: EvaluatedDataset,
): number {
  const topic = qrels.get(id)!;
  return perspectives.reduce(
    (sum, perspective) => sum + top.filter((passage) => !topic.get(perspective.id)?.has(passage)).length,
    0,
  );
}

/** Whether every perspective may be covered or not, given the judgements. */
function isUnknown({ id, perspectives }: EvaluatedQuery, { losses }: Scored): boolean {
  return losses.get(id)!.open.size === perspectives.length;
}

function lostViews(
  { id, digest, perspectives }: EvaluatedQuery,
  result: Scored,
  before: BaselineQuery | undefined,
  spec: GateSpec,
): LostView[] {
  const lostBefore = new Set(before?.lost.map(({ perspective }) => perspective));
  return result.losses.get(id)!.perspectives.flatMap((loss) => {
    if (loss.where === 'covered') return [];
    const { perspectiveId: perspective, where } = loss;
    const text = perspectives.find((each) => each.id === perspective)?.text ?? perspective;
    const isNew = before?.digest === digest && !lostBefore.has(perspective);
    const fate = isNew ? fateOf(result, id, perspective, spec) : undefined;
    return [{ perspective, text, where, ...fateView(fate, loss, spec.k) }];
  });
}

/** @param fate of a perspective that the baseline covered */
function fateView(
  fate: Fate | undefined,
  loss: PerspectiveState,
  k: number,
): Pick<LostView, 'reason' | 'newly' | 'quarantined' | 'unjudged'> {
  const reason = sentence(stateText(loss, k));
  if (!fate) return { reason, newly: false };
  if (fate.is === 'unjudged') {
    const { unjudged } = fate;
    return { reason: sentence(openStateText(loss, unjudged, k)), newly: false, unjudged };
  }
  const isOut = fate.is === 'quarantined';
  return {
    reason: fate.repeated ? `${reason} ${repeatedText(fate.repeated, isOut)}` : reason,
    newly: !isOut,
    ...(isOut ? { quarantined: true as const } : {}),
  };
}

function wonViews(
  { digest, perspectives }: EvaluatedQuery,
  lost: readonly LostView[],
  before: BaselineQuery | undefined,
): WonView[] {
  if (before?.digest !== digest) return [];
  const lostNow = new Set(lost.map(({ perspective }) => perspective));
  return before.lost.flatMap(({ perspective: id }) => {
    const perspective = perspectives.find((each) => each.id === id);
    return perspective && !lostNow.has(id) ? { perspective: id, text: perspective.text } : [];
  });
}
