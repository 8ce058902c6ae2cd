/** Asks chat models without paying twice: identical requests are shared, and replies may be stored. */
import type { ChatMessage } from '../../core/judging/chat-message.ts';
import type { JudgementCost } from '../../core/model.ts';
import type { ChatAnswer, ChatModel, CompleteOptions } from './chat-model.ts';
import type { Tally } from '../judges/judge.ts';
import type { PaidReply, ReplyCache } from './reply-cache.ts';
import { SharedRequests } from './shared-requests.ts';

export interface AskOptions {
  /** For each attempt. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Counts what is sent and paid for now. */
  readonly tally: Tally;
  /** Called before each request that is sent. If it throws, the request is not sent. */
  readonly onRequest?: CompleteOptions['onRequest'];
  /** Called before each wait for a repeated request. For a shared request, only its sender's is called. */
  readonly onRetry?: CompleteOptions['onRetry'];
  /** For endpoints that can enforce it. */
  readonly form?: CompleteOptions['form'];
  /** Whether a stored reply is acceptable. Defaults to any. */
  readonly accepts?: ((reply: PaidReply) => boolean) | undefined;
}

export class PaidReplies {
  readonly #kept: ReplyCache | undefined;
  readonly #repeat: number;
  readonly #now: () => number;
  readonly #requests = new SharedRequests<PaidReply>();

  /**
   * @param cache where replies are stored beyond the request; undefined if the caller stores the result itself
   * @param now milliseconds since 1970
   * @param repeat from 2: replies to the same messages are stored separately from those of other repeats
   */
  constructor(cache: ReplyCache | undefined, now: () => number = Date.now, repeat = 1) {
    this.#kept = cache;
    this.#repeat = repeat;
    this.#now = now;
  }

  /**
   * A reply of the model to these messages: a stored one, one that another caller is waiting for, or a new one, which
   * is stored before it is used.
   *
   * @param use receives the reply; a caller that stores its result in it leaves no moment in which another caller
   *   finds neither the request nor the stored result
   * @throws ParallaxError as {@link ChatModel.complete}, and `store-unusable`
   */
  async ask<R>(
    model: ChatModel,
    messages: readonly ChatMessage[],
    options: AskOptions,
    use: (reply: PaidReply) => R,
  ): Promise<R> {
    const request = requestOf(model, messages, this.#repeat);
    const storedReply = this.#kept?.get(request);
    if (storedReply && (options.accepts?.(storedReply) ?? true)) return use(storedReply);
    return this.#requests.share(request, {
      begin: (signal) => this.#send(model, messages, signal, options),
      use: (reply, first) => {
        if (first) {
          addTokens(options.tally, reply);
          this.#kept?.put(request, reply);
        }
        return use(reply);
      },
      signal: options.signal,
    });
  }

  /** A stored reply to these messages. `undefined` if there is none. */
  storedReply(model: ChatModel, messages: readonly ChatMessage[]): PaidReply | undefined {
    return this.#kept?.get(requestOf(model, messages, this.#repeat));
  }

  async #send(
    model: ChatModel,
    messages: readonly ChatMessage[],
    signal: AbortSignal,
    { timeoutMs, tally, onRetry, form, onRequest: announce }: AskOptions,
  ): Promise<PaidReply> {
    const begun = this.#now();
    let requests = 0;
    const onRequest = (): void => {
      announce?.();
      requests++;
      tally.requests++;
    };
    const answer = await model.complete(messages, { signal, timeoutMs, onRequest, onRetry, form });
    return { ...answer, requests, milliseconds: Math.max(0, this.#now() - begun) };
  }
}

/** Identity of a request: everything that could change the reply. */
function requestOf(model: ChatModel, messages: readonly ChatMessage[], repeat: number): string {
  const parts = [model.id, ...messages.map(({ content }) => content)];
  return JSON.stringify(repeat === 1 ? parts : [{ repeat }, ...parts]);
}

/** The cost that a judgement records. */
export function costOf({ requests, usage, milliseconds }: PaidReply): JudgementCost {
  return { requests, promptTokens: usage?.prompt, completionTokens: usage?.completion, milliseconds };
}

function addTokens(tally: Tally, { usage }: ChatAnswer): void {
  if (!usage) return;
  tally.tokens = {
    prompt: tally.tokens.prompt + usage.prompt,
    completion: tally.tokens.completion + usage.completion,
  };
}
