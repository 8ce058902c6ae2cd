/** Requests about eval sets against the gate of parallax.json, and about past evaluations. */
import * as z from 'zod';
import { MAX_REPEATS } from '../../../shared/experiment.ts';
import { evalSetReportSchema } from '../../eval-set-check/core/report.ts';
import { gateReportSchema } from '../core/report.ts';
import { entryComparisonSchema } from '../../history/core/compare-entries.ts';
import { baselineSchema } from '../core/baseline.ts';
import type { EvaluatedDataset } from '../core/evaluated.ts';
import { gateSchema } from '../core/spec.ts';
import { configSchema } from '../../../shared/config.ts';
import { evaluationSummarySchema, unreachedReportSchema } from '../../../shared/evaluation.ts';
import { compareSchema } from '../../compare/contract/requests.ts';
import { datasetSchema } from '../../../shared/requests/experiments.ts';
import { evalQuerySchema } from '../../../shared/requests/questions.ts';
import { budgetSchema } from '../../../shared/requests/spending.ts';

/** An evaluation as by `parallax gate`. */
const evaluateSchema = z.object({
  /** The current parallax.json. */
  config: configSchema,
  /** Names or paths. Defaults to all in parallax.json. */
  evalSets: z.array(z.string()).min(1).optional(),
  /** Whether a paid judge may be asked. */
  ask: z.boolean(),
  budget: budgetSchema.optional(),
});

/** An eval set of a gate, with the name of its corpus. */
export const gateDatasetSchema = z.object({
  /** The file name, or the path if two files have the same name. */
  name: z.string(),
  /** Path relative to parallax.json, with slashes. */
  evalSet: z.string(),
  /** Path relative to where the gate is run. */
  file: z.string(),
  corpus: z.string(),
  /** All queries with perspectives, and those without an answer. `line` in the eval set is from 1. */
  queries: z.array(evalQuerySchema.extend({ line: z.number().int().optional(), digest: z.string() })).min(1),
  /** Sentences on parts that could not be read. */
  unreadable: z.array(z.string()),
});

/** The place of a baseline file. */
export const baselinePlaceSchema = z.object({
  /** Absolute path. */
  file: z.string(),
  /** Absolute path of the folder that messages name it relative to. */
  from: z.string(),
});

const acceptedSchema = z.object({
  file: z.string(),
  isNew: z.boolean(),
  /** Sentences on its unjudged pairs. */
  holes: z.array(z.string()),
});

export const evaluationRequests = {
  /**
   * Reads and validates the input of a gate before a corpus is needed. Warnings are notes. `from`: the folder that
   * files are named relative to.
   */
  gatePlan: {
    params: evaluateSchema
      .pick({ config: true, evalSets: true })
      .extend({ spec: gateSchema, from: z.string() }),
    result: z.object({
      datasets: z.array(gateDatasetSchema),
      /** The checked-out commit. */
      commit: z.string().optional(),
    }),
  },
  /**
   * Evaluates the eval sets of a plan for a caller that creates the report itself. Nothing is stored in the history.
   * Corpora must be indexed. Only works within one process, as passage details are looked up lazily.
   */
  evaluateGate: {
    params: evaluateSchema.omit({ evalSets: true }).extend({
      spec: gateSchema,
      datasets: z.array(gateDatasetSchema).min(1),
      /** The judge that counts beside human labels. */
      judge: z.string(),
      /** How often everything is judged, with `ask`. Defaults to once. */
      repeats: z.number().int().min(1).max(MAX_REPEATS).optional(),
      /** Whether a judge's answers are stored beyond the run. */
      keepsAnswers: z.boolean(),
      /** Whether to return all judgements, to be written as qrels. */
      lines: z.boolean().optional(),
      /** Whether to return the texts of retrieved passages. */
      passages: z.boolean().optional(),
      /** A baseline whose rankings are judged as well. */
      baseline: baselineSchema.optional(),
    }),
    result: z.object({
      datasets: z.array(z.custom<EvaluatedDataset>((value) => typeof value === 'object' && value !== null)),
      /** The spent part of the budget. */
      spent: z.object({ requests: z.number(), tokens: z.number() }),
    }),
  },
  /** `remedy`: the user's action that writes a baseline, for the error if there is none. */
  readBaseline: {
    params: baselinePlaceSchema.extend({ remedy: z.string() }),
    result: z.object({ shown: z.string(), content: baselineSchema }),
  },
  /** `isNew` is false if the file already has this content, which is then left unchanged. */
  writeBaseline: {
    params: baselinePlaceSchema.extend({ content: baselineSchema }),
    result: z.object({ shown: z.string(), isNew: z.boolean() }),
  },
  /**
   * Evaluates eval sets against parallax.json. Corpora must be indexed. `baseline`: whether to compare with one;
   * `present`: if parallax.json names one or the default one exists. The result is stored in the history.
   */
  evaluate: {
    params: evaluateSchema.extend({ baseline: z.enum(['none', 'present', 'required']) }),
    result: gateReportSchema,
  },
  /** Evaluates, and writes the result as the baseline. `isNew`: whether the file changed. */
  acceptBaseline: {
    params: evaluateSchema.omit({ evalSets: true }).extend({
      /** For agents, which may edit parallax.json: refuses a baseline outside the folder. */
      withinFolder: z.boolean().optional(),
    }),
    result: acceptedSchema,
  },
  /** Writes a past evaluation as the baseline. It must contain everything that would be evaluated now. */
  acceptEvaluation: {
    params: evaluateSchema.pick({ config: true }).extend({ id: z.string() }),
    result: acceptedSchema,
  },
  /** Past evaluations, newest first, with the baseline that parallax.json now compares with. */
  evaluationHistory: {
    params: evaluateSchema.pick({ config: true }),
    result: z.object({
      evaluations: z.array(evaluationSummarySchema),
      /** The number of evaluations stored by another version, which cannot be read. */
      unlisted: z.number().int().min(0),
    }),
  },
  /** Compares two past evaluations query by query. */
  compareEvaluations: {
    params: z.object({ then: z.string(), now: z.string() }),
    result: entryComparisonSchema,
  },
  /** Documents of a corpus that no pipeline reaches within the top k for any query. */
  unreached: {
    params: compareSchema.pick({ pipelines: true, k: true }).extend({
      corpus: z.string(),
      queries: z.array(evalQuerySchema).min(1),
    }),
    result: unreachedReportSchema,
  },
  /**
   * Checks an eval set against its corpus, which must be indexed. No judge is asked; its stored answers count beside
   * labels. Without pipelines, only checks that need no run.
   */
  checkEvalSet: {
    params: compareSchema.pick({ judge: true, k: true }).extend({
      dataset: datasetSchema,
      pipelines: z.array(compareSchema.shape.pipelines.element),
    }),
    result: evalSetReportSchema,
  },
} as const;
