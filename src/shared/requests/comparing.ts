/** Requests about several pipelines on the queries of eval sets. */
import * as z from 'zod';
import { judgedQrelsSchema } from '../../core/formats/judged-qrels.ts';
import { pipelineSchema } from '../../core/pipeline.ts';
import { ANSWER_BASELINES, answerReportSchema } from '../answers.ts';
import { retrievalSuccessSchema } from '../../core/metrics/retrieval-success.ts';
import { evaluationSchema } from '../../evaluation/evaluation.ts';
import { figureReportSchema, keptComparisonSchema, movementSchema } from '../panels/compare.ts';
import { poolReportSchema } from '../pool.ts';
import { datasetSchema } from './experiments.ts';
import { budgetSchema, effortSchema, pricesSchema } from './spending.ts';

/** A comparison's questions and pipelines, and how much of their top k is to be judged. */
export const compareSchema = z.object({
  judge: z.string(),
  datasets: z.array(datasetSchema).min(1),
  pipelines: z.array(z.object({ name: z.string(), pipeline: pipelineSchema })).min(1),
  k: z.number().int().min(1),
});

/** Whether retrieval helps answers; `judge` has the word on answers, and on passages as far as it said it before. */
const answersSchema = compareSchema.extend({
  /** The judge whose model writes; the workspace's generator, or else the judge, when left out. */
  generator: z.string().optional(),
  baselines: z.array(z.enum(ANSWER_BASELINES)).default([...ANSWER_BASELINES]),
  /**
   * A judge that filled holes: figures of retrieval rest on what it answered before, not on `judge`, and RAGAlign is
   * worked out without its answers, too.
   */
  filledBy: z.string().optional(),
  alignBy: retrievalSuccessSchema.optional(),
});

const figuresSchema = compareSchema.extend({ scope: z.enum(['figures', 'everything']) });

/** For what steps of the pipelines ask of models. */
const pipelineBudget = budgetSchema.optional();

export const comparisonRequests = {
  /** Several pipelines on the queries of one or several eval sets. The result is kept. */
  compare: { params: compareSchema.extend({ budget: pipelineBudget }), result: evaluationSchema },
  /** The most that judging the pairs behind the figures of a comparison can cost. */
  figuresCost: {
    params: figuresSchema.extend({ prices: pricesSchema, budget: pipelineBudget }),
    result: z.object({ pairs: z.number().int(), known: z.number().int(), effort: effortSchema }),
  },
  /** Has it judged. Answers are kept as they arrive: a run that stopped goes on where it was. */
  judgeFigures: {
    params: figuresSchema.extend({ budget: budgetSchema.optional() }),
    result: figureReportSchema.extend({
      pairs: z.number().int(),
      known: z.number().int(),
      /** Sent now, repeated ones included. */
      requests: z.number(),
    }),
  },
  /** Holes of the pipelines, from what has been judged; `judgeFigures` with scope "everything" judges the pool. */
  pool: { params: compareSchema, result: poolReportSchema },
  /** Has questions answered from every pipeline's top k and from baselines, and the answers judged. Replies are kept. */
  answers: { params: answersSchema.extend({ budget: budgetSchema.optional() }), result: answerReportSchema },
  /** The cost of that: different answers, how many of them are there, and the effort for the rest. */
  answersCost: {
    params: answersSchema.extend({ prices: pricesSchema }),
    result: z.object({ answers: z.number().int(), known: z.number().int(), effort: effortSchema }),
  },
  /** Comparisons that were kept, newest first. */
  keptComparisons: { params: z.object({}), result: z.object({ kept: z.array(keptComparisonSchema) }) },
  keptComparison: { params: z.object({ id: z.string() }), result: evaluationSchema },
  forgetComparison: { params: z.object({ id: z.string() }), result: z.object({}) },
  /** The rankings of one query by every pipeline of a kept comparison. */
  movement: {
    params: z.object({
      id: z.string(),
      dataset: z.string(),
      queryId: z.string(),
      depth: z.number().int().min(1).max(100),
    }),
    result: movementSchema,
  },
  /** The judgements by now of the top k of a kept comparison's pipelines; nobody is asked. */
  judgedQrels: {
    params: z.object({ id: z.string() }),
    result: z.object({
      datasets: z.array(judgedQrelsSchema.extend({ name: z.string() })),
    }),
  },
} as const;
