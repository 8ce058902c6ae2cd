/** Requests about eval sets against what parallax.json demands, and about evaluations of the past. */
import * as z from 'zod';
import { historyEntrySchema } from '../../core/history/entry.ts';
import { configSchema } from '../config.ts';
import {
  entryComparisonSchema,
  evaluationSummarySchema,
  gateReportSchema,
  unreachedSchema,
} from '../evaluation.ts';
import { compareSchema } from './comparing.ts';
import { evalQuerySchema } from './questions.ts';
import { budgetSchema } from './spending.ts';

/** An evaluation as `parallax gate` makes it. */
const evaluateSchema = z.object({
  /** parallax.json as it is now. */
  config: configSchema,
  /** By names or paths; all of parallax.json when left out. */
  evalSets: z.array(z.string()).min(1).optional(),
  /** Whether a judge that costs something may be asked. */
  ask: z.boolean(),
  budget: budgetSchema.optional(),
});

export const evaluationRequests = {
  /**
   * Eval sets against what parallax.json demands. Corpora must be indexed. `baseline`: whether one is compared with;
   * `present`: where parallax.json names one, or the default one is there. The result is kept in the history.
   */
  evaluate: {
    params: evaluateSchema.extend({ baseline: z.enum(['none', 'present', 'required']) }),
    result: gateReportSchema,
  },
  /** Evaluates, and writes what was found as the baseline; `isNew` where that changed the file. */
  acceptBaseline: {
    params: evaluateSchema.omit({ evalSets: true }),
    result: z.object({ file: z.string(), isNew: z.boolean() }),
  },
  /** Writes an evaluation of the past as the baseline; it must have all that would be evaluated now. */
  acceptEvaluation: {
    params: evaluateSchema.pick({ config: true }).extend({ id: z.string() }),
    result: z.object({ file: z.string(), isNew: z.boolean() }),
  },
  /** Evaluations of the past, newest first. The baseline is the one that parallax.json compares with now. */
  evaluationHistory: {
    params: evaluateSchema.pick({ config: true }),
    result: z.object({
      evaluations: z.array(evaluationSummarySchema),
      /** How many more were kept by another version, in a form that this one does not read. */
      unlisted: z.number().int().min(0),
    }),
  },
  evaluationEntry: { params: z.object({ id: z.string() }), result: historyEntrySchema },
  /** Two of them, query by query. */
  compareEvaluations: {
    params: z.object({ then: z.string(), now: z.string() }),
    result: entryComparisonSchema,
  },
  /** Which documents of a corpus none of the pipelines reaches within the top k for any of the queries that are asked. */
  unreached: {
    params: compareSchema.pick({ pipelines: true, k: true }).extend({
      corpus: z.string(),
      queries: z.array(evalQuerySchema).min(1),
    }),
    result: unreachedSchema,
  },
} as const;
