/** The model that proposes items of an eval set. Its stored replies are never paid for again. */
import { WRITTEN_FORM } from '../../../core/judging/answer-form.ts';
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../../../core/errors.ts';
import { askedAgain, type Messages } from '../../../core/judging/prompts/instructions.ts';
import type { Unparsable } from '../../../core/judging/replies/parse.ts';
import type { ChatAnswer, ChatModel } from '../../../engine/models/chat-model.ts';
import { emptyTally, type Tally } from '../../../engine/judges/judge.ts';
import type { PaidReplies } from '../../../engine/models/paid-replies.ts';
import type { RequestBudget } from './request-budget.ts';
import type { LentModel } from '../../../engine/judges/judges.ts';

/** The model answered twice, and neither answer can be used. */
export class UnusableAnswer extends ParallaxError {
  /** @param reason a sentence */
  constructor(label: string, reason: string) {
    super('model-answer', l10n.t`${label} gave no answer that can be used. ${reason}`);
  }
}

export class Generator {
  readonly label: string;
  readonly concurrency: number;
  readonly #model: ChatModel;
  readonly #timeoutMs: number;
  readonly #replies: PaidReplies;
  readonly #tally: Tally = emptyTally();

  /** @param replies stored replies */
  constructor({ model, timeoutMs, concurrency }: LentModel, replies: PaidReplies, budget: RequestBudget) {
    this.label = model.label;
    this.concurrency = concurrency;
    this.#model = budget.limited(model);
    this.#timeoutMs = timeoutMs;
    this.#replies = replies;
  }

  /** Tokens paid for in this run, if the endpoint reports them. */
  get tokens(): Tally['tokens'] {
    return this.#tally.tokens;
  }

  /**
   * Asks the model, and once more if its answer cannot be read. Both replies are stored, so that a later run gets the
   * same result without paying. If neither can be used, the next run asks again.
   *
   * @throws ParallaxError as {@link ChatModel.complete}, {@link UnusableAnswer}, and `cancelled`, also if the budget
   *   is spent
   */
  async ask<T extends object>(
    messages: Messages,
    parse: (answer: string) => T | Unparsable,
    signal: AbortSignal,
  ): Promise<T> {
    const again = askedAgain(messages);
    const storedReply = this.#replies.storedReply(this.#model, again);
    const answered = storedReply ? readReply(storedReply, parse) : undefined;
    if (answered && !('unparsable' in answered)) return answered;
    const first = await this.#once(messages, parse, signal);
    if (!('unparsable' in first)) return first;
    const second = await this.#once(again, parse, signal);
    if (!('unparsable' in second)) return second;
    throw new UnusableAnswer(this.label, second.reason);
  }

  #once<T extends object>(
    messages: Messages,
    parse: (answer: string) => T | Unparsable,
    signal: AbortSignal,
  ): Promise<T | Unparsable> {
    const accepts = (reply: ChatAnswer): boolean => !('unparsable' in readReply(reply, parse));
    const options = { timeoutMs: this.#timeoutMs, signal, tally: this.#tally, accepts, form: WRITTEN_FORM };
    return this.#replies.ask(this.#model, messages, options, (reply) => readReply(reply, parse));
  }
}

function readReply<T extends object>(
  { text, incomplete }: ChatAnswer,
  parse: (answer: string) => T | Unparsable,
): T | Unparsable {
  return incomplete === undefined ? parse(text) : { unparsable: true, reason: incomplete };
}
