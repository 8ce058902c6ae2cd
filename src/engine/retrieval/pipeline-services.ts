/** The query that a pipeline runs for, and what a pipeline asks of models and judges. */
import type { SplitQuery } from '../../core/expansion/prompts.ts';
import type { SearchedText } from '../../core/expansion/rewrite.ts';
import type { Perspective, Verdict } from '../../core/model.ts';
import type { RetrieverSpec, RewriteSpec } from '../../core/pipeline.ts';
import type { MeasuredErrors } from '../../features/validation/core/error-rates.ts';
import type { MeasuredCorrelation } from '../../features/validation/core/joint-errors.ts';
import type { Slot, WorkOptions } from '../types.ts';
import type { PerspectivesFrom } from '../../core/rerank/rerankers.ts';

export interface PipelineQuery {
  /** `undefined` for a query that was typed. */
  readonly id?: string | undefined;
  readonly text: string;
  readonly perspectives: readonly Perspective[];
  /**
   * Full queries, root and perspective in one sentence, in the order of the perspectives. Defaults to the text
   * followed by the perspective.
   */
  readonly fullTexts?: readonly string[] | undefined;
  /** The question whose pages are searched if a corpus has separate pages per question. Defaults to `text`. */
  readonly pagesOf?: string | undefined;
}

export interface JudgeFacts {
  /** Identifies the judge with its model and wording. `undefined` for people's labels. */
  readonly key?: string | undefined;
  /** Whether one request asks about all perspectives of a passage. */
  readonly byPassage: boolean;
  /** Whether its model is sampled, so that it may answer differently when asked again. */
  readonly isSampled: boolean;
  /**
   * Its error rates, as its newest validation measured them on labels of other queries. `undefined` if there
   * is none.
   */
  readonly errors?: MeasuredErrors | undefined;
}

/** What a query may ask judges for. */
export interface RequestShare {
  /** Whether the query wanted more. */
  readonly isShort: boolean;
  /** Notes that the query wanted more. */
  refuse(): void;
}

export interface PipelineServices {
  /** Perspectives proposed by a model or read from a file, never the given ones. */
  propose(query: string, from: PerspectivesFrom, work: WorkOptions): Promise<readonly string[]>;
  /** The texts to search with instead of the query. */
  rewrite(
    query: string,
    form: RewriteSpec,
    retriever: RetrieverSpec,
    work: WorkOptions,
  ): Promise<SearchedText>;
  /**
   * Splits a full query into root and perspective.
   *
   * @throws ParallaxError `model-answer` naming the query if the model's answer cannot be read
   */
  split(query: string, model: string | undefined, work: WorkOptions): Promise<SplitQuery>;
  /**
   * One answer per pair. `undefined` for a pair without an answer.
   *
   * @param repeat from 2 for another answer of a judge that is sampled. Defaults to 1
   */
  verdicts(
    judge: string,
    query: PipelineQuery,
    pairs: readonly { slot: Slot; perspective: Perspective }[],
    work: WorkOptions,
    repeat?: number,
  ): Promise<readonly (Verdict | undefined)[]>;
  /** What is known of a judge before it is asked. */
  judgeFacts(judge: string, query: PipelineQuery): Promise<JudgeFacts>;
  /** The correlation of the errors of two judges, as a validation measured it on labels of other queries. */
  measuredCorrelation(
    keys: readonly [string, string],
    query: PipelineQuery,
  ): Promise<MeasuredCorrelation | undefined>;
  /** Set if an evaluation divides a budget among its queries. */
  readonly share?: RequestShare | undefined;
  /** The texts of passages. Empty if a text is unknown. */
  texts(slots: readonly Slot[]): readonly string[];
}
