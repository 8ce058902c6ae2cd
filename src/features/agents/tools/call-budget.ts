/** The budget of model requests that the tools may cause, and the handling of calls that need more. */
import * as l10n from '@vscode/l10n';
import { counted } from '../../../core/counted.ts';
import { ParallaxError } from '../../../core/errors.ts';

export interface CallBudgetOptions {
  /** Requests. Defaults to no limit. */
  readonly limit?: number | undefined;
  /** Where the limit is set, for messages: `--budget`. */
  readonly setBy: string;
  /**
   * `refuse`: judging that may exceed the limit is not started. `stop`: it is started, and stops when the budget is
   * spent.
   */
  readonly beyond: 'refuse' | 'stop';
}

/** Requests reserved for one run. */
export interface Reservation {
  readonly requests: number;
  /** Returns the requests that were not needed. */
  settle(used: number): void;
}

export class CallBudget {
  readonly beyond: CallBudgetOptions['beyond'];
  readonly #setBy: string;
  readonly #limit: number;
  #left: number;

  constructor({ limit = Number.POSITIVE_INFINITY, setBy, beyond }: CallBudgetOptions) {
    this.beyond = beyond;
    this.#setBy = setBy;
    this.#limit = limit;
    this.#left = limit;
  }

  get isLimited(): boolean {
    return Number.isFinite(this.#limit);
  }

  get left(): number {
    return this.#left;
  }

  /**
   * Reserves requests, so that concurrent runs do not spend the same budget twice.
   *
   * @param requests upper bound; Infinity if there is none
   * @returns `undefined` if too few requests are left
   */
  reserve(requests: number): Reservation | undefined {
    if (requests > this.#left) return undefined;
    this.#left -= this.#limited(requests);
    return {
      requests,
      settle: (used) => {
        this.#left += this.#limited(requests) - this.#limited(used);
      },
    };
  }

  /** @throws ParallaxError `bad-argument` if too few requests are left */
  require(requests: number, what: string): Reservation {
    const reserved = this.reserve(requests);
    if (!reserved) throw new ParallaxError('bad-argument', this.refusal(requests, what));
    return reserved;
  }

  /** Why something was not done, and what would help. */
  refusal(requests: number, what: string): string {
    return Number.isFinite(requests)
      ? counted(
          l10n.t(
            '{0} may ask a model up to {1} [1:time|times]; {2} of the {3} [3:request|requests] that {4} allows [2:is|are] left.',
          ),
          what,
          Math.ceil(requests),
          this.#left,
          this.#limit,
          this.#setBy,
        )
      : counted(
          l10n.t(
            '{0} may ask a model any number of times; {1} of the {2} [2:request|requests] that {3} allows [1:is|are] left.',
          ),
          what,
          this.#left,
          this.#limit,
          this.#setBy,
        );
  }

  #limited(requests: number): number {
    return Number.isFinite(this.#limit) ? requests : 0;
  }
}
