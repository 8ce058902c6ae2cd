/**
 * Holes, and whether the pool of pipelines is saturated: what `parallax eval --view pool --json` writes and the engine answers.
 * Field names are stable. Shares run from 0 to 1; a figure that is undefined is null.
 */
import * as z from 'zod';
import type { Read } from '../core/read.ts';
import { BASES } from '../core/metrics/judgements.ts';
import { queryErrorsSchema } from '../evaluation/query-errors.ts';

/** Random orders of the pipelines that curves are averaged over, as in DREAM, Figure 3. */
export const POOL_ORDERS = 10;

const count = z.number().int().min(0);
const curve = z.array(z.number());

/**
 * A figure under the original and under the filled judgements, null where nothing is judged that could count; and the
 * pipeline's rank by it (from 1), null where too little is judged to compare it.
 */
const filledFigure = z.object({
  before: z.number().nullable(),
  after: z.number().nullable(),
  /** Under which of the two what is unjudged could still raise it. */
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
  /** Pairs of a perspective and a passage in any top k; how many had a judgement before and have one now. */
  pairs: count,
  judgedBefore: count,
  judgedAfter: count,
  /** Pairs newly known to support. */
  holes: count,
  /** How the original and the filled judgements count passages that nobody judged. */
  basis: z.object({ before: z.enum(BASES), after: z.enum(BASES) }),
  /** Those that could be run. */
  pipelines: z.array(pipelineView),
  /** Those that could not, and why. */
  failed: z.array(z.object({ name: z.string(), error: z.string() })),
  /** Means over random orders; the first entry is a pool of one pipeline (DREAM, Figure 3a). */
  growth: z.object({ holes: curve, rate: z.array(z.number().nullable()) }),
  /** By measure: pools of 0, 1, … other pipelines (DREAM, Figure 3b). */
  marginal: z.object({ MRecall: curve, Precision: curve, Hit: curve, Recall: curve, nDCG: curve }),
  saturation: z.object({
    /** Null where it cannot be said. */
    saturated: z.boolean().nullable(),
    sentence: z.string(),
  }),
  /** Ids of queries that were not asked, because the corpus has no pages that were found for them. */
  leftOut: z.array(z.string()).optional(),
});
export type PoolDatasetView = Read<typeof datasetView>;
type PoolPipelineView = PoolDatasetView['pipelines'][number];

/** A figure of a pipeline under one of the two. */
export interface PoolFigure {
  /** Null where nothing is judged that could count. */
  readonly value: number | null;
  /** Unjudged passages could still raise it. */
  readonly isLeast: boolean;
}

/** The figures of a pipeline by a measure, as every surface shows them. */
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

/** Hole@k; null where nobody has looked for holes. */
export function holeFigure(
  { basis }: Pick<PoolDatasetView, 'basis'>,
  { hole, judgedAfter }: PoolPipelineView,
): number | null {
  return basis.after === 'open' && judgedAfter === 0 ? null : hole;
}

export const poolReportSchema = z.object({
  /** How deep pipelines were pooled, and the cutoff of the measures. */
  k: z.number().int().min(1),
  /** Who filled the holes. */
  judge: z.string(),
  /** An offline heuristic did, to be labelled as one. */
  heuristic: z.boolean(),
  /** Random orders that curves are averaged over. */
  orders: count,
  datasets: z.array(datasetView).min(1),
});
export type PoolReport = Read<typeof poolReportSchema>;
