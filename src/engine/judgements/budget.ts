/** Limits the cost of one judging run. A request is counted before it is sent, so that no limit is exceeded. */
import { cancelled } from '../../core/errors.ts';
import type { Judgement } from '../../core/model.ts';
import type { BudgetLimits } from '../../shared/requests/spending.ts';
import type { JudgeOptions } from '../judges/judge.ts';

export class Budget {
  readonly #limits: BudgetLimits;
  #requests = 0;
  #tokens = 0;

  /** @param limits defaults to no limit */
  constructor(limits: BudgetLimits = {}) {
    this.#limits = limits;
  }

  /** Options of a judge that is asked within the budget. */
  get asking(): Pick<JudgeOptions, 'isAnswered' | 'onRequest'> {
    return { isAnswered: () => this.isSpent, onRequest: () => this.take() };
  }

  /**
   * Counts a request that is about to be sent, even if it repeats another.
   *
   * @throws ParallaxError `cancelled` if nothing is left, so that the request is not sent
   */
  take(): void {
    if (this.isSpent) throw cancelled();
    this.#requests++;
  }

  /** Counts the tokens of an answer that was paid for now. {@link take} has counted its requests. */
  spend({ cost }: Pick<Judgement, 'cost'>): void {
    this.#tokens += (cost?.promptTokens ?? 0) + (cost?.completionTokens ?? 0);
  }

  /** Rounded, because answers to one request share its tokens, so the sum contains fractions. */
  get spent(): { readonly requests: number; readonly tokens: number } {
    return { requests: this.#requests, tokens: rounded(this.#tokens) };
  }

  /** How many requests are left. Infinity without a limit. */
  get left(): number {
    return Math.max(0, (this.#limits.requests ?? Number.POSITIVE_INFINITY) - this.#requests);
  }

  /** Whether this many more requests surely do not exhaust it. */
  covers(requests: number): boolean {
    const { requests: most = Number.POSITIVE_INFINITY, tokens } = this.#limits;
    return tokens === undefined && this.#requests + requests < most;
  }

  /** Running requests are still answered and stored after this becomes true. */
  get isSpent(): boolean {
    const { requests = Number.POSITIVE_INFINITY, tokens = Number.POSITIVE_INFINITY } = this.#limits;
    return this.#requests >= requests || rounded(this.#tokens) >= tokens;
  }
}

/** Removes the rounding errors of summed shares. */
function rounded(sum: number): number {
  return Math.round(sum * 1e6) / 1e6;
}
