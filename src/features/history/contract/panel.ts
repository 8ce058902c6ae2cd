/**
 * Messages between the history panel and the extension host. The host always sends the complete {@link HistoryState}.
 * Runs are many and rarely change, so they are sent in a separate message before the first state that refers to them.
 */
import * as z from 'zod';
import type { Read } from '../../../core/read.ts';
import { entryComparisonSchema } from '../core/compare-entries.ts';
import { evaluationSummarySchema } from '../../../shared/evaluation.ts';
import { failureSchema, remedySchema } from '../../../shared/panels/failure.ts';
import { saveChartSchema } from '../../../shared/panels/save-chart.ts';
import { taskSchema } from '../../../shared/panels/task.ts';

/** The current queries of a data set, as evaluations only store ids. */
const questionSchema = z.object({
  text: z.string(),
  /** Texts of its perspectives by id. */
  perspectives: z.record(z.string(), z.string()),
});
export type Question = Read<typeof questionSchema>;

/** Two runs, query by query. */
const comparedSchema = z.object({
  /** Ids. `then` is the earlier one. */
  then: z.string(),
  now: z.string(),
  comparison: entryComparisonSchema,
  /** By data set and id: those that changed and still exist. */
  questions: z.record(z.string(), z.record(z.string(), questionSchema)),
});
export type ComparedRuns = Read<typeof comparedSchema>;

const historyStateSchema = z.object({
  trusted: z.boolean(),
  /** A sentence on why `parallax.json` is invalid. The defaults apply until it is fixed. */
  configProblem: z.string().optional(),
  /** The scope of an evaluation now. A run without all of its eval sets and pipelines cannot be the baseline. */
  demands: z.object({
    k: z.number().int(),
    /** Paths. */
    evalSets: z.array(z.string()),
    pipelines: z.array(z.string()),
  }),
  /** The revision of its `runs` message. 0 before the history was read. */
  revision: z.number().int(),
  task: taskSchema.optional(),
  compared: comparedSchema.optional(),
  error: failureSchema.optional(),
});
export type HistoryState = Read<typeof historyStateSchema>;

/** Host → panel. */
export const toHistorySchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('state'), state: historyStateSchema }),
  z.object({
    type: z.literal('runs'),
    revision: z.number().int(),
    /** Newest first. */
    runs: z.array(evaluationSummarySchema),
    /** The number of runs stored by another version, which cannot be shown. */
    unlisted: z.number().int().optional(),
  }),
]);
export type ToHistory = Read<typeof toHistorySchema>;

/** Panel → host. */
export const fromHistorySchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready') }),
  z.object({ type: z.literal('evaluate') }),
  z.object({ type: z.literal('cancel') }),
  /** In any order. The earlier one is the reference. */
  z.object({ type: z.literal('compare'), ids: z.tuple([z.string(), z.string()]) }),
  z.object({ type: z.literal('close-comparison') }),
  z.object({ type: z.literal('accept'), id: z.string() }),
  /** Copy the view: the runs of an eval set, optionally of one pipeline, or the comparison. */
  z.object({ type: z.literal('copy-runs'), dataset: z.string(), pipeline: z.string().optional() }),
  z.object({ type: z.literal('copy-comparison') }),
  z.object({ type: z.literal('open-eval-set'), evalSet: z.string() }),
  /** Show this query under this pipeline in the side panel. */
  z.object({
    type: z.literal('inspect'),
    evalSet: z.string(),
    queryId: z.string(),
    pipeline: z.string(),
  }),
  remedySchema,
  saveChartSchema,
  z.object({ type: z.literal('dismiss-error') }),
]);
export type FromHistory = Read<typeof fromHistorySchema>;
