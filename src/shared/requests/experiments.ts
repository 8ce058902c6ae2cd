/** The requests behind all evaluating commands: pipelines on the questions of a data set. */
import * as z from 'zod';
import { MAX_REPEATS, VIEWS, type ExperimentReport, type PirReport } from '../experiment.ts';
import type { PirQuery } from '../../core/formats/pir.ts';
import type { Qrels } from '../../core/model.ts';
import { pipelineSchema } from '../../core/pipeline.ts';
import { evalQuerySchema } from './questions.ts';
import { budgetSchema } from './spending.ts';

/** Relevance by query, perspective and passage, instead of people's labels. */
export const qrelsSchema = z.custom<Qrels>((value) => value instanceof Map);

/** Questions of an eval set for a corpus. */
export const datasetSchema = z.object({
  name: z.string(),
  corpus: z.string(),
  evalSet: z.string(),
  queries: z.array(evalQuerySchema).min(1),
  qrels: qrelsSchema.optional(),
});

const experimentSchema = z.object({
  dataset: datasetSchema,
  pipelines: z.array(z.object({ name: z.string(), pipeline: pipelineSchema })).min(1),
  /** The number of passages in the top of a ranking. */
  k: z.number().int().min(1),
  /** Names such as MRecall@5. */
  measures: z.array(z.string()),
  views: z.array(z.enum(VIEWS)),
  /** Whether to look for holes in the pipelines' top k. */
  pool: z.boolean(),
  /** The pipeline to compare the others' corrected figures with. Without it there are no such differences. */
  compareTo: z.string().optional(),
  /** Whether to return all judgements, to be written as qrels. */
  lines: z.boolean().optional(),
  /** The judge that counts beside the given judgements, or `labels` for none. */
  judge: z.string(),
  /** For what pipelines ask of models if no judge is asked for the figures. Defaults to no limit. */
  budget: budgetSchema.optional(),
  /** Without it no judge is asked, and only stored answers count. */
  judging: z
    .object({
      scope: z.enum(['figures', 'everything']),
      /** The cutoffs of MRecall@k and Precision@k. */
      cutoffs: z.array(z.number().int().min(1)).min(1),
      budget: budgetSchema,
      /** Whether the judge is also asked about labelled pairs, so that figures can be corrected for its errors. */
      corrected: z.boolean().optional(),
      /** How often everything is judged. Defaults to once. Figures are those of the first time. */
      repeats: z.number().int().min(1).max(MAX_REPEATS).optional(),
    })
    .optional(),
});

/** A query of a PIR task: a root query asked from one perspective. */
const pirQuerySchema: z.ZodType<PirQuery> = z.object({
  id: z.string(),
  text: z.string(),
  root: z.string(),
  perspective: z.string(),
  label: z.string(),
  gold: z.set(z.string()).min(1),
});

export const experimentRequests = {
  /** Perspective-aware retrieval on a PIR task whose passages are in a corpus under the task's ids. */
  pirTask: {
    params: z.object({
      corpus: z.string(),
      queries: z.array(pirQuerySchema).min(1),
      pipelines: experimentSchema.shape.pipelines,
      k: z.number().int().min(1),
      /** The judge whose model splits the full queries. Without it they are not split. */
      extract: z.string().optional(),
    }),
    result: z.object({
      pipelines: z.array(z.custom<PirReport>((value) => typeof value === 'object' && value !== null)),
    }),
  },

  /** Reports the judging effort before a judge is asked. Rejects if a pipeline fails. */
  experiment: {
    params: experimentSchema,
    result: z.custom<ExperimentReport>((value) => typeof value === 'object' && value !== null),
  },
} as const;
