/** How many requests to models the tools may cause, and what becomes of what would need more. */
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../core/errors.ts';

export interface CallBudgetOptions {
  /** Requests; left out, there is no limit. */
  readonly limit?: number | undefined;
  /** Where the limit is set, for messages: `--budget`. */
  readonly setBy: string;
  /** `refuse`: judging that may need more is not begun. `stop`: it is begun, and stops when the budget is spent. */
  readonly beyond: 'refuse' | 'stop';
}

/** Requests set aside for one run. */
export interface Reservation {
  readonly requests: number;
  /** Gives back what was not needed. */
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
   * Sets requests aside, so that runs at the same time do not spend the same budget twice.
   *
   * @param requests at most; Infinity where there is no bound
   * @returns nothing where there are not so many left
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

  /** @throws ParallaxError `bad-argument` where there are not so many left */
  require(requests: number, what: string): Reservation {
    const reserved = this.reserve(requests);
    if (!reserved) throw new ParallaxError('bad-argument', this.refusal(requests, what));
    return reserved;
  }

  /** Why something was not done, and what would help. */
  refusal(requests: number, what: string): string {
    return Number.isFinite(requests)
      ? l10n.t`${what} may ask a model up to ${Math.ceil(requests)} times; ${this.#left} of the ${this.#limit} requests that ${this.#setBy} allows are left.`
      : l10n.t`${what} may ask a model any number of times; ${this.#left} of the ${this.#limit} requests that ${this.#setBy} allows are left.`;
  }

  #limited(requests: number): number {
    return Number.isFinite(this.#limit) ? requests : 0;
  }
}
