/** Requests about eval sets against what parallax.json demands, and about evaluations of the past. */
import * as z from 'zod';
import { evalSetReportSchema } from '../../core/eval-set-check/report.ts';
import { gateReportSchema } from '../../core/gate/report.ts';
import { entryComparisonSchema } from '../../core/history/compare-entries.ts';
import { baselineSchema } from '../../core/gate/baseline.ts';
import type { EvaluatedDataset } from '../../core/gate/evaluated.ts';
import { gateSchema } from '../../core/gate/spec.ts';
import { configSchema } from '../config.ts';
import { evaluationSummarySchema, unreachedReportSchema } from '../evaluation.ts';
import { compareSchema } from './comparing.ts';
import { datasetSchema } from './experiments.ts';
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

/** An eval set of a gate, and the name of the corpus that it is asked of. */
export const gateDatasetSchema = z.object({
  /** The name of the file, or its path where two files have the same name. */
  name: z.string(),
  /** Path relative to parallax.json, with slashes. */
  evalSet: z.string(),
  /** The same relative to where the gate is run. */
  file: z.string(),
  corpus: z.string(),
  /** All with at least one perspective; `line` in the eval set is from 1. */
  queries: z.array(evalQuerySchema.extend({ line: z.number().int().optional(), digest: z.string() })).min(1),
  /** Sentences on what of it could not be read. */
  unreadable: z.array(z.string()),
});

/** A baseline on disk. */
export const baselinePlaceSchema = z.object({
  /** Absolute. */
  file: z.string(),
  /** The folder that messages name it relative to; absolute. */
  from: z.string(),
});

const acceptedSchema = z.object({
  file: z.string(),
  isNew: z.boolean(),
  /** Sentences on what of it is unjudged. */
  holes: z.array(z.string()),
});

export const evaluationRequests = {
  /**
   * Reads and checks what a gate will evaluate, before any corpus is there. Warnings are notes.
   * `from`: the folder that files are named relative to.
   */
  gatePlan: {
    params: evaluateSchema
      .pick({ config: true, evalSets: true })
      .extend({ spec: gateSchema, from: z.string() }),
    result: z.object({
      datasets: z.array(gateDatasetSchema),
      /** The commit that is checked out. */
      commit: z.string().optional(),
    }),
  },
  /**
   * Eval sets of a plan, for a caller that makes the report itself; nothing is kept in the history. Their corpora must
   * be indexed. Answered within a process only: what is found out about passages is looked up as it is asked for.
   */
  evaluateGate: {
    params: evaluateSchema.omit({ evalSets: true }).extend({
      spec: gateSchema,
      datasets: z.array(gateDatasetSchema).min(1),
      /** Whose judgements count beside human labels. */
      judge: z.string(),
      /** Whether what a judge answers outlives the run. */
      keepsAnswers: z.boolean(),
      /** Whether all that is judged comes back, to be written as qrels. */
      lines: z.boolean().optional(),
      /** Whether the texts of what is retrieved come back. */
      passages: z.boolean().optional(),
      /** Its rankings are judged, too. */
      baseline: baselineSchema.optional(),
    }),
    result: z.object({
      datasets: z.array(z.custom<EvaluatedDataset>((value) => typeof value === 'object' && value !== null)),
      /** So much of the budget. */
      spent: z.object({ requests: z.number(), tokens: z.number() }),
    }),
  },
  /** `remedy`: what writes a baseline, as people call it; for the sentence that there is none. */
  readBaseline: {
    params: baselinePlaceSchema.extend({ remedy: z.string() }),
    result: z.object({ shown: z.string(), content: baselineSchema }),
  },
  /** A file that says the same already is left as it is: `isNew` tells. */
  writeBaseline: {
    params: baselinePlaceSchema.extend({ content: baselineSchema }),
    result: z.object({ shown: z.string(), isNew: z.boolean() }),
  },
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
    result: acceptedSchema,
  },
  /** Writes an evaluation of the past as the baseline; it must have all that would be evaluated now. */
  acceptEvaluation: {
    params: evaluateSchema.pick({ config: true }).extend({ id: z.string() }),
    result: acceptedSchema,
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
    result: unreachedReportSchema,
  },
  /**
   * Checks an eval set against its corpus, which must be indexed. Nobody is asked: what the judge answered before counts
   * beside labels. Without pipelines, only what needs no run is found.
   */
  checkEvalSet: {
    params: compareSchema.pick({ judge: true, k: true }).extend({
      dataset: datasetSchema,
      pipelines: z.array(compareSchema.shape.pipelines.element),
    }),
    result: evalSetReportSchema,
  },
} as const;
