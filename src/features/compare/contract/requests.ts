/** Requests about several pipelines on the queries of eval sets. */
import * as z from 'zod';
import { judgedQrelsSchema } from '../../../core/formats/judged-qrels.ts';
import { pipelineSchema } from '../../../core/pipeline.ts';
import { ANSWER_BASELINES, answerReportSchema } from '../../../shared/answers.ts';
import { retrievalSuccessSchema } from '../../../core/metrics/retrieval-success.ts';
import { evaluationSchema } from '../../../evaluation/evaluation.ts';
import { figureReportSchema, keptComparisonSchema, movementSchema } from './panel.ts';
import { MAX_REPEATS } from '../../../shared/experiment.ts';
import { poolReportSchema } from '../../../shared/pool.ts';
import { datasetSchema } from '../../../shared/requests/experiments.ts';
import { budgetSchema, effortSchema, pricesSchema } from '../../../shared/requests/spending.ts';

/** The questions, pipelines and judge of a comparison. */
export const compareSchema = z.object({
  judge: z.string(),
  datasets: z.array(datasetSchema).min(1),
  pipelines: z.array(z.object({ name: z.string(), pipeline: pipelineSchema })).min(1),
  k: z.number().int().min(1),
});

/** Whether retrieval helps answers. `judge` judges answers, and counts for passages with its stored answers. */
const answersSchema = compareSchema.extend({
  /** The judge whose model writes. Defaults to the workspace's generator, or else to `judge`. */
  generator: z.string().optional(),
  baselines: z.array(z.enum(ANSWER_BASELINES)).default([...ANSWER_BASELINES]),
  /**
   * A judge that filled holes. Figures of retrieval rest on its stored answers instead of `judge`'s, and RAGAlign is
   * also computed without them.
   */
  filledBy: z.string().optional(),
  alignBy: retrievalSuccessSchema.optional(),
  /** Whether only success is shown: gold answers then decide without a request about perspectives. */
  successOnly: z.boolean().optional(),
});

const figuresSchema = compareSchema.extend({
  scope: z.enum(['figures', 'everything']),
  /** Asks everything once more, for the repeat of this number. */
  repeat: z.number().int().min(2).max(MAX_REPEATS).optional(),
});

/** The budget for model requests of pipeline steps. */
const pipelineBudget = budgetSchema.optional();

export const comparisonRequests = {
  /** Compares several pipelines on the queries of one or several eval sets, and stores the result. */
  compare: { params: compareSchema.extend({ budget: pipelineBudget }), result: evaluationSchema },
  /** The highest cost of judging the pairs behind a comparison's figures. */
  figuresCost: {
    params: figuresSchema.extend({ prices: pricesSchema, budget: pipelineBudget }),
    result: z.object({ pairs: z.number().int(), known: z.number().int(), effort: effortSchema }),
  },
  /** Judges those pairs. Answers are stored as they arrive, so that a stopped run can continue. */
  judgeFigures: {
    params: figuresSchema.extend({ budget: budgetSchema.optional() }),
    result: figureReportSchema.extend({
      pairs: z.number().int(),
      known: z.number().int(),
      /** Requests sent in this run, including retries. */
      requests: z.number(),
    }),
  },
  /** Holes of the pipelines, from known judgements. `judgeFigures` with scope "everything" judges the pool. */
  pool: { params: compareSchema, result: poolReportSchema },
  /**
   * Has questions answered from every pipeline's top k and from baselines, and judges the answers. Replies are stored.
   */
  answers: { params: answersSchema.extend({ budget: budgetSchema.optional() }), result: answerReportSchema },
  /** The cost of `answers`: the numbers of distinct and of known answers, and the effort for the rest. */
  answersCost: {
    params: answersSchema.extend({ prices: pricesSchema }),
    result: z.object({ answers: z.number().int(), known: z.number().int(), effort: effortSchema }),
  },
  /** Stored comparisons, newest first. */
  keptComparisons: { params: z.object({}), result: z.object({ kept: z.array(keptComparisonSchema) }) },
  keptComparison: { params: z.object({ id: z.string() }), result: evaluationSchema },
  forgetComparison: { params: z.object({ id: z.string() }), result: z.object({}) },
  /** The rankings of one query by every pipeline of a stored comparison. */
  movement: {
    params: z.object({
      id: z.string(),
      dataset: z.string(),
      queryId: z.string(),
      depth: z.number().int().min(1).max(100),
    }),
    result: movementSchema,
  },
  /** The current judgements of the top k of a stored comparison's pipelines. No judge is asked. */
  judgedQrels: {
    params: z.object({ id: z.string() }),
    result: z.object({
      datasets: z.array(judgedQrelsSchema.extend({ name: z.string() })),
    }),
  },
} as const;
