/** The requests behind every command that evaluates: pipelines on the questions of a data set. */
import * as z from 'zod';
import type { PirQuery } from '../../core/formats/pir.ts';
import type { Qrels } from '../../core/model.ts';
import { pipelineSchema } from '../../core/pipeline.ts';
import { VIEWS, type ExperimentReport, type PirReport } from '../experiment.ts';
import { evalQuerySchema } from './questions.ts';
import { budgetSchema } from './spending.ts';

/** Relevance by query, perspective and passage: in the place of people's labels. */
export const qrelsSchema = z.custom<Qrels>((value) => value instanceof Map);

/** Questions of an eval set that are asked of a corpus. */
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
  /** How many passages are the top of a ranking. */
  k: z.number().int().min(1),
  /** Names such as MRecall@5. */
  measures: z.array(z.string()),
  views: z.array(z.enum(VIEWS)),
  /** Whether holes of the pipelines' top k are looked for. */
  pool: z.boolean(),
  /** The pipeline whose corrected figures the others' are compared with; no differences of such where it is left out. */
  compareTo: z.string().optional(),
  /** Whether all that is judged comes back, to be written as qrels. */
  lines: z.boolean().optional(),
  /** Whose answers count beside what is given; `labels` for nobody's. */
  judge: z.string(),
  /** Left out, nobody is asked and only what was answered before counts. */
  judging: z
    .object({
      scope: z.enum(['figures', 'everything']),
      /** The k of MRecall@k and Precision@k. */
      cutoffs: z.array(z.number().int().min(1)).min(1),
      budget: budgetSchema,
      /** Whether the judge is asked about pairs, too, that people labelled, so that figures can be corrected for its errors. */
      corrected: z.boolean().optional(),
      /** How often all is judged; once when left out. Figures are those of the first time. */
      repeats: z.number().int().min(1).max(20).optional(),
    })
    .optional(),
});

/** A query of a task of PIR: a root query asked from one perspective. */
const pirQuerySchema: z.ZodType<PirQuery> = z.object({
  id: z.string(),
  text: z.string(),
  root: z.string(),
  perspective: z.string(),
  label: z.string(),
  gold: z.set(z.string()).min(1),
});

export const experimentRequests = {
  /** Perspective-aware retrieval on a task of PIR whose passages a corpus holds under the task's ids. */
  pirTask: {
    params: z.object({
      corpus: z.string(),
      queries: z.array(pirQuerySchema).min(1),
      pipelines: experimentSchema.shape.pipelines,
      k: z.number().int().min(1),
      /** The judge whose model takes the full queries apart; nothing is taken apart where it is left out. */
      extract: z.string().optional(),
    }),
    result: z.object({
      pipelines: z.array(z.custom<PirReport>((value) => typeof value === 'object' && value !== null)),
    }),
  },

  /** Notes how much will have to be judged before anybody is asked. A pipeline that cannot be run ends it. */
  experiment: {
    params: experimentSchema,
    result: z.custom<ExperimentReport>((value) => typeof value === 'object' && value !== null),
  },
} as const;
