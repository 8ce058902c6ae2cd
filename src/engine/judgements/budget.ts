/** A limit on what one run of judging may cost. It stops before the next request, never in the middle of one. */
import type { Judgement } from '../../core/model.ts';
import type { BudgetLimits } from '../../shared/requests/spending.ts';

export class Budget {
  readonly #limits: BudgetLimits;
  #requests = 0;
  #tokens = 0;

  /** @param limits none means no limit */
  constructor(limits: BudgetLimits = {}) {
    this.#limits = limits;
  }

  /** Takes in what an answer cost that was paid for now. */
  spend({ cost }: Pick<Judgement, 'cost'>): void {
    this.#requests += cost?.requests ?? 1;
    this.#tokens += (cost?.promptTokens ?? 0) + (cost?.completionTokens ?? 0);
  }

  /** Answers to one request share its cost, so that thirds of requests are summed here. */
  get spent(): { readonly requests: number; readonly tokens: number } {
    return { requests: rounded(this.#requests), tokens: rounded(this.#tokens) };
  }

  /** Whether so many more requests are sure not to end it. */
  covers(requests: number): boolean {
    const { requests: most = Number.POSITIVE_INFINITY, tokens } = this.#limits;
    return tokens === undefined && this.#requests + requests < most;
  }

  /** Requests that are under way when this becomes true are still answered, and stored. */
  get isSpent(): boolean {
    const { requests = Number.POSITIVE_INFINITY, tokens = Number.POSITIVE_INFINITY } = this.#limits;
    return rounded(this.#requests) >= requests || rounded(this.#tokens) >= tokens;
  }
}

/** Without the rounding that sums of shares end in. */
function rounded(sum: number): number {
  return Math.round(sum * 1e6) / 1e6;
}
