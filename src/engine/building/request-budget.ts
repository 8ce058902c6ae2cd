/** A limit on the requests of one run of building. */
import { cancelled, type ParallaxError } from '../../core/errors.ts';
import type { ChatModel } from '../models/chat-model.ts';

export class RequestBudget {
  readonly #limit: number;
  #used = 0;
  #refused = false;

  /** @param limit requests, repeated ones included */
  constructor(limit: number) {
    this.#limit = limit;
  }

  get used(): number {
    return this.#used;
  }

  /** How many more requests may be sent. */
  get left(): number {
    return Math.max(0, this.#limit - this.#used);
  }

  /** Something was not asked because of this budget. */
  get wasReached(): boolean {
    return this.#refused;
  }

  /**
   * Takes one request out of the budget.
   *
   * @throws ParallaxError `cancelled` when none is left
   */
  take(): void {
    if (this.left === 0) throw this.refusal();
    this.#used++;
  }

  /** The error that ends work for which nothing is left; {@link wasReached} tells it from cancelling. */
  refusal(): ParallaxError {
    this.#refused = true;
    return cancelled();
  }

  /** The same model, whose requests come out of this budget; kept replies cost nothing. */
  limited(model: ChatModel): ChatModel {
    const { id, label } = model;
    return {
      id,
      model: model.model,
      label,
      complete: (messages, options) =>
        model.complete(messages, {
          ...options,
          onRequest: () => {
            this.take();
            options.onRequest?.();
          },
        }),
    };
  }
}
