/** A chat model as judges and the perspective generator see it, wherever it runs. */
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
  /** Called before each request that is sent, repeated ones included. */
  readonly onRequest?: (() => void) | undefined;
  /** Told of each wait before a request is repeated. */
  readonly onRetry?: ((retry: Retry) => void) | undefined;
  /** For endpoints that can hold the model to it; absent where an answer may be as long as it likes. */
  readonly form?: AnswerForm | undefined;
  /** Asks for {@link ChatAnswer.tokens}, and for plain text instead of JSON. */
  readonly tokenProbabilities?: boolean | undefined;
}

export interface ChatAnswer {
  /** Empty where the model refused or had nothing to say. */
  readonly text: string;
  /** Why there is no whole answer, as a sentence; absent when the model finished. */
  readonly incomplete?: string | undefined;
  readonly usage?: TokenUsage | undefined;
  /** The beginning of the answer, token by token; absent where it was not asked for, or is not to be had. */
  readonly tokens?: readonly AnsweredToken[] | undefined;
}

/** Why an answer is {@link ChatAnswer.incomplete} that reached the limit of its length. */
export const CUT_OFF = 'The answer was cut off at the length limit of the model.';

export interface ChatModel {
  /** Identity for the cache: endpoint and model. */
  readonly id: string;
  /** As judgements record it. */
  readonly model: string;
  /** For people. */
  readonly label: string;
  /**
   * One answer, after as many repetitions as the model's settings allow.
   *
   * @throws ParallaxError `model-unreachable`, `model-missing`, `model-key` or `bad-config` where no request can
   *   succeed until the user acts; `model-answer` where this one did not; `cancelled`
   */
  complete(messages: readonly ChatMessage[], options: CompleteOptions): Promise<ChatAnswer>;
}

const HOPELESS: readonly ErrorId[] = ['model-unreachable', 'model-missing', 'model-key', 'bad-config'];

/** Whether asking about further pairs is pointless after this error. */
export function isHopeless(error: ParallaxError): boolean {
  return HOPELESS.includes(error.id);
}
