/** The request behind every command that evaluates: pipelines on the questions of a data set. */
import * as z from 'zod';
import type { Qrels } from '../../core/model.ts';
import { pipelineSchema } from '../../core/pipeline.ts';
import { VIEWS, type ExperimentReport } from '../experiment.ts';
import { evalQuerySchema } from './questions.ts';
import { budgetSchema } from './spending.ts';

/** Relevance by query, perspective and passage: in the place of people's labels. */
export const qrelsSchema = z.custom<Qrels>((value) => value instanceof Map);

export const experimentSchema = z.object({
  dataset: z.object({
    name: z.string(),
    corpus: z.string(),
    evalSet: z.string(),
    queries: z.array(evalQuerySchema).min(1),
    qrels: qrelsSchema.optional(),
  }),
  pipelines: z.array(z.object({ name: z.string(), pipeline: pipelineSchema })).min(1),
  /** What counts as the top of a ranking. */
  k: z.number().int().min(1),
  /** Names such as MRecall@5. */
  measures: z.array(z.string()),
  views: z.array(z.enum(VIEWS)),
  /** Whether holes of the pipelines' top k are looked for. */
  pool: z.boolean(),
  /** Whose answers count beside what is given; `labels` for nobody's. */
  judge: z.string(),
  /** What is first judged; only what was answered before counts where it is left out. */
  judging: z
    .object({
      scope: z.enum(['figures', 'everything']),
      /** The k of MRecall@k and Precision@k. */
      cutoffs: z.array(z.number().int().min(1)).min(1),
      budget: budgetSchema,
    })
    .optional(),
});

export const experimentRequests = {
  /** What will have to be judged is noted before anybody is asked. A pipeline that cannot be run ends it. */
  experiment: {
    params: experimentSchema,
    result: z.custom<ExperimentReport>((value) => typeof value === 'object' && value !== null),
  },
} as const;
