/**
 * The result of an evaluation: pipelines on the queries of one or several data sets. The engine makes it, and every
 * surface is a view of it.
 */
import * as z from 'zod';
import { sideSharesSchema } from '../core/analysis/leaning.ts';
import { unanswerableSchema } from '../core/analysis/unanswerable.ts';
import { perspectiveStateSchema, placeSchema } from '../core/coverage-states.ts';
import { certaintiesSchema } from '../core/external/certainty.ts';
import { shortfallsSchema } from '../core/external/shortfall.ts';
import { measuredSchema } from '../core/measured.ts';
import { correctionSchema } from '../core/metrics/correction.ts';
import { BASES } from '../core/metrics/judgements.ts';
import { judgedBySchema } from '../core/model.ts';
import { pipelineSchema, SEARCH_KINDS } from '../core/pipeline.ts';
import type { Read } from '../core/read.ts';
import { queryErrorsSchema, searchErrorsSchema } from './query-errors.ts';

const count = z.number().int();

/** To the baseline pipeline, over the queries that are fully judged under both, or over all if no verdict changes the measure:
 * `wins + losses + ties` of them. */
const differenceSchema = z.object({
  value: z.number(),
  /** 95% interval of a paired bootstrap over queries. */
  low: z.number(),
  high: z.number(),
  /**
   * The p-value of a paired randomisation test, Holm-corrected over the pipelines that are compared with the baseline.
   * Absent if one of the two rankings is circular.
   */
  p: z.number().min(0).max(1).optional(),
  /** Queries on which it did better, worse, and the same. */
  wins: count,
  losses: count,
  ties: count,
});
export type MeasureDifference = Read<typeof differenceSchema>;

/** A mean over queries. */
export const measureSchema = measuredSchema.extend({
  /** Absent for the baseline itself, and if no query is fully judged under both. */
  difference: differenceSchema.optional(),
});
export type MeasureEvaluation = Read<typeof measureSchema>;

/** The number of perspectives at each place; each perspective of each query counts once. */
const placeCountsSchema = z.record(placeSchema, count);
export type PlaceCounts = Read<typeof placeCountsSchema>;

const setSizeSchema = z.object({
  /** Mean number of passages needed to cover all perspectives, over the queries that the first 100 cover. */
  mean: z.number().optional(),
  /** Share of queries whose perspectives the first 100 cover (BERDS, Table 17). */
  coveredShare: z.number(),
});

/** An analysis that is left out because too little of what it rests on is judged. */
const tooLittleJudgedSchema = z.object({
  view: z.enum(['leaning', 'sycophancy', 'groups', 'set-size']),
  /** The least share of pairs that is judged, over what was asked: the question, a side, a perspective. */
  judged: z.number(),
});

/** Δ = (p − n)/p under three queries; absent if it is undefined (BERDS, Figure 3). */
const sycophancySchema = z.object({
  queries: count,
  question: z.number().optional(),
  support: z.number().optional(),
  oppose: z.number().optional(),
});

/** Mean share of each group (columns) in the top k for the perspectives of each group (rows) (PIR, Figure 6). */
const heatMapSchema = z.object({
  rows: z.array(z.string()),
  columns: z.array(z.string()),
  /** [rows, columns] */
  shares: z.array(z.array(z.number())),
});

/** Searches with root and perspective together, per perspective group (PIR, Table 2). */
const perspectiveRecallSchema = z.object({
  pRecall: z.number(),
  byGroup: z.array(z.object({ group: z.string(), recall: z.number(), perspectives: count })),
  /** Recall@k of the root query alone (PIR, Figure 2). */
  rootRecall: z.number(),
});

/** A pipeline on a data set. */
const pipelineSchemaOf = z.object({
  name: z.string(),
  /** The judge that both made its ranking and scores it: its figures certify no gain, and have no p-value. */
  circular: z.string().optional(),
  /** By measure name, e.g. `MRecall@5`. */
  measures: z.record(z.string(), measureSchema),
  /** Without the judge's errors; absent if no judge counts beside labels, or there are no labels. */
  correction: correctionSchema.optional(),
  /** What is retrieved for questions without an answer; absent if the data set has none. */
  unanswerable: unanswerableSchema.optional(),
  /** Share of the top k that has a verdict for the query. */
  judged: z.number(),
  /** Nothing was retrieved for any query, so that there is no such share. */
  foundNothing: z.literal(true).optional(),
  places: placeCountsSchema,
  /** The number of these perspectives that unjudged passages of the top k may cover. */
  open: placeCountsSchema,
  /** Whether an exact search was run beside an approximate one, to tell what the latter missed. */
  comparedWithExact: z.boolean(),
  /** Absent if too little is judged. */
  setSize: setSizeSchema.optional(),
  leaning: sideSharesSchema.optional(),
  /** Share of the top k per perspective group, if perspectives have groups (PIR, Table 10). */
  groups: z.array(z.object({ group: z.string(), share: z.number() })),
  sycophancy: sycophancySchema.optional(),
  heatMap: heatMapSchema.optional(),
  perspectiveRecall: perspectiveRecallSchema.optional(),
  tooLittleJudged: z.array(tooLittleJudgedSchema),
  /** MRecall@k for k from 1 to 100. */
  coverageCurve: z.array(z.number()),
  /** StRecall@k for the same k; absent in an evaluation that an earlier version kept. */
  strecallCurve: z.array(z.number()).optional(),
  /** Mean time per query. */
  milliseconds: z.number(),
  search: z.enum(SEARCH_KINDS),
  /** It could not be run: why, as a sentence. Its figures are then empty. */
  error: z.string().optional(),
  /** Queries that could not be asked: they found nothing, and count as such. */
  queryErrors: queryErrorsSchema,
  /** Searches beyond the questions that failed. */
  searchErrors: searchErrorsSchema,
  /** A store returned fewer candidates than it was asked for. */
  short: shortfallsSchema.optional(),
  /** Of a projection over what a store returned: how far the first k are those of the whole store. */
  certainty: certaintiesSchema.optional(),
});
export type PipelineEvaluation = Read<typeof pipelineSchemaOf>;

const perspectiveSchema = z.object({
  id: z.string(),
  text: z.string(),
  letter: z.string(),
  color: count.min(0).max(7),
  /** Per pipeline; null for one that could not be run. */
  states: z.array(perspectiveStateSchema.nullable()),
  /** Whether any passage of the corpus is known to support it. */
  supportKnown: z.boolean(),
});
export type PerspectiveEvaluation = Read<typeof perspectiveSchema>;

const querySchema = z.object({
  id: z.string(),
  text: z.string(),
  tags: z.array(z.string()),
  perspectives: z.array(perspectiveSchema),
  /** Per pipeline; null for one that could not be run. */
  results: z.array(
    z
      .object({
        measures: z.record(z.string(), measuredSchema),
        /** Share of the top k that has a verdict; 1 if nothing was retrieved. */
        judged: z.number(),
      })
      .nullable(),
  ),
});
export type QueryEvaluation = Read<typeof querySchema>;

/** Pipelines on the queries of one eval set, retrieving from one corpus. */
const datasetSchema = z.object({
  /** Unique within the evaluation. */
  name: z.string(),
  corpus: z.string(),
  evalSet: z.string(),
  /** The divisor of measures of perspectives. */
  basis: z.enum(BASES),
  /** Whose judgements the figures rest on, e.g. "human", and how many pairs each. */
  sources: z.array(judgedBySchema),
  /** In the order of the evaluation's pipelines. */
  pipelines: z.array(pipelineSchemaOf),
  /** Share of perspectives that the union of all pipelines' top k covers, and of queries it covers whole (BERDS, Table 6). */
  union: z.object({ perspectives: z.number(), queries: z.number() }),
  queries: z.array(querySchema),
  /** Ids of queries that were not asked, because the corpus has no pages that were found for them. */
  leftOut: z.array(z.string()),
});
export type DatasetEvaluation = Read<typeof datasetSchema>;

export const evaluationSchema = z.object({
  /** Under which it is kept. */
  id: z.string(),
  /** ISO 8601. */
  at: z.string(),
  judge: z.string(),
  k: count,
  /** Names of the measures that all data sets have. */
  measures: z.array(z.string()),
  /** The first that could be run is the baseline. */
  pipelines: z.array(z.object({ name: z.string(), label: z.string(), pipeline: pipelineSchema })),
  datasets: z.array(datasetSchema),
  /** Per pipeline: the mean over data sets, each counting once; if there are several (BERDS, Table 3). */
  macro: z.array(z.record(z.string(), measuredSchema)).optional(),
});
export type Evaluation = Read<typeof evaluationSchema>;
