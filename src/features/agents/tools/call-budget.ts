/** The budget of model requests that the tools may cause, and the handling of calls that need more. */
import * as l10n from '@vscode/l10n';
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
      ? l10n.t`${what} may ask a model up to ${Math.ceil(requests)} times; ${this.#left} of the ${this.#limit} requests that ${this.#setBy} allows are left.`
      : l10n.t`${what} may ask a model any number of times; ${this.#left} of the ${this.#limit} requests that ${this.#setBy} allows are left.`;
  }

  #limited(requests: number): number {
    return Number.isFinite(this.#limit) ? requests : 0;
  }
}
