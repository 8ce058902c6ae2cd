/**
 * Whether retrieval helps the answer: the output of `parallax eval --view answers --json` and the engine's answer.
 * Field names are stable. Shares are from 0 to 1; undefined figures are null.
 */
import * as z from 'zod';
import type { Read } from '../core/read.ts';
import { queryErrorsSchema } from '../evaluation/query-errors.ts';
import { spanSchema, verdictSchema } from '../core/model.ts';
import { retrievalSuccessSchema } from '../core/metrics/retrieval-success.ts';

const count = z.number().int().min(0);
const figure = z.number().nullable();

/** A mean with its 95% bootstrap interval over queries. `null` if no answer is decided. */
const estimate = z
  .object({ value: z.number(), low: z.number(), high: z.number(), queries: count })
  .nullable();

/** The source of answers. `none`: the model alone. `gold`: passages known to support. */
export const ANSWER_BASELINES = ['none', 'gold'] as const;
export type AnswerBaseline = (typeof ANSWER_BASELINES)[number];

const difference = z.object({
  to: z.enum(ANSWER_BASELINES),
  /** On the queries that both decided. */
  success: estimate,
  share: estimate,
});

const alignment = z.object({
  queries: count,
  ragAlign: z.number(),
  /** RAGAlign@k with Success@k, a passage that supports any perspective, as success of retrieval. */
  hit: z.number().optional(),
  /** RAGAlign@k with the measure of `alignBy`. `undefined` if none was chosen. */
  chosen: z.number().optional(),
  graded: z.record(z.string(), z.number()),
});

/** Answers from one source: a pipeline's top k, or a baseline. */
const sourceView = z.object({
  kind: z.enum(['pipeline', ...ANSWER_BASELINES]),
  /** The name of the pipeline, or of the baseline. */
  name: z.string(),
  /**
   * The judge that ordered the pipeline's passages and judges its answers or scores its retrieval, so that its errors
   * count as gains. `undefined` if there is none.
   */
  circular: z.string().optional(),
  /** Queries that this source can answer: `gold` needs gold passages. */
  asked: count,
  /** Those with a judged answer, with an unreadable reply, with a failed request, and not started. */
  judged: count,
  unreadable: count,
  failed: count,
  open: count,
  /** Judged answers that count by gold answers: they succeed if they contain one. */
  byGold: count,
  /** Judged answers whose success is undecided. */
  undecided: count,
  /**
   * Share of successful answers: those that contain a gold answer, or represent every perspective if there are no gold
   * answers.
   */
  success: estimate,
  /** Mean share of perspectives represented. */
  share: estimate,
  /** Mean evenness of the words that cited passages give to each perspective, over the answers that cite some. */
  balance: estimate.default(null),
  /** Mean share of represented perspectives whose sentences cite a passage that supports them. */
  attribution: estimate.default(null),
  /** Mean over all queries by measure, e.g. `MRecall@5`. Empty for the model alone. */
  retrieval: z.record(z.string(), z.number()),
  /** RAGAlign@k with MRecall@k = 1 as success of retrieval, over the decided answers. `undefined` for baselines. */
  alignment: alignment.optional(),
  /** {@link alignment} without the answers of the judge that filled holes, if there is one. */
  before: alignment.optional(),
  /** Only for pipelines. */
  differences: z.array(difference),
  /** Why the pipeline failed. */
  error: z.string().optional(),
  queryErrors: queryErrorsSchema.optional(),
});
export type AnswerSourceView = Read<typeof sourceView>;

const answerView = z.object({
  state: z.enum(['judged', 'unreadable', 'failed', 'open', 'not-asked']),
  /** Why there is no judged answer, or what was cut before judging. */
  note: z.string().optional(),
  text: z.string().optional(),
  /** The part of the question that the model could not answer, in its words. */
  missing: z.string().optional(),
  /** Ids of the passages it was given, in order. */
  passages: z.array(z.string()),
  /** The passages that the answer cites. */
  cited: z.array(z.string()),
  /** In the order of the query's perspectives. Empty unless judged. */
  verdicts: z.array(
    z.object({
      verdict: verdictSchema,
      /** Whether no verdict could be read, which counts as "unsure". */
      unreadable: z.boolean(),
      /** Spans of the answer that represent the perspective. */
      evidence: z.array(spanSchema),
    }),
  ),
});
export type AnswerView = Read<typeof answerView>;

const datasetView = z.object({
  name: z.string(),
  corpus: z.string(),
  evalSet: z.string(),
  /** Pipelines in order, then the baselines. */
  sources: z.array(sourceView),
  /** Over pipelines, for each retrieval measure. Empty for fewer than three (DREAM, section 5.2). */
  correlations: z.array(z.object({ measure: z.string(), success: figure, share: figure, pipelines: count })),
  /** Min-max scaled over pipelines, by ascending MRecall@k (DREAM, Figure 4). */
  normalised: z.array(z.object({ name: z.string(), retrieval: figure, answers: figure })),
  queries: z.array(
    z.object({
      id: z.string(),
      text: z.string(),
      perspectives: z.array(z.object({ id: z.string(), text: z.string() })),
      /** In the order of `sources`. */
      answers: z.array(answerView),
    }),
  ),
  /** Ids of queries that were skipped because the corpus has no pages for them. */
  leftOut: z.array(z.string()).optional(),
});
export type AnswerDatasetView = Read<typeof datasetView>;

const modelView = z.object({ name: z.string(), model: z.string(), prompt: z.string() });

export const answerReportSchema = z.object({
  k: z.number().int().min(1),
  alignBy: retrievalSuccessSchema.optional(),
  generator: modelView,
  judge: modelView,
  datasets: z.array(datasetView).min(1),
  /** Requests sent and paid for in this run. Cached replies are free. */
  work: z.object({ requests: count, promptTokens: count, completionTokens: count }),
  /** Whether the budget was spent before every answer was there. The next run continues. */
  stopped: z.boolean(),
  /** The first error. */
  error: z.string().optional(),
});
export type AnswerReport = Read<typeof answerReportSchema>;
