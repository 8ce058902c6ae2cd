/**
 * An eval set as tests: the parts of a gate's report that belong to one query, and those that belong to the whole set.
 */
import * as l10n from '@vscode/l10n';
import { judgedPairsText, labelOrJudge } from '../../../core/facts.ts';
import { counted } from '../../../core/counted.ts';
import type { Perspective, Query } from '../../../core/model.ts';
import { pipelineTitle } from '../../../core/pipeline-label.ts';
import { withoutFullStop } from '../../../core/text/trim.ts';
import type {
  CheckOutcome,
  DatasetReport,
  GateReport,
  LostView,
  PipelineReport,
  QueryReport,
} from './report.ts';
import { missedBy, percent } from './wording.ts';

/** A query under one pipeline. */
export interface QueryFailure {
  readonly pipeline: string;
  readonly message: string;
  /** The state in the baseline, or the demand, line by line comparable with `actual`. */
  readonly expected: string;
  readonly actual: string;
}

/**
 * The pipelines under which a query fails. A query fails if
 * - a check was missed because of it: its own value is below a threshold on a mean, or it contributes to a loss against
 *   the baseline over all queries. These are the queries that `parallax gate` lists; or
 * - the baseline has the same query, with the same text and perspectives, and covered a perspective that the top k do
 *   not cover now. Tolerance and significance apply to means, but one query is not a sample, so every perspective
 *   counts.
 *
 * Unjudged passages may support a perspective. A query fails only if it does so whatever they are, and the message
 * states the number of unjudged pairs. {@link undecidedIn} covers what depends on them.
 *
 * @param query as in the current eval set
 */
export function queryFailures(report: GateReport, evalSet: string, query: Query): QueryFailure[] {
  const dataset = report.datasets.find((each) => each.evalSet === evalSet);
  return (dataset?.pipelines ?? []).flatMap((pipeline) => {
    const result = pipeline.queries.find(({ id }) => id === query.id);
    const fails = result && (result.missed.length > 0 || result.lost.some(({ newly }) => newly));
    return fails ? [failure(report, pipeline, result, query)] : [];
  });
}

/**
 * Outcome of the demands on an eval set as a whole. `missed` takes precedence over `undecided`, and `undecided` over
 * `passed`. `unchecked` if nothing is demanded of the set or its queries, as nothing could fail then.
 */
export function setOutcome(
  report: GateReport,
  evalSet: string,
): { readonly outcome: CheckOutcome | 'unchecked'; readonly reasons: readonly string[] } {
  const datasetReport = report.datasets.find((each) => each.evalSet === evalSet);
  if (datasetReport?.gaps) return { outcome: 'undecided', reasons: datasetReport.gaps };
  const checks = report.checks.filter(({ dataset }) => dataset === datasetReport?.name);
  const comparesAlone = checks.every(({ kind }) => kind === 'baseline' || kind === 'perspectives');
  const isMet = checks.every((check) => check.outcome === 'passed');
  if (comparesAlone && isMet && datasetReport && !queriesOf(datasetReport).some(({ demands }) => demands > 0))
    return { outcome: 'unchecked', reasons: [uncheckedSentence(report, evalSet)] };
  const outcome =
    (['missed', 'undecided'] as const).find((candidate) =>
      checks.some((check) => check.outcome === candidate),
    ) ?? 'passed';
  const reasons = checks
    .filter((check) => outcome !== 'passed' && check.outcome === outcome)
    .map(({ pipeline, reason }) => `${pipeline}: ${reason}`);
  return { outcome, reasons };
}

/** Whether any demand applies to a query under any pipeline. */
export function isChecked({ datasets }: GateReport, evalSet: string, id: string): boolean {
  const datasetReport = datasets.find((each) => each.evalSet === evalSet);
  return (
    datasetReport !== undefined &&
    queriesOf(datasetReport).some((query) => query.id === id && query.demands > 0)
  );
}

/** Sentences about the pipelines that failed on a query, which counts as finding nothing. */
export function failedSearches({ datasets }: GateReport, evalSet: string, id: string): string[] {
  const datasetReport = datasets.find((each) => each.evalSet === evalSet);
  return (datasetReport?.pipelines ?? []).flatMap(({ name, queryErrors = [] }) =>
    queryErrors
      .filter(({ query }) => query === id)
      .map(
        ({ message }) => l10n.t`${name} could not be asked this, which counts as finding nothing: ${message}`,
      ),
  );
}

/** Sentences about possible losses of a query on which the judge contradicts itself. */
export function quarantinedIn(report: GateReport, evalSet: string, id: string): string[] {
  return lostSentences(report, evalSet, id, ({ quarantined }) => quarantined === true);
}

/**
 * Sentences about a query that is undecided until more of its top k is judged: possible losses, and checks that may
 * fail because of it.
 */
export function undecidedIn(report: GateReport, evalSet: string, id: string): string[] {
  return [
    ...lostSentences(report, evalSet, id, ({ unjudged }) => unjudged !== undefined),
    ...placesOf(report, evalSet, id).flatMap(({ pipeline, query }) =>
      openSentences(report, query).map((sentence) => `${pipeline}: ${sentence}`),
    ),
  ];
}

/** Sentences about a query that fails no check but does not pass either, as nothing is known about it. */
export function unknownIn(report: GateReport, evalSet: string, id: string): string[] {
  return placesOf(report, evalSet, id).flatMap(({ pipeline, query }) =>
    query.unknown ? [`${pipeline}: ${unknownSentence(report)}`] : [],
  );
}

/** Why a query that fails nothing under a pipeline does not pass. Empty if it passes. */
export function unpassedReasons(report: GateReport, query: QueryReport): string[] {
  const doubtful = query.lost.filter(({ unjudged, quarantined }) => unjudged !== undefined || quarantined);
  const reasons = [
    ...doubtful.map(({ text, reason }) => l10n.t`${withoutFullStop(text)}: ${reason}`),
    ...openSentences(report, query),
  ];
  return reasons.length === 0 && query.unknown ? [unknownSentence(report)] : reasons;
}

function openSentences({ checks }: GateReport, { open = [], metrics }: QueryReport): string[] {
  return open.map((place) => {
    const check = missedBy(metrics, checks[place]!);
    return l10n.t`${check} depends on unjudged passages.`;
  });
}

function unknownSentence({ k }: GateReport): string {
  return `${l10n.t`The result is unknown: no judged passage in the top ${k} supports a perspective, and each perspective still has unjudged passages.`} ${labelOrJudge()}`;
}

function lostSentences(
  { datasets }: Pick<GateReport, 'datasets'>,
  evalSet: string,
  id: string,
  predicate: (lost: LostView) => boolean,
): string[] {
  return placesOf({ datasets }, evalSet, id).flatMap(({ pipeline, query }) =>
    query.lost
      .filter(predicate)
      .map(({ text, reason }) => l10n.t`${pipeline}, ${withoutFullStop(text)}: ${reason}`),
  );
}

/** The report of a query under each pipeline, with the pipeline's name. */
function placesOf(
  { datasets }: Pick<GateReport, 'datasets'>,
  evalSet: string,
  id: string,
): { readonly pipeline: string; readonly query: QueryReport }[] {
  const datasetReport = datasets.find((each) => each.evalSet === evalSet);
  return (datasetReport?.pipelines ?? []).flatMap(({ name, queries }) =>
    queries.flatMap((query) => (query.id === id ? [{ pipeline: name, query }] : [])),
  );
}

/** The number of queries of an eval set on which some pipeline failed. `undefined` if there are none. */
export function failedSearchesText({ datasets }: GateReport, evalSet: string): string | undefined {
  const datasetReport = datasets.find((each) => each.evalSet === evalSet);
  const failed = new Set(
    (datasetReport?.pipelines ?? []).flatMap(({ queryErrors = [] }) => queryErrors.map(({ query }) => query)),
  );
  if (!datasetReport || failed.size === 0) return undefined;
  return counted(l10n.t('{0} of {1} [1:question|questions] failed'), failed.size, datasetReport.queries);
}

/** Why a query without demands is neither passed nor failed. Without `id`, why the whole set is. */
export function uncheckedSentence(
  { baseline, datasets }: Pick<GateReport, 'baseline' | 'datasets'>,
  evalSet: string,
  id?: string,
): string {
  const datasetReport = datasets.find((each) => each.evalSet === evalSet);
  const queries = datasetReport
    ? queriesOf(datasetReport).filter((query) => id === undefined || query.id === id)
    : [];
  const uncompared = queries[0]?.uncompared;
  if (uncompared !== undefined && queries.every((query) => query.uncompared !== undefined))
    return l10n.t`Skipped: it has no threshold, and it cannot be compared. ${uncompared}`;
  return baseline
    ? l10n.t('Skipped: the baseline covers nothing that it could lose, and there is no threshold.')
    : l10n.t('Skipped: there is no baseline to compare with, and no threshold.');
}

/**
 * How many perspectives the top k of one pipeline cover, for one query or a whole set, and how many pairs are judged.
 */
export interface CoverageTally {
  readonly pipeline: string;
  readonly covered: number;
  readonly perspectives: number;
  /** Pairs of a passage in the top k and a perspective: judged ones, and all. */
  readonly judged: number;
  readonly pairs: number;
}

/** One tally per pipeline that ran the queries. */
export function coverageTallies(
  { datasets, k }: GateReport,
  evalSet: string,
  queries: readonly Query[],
): CoverageTally[] {
  const sizes = new Map(queries.map(({ id, perspectives }) => [id, perspectives.length]));
  const datasetReport = datasets.find((each) => each.evalSet === evalSet);
  return (datasetReport?.pipelines ?? []).map((pipeline) => {
    const queriesInSet = pipeline.queries.filter(({ id }) => sizes.has(id));
    const perspectives = sum(queriesInSet, ({ id }) => sizes.get(id)!);
    const pairs = sum(queriesInSet, ({ id, ranked }) => Math.min(k, ranked.length) * sizes.get(id)!);
    return {
      pipeline: pipelineTitle(pipeline),
      covered: perspectives - sum(queriesInSet, ({ lost }) => lost.length),
      perspectives,
      judged: pairs - sum(queriesInSet, ({ unjudged }) => unjudged),
      pairs,
    };
  });
}

/** `2/3 covered, 15 of 15 judged`; with several pipelines `bm25 2/3, dense 3/3 covered, 28 of 30 judged`. */
export function tallyText(tallies: readonly CoverageTally[]): string {
  const shares = tallies.map(({ pipeline, covered, perspectives }) => {
    const share = `${covered}/${perspectives}`;
    return tallies.length === 1 ? share : `${pipeline} ${share}`;
  });
  const judged = sum(tallies, (tally) => tally.judged);
  const pairs = sum(tallies, (tally) => tally.pairs);
  return l10n.t`${shares.join(', ')} covered, ${judgedPairsText(judged, pairs)}`;
}

function queriesOf({ pipelines }: DatasetReport): QueryReport[] {
  return pipelines.flatMap(({ queries }) => queries);
}

function sum<T>(items: readonly T[], value: (item: T) => number): number {
  return items.reduce((total, item) => total + value(item), 0);
}

function failure(
  report: GateReport,
  pipeline: PipelineReport,
  queryReport: QueryReport,
  query: Query,
): QueryFailure {
  return {
    pipeline: pipeline.name,
    message: failureMessage(report, pipelineTitle(pipeline), queryReport),
    expected: linesOf(report, query, queryReport, 'expected'),
    actual: linesOf(report, query, queryReport, 'actual'),
  };
}

function failureMessage(
  { k, checks }: GateReport,
  title: string,
  { lost, missed, unjudged, metrics }: QueryReport,
): string {
  const newly = lost.filter((each) => each.newly);
  // Lost perspectives are listed above with their texts.
  const otherChecks = missed.filter((place) => checks[place]!.kind !== 'perspectives' || newly.length === 0);
  return [
    ...newly.map(
      ({ text, reason }) =>
        l10n.t`${title} lost a perspective: ${withoutFullStop(text)} (${withoutFullStop(reason)}).`,
    ),
    ...(otherChecks.length > 0
      ? [
          l10n.t`${title} missed: ${otherChecks.map((place) => missedBy(metrics, checks[place]!)).join('; ')}.`,
        ]
      : []),
    ...(unjudged > 0 ? [unjudgedSentence(unjudged, k)] : []),
  ].join(' ');
}

function unjudgedSentence(pairs: number, k: number): string {
  return counted(
    l10n.t(
      '{0} [0:pair of a passage within the top {1} and a perspective is|pairs of a passage within the top {1} and a perspective are] unjudged.',
    ),
    pairs,
    k,
  );
}

type Side = 'expected' | 'actual';

function linesOf(report: GateReport, query: Query, queryReport: QueryReport, side: Side): string {
  const { k, checks } = report;
  const missed = queryReport.missed.map((place) => checks[place]!).filter(({ min }) => min !== undefined);
  const demands = missed.map(({ metric, min }) =>
    side === 'expected'
      ? `${metric} ≥ ${percent(min!)}`
      : `${metric} = ${percent(queryReport.metrics[metric] ?? 0)}`,
  );
  return [
    l10n.t`Perspectives within the top ${k}`,
    ...query.perspectives.map((perspective) => `  ${perspectiveLine(queryReport, perspective, side)}`),
    ...(demands.length > 0 ? [l10n.t('Required mean'), ...demands.map((demand) => `  ${demand}`)] : []),
    ...(queryReport.moved ? [l10n.t`Top ${k}`, ...rankingLines(queryReport, side)] : []),
    '',
  ].join('\n');
}

/**
 * A perspective that the baseline had already lost is not expected, so its line is the same on both sides. The diff
 * shows only what changed.
 */
function perspectiveLine({ lost, moved }: QueryReport, { id, text }: Perspective, side: Side): string {
  const loss = lost.find(({ perspective }) => perspective === id);
  const isOpen = loss?.unjudged !== undefined;
  const wasLost = loss !== undefined && moved !== undefined && !loss.newly && !isOpen;
  if (!loss || (side === 'expected' && !wasLost)) return `${l10n.t('covered')}  ${text}`;
  if (side === 'actual' && (isOpen || loss.where === 'unjudged')) return `${l10n.t('unjudged')}  ${text}`;
  const reason = wasLost ? '' : ` (${withoutFullStop(loss.reason)})`;
  return `${l10n.t('lost')}  ${text}${reason}`;
}

/** @param found has `moved`: ranks in the baseline and now */
function rankingLines({ moved }: QueryReport, side: Side): string[] {
  const place = side === 'expected' ? 0 : 1;
  return moved!
    .filter(({ ranks }) => ranks[place] != null)
    .sort((a, b) => a.ranks[place]! - b.ranks[place]!)
    .map(({ item, ranks }) => {
      const [then, now] = ranks;
      if (side === 'expected' || then === now) return `  ${ranks[place]}  ${item}`;
      const before = then == null ? l10n.t('new') : l10n.t`was ${then}`;
      return `  ${now}  ${item} (${before})`;
    });
}
