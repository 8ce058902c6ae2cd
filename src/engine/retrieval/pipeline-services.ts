/** The query that a pipeline runs for, and what a pipeline asks of others: models and judges. */
import type { SplitQuery } from '../../core/expansion/prompts.ts';
import type { SearchedText } from '../../core/expansion/rewrite.ts';
import type { Perspective, Verdict } from '../../core/model.ts';
import type { PerspectivesFrom, RetrieverSpec, RewriteSpec } from '../../core/pipeline.ts';
import type { MeasuredErrors } from '../../core/validation/error-rates.ts';
import type { MeasuredCorrelation } from '../../core/validation/joint-errors.ts';
import type { Slot, WorkOptions } from '../types.ts';

export interface PipelineQuery {
  /** Absent for a query that was typed. */
  readonly id?: string | undefined;
  readonly text: string;
  readonly perspectives: readonly Perspective[];
  /**
   * Full queries, root and perspective in one sentence, in the order of the perspectives; the text and the
   * perspective put together where left out.
   */
  readonly fullTexts?: readonly string[] | undefined;
  /** The question whose pages are searched where a corpus keeps them apart; `text` when left out. */
  readonly pagesOf?: string | undefined;
}

export interface JudgeFacts {
  /** Of the judge with its model and wording; absent for people's labels. */
  readonly key?: string | undefined;
  /** Whether one request asks about all perspectives of a passage. */
  readonly byPassage: boolean;
  /** How it errs, as its newest validation measured it on labels of other queries; absent where none did. */
  readonly errors?: MeasuredErrors | undefined;
}

export interface PipelineServices {
  /** Perspectives proposed by a model or read from a file; never the given ones. */
  propose(query: string, from: PerspectivesFrom, work: WorkOptions): Promise<readonly string[]>;
  /** The texts to search with instead of the query. */
  rewrite(
    query: string,
    form: RewriteSpec,
    retriever: RetrieverSpec,
    work: WorkOptions,
  ): Promise<SearchedText>;
  /**
   * A full query taken apart into root and perspective.
   *
   * @throws ParallaxError `model-answer` naming the query when the model's answer cannot be read
   */
  split(query: string, model: string | undefined, work: WorkOptions): Promise<SplitQuery>;
  /** One answer per pair; `undefined` where none could be had. */
  verdicts(
    judge: string,
    query: PipelineQuery,
    pairs: readonly { slot: Slot; perspective: Perspective }[],
    work: WorkOptions,
  ): Promise<readonly (Verdict | undefined)[]>;
  /** What is known of a judge before it is asked. */
  judgeFacts(judge: string, query: PipelineQuery): Promise<JudgeFacts>;
  /** How the errors of two judges go together, as a validation measured it on labels of other queries. */
  measuredCorrelation(
    keys: readonly [string, string],
    query: PipelineQuery,
  ): Promise<MeasuredCorrelation | undefined>;
  /** The texts of passages; empty where nobody has them. */
  texts(slots: readonly Slot[]): readonly string[];
}
