/**
 * Does retrieval help the answer? What `parallax eval --view answers --json` writes and the engine answers. Field names are
 * stable. Shares run from 0 to 1; a figure that is undefined is null.
 */
import * as z from 'zod';
import type { Read } from '../core/read.ts';
import { queryErrorsSchema } from '../evaluation/query-errors.ts';
import { spanSchema, verdictSchema } from '../core/model.ts';
import { retrievalSuccessSchema } from '../core/metrics/retrieval-success.ts';

const count = z.number().int().min(0);
const figure = z.number().nullable();

/** A mean with its 95% bootstrap interval over queries; null where no answer is decided. */
const estimate = z
  .object({ value: z.number(), low: z.number(), high: z.number(), queries: count })
  .nullable();

/** The source of answers. `none`: the model by itself. `gold`: passages known to support. */
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
  /** RAGAlign@k with the measure of `alignBy`; absent where none was chosen. */
  chosen: z.number().optional(),
  graded: z.record(z.string(), z.number()),
});

/** Answers from one source: a pipeline's top k, or a baseline. */
const sourceView = z.object({
  kind: z.enum(['pipeline', ...ANSWER_BASELINES]),
  /** The name of the pipeline, or of the baseline. */
  name: z.string(),
  /**
   * The judge that ordered the pipeline's passages, and judges its answers or scores its retrieval: its errors count as
   * gains. Absent where there is none.
   */
  circular: z.string().optional(),
  /** Queries that this source can be asked about: no gold answer without gold passages. */
  asked: count,
  /** Of them: judged; no answer could be read from what the model wrote; could not be had; not begun. */
  judged: count,
  unreadable: count,
  failed: count,
  open: count,
  /** Judged answers that succeed by the gold answers of their query: those that contain one. */
  byGold: count,
  /** Judged answers of which it cannot be said whether they succeed. */
  undecided: count,
  /** Share of answers that succeed: they contain a gold answer, or represent every perspective where none is named. */
  success: estimate,
  /** Mean share of perspectives represented. */
  share: estimate,
  /** Mean over all queries by measure, e.g. `MRecall@5`; empty for the model by itself. */
  retrieval: z.record(z.string(), z.number()),
  /** RAGAlign@k with MRecall@k = 1 as success of retrieval, over the decided answers; absent for baselines. */
  alignment: alignment.optional(),
  /** The same before the answers of the judge that filled holes; where one is named. */
  before: alignment.optional(),
  /** Pipelines only. */
  differences: z.array(difference),
  /** The pipeline could not be run: why. */
  error: z.string().optional(),
  queryErrors: queryErrorsSchema.optional(),
});
export type AnswerSourceView = Read<typeof sourceView>;

const answerView = z.object({
  state: z.enum(['judged', 'unreadable', 'failed', 'open', 'not-asked']),
  /** Why there is no judged answer; or what was cut before judging. */
  note: z.string().optional(),
  text: z.string().optional(),
  /** The part of the question that the model says it could not answer. */
  missing: z.string().optional(),
  /** Ids of the passages it was given, in their order. */
  passages: z.array(z.string()),
  /** The passages that the answer names as its sources. */
  cited: z.array(z.string()),
  /** In the order of the query's perspectives; empty unless judged. */
  verdicts: z.array(
    z.object({
      verdict: verdictSchema,
      /** No verdict could be read, which is "unsure". */
      unreadable: z.boolean(),
      /** Where in the answer the perspective is represented. */
      evidence: z.array(spanSchema),
    }),
  ),
});
export type AnswerView = Read<typeof answerView>;

const datasetView = z.object({
  name: z.string(),
  corpus: z.string(),
  evalSet: z.string(),
  /** Pipelines in their order, then the baselines. */
  sources: z.array(sourceView),
  /** Over pipelines, for each retrieval measure; empty for fewer than three (DREAM, section 5.2). */
  correlations: z.array(z.object({ measure: z.string(), success: figure, share: figure, pipelines: count })),
  /** Min-max scaled over pipelines, by ascending MRecall@k (DREAM, Figure 4). */
  normalised: z.array(z.object({ name: z.string(), retrieval: figure, answers: figure })),
  queries: z.array(
    z.object({
      id: z.string(),
      text: z.string(),
      perspectives: z.array(z.object({ id: z.string(), text: z.string() })),
      /** In the order of the sources. */
      answers: z.array(answerView),
    }),
  ),
  /** Ids of queries that were not asked, because the corpus has no pages that were found for them. */
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
  /** Requests sent and paid for in this run; remembered replies cost nothing. */
  work: z.object({ requests: count, promptTokens: count, completionTokens: count }),
  /** The budget was spent before every answer was there; the next run goes on. */
  stopped: z.boolean(),
  /** Why the first answer that failed did. */
  error: z.string().optional(),
});
export type AnswerReport = Read<typeof answerReportSchema>;
