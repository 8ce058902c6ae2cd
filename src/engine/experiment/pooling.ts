/**
 * The pipelines of a comparison as a pool: which passages were holes, whether another pipeline would find more of
 * them, and how filling them changed the order of the pipelines (DREAM, sections 4.2 to 5.2, Figures 3 and 4).
 */
import * as l10n from '@vscode/l10n';
import {
  holeAtK,
  marginalContribution,
  poolGrowth,
  rankChanges,
  POOL_MEASURES,
  type PoolMeasure,
} from '../../core/analysis/pooling.ts';
import { saturationOf } from '../../core/analysis/saturation.ts';
import { ParallaxError } from '../../core/errors.ts';
import { evaluateRun, type RunEvaluation } from '../../core/metrics/evaluate.ts';
import type { Basis } from '../../core/metrics/judgements.ts';
import { isComparableFigure, isKnownFigure, parseMeasure } from '../../core/metrics/measures.ts';
import { openMeans, type Bounds } from '../../core/metrics/unjudged.ts';
import type { Qrels, Run } from '../../core/model.ts';
import { seededRandom, type Random } from '../../core/statistics/random.ts';
import { POOL_ORDERS, type PoolDatasetView } from '../../shared/pool.ts';
import { Pace } from '../concurrency/pace.ts';
import type { WorkOptions } from '../types.ts';
import { questionRun } from './analyses.ts';
import { judgementsOf, type ExperimentDataset, type RanDataset } from './experiments.ts';
import type { QueryError } from '../../evaluation/query-errors.ts';

/** Fixed, so that the same pool always gives the same curves. */
const SEED = 20_260_304;

const MEASURES = ['MRecall', 'Precision'] as const satisfies readonly PoolMeasure[];

interface PooledPipeline {
  readonly name: string;
  readonly run: Run;
  readonly queryErrors?: readonly QueryError[] | undefined;
}

export interface PooledDataset {
  readonly name: string;
  readonly corpus: string;
  readonly evalSet: string;
  /** Ranked passage ids, or an error for pipelines that failed. */
  readonly pipelines: readonly (PooledPipeline | { readonly name: string; readonly error: string })[];
  /** The judgements before the judge was asked. Contains each query with all its perspectives. */
  readonly original: Qrels;
  /** The same with the judge's answers. */
  readonly filled: Qrels;
  /** How both count unjudged passages. */
  readonly basis: PoolDatasetView['basis'];
}

/**
 * Compares people's labels, or the qrels, with the same plus the judge's answers.
 *
 * @throws ParallaxError as {@link describePool}
 */
export async function poolOf(
  ran: RanDataset<ExperimentDataset & { readonly evalSet: string }>,
  k: number,
  work: WorkOptions,
): Promise<PoolDatasetView> {
  const { dataset, leftOut, labels, runs } = ran;
  const { name, corpus, evalSet } = dataset;
  const original = await judgementsOf({ ...ran, labels: labels.judgedBy(undefined) }, { k }, work);
  const filled = await judgementsOf(ran, { k }, work);
  const pipelines = runs.map((own) =>
    own.error
      ? { name: own.name, error: own.error.message }
      : { name: own.name, run: questionRun(own, { judgements: filled }), queryErrors: own.queryErrors },
  );
  const qrels = { original: original.qrels, filled: filled.qrels };
  const basis = { before: original.basis, after: filled.basis };
  const pooled = { name, corpus, evalSet, pipelines, ...qrels, basis };
  const stages = filled.stages.stages;
  return {
    ...(await describePool(pooled, k, work)),
    ...(stages ? { stages } : {}),
    ...(leftOut.length > 0 ? { leftOut: leftOut.map(({ id }) => id) } : {}),
  };
}

/**
 * @param k depth of the pool
 * @throws ParallaxError `bad-argument` if every pipeline failed; `cancelled`
 */
export async function describePool(
  { name, corpus, evalSet, pipelines, original, filled, basis }: PooledDataset,
  k: number,
  work: WorkOptions,
): Promise<PoolDatasetView> {
  const ran = pipelines.flatMap((pipeline) => ('run' in pipeline ? [pipeline] : []));
  const failed = pipelines.flatMap((pipeline) => ('error' in pipeline ? [pipeline] : []));
  if (ran.length === 0)
    throw new ParallaxError(
      'bad-argument',
      failed[0] === undefined
        ? l10n.t`No pipeline could be run on ${name || evalSet}.`
        : l10n.t`No pipeline could be run on ${name || evalSet}. ${failed[0].error}`,
    );
  const pace = new Pace(work);
  const runs = ran.map(({ run }) => run);
  const pooling: Pooling = { original, filled, basis, k };
  const pairs = countPairs(runs, pooling);
  const views = await pipelineViews(ran, pooling, pace);
  const growth = poolGrowth(runs, original, filled, {
    depth: k,
    random: seededRandom(SEED),
    orders: POOL_ORDERS,
  });
  const curves: [PoolMeasure, number[]][] = [];
  for (const measure of POOL_MEASURES)
    curves.push([measure, await marginalCurve(runs, pooling, measure, pace)]);
  const marginal = Object.fromEntries(curves) as Record<PoolMeasure, number[]>;
  const unjudged = pairs.pairs - pairs.judgedAfter;
  const { saturated, sentence } = saturationOf({ pipelines: ran.length, growth, marginal, unjudged });
  return {
    name,
    corpus,
    evalSet,
    queries: filled.size,
    ...pairs,
    basis,
    // The whole pool finds the same holes in every order.
    holes: Math.round(growth.holes.at(-1)!),
    pipelines: views,
    failed: failed.map((pipeline) => ({ name: pipeline.name, error: pipeline.error })),
    growth: { holes: growth.holes, rate: growth.growthRate.map((rate) => rate ?? null) },
    marginal,
    saturation: { saturated: saturated ?? null, sentence },
  };
}

interface Scored extends PooledPipeline {
  readonly before: RunEvaluation;
  readonly after: RunEvaluation;
  /** Figures that depend on unjudged pairs, under each of the two. */
  readonly open: Readonly<Record<'before' | 'after', Readonly<Record<string, Bounds>>>>;
}

/** Two sets of judgements, and the depth of the pool. */
type Pooling = Pick<PooledDataset, 'original' | 'filled' | 'basis'> & { readonly k: number };

async function pipelineViews(
  pipelines: readonly PooledPipeline[],
  pooling: Pooling,
  pace: Pace,
): Promise<PoolDatasetView['pipelines']> {
  const { original, filled, basis, k } = pooling;
  const scored: Scored[] = [];
  for (const pipeline of pipelines) {
    scored.push(scoredUnderBoth(pipeline, pooling));
    await pace.rest();
  }
  const changes = MEASURES.map((measure) => rankChangesIn(scored, `${measure}@${k}`, basis));
  return scored.map(({ name, run, queryErrors = [], ...scores }, place) => ({
    name,
    hole: holeAtK(run, original, filled, k),
    judgedBefore: scores.before.mean[`Judged@${k}`]!,
    judgedAfter: scores.after.mean[`Judged@${k}`]!,
    measures: Object.fromEntries(
      changes.map(({ figure, ranked }) => {
        const { rankBefore, rankAfter } = ranked[place]!;
        const before = known(scores.before, basis.before, figure);
        const after = known(scores.after, basis.after, figure);
        const mayRise = { before: figure in scores.open.before, after: figure in scores.open.after };
        return [figure, { before, after, mayRise, rankBefore, rankAfter }];
      }),
    ),
    ...(queryErrors.length > 0 ? { queryErrors: [...queryErrors] } : {}),
  }));
}

function scoredUnderBoth(pipeline: PooledPipeline, { original, filled, basis, k }: Pooling): Scored {
  const { run } = pipeline;
  const measures = MEASURES.map((family) => parseMeasure(`${family}@${k}`));
  return {
    ...pipeline,
    before: evaluate(run, original, k),
    after: evaluate(run, filled, k),
    open: {
      before: openMeans(run, original, measures, basis.before),
      after: openMeans(run, filled, measures, basis.after),
    },
  };
}

/** The ranks of the pipelines by a figure, before and after. */
function rankChangesIn(scored: readonly Scored[], figure: string, basis: PooledDataset['basis']) {
  const compared = scored.map(({ name, before, after }) => ({
    name,
    before: comparable(before, basis.before, figure),
    after: comparable(after, basis.after, figure),
  }));
  return { figure, ranked: rankChanges(compared) };
}

/** A figure, or null if it would count unjudged pairs as "no". */
function known({ mean }: RunEvaluation, basis: Basis, figure: string): number | null {
  return basis !== 'open' || isKnownFigure(mean, figure) ? mean[figure]! : null;
}

/** As {@link known}; also null if so few pairs are judged that holes would decide the ranks. */
function comparable({ mean }: RunEvaluation, basis: Basis, figure: string): number | null {
  return basis !== 'open' || isComparableFigure(mean, figure) ? mean[figure]! : null;
}

function evaluate(run: Run, qrels: Qrels, k: number): RunEvaluation {
  const measures = [...MEASURES, 'Judged'].map((family) => parseMeasure(`${family}@${k}`));
  return evaluateRun(run, qrels, measures, { kind: 'diversity' });
}

/** One order after the other, so that other work gets its turn. */
async function marginalCurve(
  runs: readonly Run[],
  { original, filled, k }: Pooling,
  measure: PoolMeasure,
  pace: Pace,
): Promise<number[]> {
  const random: Random = seededRandom(SEED);
  const sums = runs.map(() => 0);
  for (let order = 0; order < POOL_ORDERS; order++) {
    const options = { depth: k, random, orders: 1 };
    const curve = marginalContribution(runs, original, filled, { measure, k }, options);
    for (const [pool, contribution] of curve.entries()) sums[pool]! += contribution;
    await pace.rest();
  }
  return sums.map((sum) => sum / POOL_ORDERS);
}

function countPairs(
  runs: readonly Run[],
  { original, filled, k }: Pooling,
): Pick<PoolDatasetView, 'pairs' | 'judgedBefore' | 'judgedAfter'> {
  const counts = { pairs: 0, judgedBefore: 0, judgedAfter: 0 };
  for (const [query, perspectives] of filled) {
    const before = original.get(query)!;
    const pool = new Set(runs.flatMap((run) => run.get(query)?.slice(0, k) ?? []).map(({ item }) => item));
    for (const [perspective, judged] of perspectives)
      for (const passage of pool) {
        counts.pairs++;
        if (before.get(perspective)!.has(passage)) counts.judgedBefore++;
        if (judged.has(passage)) counts.judgedAfter++;
      }
  }
  return counts;
}
