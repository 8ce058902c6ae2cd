/**
 * Holes, and whether the pool of pipelines is saturated: the output of `parallax eval --view pool --json` and the
 * engine's answer. Field names are stable. Shares are from 0 to 1; undefined figures are null.
 */
import * as z from 'zod';
import type { Read } from '../core/read.ts';
import { judgingStagesSchema } from '../core/judging/judging-stages.ts';
import { BASES } from '../core/metrics/judgements.ts';
import { queryErrorsSchema } from '../evaluation/query-errors.ts';

/** The number of random orders to average curves over, as in DREAM, Figure 3. */
export const POOL_ORDERS = 10;

const count = z.number().int().min(0);
const curve = z.array(z.number());

/**
 * A figure under the original and under the filled judgements, `null` without judgements that could count, and the
 * pipeline's rank by it (from 1), `null` if too little is judged for a comparison.
 */
const filledFigure = z.object({
  before: z.number().nullable(),
  after: z.number().nullable(),
  /** Whether unjudged passages could still raise it. */
  mayRise: z.object({ before: z.boolean(), after: z.boolean() }),
  rankBefore: count.nullable(),
  rankAfter: count.nullable(),
});

const pipelineView = z.object({
  name: z.string(),
  /** Hole@k (DREAM, Table 4). */
  hole: z.number(),
  /** Share of the top k with a judgement. */
  judgedBefore: z.number(),
  judgedAfter: z.number(),
  /** `MRecall@k` and `Precision@k` (DREAM, Figure 4). */
  measures: z.record(z.string(), filledFigure),
  queryErrors: queryErrorsSchema.optional(),
});

const datasetView = z.object({
  name: z.string(),
  corpus: z.string(),
  evalSet: z.string(),
  queries: count,
  /** The number of pairs of a perspective and a passage in any top k, and how many were judged before and after. */
  pairs: count,
  judgedBefore: count,
  judgedAfter: count,
  /** Pairs with newly known support. */
  holes: count,
  /** How the original and the filled judgements treat unjudged passages. */
  basis: z.object({ before: z.enum(BASES), after: z.enum(BASES) }),
  /** Pipelines that ran. */
  pipelines: z.array(pipelineView),
  /** Pipelines that failed, with the error. */
  failed: z.array(z.object({ name: z.string(), error: z.string() })),
  /** Means over random orders. The first entry is a pool of one pipeline (DREAM, Figure 3a). */
  growth: z.object({ holes: curve, rate: z.array(z.number().nullable()) }),
  /** By measure, for pools of 0, 1, … other pipelines (DREAM, Figure 3b). */
  marginal: z.object({ MRecall: curve, Precision: curve, Hit: curve, Recall: curve, nDCG: curve }),
  saturation: z.object({
    /** `null` if unknown. */
    saturated: z.boolean().nullable(),
    sentence: z.string(),
  }),
  /** How far the judged pairs went (DREAM, Table 8). `undefined` for a judge without a filter or a debate. */
  stages: judgingStagesSchema.optional(),
  /** Ids of queries that were skipped because the corpus has no pages for them. */
  leftOut: z.array(z.string()).optional(),
});
export type PoolDatasetView = Read<typeof datasetView>;
type PoolPipelineView = PoolDatasetView['pipelines'][number];

/** A figure of a pipeline before or after. */
export interface PoolFigure {
  /** `null` without judgements that could count. */
  readonly value: number | null;
  /** Whether unjudged passages could still raise it. */
  readonly isLeast: boolean;
}

/** The figures of a pipeline by a measure, for all surfaces. */
export function poolFigures(
  { measures }: PoolPipelineView,
  measure: string,
): { readonly before: PoolFigure; readonly after: PoolFigure } {
  const { before, after, mayRise } = measures[measure]!;
  const figure = (value: number | null, isLeast: boolean): PoolFigure => ({
    value,
    isLeast: value !== null && isLeast,
  });
  return { before: figure(before, mayRise.before), after: figure(after, mayRise.after) };
}

/** Hole@k. `null` if no holes were looked for. */
export function holeFigure(
  { basis }: Pick<PoolDatasetView, 'basis'>,
  { hole, judgedAfter }: PoolPipelineView,
): number | null {
  return basis.after === 'open' && judgedAfter === 0 ? null : hole;
}

export const poolReportSchema = z.object({
  /** The depth of the pool and the cutoff of the measures. */
  k: z.number().int().min(1),
  /** The judge that filled the holes. */
  judge: z.string(),
  /** Whether that judge is an offline heuristic, which outputs must mention. */
  heuristic: z.boolean(),
  /** The number of random orders that curves are averaged over. */
  orders: count,
  datasets: z.array(datasetView).min(1),
});
export type PoolReport = Read<typeof poolReportSchema>;
