/** An eval set as tests: what of a gate's report is one query's, and what is the whole set's. */
import * as l10n from '@vscode/l10n';
import type { Perspective, Query } from '../model.ts';
import { withoutFullStop } from '../text/full-stop.ts';
import type {
  CheckOutcome,
  DatasetReport,
  GateReport,
  LostView,
  PipelineReport,
  QueryReport,
} from './report.ts';
import { labelThese, missedBy, percent } from './wording.ts';

/** A query under one pipeline. */
export interface QueryFailure {
  readonly pipeline: string;
  /** Sentences. */
  readonly message: string;
  /** The state in the baseline, or the demand; one line for each line of `actual`. */
  readonly expected: string;
  readonly actual: string;
}

/**
 * Under which pipelines a query fails. It does when
 * - a check was missed because of it: a threshold on a mean that its own value is below of, or a loss against the
 *   baseline over all queries that it contributes to; these are the queries that `parallax gate` lists; or
 * - the gate compares with a baseline in which the same query, with the same text and perspectives, covered a
 *   perspective that its top k do not cover now. Tolerance and significance are demands on means, and one query
 *   is no sample: here every perspective counts.
 *
 * A passage that nobody judged may support a perspective all the same: a query fails where it does whatever is said of
 * these, and the message says how many pairs are unjudged. What hangs on them is told by {@link undecidedIn}.
 *
 * @param query as the eval set has it now
 */
export function queryFailures(report: GateReport, evalSet: string, query: Query): QueryFailure[] {
  const dataset = report.datasets.find((each) => each.evalSet === evalSet);
  return (dataset?.pipelines ?? []).flatMap((pipeline) => {
    const found = pipeline.queries.find(({ id }) => id === query.id);
    const fails = found && (found.missed.length > 0 || found.lost.some(({ newly }) => newly));
    return fails ? [failure(report, pipeline, found, query)] : [];
  });
}

/**
 * Outcome of the demands on an eval set as a whole; missed comes before unknown, and unknown before passed. Where
 * nothing is demanded of the set or of one of its queries, nothing could fail: it is unchecked, which is no pass.
 */
export function setOutcome(
  report: GateReport,
  evalSet: string,
): { readonly outcome: CheckOutcome | 'unchecked'; readonly reasons: readonly string[] } {
  const found = report.datasets.find((each) => each.evalSet === evalSet);
  if (found?.gaps) return { outcome: 'undecided', reasons: found.gaps };
  const own = report.checks.filter(({ dataset }) => dataset === found?.name);
  const comparesAlone = own.every(({ kind }) => kind === 'baseline' || kind === 'perspectives');
  const isMet = own.every((check) => check.outcome === 'passed');
  if (comparesAlone && isMet && found && !queriesOf(found).some(({ demands }) => demands > 0))
    return { outcome: 'unchecked', reasons: [uncheckedSentence(report, evalSet)] };
  const outcome =
    (['missed', 'undecided'] as const).find((wanted) => own.some((check) => check.outcome === wanted)) ??
    'passed';
  const reasons = own
    .filter((check) => outcome !== 'passed' && check.outcome === outcome)
    .map(({ pipeline, reason }) => `${pipeline}: ${reason}`);
  return { outcome, reasons };
}

/** Whether anything could have failed a query, under any pipeline. */
export function isChecked({ datasets }: GateReport, evalSet: string, id: string): boolean {
  const found = datasets.find((each) => each.evalSet === evalSet);
  return found !== undefined && queriesOf(found).some((query) => query.id === id && query.demands > 0);
}

/** Sentences about the pipelines that could not be asked a query: it counts as one for which they found nothing. */
export function failedSearches({ datasets }: GateReport, evalSet: string, id: string): string[] {
  const found = datasets.find((each) => each.evalSet === evalSet);
  return (found?.pipelines ?? []).flatMap(({ name, queryErrors = [] }) =>
    queryErrors
      .filter(({ query }) => query === id)
      .map(
        ({ message }) => l10n.t`${name} could not be asked this, which counts as finding nothing: ${message}`,
      ),
  );
}

/** Sentences about what a query would have lost, if the judge did not say now this and now that of it. */
export function quarantinedIn(report: GateReport, evalSet: string, id: string): string[] {
  return lostSentences(report, evalSet, id, ({ quarantined }) => quarantined === true);
}

/**
 * Sentences about a query that neither passes nor fails before more of its top k is judged: what it may have lost, and
 * checks that may fail because of it.
 */
export function undecidedIn(report: GateReport, evalSet: string, id: string): string[] {
  return [
    ...lostSentences(report, evalSet, id, ({ unjudged }) => unjudged !== undefined),
    ...placesOf(report, evalSet, id).flatMap(({ pipeline, query }) =>
      openSentences(report, query).map((sentence) => `${pipeline}: ${sentence}`),
    ),
  ];
}

/** Sentences about a query that fails nothing, and of which nothing is known: it does not pass. */
export function unknownIn(report: GateReport, evalSet: string, id: string): string[] {
  return placesOf(report, evalSet, id).flatMap(({ pipeline, query }) =>
    query.unknown ? [`${pipeline}: ${unknownSentence(report)}`] : [],
  );
}

/** Why a query under one pipeline, which fails nothing, does not pass either; none where it passes. */
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
    return l10n.t`${check} hangs on passages that are unjudged.`;
  });
}

function unknownSentence({ k }: GateReport): string {
  return `${l10n.t`Nothing is known of it: its top ${k} cover no perspective so far, and passages of them are unjudged for each.`} ${labelThese()}`;
}

function lostSentences(
  { datasets }: Pick<GateReport, 'datasets'>,
  evalSet: string,
  id: string,
  wanted: (lost: LostView) => boolean,
): string[] {
  return placesOf({ datasets }, evalSet, id).flatMap(({ pipeline, query }) =>
    query.lost
      .filter(wanted)
      .map(({ text, reason }) => l10n.t`${pipeline}, ${withoutFullStop(text)}: ${reason}`),
  );
}

/** Where each pipeline finds the perspectives of a query, with the pipeline's name. */
function placesOf(
  { datasets }: Pick<GateReport, 'datasets'>,
  evalSet: string,
  id: string,
): { readonly pipeline: string; readonly query: QueryReport }[] {
  const found = datasets.find((each) => each.evalSet === evalSet);
  return (found?.pipelines ?? []).flatMap(({ name, queries }) =>
    queries.flatMap((query) => (query.id === id ? [{ pipeline: name, query }] : [])),
  );
}

/** How many queries of an eval set some pipeline could not be asked; nothing where there are none. */
export function failedSearchesText({ datasets }: GateReport, evalSet: string): string | undefined {
  const found = datasets.find((each) => each.evalSet === evalSet);
  const failed = new Set(
    (found?.pipelines ?? []).flatMap(({ queryErrors = [] }) => queryErrors.map(({ query }) => query)),
  );
  if (!found || failed.size === 0) return undefined;
  return l10n.t`${failed.size} of ${found.queries} questions failed`;
}

/** Why a query that nothing is demanded of is neither passed nor failed; without a query, why the whole set is. */
export function uncheckedSentence(
  { baseline, datasets }: Pick<GateReport, 'baseline' | 'datasets'>,
  evalSet: string,
  id?: string,
): string {
  const found = datasets.find((each) => each.evalSet === evalSet);
  const queries = found ? queriesOf(found).filter((query) => id === undefined || query.id === id) : [];
  const uncompared = queries[0]?.uncompared;
  if (uncompared !== undefined && queries.every((query) => query.uncompared !== undefined))
    return l10n.t`Skipped: no threshold is demanded of it, and it cannot be compared. ${uncompared}`;
  return baseline
    ? l10n.t('Skipped: the baseline covers nothing that it could lose, and no threshold is demanded.')
    : l10n.t('Skipped: there is no baseline to compare with, and no threshold is demanded.');
}

/** How many perspectives the top k of one pipeline cover, of one query or of all of a set, and how much was judged. */
export interface CoverageTally {
  readonly pipeline: string;
  readonly covered: number;
  readonly perspectives: number;
  /** Pairs of a passage in the top k and a perspective: those with a verdict, and all. */
  readonly judged: number;
  readonly pairs: number;
}

/** One for each pipeline that ran them. */
export function coverageTallies(
  { datasets, k }: GateReport,
  evalSet: string,
  queries: readonly Query[],
): CoverageTally[] {
  const sizes = new Map(queries.map(({ id, perspectives }) => [id, perspectives.length]));
  const found = datasets.find((each) => each.evalSet === evalSet);
  return (found?.pipelines ?? []).map(({ name, queries: all }) => {
    const own = all.filter(({ id }) => sizes.has(id));
    const perspectives = sum(own, ({ id }) => sizes.get(id)!);
    const pairs = sum(own, ({ id, ranked }) => Math.min(k, ranked.length) * sizes.get(id)!);
    return {
      pipeline: name,
      covered: perspectives - sum(own, ({ lost }) => lost.length),
      perspectives,
      judged: pairs - sum(own, ({ unjudged }) => unjudged),
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
  return l10n.t`${shares.join(', ')} covered, ${judged} of ${pairs} judged`;
}

function queriesOf({ pipelines }: DatasetReport): QueryReport[] {
  return pipelines.flatMap(({ queries }) => queries);
}

function sum<T>(items: readonly T[], value: (item: T) => number): number {
  return items.reduce((total, item) => total + value(item), 0);
}

function failure(
  report: GateReport,
  { name: pipeline }: PipelineReport,
  found: QueryReport,
  query: Query,
): QueryFailure {
  return {
    pipeline,
    message: failureMessage(report, pipeline, found),
    expected: linesOf(report, query, found, 'expected'),
    actual: linesOf(report, query, found, 'actual'),
  };
}

function failureMessage(
  { k, checks }: GateReport,
  pipeline: string,
  { lost, missed, unjudged, metrics }: QueryReport,
): string {
  const newly = lost.filter((each) => each.newly);
  // That perspectives were lost is said already, with their words.
  const others = missed.filter((place) => checks[place]!.kind !== 'perspectives' || newly.length === 0);
  return [
    ...newly.map(
      ({ text, reason }) =>
        l10n.t`${pipeline} lost a perspective: ${withoutFullStop(text)} (${withoutFullStop(reason)}).`,
    ),
    ...(others.length > 0
      ? [l10n.t`${pipeline} missed: ${others.map((place) => missedBy(metrics, checks[place]!)).join('; ')}.`]
      : []),
    ...(unjudged > 0 ? [unjudgedSentence(unjudged, k)] : []),
  ].join(' ');
}

function unjudgedSentence(pairs: number, k: number): string {
  return pairs === 1
    ? l10n.t`${pairs} pair of a passage within the top ${k} and a perspective is unjudged.`
    : l10n.t`${pairs} pairs of a passage within the top ${k} and a perspective are unjudged.`;
}

type Side = 'expected' | 'actual';

function linesOf(report: GateReport, query: Query, found: QueryReport, side: Side): string {
  const { k, checks } = report;
  const missed = found.missed.map((place) => checks[place]!).filter(({ min }) => min !== undefined);
  const demands = missed.map(({ metric, min }) =>
    side === 'expected'
      ? `${metric} ≥ ${percent(min!)}`
      : `${metric} = ${percent(found.metrics[metric] ?? 0)}`,
  );
  return [
    l10n.t`Perspectives within the top ${k}`,
    ...query.perspectives.map((perspective) => `  ${perspectiveLine(found, perspective, side)}`),
    ...(demands.length > 0
      ? [l10n.t('Demanded of the mean'), ...demands.map((demand) => `  ${demand}`)]
      : []),
    ...(found.moved ? [l10n.t`Top ${k}`, ...rankingLines(found, side)] : []),
    '',
  ].join('\n');
}

/**
 * A perspective that the baseline had already lost is not expected of the query, and its line is the same on both sides:
 * what differs is what changed.
 */
function perspectiveLine({ lost, moved }: QueryReport, { id, text }: Perspective, side: Side): string {
  const found = lost.find(({ perspective }) => perspective === id);
  const isOpen = found?.unjudged !== undefined;
  const wasLost = found !== undefined && moved !== undefined && !found.newly && !isOpen;
  if (!found || (side === 'expected' && !wasLost)) return `${l10n.t('covered')}  ${text}`;
  if (side === 'actual' && (isOpen || found.where === 'unjudged')) return `${l10n.t('unjudged')}  ${text}`;
  const reason = wasLost ? '' : ` (${withoutFullStop(found.reason)})`;
  return `${l10n.t('lost')}  ${text}${reason}`;
}

/** @param found with a movement: ranks then and now */
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
