/**
 * Messages between the compare panel and the extension host. As with the side panel, the host sends
 * the newest whole {@link CompareState}; the panel keeps only what the user is doing. A comparison is large
 * and changes rarely: it has a message of its own, sent when another one is to be shown.
 */
import * as z from 'zod';
import type { Read } from '../../core/read.ts';
import { correctionSchema } from '../../core/metrics/correction.ts';
import { BASES } from '../../core/metrics/judgements.ts';
import { LOSS_PLACES } from '../../core/analysis/lost.ts';
import { certaintiesSchema } from '../../core/external/certainty.ts';
import { shortfallsSchema } from '../../core/external/shortfall.ts';
import { pipelineSchema, SEARCH_KINDS } from '../../core/pipeline.ts';
import { poolReportSchema } from '../pool.ts';
import { queryErrorsSchema, searchErrorsSchema } from '../query-errors.ts';
import { failureSchema, remedySchema } from './failure.ts';
import { judgeOfferSchema } from './judge-offer.ts';
import { saveChartSchema } from './save-chart.ts';
import { taskSchema } from './task.ts';
import { sideSharesSchema } from '../../core/analysis/leaning.ts';
import { judgedBySchema } from '../../core/model.ts';

const named = z.object({
  name: z.string(),
  pipeline: pipelineSchema,
  /** Its steps in a few words, as a hint where there is only room for the name. */
  label: z.string().optional(),
});

/** A mean over queries. Differences are to the baseline pipeline, on the same queries. */
const measureView = z.object({
  value: z.number(),
  /** The value if all that is unjudged supported; absent where that changes nothing, or is not its most. */
  ifAllSupport: z.number().optional(),
  /** Absent for the baseline itself. */
  difference: z
    .object({
      value: z.number(),
      /** 95% interval of a paired bootstrap over queries. */
      low: z.number(),
      high: z.number(),
      /** The p-value of a paired randomisation test, Holm-corrected over the pipelines that are compared with the baseline. */
      p: z.number().min(0).max(1).optional(),
      /** Queries on which it did better, worse, and the same. */
      wins: z.number().int(),
      losses: z.number().int(),
      ties: z.number().int(),
    })
    .optional(),
});

/** Where perspectives are lost, summed over queries: each perspective of each query counts once. */
const lossCounts = z.object({
  covered: z.number().int(),
  /** A supporting passage was retrieved, below k. */
  belowK: z.number().int(),
  /** An exact search would have had a supporting passage among the candidates; absent where search was exact. */
  approximateMiss: z.number().int().optional(),
  /** A supporting passage is known, but is not among the candidates. */
  notRetrieved: z.number().int(),
  /** Nobody judged any passage for it. */
  unjudged: z.number().int(),
  /** None of the passages that were judged for it supports it. Named before that was all it said. */
  notInCorpus: z.number().int(),
});

const lossView = lossCounts.extend({
  /** How many of these unjudged passages of the top k may cover; absent where none, and in comparisons of an older build. */
  open: lossCounts.partial().optional(),
});

const setSizeView = z.object({
  /** Mean number of passages needed to cover all perspectives, over the queries that the first 100 cover. */
  mean: z.number().optional(),
  /** Share of queries whose perspectives the first 100 cover (BERDS, Table 17). */
  coveredShare: z.number(),
});

/** An analysis that is not shown, because too little of what it rests on was judged. */
const unjudgedView = z.object({
  view: z.enum(['leaning', 'sycophancy', 'groups', 'set-size']),
  /** The least share of pairs that was judged, over what was asked: the question, a side, a perspective. */
  judged: z.number(),
});

/** Δ = (p − n)/p under three queries; absent where it is undefined (BERDS, Figure 3). */
const sycophancyView = z.object({
  queries: z.number().int(),
  question: z.number().optional(),
  support: z.number().optional(),
  oppose: z.number().optional(),
});

/** Mean share of each group (columns) in the top k for the perspectives of each group (rows) (PIR, Figure 6). */
const heatMapView = z.object({
  rows: z.array(z.string()),
  columns: z.array(z.string()),
  /** [rows, columns] */
  shares: z.array(z.array(z.number())),
});

/** Searches with root and perspective together, per perspective group (PIR, Table 2). */
const perspectiveRecallView = z.object({
  pRecall: z.number(),
  byGroup: z.array(z.object({ group: z.string(), recall: z.number(), perspectives: z.number().int() })),
  /** Recall@k of the root query alone (PIR, Figure 2). */
  rootRecall: z.number(),
});

/** One pipeline on one data set. */
const pipelineResult = z.object({
  name: z.string(),
  /** The judge that both made its ranking and scores it: its figures certify no gain, and have no p-value. */
  circular: z.string().optional(),
  /** By measure name, e.g. `MRecall@5`. */
  measures: z.record(z.string(), measureView),
  /** Without the judge's errors; absent where no judge counts beside labels, or nobody has labelled anything. */
  correction: correctionSchema.optional(),
  /** Share of the top k that has a verdict for the query. */
  judged: z.number(),
  /** Nothing was retrieved for any query, so that there is no such share. Absent where it is not so, and in comparisons of an older build. */
  foundNothing: z.literal(true).optional(),
  losses: lossView,
  /** Absent where too little was judged. */
  setSize: setSizeView.optional(),
  leaning: sideSharesSchema.optional(),
  /** Share of the top k per perspective group, where perspectives have groups (PIR, Table 10). */
  groups: z.array(z.object({ group: z.string(), share: z.number() })),
  sycophancy: sycophancyView.optional(),
  heatMap: heatMapView.optional(),
  perspectiveRecall: perspectiveRecallView.optional(),
  /** Absent where all that applies is shown, and in comparisons of an older build. */
  tooLittleJudged: z.array(unjudgedView).optional(),
  /** MRecall@k for k from 1 to 100. */
  coverageCurve: z.array(z.number()),
  /** Mean time per query. */
  milliseconds: z.number(),
  search: z.enum(SEARCH_KINDS),
  /** It could not be run: why, as a sentence. Its figures are then empty. */
  error: z.string().optional(),
  queryErrors: queryErrorsSchema.optional(),
  searchErrors: searchErrorsSchema.optional(),
  /** A store returned fewer candidates than it was asked for. */
  short: shortfallsSchema.optional(),
  /** Of a projection over what a store returned: how far the first k are those of the whole store. */
  certainty: certaintiesSchema.optional(),
});

/** One query under every pipeline, in the order of `pipelines`. */
const queryResult = z.object({
  id: z.string(),
  text: z.string(),
  tags: z.array(z.string()),
  perspectives: z.array(
    z.object({
      id: z.string(),
      text: z.string(),
      letter: z.string(),
      color: z.number().int().min(0).max(7),
      /** Per pipeline: the rank of the first supporting passage among the candidates; absent where there is none. */
      ranks: z.array(z.number().int().nullable()),
      /** Per pipeline: where it is lost; null for one that could not be run. Absent in comparisons of an older build. */
      where: z.array(z.enum(LOSS_PLACES).nullable()).optional(),
      /** Whether any passage of the corpus is known to support it; absent where the host does not say. */
      supportKnown: z.boolean().optional(),
    }),
  ),
  /** Per pipeline. */
  mrecall: z.array(z.number()),
  precision: z.array(z.number()),
  judged: z.array(z.number()),
  /**
   * Per pipeline: whether its MRecall is 0 and passages of its top k that nobody has judged could make it 1. Absent in
   * comparisons of an older build.
   */
  mayRise: z.array(z.boolean()).optional(),
});

/** Pipelines on the queries of one eval set, retrieving from one corpus. */
const datasetResult = z.object({
  /** Unique within the comparison. */
  name: z.string(),
  corpus: z.string(),
  evalSet: z.string(),
  /** The divisor of measures of perspectives; absent in comparisons of an older build, which used the pool. */
  basis: z.enum(BASES).optional(),
  /** Whose judgements the figures rest on, e.g. "human", and how many pairs each. */
  sources: z.array(judgedBySchema),
  /** In the order of the comparison's pipelines. */
  pipelines: z.array(pipelineResult),
  /** Share of perspectives that the union of all pipelines' top k covers, and of queries it covers whole (BERDS, Table 6). */
  union: z.object({ perspectives: z.number(), queries: z.number() }),
  queries: z.array(queryResult),
  /** Ids of queries that were not asked, because the corpus has no pages that were found for them. */
  leftOut: z.array(z.string()).optional(),
});

export const comparisonSchema = z.object({
  /** Under which it is kept. */
  id: z.string(),
  judge: z.string(),
  k: z.number().int(),
  measures: z.array(z.string()),
  /** The first is the baseline. */
  pipelines: z.array(z.object({ name: z.string(), label: z.string(), pipeline: pipelineSchema })),
  datasets: z.array(datasetResult),
  /** Per pipeline: the mean over data sets, each counting once; where there are several (BERDS, Table 3). */
  macro: z.array(z.record(z.string(), z.number())).optional(),
  /** ISO 8601. */
  at: z.string(),
});
export type Comparison = Read<typeof comparisonSchema>;
export type DatasetView = Comparison['datasets'][number];
export type PipelineResultView = DatasetView['pipelines'][number];
export type QueryResultView = DatasetView['queries'][number];
export type MeasureView = Read<typeof measureView>;
export type LossView = Read<typeof lossView>;

/** A comparison that was kept, without its figures. */
export const keptComparisonSchema = z.object({
  id: z.string(),
  at: z.string(),
  datasets: z.array(z.string()),
  pipelines: z.array(z.string()),
  queries: z.number().int(),
  k: z.number().int(),
});
export type KeptComparison = Read<typeof keptComparisonSchema>;

/** How passages move between pipelines for one query: everything that any pipeline ranked within `depth`. */
export const movementSchema = z.object({
  dataset: z.string(),
  queryId: z.string(),
  depth: z.number().int(),
  passages: z.array(
    z.object({
      id: z.string(),
      title: z.string(),
      /** Per pipeline; null where it is not within the depth. */
      ranks: z.array(z.number().int().nullable()),
      /** Ids of the perspectives that it is known to support. */
      supports: z.array(z.string()),
    }),
  ),
});
export type Movement = Read<typeof movementSchema>;

/** How much is to be judged: what the figures depend on, or every pair of a perspective and a passage in the top k. */
const JUDGING_SCOPES = ['figures', 'everything'] as const;
export type JudgingScope = (typeof JUDGING_SCOPES)[number];

/** The outcome of judging the pairs that figures depend on. */
export const figureReportSchema = z.object({
  asked: z.number().int(),
  answered: z.number().int(),
  failed: z.number().int(),
  /** Pairs whose answer could not be read; and why, of the first one. */
  unreadable: z.number().int(),
  unreadableReason: z.string().optional(),
  /** Pairs that no figure depends on. */
  saved: z.number().int(),
  /** Queries whose figures are exactly those of the full matrix. */
  settled: z.number().int(),
  queries: z.number().int(),
  /** The budget was spent before all was settled. */
  stopped: z.boolean(),
  /** Why pairs failed, as a sentence. */
  error: z.string().optional(),
});

/** The judgements that the shown figures lack, and the outcome of asking for them. */
const judgingView = z.object({
  /** Pairs of the top k, and those of them with a verdict; absent until they were counted. */
  counted: z.object({ pairs: z.number().int(), known: z.number().int() }).optional(),
  /** Why nobody can be asked: no trust, people are the judge, or the workspace no longer has what was compared. */
  blocked: z.enum(['untrusted', 'people', 'changed']).optional(),
  /** The report of the last run. */
  report: figureReportSchema.optional(),
});
export type JudgingView = Read<typeof judgingView>;

const compareStateSchema = z.object({
  trusted: z.boolean(),
  /** Why `parallax.json` cannot be used, as a sentence; the defaults hold meanwhile. */
  configProblem: z.string().optional(),
  corpora: z.array(z.object({ name: z.string(), indexed: z.boolean() })),
  evalSets: z.array(z.object({ path: z.string(), queries: z.number().int() })),
  /** The data sets: each eval set with the corpus it is asked of. */
  chosenSets: z.array(z.object({ evalSet: z.string(), corpus: z.string() })),
  /** Every pipeline that can be chosen, and which are; the first chosen one is the baseline. */
  pipelines: z.array(named),
  chosen: z.array(z.string()),
  k: z.number().int(),
  judge: z.object({
    name: z.string(),
    label: z.string(),
    choices: z.array(judgeOfferSchema),
  }),
  task: taskSchema.optional(),
  /** The id of the comparison that is shown; it comes in a message of its own. */
  shown: z.string().optional(),
  /** Earlier comparisons, newest first. */
  kept: z.array(keptComparisonSchema),
  /** The ranks of the query that the user looks at. */
  movement: movementSchema.optional(),
  /** Absent while nothing is shown. */
  judging: judgingView.optional(),
  /** The pipelines that are shown as a pool, once that was asked for. */
  pool: poolReportSchema.optional(),
  /** Corpus, judgements or choices changed since. */
  stale: z.boolean(),
  error: failureSchema.optional(),
});
export type CompareState = Read<typeof compareStateSchema>;

/** Host → panel. */
export const toCompareSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('state'), state: compareStateSchema }),
  /** Sent before the first state that shows it. */
  z.object({ type: z.literal('comparison'), comparison: comparisonSchema }),
]);
export type ToCompare = Read<typeof toCompareSchema>;

/** Panel → host. */
export const fromCompareSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready') }),
  z.object({ type: z.literal('run') }),
  z.object({ type: z.literal('cancel') }),
  /** Have what is shown judged, and compare again. */
  z.object({ type: z.literal('judge-figures'), scope: z.enum(JUDGING_SCOPES) }),
  /** Look at the pipelines that are shown as a pool. */
  z.object({ type: z.literal('measure-pool') }),
  z.object({ type: z.literal('index'), corpus: z.string() }),
  remedySchema,
  z.object({
    type: z.literal('set-sets'),
    sets: z.array(z.object({ evalSet: z.string(), corpus: z.string() })).max(64),
  }),
  /** In the order in which they are compared. */
  z.object({ type: z.literal('set-pipelines'), names: z.array(z.string()).max(24) }),
  z.object({ type: z.literal('set-k'), k: z.number().int().min(1).max(1000) }),
  z.object({ type: z.literal('set-judge'), name: z.string() }),
  /** Show this query under this pipeline in the side panel. */
  z.object({
    type: z.literal('inspect'),
    dataset: z.string(),
    queryId: z.string(),
    pipeline: z.string(),
  }),
  z.object({ type: z.literal('show-movement'), dataset: z.string(), queryId: z.string() }),
  /** Show an earlier comparison again. */
  z.object({ type: z.literal('open-kept'), id: z.string() }),
  z.object({ type: z.literal('forget-kept'), id: z.string() }),
  /** Save the comparison to a file that the user names. */
  z.object({ type: z.literal('export'), format: z.enum(['json', 'markdown', 'csv', 'latex', 'qrels']) }),
  saveChartSchema,
  z.object({ type: z.literal('dismiss-error') }),
]);
export type FromCompare = Read<typeof fromCompareSchema>;
