/** The interface of a chat model for judges and the perspective generator, wherever it runs. */
import type { ErrorId, ParallaxError } from '../../core/errors.ts';
import type { AnswerForm } from '../../core/judging/answer-form.ts';
import type { ChatMessage } from '../../core/judging/chat-message.ts';
import type { AnsweredToken } from '../../core/judging/replies/token-probability.ts';
import type { TokenUsage } from '../judges/judge.ts';
import type { Retry } from './retry.ts';

export interface CompleteOptions {
  readonly signal?: AbortSignal | undefined;
  /** For each attempt. */
  readonly timeoutMs: number;
  /** Called before each request that is sent, including repeated ones. */
  readonly onRequest?: (() => void) | undefined;
  /** Called before each wait for a repeated request. */
  readonly onRetry?: ((retry: Retry) => void) | undefined;
  /** For endpoints that can enforce it. `undefined` if an answer may have any length. */
  readonly form?: AnswerForm | undefined;
  /** Asks for {@link ChatAnswer.tokens}, and for plain text instead of JSON. */
  readonly tokenProbabilities?: boolean | undefined;
}

export interface ChatAnswer {
  /** Empty if the model refused or had nothing to say. */
  readonly text: string;
  /** Why the answer is incomplete, as a sentence. `undefined` if the model finished. */
  readonly incomplete?: string | undefined;
  readonly usage?: TokenUsage | undefined;
  /** The beginning of the answer, token by token. `undefined` if not requested or not available. */
  readonly tokens?: readonly AnsweredToken[] | undefined;
}

/** The reason of an answer that is {@link ChatAnswer.incomplete} because it reached the length limit. */
export const CUT_OFF = 'The answer was cut off at the length limit of the model.';

export interface ChatModel {
  /** Identity for the cache: endpoint and model. */
  readonly id: string;
  /** The name that judgements record. */
  readonly model: string;
  /** The name for messages. */
  readonly label: string;
  /**
   * Returns one answer, after as many repetitions as the model's settings allow.
   *
   * @throws ParallaxError `model-unreachable`, `model-missing`, `model-key` or `bad-config` if no request can succeed
   *   until the user acts; `model-answer` if this one did not; `cancelled`
   */
  complete(messages: readonly ChatMessage[], options: CompleteOptions): Promise<ChatAnswer>;
}

const HOPELESS: readonly ErrorId[] = ['model-unreachable', 'model-missing', 'model-key', 'bad-config'];

/** Whether asking about further pairs is pointless after this error. */
export function isHopeless(error: ParallaxError): boolean {
  return HOPELESS.includes(error.id);
}
