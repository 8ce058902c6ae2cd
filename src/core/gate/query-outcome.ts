/** An eval set as tests: what of a gate's report is one query's, and what is the whole set's. */
import * as l10n from '@vscode/l10n';
import type { Query } from '../model.ts';
import type { CheckOutcome, GateReport, PipelineReport, QueryReport } from './report.ts';
import { missedBy, percent } from './wording.ts';

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
 * A passage that nobody judged may support a perspective all the same. It counts as not supporting, as in every
 * figure, and the message says how many pairs are unjudged.
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
 * Outcome of the demands on an eval set as a whole; missed comes before unknown, and unknown before passed.
 */
export function setOutcome(
  { datasets, checks }: GateReport,
  evalSet: string,
): { readonly outcome: CheckOutcome; readonly reasons: readonly string[] } {
  const name = datasets.find((each) => each.evalSet === evalSet)?.name;
  const own = checks.filter(({ dataset }) => dataset === name);
  const outcome =
    (['missed', 'unknown'] as const).find((wanted) => own.some((check) => check.outcome === wanted)) ??
    'passed';
  const reasons = own
    .filter((check) => outcome !== 'passed' && check.outcome === outcome)
    .map(({ pipeline, reason }) => `${pipeline}: ${reason}`);
  return { outcome, reasons };
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
  return [
    ...newly.map(({ text, reason }) => l10n.t`${pipeline} lost a perspective: ${text} (${bare(reason)}).`),
    ...(missed.length > 0
      ? [l10n.t`${pipeline} missed: ${missed.map((place) => missedBy(metrics, checks[place]!)).join('; ')}.`]
      : []),
    ...(unjudged > 0 ? [unjudgedSentence(unjudged, k)] : []),
  ].join(' ');
}

function unjudgedSentence(pairs: number, k: number): string {
  return pairs === 1
    ? l10n.t`${pairs} pair of a passage within the top ${k} and a perspective is unjudged and counts as not supporting.`
    : l10n.t`${pairs} pairs of a passage within the top ${k} and a perspective are unjudged and count as not supporting.`;
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
    ...query.perspectives.map(({ id, text }) => `  ${perspectiveState(found, id, side)}  ${text}`),
    ...(demands.length > 0
      ? [l10n.t('Demanded of the mean'), ...demands.map((demand) => `  ${demand}`)]
      : []),
    ...(found.moved ? [l10n.t`Top ${k}`, ...rankingLines(found, side)] : []),
    '',
  ].join('\n');
}

/** A perspective that the baseline had already lost is not expected of the query. */
function perspectiveState({ lost, moved }: QueryReport, id: string, side: Side): string {
  const found = lost.find(({ perspective }) => perspective === id);
  if (!found) return l10n.t('covered');
  if (side === 'actual') return l10n.t`lost (${bare(found.reason)})`;
  return moved && !found.newly ? l10n.t('lost') : l10n.t('covered');
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

const bare = (sentence: string): string => sentence.replace(/\.$/u, '');
