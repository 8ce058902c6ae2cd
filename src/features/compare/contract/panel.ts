/**
 * Messages between the compare panel and the extension host. As with the side panel, the host always sends the complete
 * {@link CompareState}, and the panel only keeps the user's interaction. A comparison is large and rarely changes, so
 * it is sent in a separate message when another one is to be shown.
 */
import * as z from 'zod';
import type { Read } from '../../../core/read.ts';
import { pipelineSchema } from '../../../core/pipeline.ts';
import { evaluationSchema } from '../../../evaluation/evaluation.ts';
import { poolReportSchema } from '../../../shared/pool.ts';
import { failureSchema, remedySchema } from '../../../shared/panels/failure.ts';
import { judgeOfferSchema } from '../../../shared/panels/judge-offer.ts';
import { saveChartSchema } from '../../../shared/panels/save-chart.ts';
import { taskSchema } from '../../../shared/panels/task.ts';

const named = z.object({
  name: z.string(),
  pipeline: pipelineSchema,
  /** Its steps in a few words, as a tooltip if only the name is shown. */
  label: z.string().optional(),
});

/** A stored comparison without its figures. */
export const keptComparisonSchema = z.object({
  id: z.string(),
  at: z.string(),
  datasets: z.array(z.string()),
  pipelines: z.array(z.string()),
  queries: z.number().int(),
  k: z.number().int(),
});
export type KeptComparison = Read<typeof keptComparisonSchema>;

/** How passages move between pipelines for one query: all passages that any pipeline ranked within `depth`. */
export const movementSchema = z.object({
  dataset: z.string(),
  queryId: z.string(),
  depth: z.number().int(),
  passages: z.array(
    z.object({
      id: z.string(),
      title: z.string(),
      /** One per pipeline. `null` if not within the depth. */
      ranks: z.array(z.number().int().nullable()),
      /** Ids of the perspectives that it is known to support. */
      supports: z.array(z.string()),
    }),
  ),
});
export type Movement = Read<typeof movementSchema>;

/** What to judge: the pairs that figures depend on, or every pair of a perspective and a passage in the top k. */
const JUDGING_SCOPES = ['figures', 'everything'] as const;
export type JudgingScope = (typeof JUDGING_SCOPES)[number];

/** The outcome of judging the pairs that figures depend on. */
export const figureReportSchema = z.object({
  asked: z.number().int(),
  answered: z.number().int(),
  failed: z.number().int(),
  /** Pairs with unreadable answers, and the reason of the first one. */
  unreadable: z.number().int(),
  unreadableReason: z.string().optional(),
  /** Pairs that no figure depended on. */
  saved: z.number().int(),
  /** Queries whose figures equal those of the full matrix. */
  settled: z.number().int(),
  queries: z.number().int(),
  /** Whether the budget was spent before everything was settled. */
  stopped: z.boolean(),
  /** The first error of failed pairs, as a sentence. */
  error: z.string().optional(),
});

/** The judgements that the shown figures lack, and the outcome of requesting them. */
const judgingView = z.object({
  /** Pairs of the top k, and those with a verdict. `undefined` until they are counted. */
  counted: z.object({ pairs: z.number().int(), known: z.number().int() }).optional(),
  /** Why judging is impossible: no trust, people are the judge, or the workspace has changed since the comparison. */
  blocked: z.enum(['untrusted', 'people', 'changed']).optional(),
  /** The number of the next repeat. `undefined` if there is none, or the judge's answers do not vary. */
  repeat: z.number().int().optional(),
  /** The outcome of the last run. */
  report: figureReportSchema.optional(),
});
export type JudgingView = Read<typeof judgingView>;

const compareStateSchema = z.object({
  trusted: z.boolean(),
  /** A sentence on why `parallax.json` is invalid. The defaults apply until it is fixed. */
  configProblem: z.string().optional(),
  corpora: z.array(z.object({ name: z.string(), indexed: z.boolean() })),
  /** `compared`: queries with perspectives. Others have nothing to cover. */
  evalSets: z.array(z.object({ path: z.string(), queries: z.number().int(), compared: z.number().int() })),
  /** The data sets: each eval set with its corpus. */
  chosenSets: z.array(z.object({ evalSet: z.string(), corpus: z.string() })),
  /** All available pipelines, and the chosen ones, of which the first is the baseline. */
  pipelines: z.array(named),
  chosen: z.array(z.string()),
  k: z.number().int(),
  judge: z.object({
    name: z.string(),
    label: z.string(),
    choices: z.array(judgeOfferSchema),
  }),
  task: taskSchema.optional(),
  /** The id of the shown comparison, which is sent in a separate message. */
  shown: z.string().optional(),
  /** Earlier comparisons, newest first. */
  kept: z.array(keptComparisonSchema),
  /** The ranks of the query that the user is viewing. */
  movement: movementSchema.optional(),
  /** `undefined` if no comparison is shown. */
  judging: judgingView.optional(),
  /** The shown pipelines as a pool, once requested. */
  pool: poolReportSchema.optional(),
  /** Whether corpus, judgements or choices have changed since. */
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
  /** Judge what is shown, and compare again. */
  z.object({ type: z.literal('judge-figures'), scope: z.enum(JUDGING_SCOPES) }),
  /** Judge once more what the figures need, to see what the judge changes by itself. */
  z.object({ type: z.literal('judge-again') }),
  /** Analyse the shown pipelines as a pool. */
  z.object({ type: z.literal('measure-pool') }),
  z.object({ type: z.literal('index'), corpus: z.string() }),
  remedySchema,
  z.object({
    type: z.literal('set-sets'),
    sets: z.array(z.object({ evalSet: z.string(), corpus: z.string() })).max(64),
  }),
  /** In the order of comparison. */
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
