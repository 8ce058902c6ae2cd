/** A limit on what one run of judging may cost. A request is counted before it is sent, so that no limit is exceeded. */
import { cancelled } from '../../core/errors.ts';
import type { Judgement } from '../../core/model.ts';
import type { BudgetLimits } from '../../shared/requests/spending.ts';
import type { JudgeOptions } from '../judges/judge.ts';

export class Budget {
  readonly #limits: BudgetLimits;
  #requests = 0;
  #tokens = 0;

  /** @param limits none means no limit */
  constructor(limits: BudgetLimits = {}) {
    this.#limits = limits;
  }

  /** For a judge that is asked within the budget. */
  get asking(): Pick<JudgeOptions, 'isAnswered' | 'onRequest'> {
    return { isAnswered: () => this.isSpent, onRequest: () => this.take() };
  }

  /**
   * Counts a request that is about to be sent, also one that repeats another.
   *
   * @throws ParallaxError `cancelled` if nothing is left: the request must not be sent
   */
  take(): void {
    if (this.isSpent) throw cancelled();
    this.#requests++;
  }

  /** Takes in the tokens of an answer that was paid for now; its requests were counted by {@link take}. */
  spend({ cost }: Pick<Judgement, 'cost'>): void {
    this.#tokens += (cost?.promptTokens ?? 0) + (cost?.completionTokens ?? 0);
  }

  /** Answers to one request share its tokens, so that thirds of tokens are summed here. */
  get spent(): { readonly requests: number; readonly tokens: number } {
    return { requests: this.#requests, tokens: rounded(this.#tokens) };
  }

  /** Whether so many more requests are sure not to end it. */
  covers(requests: number): boolean {
    const { requests: most = Number.POSITIVE_INFINITY, tokens } = this.#limits;
    return tokens === undefined && this.#requests + requests < most;
  }

  /** Requests that are under way when this becomes true are still answered, and stored. */
  get isSpent(): boolean {
    const { requests = Number.POSITIVE_INFINITY, tokens = Number.POSITIVE_INFINITY } = this.#limits;
    return this.#requests >= requests || rounded(this.#tokens) >= tokens;
  }
}

/** Without the rounding that sums of shares end in. */
function rounded(sum: number): number {
  return Math.round(sum * 1e6) / 1e6;
}
