/**
 * Messages between the compare panel and the extension host. As with the side panel, the host sends
 * the newest whole {@link CompareState}; the panel keeps only what the user is doing. A comparison is large
 * and changes rarely: it has a message of its own, sent when another one is to be shown.
 */
import * as z from 'zod';
import type { Read } from '../../core/read.ts';
import { pipelineSchema } from '../../core/pipeline.ts';
import { evaluationSchema } from '../../evaluation/evaluation.ts';
import { poolReportSchema } from '../pool.ts';
import { failureSchema, remedySchema } from './failure.ts';
import { judgeOfferSchema } from './judge-offer.ts';
import { saveChartSchema } from './save-chart.ts';
import { taskSchema } from './task.ts';

const named = z.object({
  name: z.string(),
  pipeline: pipelineSchema,
  /** Its steps in a few words, as a hint where there is only room for the name. */
  label: z.string().optional(),
});

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
  /** `compared`: the queries that have perspectives; the others have nothing to cover. */
  evalSets: z.array(z.object({ path: z.string(), queries: z.number().int(), compared: z.number().int() })),
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
  z.object({ type: z.literal('comparison'), comparison: evaluationSchema }),
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
