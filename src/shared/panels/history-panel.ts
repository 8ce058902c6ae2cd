/**
 * Messages between the history panel and the extension host. The host sends the newest whole
 * {@link HistoryState}; the runs are many and change rarely, so they have a message of their own, sent before the
 * first state that counts them.
 */
import * as z from 'zod';
import type { Read } from '../../core/read.ts';
import { entryComparisonSchema } from '../../core/history/compare-entries.ts';
import { evaluationSummarySchema } from '../evaluation.ts';
import { failureSchema, remedySchema } from './failure.ts';
import { saveChartSchema } from './save-chart.ts';
import { taskSchema } from './task.ts';

/** The queries of a data set as they are today, since evaluations keep ids only. */
const questionSchema = z.object({
  text: z.string(),
  /** Texts of its perspectives by their ids. */
  perspectives: z.record(z.string(), z.string()),
});
export type Question = Read<typeof questionSchema>;

/** Two runs, query by query. */
const comparedSchema = z.object({
  /** Ids; then is the earlier one. */
  then: z.string(),
  now: z.string(),
  comparison: entryComparisonSchema,
  /** By data set and id, of queries that changed and are still in their eval set. */
  questions: z.record(z.string(), z.record(z.string(), questionSchema)),
});
export type ComparedRuns = Read<typeof comparedSchema>;

const historyStateSchema = z.object({
  trusted: z.boolean(),
  /** Why `parallax.json` cannot be used, as a sentence; the defaults hold meanwhile. */
  configProblem: z.string().optional(),
  /** The scope of an evaluation now. A run that lacks an eval set or a pipeline of it cannot be the baseline. */
  demands: z.object({
    k: z.number().int(),
    /** Paths. */
    evalSets: z.array(z.string()),
    pipelines: z.array(z.string()),
  }),
  /** Which `runs` message it goes with; 0 before the history was read. */
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
    /** How many more were kept by another version, which this one cannot show. */
    unlisted: z.number().int().optional(),
  }),
]);
export type ToHistory = Read<typeof toHistorySchema>;

/** Panel → host. */
export const fromHistorySchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready') }),
  z.object({ type: z.literal('evaluate') }),
  z.object({ type: z.literal('cancel') }),
  /** In any order: the earlier one is compared with. */
  z.object({ type: z.literal('compare'), ids: z.tuple([z.string(), z.string()]) }),
  z.object({ type: z.literal('close-comparison') }),
  z.object({ type: z.literal('accept'), id: z.string() }),
  /** The view: the runs of an eval set, of one pipeline where one is chosen; or the comparison. */
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
