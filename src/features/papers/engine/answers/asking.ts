/** Asks the models behind answers within a budget. Paid replies are cached. */
import { WRITTEN_FORM } from '../../../../core/judging/answer-form.ts';
import { ParallaxError } from '../../../../core/errors.ts';
import type { ChatMessage } from '../../../../core/judging/chat-message.ts';
import type { Budget } from '../../../../engine/judgements/budget.ts';
import { emptyTally, type Tally } from '../../../../engine/judges/judge.ts';
import type { PaidReplies } from '../../../../engine/models/paid-replies.ts';
import type { PaidReply } from '../../../../engine/models/reply-cache.ts';
import type { LentModel } from '../../../../engine/judges/judges.ts';

export interface AnswerModel extends LentModel {
  /** The name of the judge. */
  readonly name: string;
}

/** Requests sent and paid for in this run. */
export interface AnswerWork {
  readonly requests: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
}

export class Asking {
  readonly #replies: PaidReplies;
  readonly #budget: Budget;
  readonly #signal: AbortSignal;
  #halted = false;
  #work: AnswerWork = { requests: 0, promptTokens: 0, completionTokens: 0 };

  /** @param replies persistent, so that a stopped run can continue */
  constructor(replies: PaidReplies, budget: Budget, signal: AbortSignal | undefined) {
    this.#replies = replies;
    this.#budget = budget;
    this.#signal = signal ?? new AbortController().signal;
  }

  get work(): AnswerWork {
    return this.#work;
  }

  /** Stops further requests; cached replies are still used. */
  halt(): void {
    this.#halted = true;
  }

  /**
   * @returns `undefined` if the reply is not cached, and the budget is spent or requests were stopped
   * @throws ParallaxError like {@link PaidReplies.ask}
   */
  async ask(
    { model, timeoutMs }: AnswerModel,
    messages: readonly ChatMessage[],
  ): Promise<PaidReply | undefined> {
    if (this.#halted || this.#budget.isSpent) return this.#replies.storedReply(model, messages);
    const tally = emptyTally();
    try {
      const onRequest = (): void => this.#budget.take();
      const options = { timeoutMs, signal: this.#signal, tally, onRequest, form: WRITTEN_FORM };
      return await this.#replies.ask(model, messages, options, (reply) => reply);
    } catch (error) {
      if (!ParallaxError.is(error, 'cancelled') || this.#signal.aborted) throw error;
      return undefined;
    } finally {
      this.#spend(tally);
    }
  }

  #spend({ requests, tokens }: Tally): void {
    const { prompt: promptTokens, completion: completionTokens } = tokens;
    this.#budget.spend({ cost: { requests, promptTokens, completionTokens, milliseconds: 0 } });
    this.#work = {
      requests: this.#work.requests + requests,
      promptTokens: this.#work.promptTokens + promptTokens,
      completionTokens: this.#work.completionTokens + completionTokens,
    };
  }
}
