/** Compares one pipeline on one data set with the baseline. */
import * as l10n from '@vscode/l10n';
import { measureDifferences, TIE, type PairedDifference } from '../../../core/metrics/differences.ts';
import type { RunEvaluation } from '../../../core/metrics/evaluate.ts';
import { definitionNamed, parseMeasure } from '../../../core/metrics/measures.ts';
import type { TopicJudgements } from '../../../core/metrics/judgements.ts';
import { boundsOf } from '../../../core/metrics/unjudged.ts';
import { pipelineSchema } from '../../../core/pipeline.ts';
import { mean } from '../../../core/statistics/mean.ts';
import {
  stableJson,
  type Baseline,
  type BaselineDataset,
  type BaselinePipeline,
  type BaselineQuery,
} from './baseline.ts';
import { showsChange } from '../../../core/external/store-sample.ts';
import { ifAllSupport, valueOf, type Scored } from './evaluated.ts';
import type { QueryBounds } from './open-checks.ts';
import type { Attribution, Change } from './report.ts';
import { nothingShared } from './wording.ts';

/** A comparison whose p-value is not corrected for multiple tests yet. */
export interface MetricComparison extends PairedDifference {
  readonly metric: string;
  /** Means over the shared queries. */
  readonly now: number;
  readonly then: number;
  readonly queries: number;
  readonly attribution: Attribution;
  /** Each query of the evaluation, and whether a value of it is worse than in the baseline. */
  readonly perQuery: readonly QueryBounds[];
  readonly isWorse: (value: number, query: string) => boolean;
  /** The same comparison if all unjudged passages of today's rankings supported. */
  readonly ifAllSupport: PairedDifference & {
    /** Today's mean. */
    readonly now: number;
  };
}

/** @returns the baseline's data set and pipeline, or a sentence on what it lacks */
export function findInBaseline(
  baseline: Baseline,
  { dataset, pipeline }: Scored,
): { readonly dataset: BaselineDataset; readonly pipeline: BaselinePipeline } | string {
  const datasetBefore = baseline.datasets.find(({ name }) => name === dataset.name);
  if (!datasetBefore) return l10n.t`The baseline has no eval set "${dataset.name}".`;
  const pipelineBefore = datasetBefore.pipelines.find(({ name }) => name === pipeline.name);
  return pipelineBefore
    ? { dataset: datasetBefore, pipeline: pipelineBefore }
    : l10n.t`The baseline has no pipeline "${pipeline.name}" on "${dataset.name}".`;
}

/**
 * Compares on the shared queries, measure by measure. All intervals and tests of a pipeline use the same resamples. The
 * baseline's figures are those at acceptance: passages that were unjudged then count as not supporting, even if they
 * are judged now.
 *
 * @returns per metric a comparison, or a sentence on why there is none
 */
export function compareWithBaseline(
  now: Scored,
  then: { readonly dataset: BaselineDataset; readonly pipeline: BaselinePipeline },
  metrics: readonly string[],
): Map<string, MetricComparison | string> {
  const shared = then.pipeline.queries.filter(({ id }) => now.scores.perTopic.has(id));
  const outdated = metrics.filter((metric) => !isSameBasis(then.dataset, metric));
  const comparable = metrics.filter(
    (metric) => !outdated.includes(metric) && shared.every((query) => metric in query.metrics),
  );
  const comparisons = new Map<string, MetricComparison | string>(
    metrics.map((metric) => [
      metric,
      shared.length === 0
        ? nothingShared(now.dataset.name)
        : outdated.includes(metric)
          ? l10n.t`The baseline has ${metric} of an older build, which divided by what had been judged.`
          : absent(metric, shared),
    ]),
  );
  if (shared.length === 0 || comparable.length === 0) return comparisons;

  const before = part(shared, comparable, (query, metric) => query.metrics[metric]!);
  const after = part(shared, comparable, ({ id }, metric) => valueOf(now.scores, id, metric));
  const most = part(shared, comparable, ({ id }, metric) => ifAllSupport(now, id, metric));
  const differences = measureDifferences(before, after);
  const ifAll = measureDifferences(before, most);
  const digests = new Map(now.dataset.queries.map(({ id, digest }) => [id, digest]));
  const changes = changesSince(now, then, shared, digests);
  const rejudged = changes.some((change) => change === 'eval set' || change === 'corpus')
    ? undefined
    : rejudge(now, shared, comparable);
  for (const metric of comparable) {
    const difference = differences[metric]!;
    comparisons.set(metric, {
      metric,
      ...difference,
      now: after.mean[metric]!,
      then: before.mean[metric]!,
      queries: shared.length,
      attribution: attribution(metric, difference, changes, { before, after, rejudged }),
      perQuery: shared.map(({ id }) => ({
        id,
        value: valueOf(after, id, metric),
        most: valueOf(most, id, metric),
      })),
      isWorse: (value, id) => value < valueOf(before, id, metric) - TIE,
      ifAllSupport: { ...ifAll[metric]!, now: most.mean[metric]! },
    });
  }
  return comparisons;
}

/** Why the baseline lacks a figure, with a hint if it has the figure at another cutoff. */
function absent(metric: string, queries: readonly BaselineQuery[]): string {
  const [name, k] = metric.split('@');
  const otherName = queries
    .flatMap(({ metrics }) => Object.keys(metrics))
    .find((each) => k !== undefined && each.startsWith(`${name}@`));
  return otherName === undefined
    ? l10n.t`The baseline does not have ${metric}.`
    : l10n.t`The baseline has ${otherName} in place of ${metric}: it was accepted with another k.`;
}

/** Whether a figure has the same divisor as today's. */
export function isSameBasis({ basis }: Pick<BaselineDataset, 'basis'>, metric: string): boolean {
  return basis === 'open' || !definitionNamed(metric)?.dependsOnBasis;
}

/** Some measures of some queries, in the form of an evaluation. */
export function part<Q extends Pick<BaselineQuery, 'id'>>(
  queries: readonly Q[],
  metrics: readonly string[],
  value: (query: Q, metric: string) => number,
): RunEvaluation {
  const perTopic = new Map(
    queries.map((query) => [
      query.id,
      Object.fromEntries(metrics.map((metric) => [metric, value(query, metric)])),
    ]),
  );
  const rows = [...perTopic.values()];
  return {
    topics: rows.length,
    topicsInRun: rows.length,
    mean: Object.fromEntries(metrics.map((metric) => [metric, mean(rows.map((row) => row[metric]!))])),
    perTopic,
    warnings: [],
  };
}

/** The circumstances behind figures that are known without the figures. */
export interface Circumstances {
  readonly dataset: Pick<BaselineDataset, 'corpus' | 'judgements'>;
  readonly pipeline: { readonly pipeline: unknown; readonly models: unknown };
}

/**
 * Lists what changed since the baseline, independent of the figures.
 *
 * @param shared queries, as in the baseline
 * @param digests of today's queries
 */
export function changesSince(
  now: Circumstances,
  then: Circumstances,
  shared: readonly Pick<BaselineQuery, 'id' | 'digest'>[],
  digests: ReadonlyMap<string, string>,
): Change[] {
  const changes: Change[] = [];
  if (shared.some(({ id, digest }) => digests.get(id) !== digest)) changes.push('eval set');
  if (isOtherCorpus(now.dataset.corpus, then.dataset.corpus)) changes.push('corpus');
  if (!isSamePipeline(now.pipeline, then.pipeline)) changes.push('pipeline');
  if (now.dataset.judgements.judge !== then.dataset.judgements.judge) changes.push('judgements');
  return changes;
}

function isOtherCorpus(now: BaselineDataset['corpus'], then: BaselineDataset['corpus']): boolean {
  return now.fingerprint !== then.fingerprint || showsChange(now.sample, then.sample);
}

/** Ignores the name, and defaults that were added since. */
function isSamePipeline(now: Circumstances['pipeline'], then: Circumstances['pipeline']): boolean {
  const [one, other] = [now, then].map(({ pipeline, models }) => {
    const { success, data } = pipelineSchema.safeParse(pipeline);
    return success ? stableJson([{ ...data, name: undefined }, models]) : undefined;
  });
  return one !== undefined && one === other;
}

/**
 * The baseline's rankings with today's judgements, without measures of the whole ranking. A CI run on a new machine
 * lacks the answers of the machine that accepted the baseline. If fewer passages are judged today, a value is the
 * baseline's unless today's judgements exclude it whatever the unjudged passages are, and then the nearest value that
 * they allow.
 */
function rejudge(
  { dataset }: Scored,
  shared: readonly BaselineQuery[],
  metrics: readonly string[],
): RunEvaluation | undefined {
  const ranked = metrics.filter(
    (metric) => parseMeasure(metric).k !== undefined && definitionNamed(metric)?.needs !== 'passages',
  );
  if (ranked.length === 0) return undefined;
  const isLessJudged = new Map(
    shared.map((query) => [query.id, knowsLess(query, dataset.qrels.get(query.id)!)]),
  );
  return part(shared, ranked, ({ id, ranked: passages, metrics: before }, metric) => {
    const { low, high } = boundsOf(parseMeasure(metric), passages, dataset.qrels.get(id)!, 'open');
    return isLessJudged.get(id)
      ? Math.min(Math.max(before[metric]!, Math.min(low, high)), Math.max(low, high))
      : low;
  });
}

/** Whether fewer passages of the baseline's ranking are judged today than at acceptance. */
function knowsLess({ ranked, metrics }: BaselineQuery, today: TopicJudgements): boolean {
  return Object.entries(metrics).some(
    ([name, then]) =>
      name.startsWith('Judged@') && boundsOf(parseMeasure(name), ranked, today, 'open').low < then - TIE,
  );
}

function attribution(
  metric: string,
  { low, high, difference }: PairedDifference,
  changes: readonly Change[],
  evaluations: {
    readonly before: RunEvaluation;
    readonly after: RunEvaluation;
    readonly rejudged: RunEvaluation | undefined;
  },
): Attribution {
  const { before, rejudged } = evaluations;
  const noise = low <= 0 && high >= 0;
  const today = rejudged?.mean[metric];
  if (!rejudged || today === undefined) return { changes, noise };
  const isJudgedAnew = [...rejudged.perTopic.keys()].some(
    (id) => Math.abs(valueOf(rejudged, id, metric) - valueOf(before, id, metric)) > TIE,
  );
  const judgements = isJudgedAnew ? today - before.mean[metric]! : 0;
  return {
    changes: isJudgedAnew && !changes.includes('judgements') ? [...changes, 'judgements'] : changes,
    noise,
    parts: { judgements, retrieval: difference - judgements },
  };
}
