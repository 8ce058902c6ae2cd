/** A limit on the requests of one run of building. */
import { cancelled, type ParallaxError } from '../../../core/errors.ts';
import type { ChatModel } from '../../../engine/models/chat-model.ts';

export class RequestBudget {
  readonly #limit: number;
  #used = 0;
  #refused = false;

  /** @param limit requests, including repeated ones */
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

  /** Whether a request was refused because of this budget. */
  get wasReached(): boolean {
    return this.#refused;
  }

  /**
   * Takes one request from the budget.
   *
   * @throws ParallaxError `cancelled` if none is left
   */
  take(): void {
    if (this.left === 0) throw this.refusal();
    this.#used++;
  }

  /** The error that ends work without a budget. {@link wasReached} distinguishes it from a cancellation. */
  refusal(): ParallaxError {
    this.#refused = true;
    return cancelled();
  }

  /** The same model with requests counted by this budget. Stored replies are free. */
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
