/**
 * The result of an evaluation: pipelines on the queries of one or several data sets. The engine creates it, and all
 * surfaces show views of it.
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
import { repeatsSchema } from '../core/metrics/repeats.ts';
import { judgedBySchema } from '../core/model.ts';
import { pipelineSchema, SEARCH_KINDS } from '../core/pipeline.ts';
import type { Read } from '../core/read.ts';
import { queryErrorsSchema, searchErrorsSchema } from './query-errors.ts';

const count = z.number().int();

/**
 * The difference to the baseline pipeline, over the queries that are fully judged under both, or over all if no verdict
 * changes the measure: `wins + losses + ties` queries.
 */
const differenceSchema = z.object({
  value: z.number(),
  /** 95% interval of a paired bootstrap over queries. */
  low: z.number(),
  high: z.number(),
  /**
   * The p-value of a paired randomisation test, Holm-corrected over the pipelines compared with the baseline.
   * `undefined` if one of the two rankings is circular.
   */
  p: z.number().min(0).max(1).optional(),
  /** The numbers of queries on which it did better, worse, and equally. */
  wins: count,
  losses: count,
  ties: count,
});
export type MeasureDifference = Read<typeof differenceSchema>;

/** A mean over queries. */
export const measureSchema = measuredSchema.extend({
  /** `undefined` for the baseline, and if no query is fully judged under both. */
  difference: differenceSchema.optional(),
});
export type MeasureEvaluation = Read<typeof measureSchema>;

/** The number of perspectives at each place. Each perspective of each query counts once. */
const placeCountsSchema = z.record(placeSchema, count);
export type PlaceCounts = Read<typeof placeCountsSchema>;

const setSizeSchema = z.object({
  /** Mean number of passages needed to cover all perspectives, over the queries that the first 100 cover. */
  mean: z.number().optional(),
  /** Share of queries whose perspectives the first 100 cover (BERDS, Table 17). */
  coveredShare: z.number(),
});

/** An analysis that is left out because too few of its pairs are judged. */
const tooLittleJudgedSchema = z.object({
  view: z.enum(['leaning', 'sycophancy', 'groups', 'set-size']),
  /** The least share of judged pairs over its searches: the question, a side, a perspective. */
  judged: z.number(),
});

/** Δ = (p − n)/p under three queries. `undefined` if p is 0 (BERDS, Figure 3). */
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

/** The results of a pipeline on a data set. */
const pipelineSchemaOf = z.object({
  name: z.string(),
  /** The judge that both made its ranking and scores it. Its figures prove no gain and have no p-value. */
  circular: z.string().optional(),
  /** By measure name, e.g. `MRecall@5`. */
  measures: z.record(z.string(), measureSchema),
  /** Figures without the judge's errors. `undefined` if no judge counts beside labels, or there are no labels. */
  correction: correctionSchema.optional(),
  /** Retrieval for questions without an answer. `undefined` if the data set has none. */
  unanswerable: unanswerableSchema.optional(),
  /** Share of the top k that has a verdict for the query. */
  judged: z.number(),
  /** Set if nothing was retrieved for any query, so that `judged` is undefined. */
  foundNothing: z.literal(true).optional(),
  places: placeCountsSchema,
  /** The number of those perspectives that unjudged passages of the top k may cover. */
  open: placeCountsSchema,
  /** Whether an exact search was run as well, to find what the approximate one missed. */
  comparedWithExact: z.boolean(),
  /** `undefined` if too little is judged. */
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
  /** StRecall@k for the same k. `undefined` in evaluations stored by an earlier version. */
  strecallCurve: z.array(z.number()).optional(),
  /** Mean time per query. */
  milliseconds: z.number(),
  search: z.enum(SEARCH_KINDS),
  /** A sentence on why it failed. Its figures are then empty. */
  error: z.string().optional(),
  /** Queries that failed. They count as queries that found nothing. */
  queryErrors: queryErrorsSchema,
  /** Searches beyond the questions that failed. */
  searchErrors: searchErrorsSchema,
  /** Ids of queries that wanted more requests than their part of the budget. `undefined` if there are none. */
  cutShort: z.array(z.string()).readonly().optional(),
  /** Set if a store returned fewer candidates than requested. */
  short: shortfallsSchema.optional(),
  /** For a projection over what a store returned: whether the first k are certain. */
  certainty: certaintiesSchema.optional(),
});
export type PipelineEvaluation = Read<typeof pipelineSchemaOf>;

const perspectiveSchema = z.object({
  id: z.string(),
  text: z.string(),
  letter: z.string(),
  color: count.min(0).max(7),
  /** One per pipeline. `null` if the pipeline failed. */
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
  /** One per pipeline. `null` if the pipeline failed. */
  results: z.array(
    z
      .object({
        measures: z.record(z.string(), measuredSchema),
        /** Share of the top k that has a verdict. 1 if nothing was retrieved. */
        judged: z.number(),
      })
      .nullable(),
  ),
});
export type QueryEvaluation = Read<typeof querySchema>;

/** Pipelines on the queries of one eval set over one corpus. */
const datasetSchema = z.object({
  /** Unique within the evaluation. */
  name: z.string(),
  corpus: z.string(),
  evalSet: z.string(),
  /** The basis of measures of perspectives. */
  basis: z.enum(BASES),
  /** The sources of the judgements behind the figures, e.g. "human", with their numbers of pairs. */
  sources: z.array(judgedBySchema),
  /** In the order of the evaluation's pipelines. */
  pipelines: z.array(pipelineSchemaOf),
  /**
   * Share of perspectives that the union of all pipelines' top k covers, and of queries that it covers completely
   * (BERDS, Table 6).
   */
  union: z.object({ perspectives: z.number(), queries: z.number() }),
  queries: z.array(querySchema),
  /** What the judge changes by itself. `undefined` if everything was judged once. */
  repeats: repeatsSchema.optional(),
  /** Ids of queries that were skipped because the corpus has no pages for them. */
  leftOut: z.array(z.string()),
});
export type DatasetEvaluation = Read<typeof datasetSchema>;

export const evaluationSchema = z.object({
  /** The id that it is stored under. */
  id: z.string(),
  /** ISO 8601. */
  at: z.string(),
  judge: z.string(),
  k: count,
  /** Names of the measures that all data sets have. */
  measures: z.array(z.string()),
  /** The first one that did not fail is the baseline. */
  pipelines: z.array(z.object({ name: z.string(), label: z.string(), pipeline: pipelineSchema })),
  datasets: z.array(datasetSchema),
  /** One per pipeline: the unweighted mean over data sets, if there are several (BERDS, Table 3). */
  macro: z.array(z.record(z.string(), measuredSchema)).optional(),
});
export type Evaluation = Read<typeof evaluationSchema>;
