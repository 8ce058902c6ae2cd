/**
 * Divides what is left of a budget among the queries of an evaluation that are reranked for coverage. All queries get
 * the same number of requests; what some do not need goes to those that want more, in further rounds.
 */
import type { Budget } from './budget.ts';

export class DividedBudget {
  readonly #budget: Budget;
  /** The pipelines that rerank for coverage and have not begun. */
  #pipelines: number;
  /** How many requests of the budget others than rerankers need. */
  readonly #kept: number;
  /** Requests of the whole budget that are spent when the current pipeline has used its part. */
  #end = 0;
  #spentBefore = 0;
  #share = Number.POSITIVE_INFINITY;
  #isShort = false;

  /** @param kept requests that rerankers leave, for what is asked after them */
  constructor(budget: Budget, { pipelines, kept }: { readonly pipelines: number; readonly kept: number }) {
    this.#budget = budget;
    this.#pipelines = pipelines;
    this.#kept = kept;
  }

  /** Gives the next pipeline its part of what is left, for all of its searches. */
  begin(): void {
    const all = Math.max(0, this.#budget.left - this.#kept);
    this.#end = this.#budget.spent.requests + all / this.#pipelines--;
  }

  /** How many requests the current query has left. */
  get left(): number {
    return this.#budget.isSpent ? 0 : this.#share - (this.#budget.spent.requests - this.#spentBefore);
  }

  /** Notes that the current query wanted more. */
  refuse(): void {
    this.#isShort = true;
  }

  /** Whether the current query wanted more requests than it got. */
  get isShort(): boolean {
    return this.#isShort;
  }

  /**
   * @param ask searches for the query at a place
   * @returns the places of queries that wanted more requests
   */
  async divide(queries: number, ask: (place: number) => Promise<void>): Promise<number[]> {
    const end = this.#end;
    let open = Array.from({ length: queries }, (_, place) => place);
    for (let round = 0; open.length > 0; round++) {
      const left = end - this.#budget.spent.requests;
      if (round > 0 && left < 1) break;
      const share = Math.max(1, Math.floor(left / open.length));
      const short: number[] = [];
      for (const [turn, place] of open.entries()) {
        const rest = Math.floor(end - this.#budget.spent.requests);
        if (round > 0 && rest < 1) {
          short.push(...open.slice(turn));
          break;
        }
        this.#spentBefore = this.#budget.spent.requests;
        this.#share = Math.min(share, rest);
        this.#isShort = false;
        await ask(place);
        if (this.#isShort) short.push(place);
      }
      open = short;
    }
    this.#share = Number.POSITIVE_INFINITY;
    return open;
  }
}
