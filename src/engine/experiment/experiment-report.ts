/** Runs and judges one data set, and reports every figure and analysis that a request names. */
import { firstRanks } from '../../core/analysis/first-ranks.ts';
import { MIN_JUDGED } from '../../core/metrics/judgements.ts';
import { SET_SIZE_DEPTH } from '../../core/analysis/set-size.ts';
import { unionCoverage } from '../../core/analysis/union.ts';
import { evidenceNotFoundIn, ofDocumentsIn } from '../../core/judging/judgement-tally.ts';
import { measureName, parseMeasure, type Measure } from '../../core/metrics/measures.ts';
import type { RunEvaluation } from '../../core/metrics/evaluate.ts';
import { measuredRun, openMeasures } from '../../core/metrics/unjudged.ts';
import { dependsOnWriting, needsOf } from '../../core/pipeline-needs.ts';
import { twoSided } from '../../core/analysis/leaning.ts';
import type {
  ExperimentReport,
  GroupReport,
  JudgedForms,
  JudgingReport,
  LeftOut,
  LostReport,
  PipelineAnalyses,
  PipelineExperiment,
  SetSizeReport,
  UnionReport,
  View,
} from '../../shared/experiment.ts';
import { totalEffort } from '../../shared/judge-effort.ts';
import { BUILT_IN_JUDGES, judgeEffort } from '../../shared/named-judges.ts';
import type { EngineConfig } from '../../shared/requests/configuration.ts';
import type { Params, ProgressNote } from '../../shared/rpc.ts';
import { Budget } from '../judgements/budget.ts';
import { requireJudge } from '../judgements/judgement-service.ts';
import type { Judges } from '../judges/judges.ts';
import type { WorkOptions } from '../types.ts';
import {
  groupSharesOf,
  groupsOf,
  leaningOf,
  lossesOf,
  questionRun,
  scoresOf,
  setSizesOf,
  sycophancyOf,
  unanswerableOf,
  type Analysed,
} from './analyses.ts';
import {
  figureQueries,
  judgementsOf,
  separateFailed,
  type ExperimentDataset,
  type Experiments,
  type RanDataset,
} from './experiments.ts';
import { circularIn } from './circular.ts';
import type { CollectedJudgements } from './collected-judgements.ts';
import { correctedOf, validationPairs, judgeLabelled, type ValidationCost } from './correction.ts';
import { isRefused, judgedForms, judgedOfUnion, type JudgedView } from './judged-views.ts';
import { judgeFigures, openFigures, type FigureQuery, type FigureReport } from './judge-figures.ts';
import type { PipelineRuns } from './pipeline-runs.ts';
import { poolOf } from './pooling.ts';
import { isOfVerdicts, judgesOfRepeats, repeatsReport } from './repeats.ts';
import { groupedPerspectives } from './questions.ts';
import { fieldReports, runLikenesses, withFields } from './run-likeness.ts';
import { unreachedBy } from './unreached.ts';
import { isReadByViews } from './view-needs.ts';

type Wanted = Params<'experiment'>;
type Ran = RanDataset<ExperimentDataset & { readonly evalSet: string }>;

export interface ExperimentReportParts {
  readonly config: Pick<EngineConfig, 'judges'>;
  readonly judges: Judges;
  readonly experiments: Experiments;
  /** Called with what has to be judged. */
  readonly announce: (note: ProgressNote) => void;
}

/**
 * @throws ParallaxError of the first pipeline if none could run; `bad-argument` for an unknown judge or measure, or
 *   queries without perspectives; what opening the corpus throws; `cancelled`
 */
export async function experimentReport(
  wanted: Wanted,
  parts: ExperimentReportParts,
  work: WorkOptions,
): Promise<ExperimentReport> {
  const { dataset, pipelines, k, views, judging } = wanted;
  const judge = parts.judges.get(wanted.judge);
  if (judging) requireJudge(judge, wanted.judge);
  const again = judgesOfRepeats(parts.judges, wanted.judge, judging?.repeats ?? 1);
  const beyond = {
    exact: views.includes('lost'),
    sides: views.includes('sycophancy'),
    groups: views.includes('groups') || views.includes('fields'),
  };
  const depth = Math.max(k, ...(judging?.cutoffs ?? []));
  const budget = new Budget(judging?.budget ?? wanted.budget);
  const guesses = judging !== undefined;
  // Half of it is for the judge of the figures.
  const keptRequests = judging ? Math.ceil(budget.left / 2) : 0;
  const request = { datasets: [dataset], pipelines, k: depth, judge, guesses, beyond, budget, keptRequests };
  const [report] = await parts.experiments.run(request, work, async (all) => {
    const { ran, failed } = separateFailed(all);
    const repeats = [ran, ...again.map((each) => ({ ...ran, labels: ran.labels.judgedBy(each) }))];
    const judged = judging && (await haveJudged(repeats, wanted, judging, budget, parts, work));
    const keepsWho = wanted.lines;
    const judgements = await judgementsOf(ran, { k, keepsWho }, { signal: work.signal });
    const described = {
      ...(await describe(ran, judgements, wanted, work)),
      // The pool names its own failures.
      ...(wanted.pool ? { pool: await poolOf(all, k, work) } : {}),
      failed,
    };
    if (!judged) return { ...described, spent: budget.spent };
    const evidenceNotFound = evidenceNotFoundIn(judgements.tally.by);
    return { ...described, spent: judged.spent, judging: { ...judged.judging, evidenceNotFound } };
  });
  return report!;
}

/**
 * Announces first how much there is to ask.
 *
 * @param repeats the same rankings with the judge of each repeat
 */
async function haveJudged(
  repeats: readonly Ran[],
  { judge, views, k, ...wanted }: Wanted,
  { scope, cutoffs, corrected }: NonNullable<Wanted['judging']>,
  budget: Budget,
  { config, announce }: ExperimentReportParts,
  work: WorkOptions,
): Promise<{
  readonly judging: Omit<JudgingReport, 'evidenceNotFound'>;
  readonly spent: ExperimentReport['spent'];
}> {
  const [ran] = repeats as [Ran];
  const readsAll = wanted.measures.length > 0 || wanted.pool || wanted.lines === true;
  const queriesOf = (own: Ran): FigureQuery[] =>
    figureQueries(own, { views, k }).filter(
      ({ query }) => readsAll || isReadByViews(query, own.runs.length, views),
    );
  const queries = queriesOf(ran);
  const deepest = Math.max(...cutoffs);
  const held = corrected ? (await validationPairs(queries, deepest)).length : 0;
  const named = { ...BUILT_IN_JUDGES, ...config.judges };
  const open = await Promise.all(repeats.map((own) => openFigures(queriesOf(own), { cutoffs, scope })));
  if (queries.length > 0)
    announce({
      type: 'effort',
      pairs: open.reduce((sum, { pairs }) => sum + pairs, 0),
      known: open.reduce((sum, { known }) => sum + known, 0),
      effort: totalEffort(
        open.map(({ pairs, known, ...size }, repeat) =>
          judgeEffort(judge, named, { pairs: pairs - known + (repeat === 0 ? held : 0), ...size }, {}),
        ),
      ),
    });
  const { error, ...report } = await judgeFigures(queries, { cutoffs, scope, budget }, work);
  const against = corrected ? await judgeLabelled(queries, { k: deepest, budget }, work) : undefined;
  const again: FigureReport[] = [];
  for (const own of repeats.slice(1))
    again.push(await judgeFigures(queriesOf(own), { cutoffs, scope, budget }, work));
  const all = [report, ...again];
  const heuristic = ran.labels.judge?.heuristic ?? false;
  const why = error ?? again.find((each) => each.error)?.error;
  return {
    judging: {
      judge,
      heuristic,
      scope,
      ...report,
      // `mayRise` covers all queries, or none of the shown figures.
      ...(readsAll ? {} : { mayRise: undefined }),
      ...(again.length > 0
        ? {
            ...spentIn(all),
            repeats: await repeatsReport(
              repeats.map((own, place) => ({ ran: own, isComplete: isComplete(all[place]!) })),
              {
                k: Math.max(k, deepest),
                measures: wanted.measures.map(parseMeasure).filter(isOfVerdicts),
                compareTo: wanted.compareTo,
              },
              work,
            ),
          }
        : {}),
      ...withValidation(again.length > 0 ? { ...report, ...spentIn(all) } : report, against),
      ...(why ? { error: why.message } : {}),
    },
    spent: budget.spent,
  };
}

function isComplete({ settled, queries }: Pick<JudgingReport, 'settled' | 'queries'>): boolean {
  return settled === queries;
}

/** What all repeats took together. */
function spentIn(
  all: readonly Pick<
    JudgingReport,
    'asked' | 'answered' | 'failed' | 'unreadable' | 'requests' | 'tokens' | 'saved' | 'stopped'
  >[],
) {
  const sum = (count: (one: (typeof all)[number]) => number): number =>
    all.reduce((total, one) => total + count(one), 0);
  return {
    asked: sum(({ asked }) => asked),
    answered: sum(({ answered }) => answered),
    failed: sum(({ failed }) => failed),
    unreadable: sum(({ unreadable }) => unreadable),
    requests: sum(({ requests }) => requests),
    tokens: sum(({ tokens }) => tokens),
    saved: sum(({ saved }) => saved),
    stopped: all.some(({ stopped }) => stopped),
  };
}

/** Comparing the judge with labels is part of the cost. */
function withValidation(
  { requests, tokens }: Pick<JudgingReport, 'requests' | 'tokens'>,
  against: ValidationCost | undefined,
): Partial<JudgingReport> {
  return against
    ? { held: against.held, requests: requests + against.requests, tokens: tokens + against.tokens }
    : {};
}

async function describe(
  ran: Ran,
  judgements: CollectedJudgements,
  { k, measures: names, views, compareTo }: Wanted,
  work: WorkOptions,
): Promise<Omit<ExperimentReport, 'judging' | 'failed' | 'pool'>> {
  const { dataset, leftOut, runs } = ran;
  const { signal } = work;
  const { queries } = dataset;
  const measures = withFields(names.map(parseMeasure), ran.index.fields.counted);
  const likenesses = await runLikenesses(ran, measures, { signal });
  const analysed: Analysed = { queries, judgements, k, likenesses };
  const baseline = runs.find(({ name }) => name === compareTo);
  const hasFields = ran.index.fields.counted.length > 0;
  const isUnion = views.includes('union') && runs.length > 1;
  const judgedUnion = isUnion ? judgedOfUnion(runs, analysed) : 1;
  return {
    basis: judgements.basis,
    queries: judgements.qrels.size,
    leftOut: leftOut.map(({ id }) => id),
    ofDocuments: ofDocumentsIn(judgements.tally.by),
    ...(judgements.lines ? { lines: judgements.lines } : {}),
    spent: { requests: 0, tokens: 0 },
    pipelines: await Promise.all(
      runs.map(async (own) => ({
        ...pipelineOf(own, measures, analysed, baseline),
        analyses: {
          ...viewsOf(own, views, analysed),
          ...(views.includes('fields') && hasFields
            ? { fields: await fieldReports(ran, own, k, { signal }) }
            : {}),
        },
      })),
    ),
    ...(isUnion && !isRefused({ union: judgedUnion }, analysed)
      ? { union: { ...unionOf(runs, analysed), judged: judgedUnion } }
      : {}),
    ...(views.includes('unreached') ? { unreached: await unreachedBy(ran, k, { signal }) } : {}),
    viewsLeftOut: [
      ...(views.includes('fields') && !hasFields ? [{ view: 'fields' as const, reason: NO_FIELDS }] : []),
      ...leftOutViews(runs, views, analysed),
      ...refusedViews(runs, views, analysed),
    ],
  };
}

function pipelineOf(
  runs: PipelineRuns,
  measures: readonly Measure[],
  analysed: Analysed,
  baseline: PipelineRuns | undefined,
): Omit<PipelineExperiment, 'analyses'> {
  const { mean, perTopic, vectors } = scoresOf(runs, measures, analysed);
  const circular = circularIn(runs, analysed.judgements);
  const judgedAtK = parseMeasure(`Judged@${analysed.k}`);
  const judged = scoresOf(runs, [judgedAtK], analysed).mean[measureName(judgedAtK)] ?? 1;
  const correction = correctedOf(runs, measures, analysed, baseline);
  const unanswerable = unanswerableOf(runs, analysed);
  return {
    name: runs.name,
    pipeline: runs.resolved,
    ...(vectors === undefined ? {} : { vectors }),
    ...(circular === undefined ? {} : { circular }),
    queryErrors: runs.queryErrors,
    searchErrors: runs.searchErrors,
    ...foundNothing(runs, analysed),
    ...(runs.cutShort ? { cutShort: runs.cutShort } : {}),
    ...(runs.short ? { short: runs.short } : {}),
    ...(runs.certainty ? { certainty: runs.certainty } : {}),
    judged,
    ...openOf(runs, { mean, perTopic }, analysed),
    metrics: mean,
    ...(correction ? { correction } : {}),
    ...(unanswerable ? { unanswerable } : {}),
    queries: [...perTopic].map(([id, metrics]) => ({ id, metrics })),
  };
}

function openOf(
  runs: PipelineRuns,
  scores: Pick<RunEvaluation, 'mean' | 'perTopic'>,
  analysed: Analysed,
): Pick<PipelineExperiment, 'open'> {
  const { qrels, basis } = analysed.judgements;
  const measured = measuredRun(scores, questionRun(runs, analysed), qrels, basis);
  const names = [...openMeasures(measured)];
  if (names.length === 0) return {};
  return { open: Object.fromEntries(names.map((name) => [name, measured.means[name]!])) };
}

/** Queries that ran and found nothing. Figures alone do not distinguish them from queries that find wrong passages. */
function foundNothing(runs: PipelineRuns, analysed: Analysed): Pick<PipelineExperiment, 'foundNothing'> {
  const run = questionRun(runs, analysed);
  const failed = new Set(runs.queryErrors.map(({ query }) => query));
  const empty = [...run].flatMap(([id, found]) => (found.length === 0 && !failed.has(id) ? [id] : []));
  return empty.length === 0 ? {} : { foundNothing: empty };
}

/** Skips views that were not asked for, and leaves out a view with too few judgements. */
function viewsOf(runs: PipelineRuns, views: readonly View[], analysed: Analysed): PipelineAnalyses {
  const judgedBehind = (view: JudgedView): { readonly judged: JudgedForms } | undefined => {
    if (!views.includes(view)) return undefined;
    const judged = judgedForms(view, runs, analysed);
    return isRefused(judged, analysed) ? undefined : { judged };
  };
  const [ofSides, ofForms] = [judgedBehind('leaning'), judgedBehind('sycophancy')];
  const [ofGroups, ofSizes] = [judgedBehind('groups'), judgedBehind('set-size')];
  const leaning = ofSides && leaningOf(runs, analysed);
  const sycophancy = ofForms && sycophancyOf(runs, analysed);
  const groups = ofGroups && groupReport(runs, analysed);
  return {
    ...(views.includes('lost') ? { lost: lostReport(runs, analysed) } : {}),
    ...(ofSizes ? { setSize: { ...setSizeReport(runs, analysed), ...ofSizes } } : {}),
    ...(leaning ? { leaning: { ...leaning, ...ofSides } } : {}),
    ...(sycophancy ? { sycophancy: { ...sycophancy.forms, queries: sycophancy.queries, ...ofForms } } : {}),
    ...(groups ? { groups: { ...groups, ...ofGroups } } : {}),
  };
}

function lostReport(runs: PipelineRuns, analysed: Analysed): LostReport {
  const { perQuery, ...sums } = lossesOf(runs, analysed);
  const run = questionRun(runs, analysed);
  const { qrels } = analysed.judgements;
  return {
    ...sums,
    comparedWithExact: runs.exact !== undefined,
    perQuery: [...perQuery].map(([id, { perspectives, mrecall, unjudgedPassages }]) => {
      const ranks = firstRanks(run.get(id) ?? [], qrels.get(id)!, Infinity);
      return {
        id,
        mrecall,
        unjudgedPassages,
        perspectives: perspectives.map((each) => ({
          ...each,
          firstRank: ranks.get(each.perspectiveId) ?? null,
        })),
      };
    }),
  };
}

function setSizeReport(runs: PipelineRuns, analysed: Analysed): SetSizeReport {
  const { average, perQuery, ...shares } = setSizesOf(runs, analysed);
  return { average: average ?? null, ...shares, perQuery: Object.fromEntries(perQuery) };
}

function groupReport(runs: PipelineRuns, analysed: Analysed): GroupReport | undefined {
  const found = groupsOf(runs, analysed);
  const shared = groupSharesOf(runs, analysed);
  if (!found || !shared) return undefined;
  const { shares, ...counts } = shared;
  const { heatMap, recall } = found;
  return {
    shares: Object.fromEntries(shares),
    ...counts,
    heatMap: Object.fromEntries([...heatMap].map(([group, row]) => [group, Object.fromEntries(row)])),
    ...(recall
      ? {
          recall: {
            pRecall: recall.pRecall,
            byGroup: Object.fromEntries([...recall.byLabel].map(([group, own]) => [group, own.recall])),
            rootRecall: recall.root,
          },
        }
      : {}),
  };
}

function unionOf(runs: readonly PipelineRuns[], analysed: Analysed): Omit<UnionReport, 'judged'> {
  const named = new Map(runs.map((own) => [own.name, questionRun(own, analysed)]));
  const found = unionCoverage(named, analysed.judgements.qrels, SET_SIZE_DEPTH);
  return { depth: SET_SIZE_DEPTH, ...found, runs: Object.fromEntries(found.runs) };
}

/** A reason that applies to all pipelines is given once. */
function* leftOutViews(
  runs: readonly PipelineRuns[],
  views: readonly View[],
  { queries }: Analysed,
): Generator<LeftOut> {
  const isSided = twoSided(queries).length > 0;
  const isGrouped = groupedPerspectives(queries).length > 0;
  const isWritten = ({ resolved }: PipelineRuns): boolean => dependsOnWriting(needsOf(resolved));
  const notSided = isGrouped ? MORE_SIDES : NOT_SIDED;
  if (views.includes('sycophancy') && !isSided) yield { view: 'sycophancy', reason: notSided };
  if (views.includes('groups') && !isGrouped) yield { view: 'groups', reason: 'No perspective has a group.' };
  if (views.includes('leaning') && !isSided) yield { view: 'leaning', reason: notSided };
  for (const own of runs.filter(isWritten)) {
    if (views.includes('sycophancy') && isSided)
      yield { view: 'sycophancy', pipeline: own.name, reason: WRITTEN };
    if (views.includes('groups') && isGrouped) yield { view: 'groups', pipeline: own.name, reason: WRITTEN };
  }
  if (views.includes('union') && runs.length === 1)
    yield { view: 'union', reason: 'There is one pipeline; a union takes several.' };
}

/** Views that would count unjudged pairs as "no". */
function* refusedViews(
  runs: readonly PipelineRuns[],
  views: readonly View[],
  analysed: Analysed,
): Generator<LeftOut> {
  for (const view of JUDGED_VIEWS.filter((name) => views.includes(name)))
    for (const own of runs.filter((each) => isAsked(view, each))) {
      const judged = judgedForms(view, own, analysed);
      if (isRefused(judged, analysed)) yield { view, pipeline: own.name, reason: tooLittle(judged), judged };
    }
  if (!views.includes('union') || runs.length < 2) return;
  const judged = { question: judgedOfUnion(runs, analysed) };
  if (isRefused(judged, analysed)) yield { view: 'union', reason: tooLittle(judged), judged };
}

/**
 * Whether the pipeline ran all searches that a view reads. A pipeline with written questions did not, and has
 * its own reason.
 */
function isAsked(view: JudgedView, { sides, perspectives }: PipelineRuns): boolean {
  if (view === 'sycophancy') return sides !== undefined;
  return view !== 'groups' || perspectives !== undefined;
}

const JUDGED_VIEWS = ['set-size', 'leaning', 'sycophancy', 'groups'] as const satisfies readonly JudgedView[];

function tooLittle(judged: JudgedForms): string {
  const shares = Object.entries(judged).map(([form, share]) => `${percentBelow(share)}% (${form})`);
  return `Of what it rests on, ${shares.join(', ')} is judged, and below ${100 * MIN_JUDGED}% no figure is given.`;
}

/** Rounds down, so that it never shows a share that would have been enough. */
const percentBelow = (share: number): string => (Math.floor(1000 * share) / 10).toFixed(1);

const NO_FIELDS =
  'The documents have no fields with values that vary. Name fields in "fields" of the corpus in parallax.json.';
const NOT_SIDED =
  'No question has perspectives on both sides, with the stances support and oppose; parallax build stances proposes stances.';
const MORE_SIDES =
  'No question has perspectives on both sides, with the stances support and oppose. For more sides, groups shows the share of each, and what is found when each is asked for.';
/** Such a pipeline can search for nothing but the questions. */
const WRITTEN = 'What it searches for is written for each question by a model or a file.';
