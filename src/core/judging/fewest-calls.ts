/**
 * Selects the pairs to judge so that MRecall@k and Precision@k equal those of the full matrix of judgements. Not every
 * pair is needed: one supported perspective settles a passage for Precision, and a covered perspective needs no further
 * proof for MRecall.
 */
import {
  OpenFigures,
  type Goal,
  type GoalBounds,
  type WantedFigures,
  type WantedPair,
} from './open-figures.ts';

export interface WantedCalls extends WantedFigures {
  /**
   * The likelihood of support in any unit. Pairs with higher values are asked first, which saves calls if it is right
   * and does not affect exactness if it is wrong. Without it, passages are asked in ranking order.
   */
  readonly prior?: ((pair: WantedPair) => number) | undefined;
}

/**
 * Returns the pairs that one query's figures still depend on, batch by batch, and learns their answers.
 *
 * @example
 * const figures = new FewestCalls({ perspectives, rankings, cutoffs: [5] });
 * for (let batch = figures.next(); batch.length > 0; batch = figures.next())
 *   for (const pair of batch) figures.learn(pair, await supports(pair));
 */
export class FewestCalls {
  readonly #figures: OpenFigures;
  readonly #prior: (pair: WantedPair) => number;

  constructor({ prior = () => 0, ...figures }: WantedCalls) {
    this.#figures = new OpenFigures(figures);
    this.#prior = prior;
  }

  /** The number of pairs in the full matrix. */
  get pairs(): number {
    return this.#figures.passages.length * this.#figures.perspectives.length;
  }

  /** Records an answer, requested or known. "Unsure" is no support, as in every figure. */
  learn(pair: WantedPair, supports: boolean): void {
    this.#figures.learn(pair, supports);
  }

  /** Whether every MRecall@k is certain. */
  get isMRecallDecided(): boolean {
    return this.#figures.goals.every((goal) => this.#figures.isDecided(goal));
  }

  /** The ranges of the figures, for each ranking and cutoff. */
  bounds(): GoalBounds[] {
    return this.#figures.bounds();
  }

  /**
   * Pairs that can be asked in parallel: the figures depend on each of them, or on another pair of the same passage,
   * whatever the other answers are. Empty if all figures are settled.
   */
  next(): readonly WantedPair[] {
    const figures = this.#figures;
    const unsettled = figures.passages.filter((passage) => !figures.isSettled(passage));
    if (unsettled.length > 0) return this.#onePairEach(unsettled);
    const goal = figures.goals.find((candidate) => !figures.isDecided(candidate));
    return goal ? [this.#cheapestProof(goal)] : [];
  }

  /** For each passage, a perspective that is not covered yet, so that the answer is also useful for MRecall. */
  #onePairEach(passages: readonly string[]): WantedPair[] {
    const figures = this.#figures;
    const openPerspectives = new Set(
      figures.goals.filter((goal) => !figures.isDecided(goal)).flatMap((goal) => figures.missing(goal)),
    );
    return passages.map((passageId) => {
      const open = figures.perspectives
        .map((perspectiveId) => ({ passageId, perspectiveId }))
        .filter((pair) => !figures.isKnown(pair));
      const serving = open.filter(({ perspectiveId }) => openPerspectives.has(perspectiveId));
      return this.#likeliest(serving.length > 0 ? serving : open);
    });
  }

  /**
   * The missing perspective with the fewest open passages is the cheapest to disprove, and disproving one may settle
   * the goal.
   */
  #cheapestProof(goal: Goal): WantedPair {
    const figures = this.#figures;
    const open = figures
      .missing(goal)
      .map((perspectiveId) =>
        goal.passages
          .map((passageId) => ({ passageId, perspectiveId }))
          .filter((pair) => !figures.isKnown(pair)),
      )
      .filter((pairs) => pairs.length > 0)
      .sort((a, b) => a.length - b.length);
    return this.#likeliest(open[0]!);
  }

  /** The first pair with the highest prior. */
  #likeliest(pairs: readonly WantedPair[]): WantedPair {
    return pairs.reduce((best, pair) => (this.#prior(pair) > this.#prior(best) ? pair : best));
  }
}

/** The next requests of one query. */
interface QueryRequests<T> {
  readonly isMRecallDecided: boolean;
  /** In rank order. */
  readonly requests: readonly T[];
}

/**
 * Selects the requests to make first if a budget may not suffice: one for each query, starting with queries whose
 * MRecall is open. The answers may make further requests unnecessary for MRecall.
 *
 * @param atATime the most requests
 */
export function requestsInTurn<T>(queries: readonly QueryRequests<T>[], atATime: number): T[] {
  return queries
    .toSorted((a, b) => Number(a.isMRecallDecided) - Number(b.isMRecallDecided))
    .flatMap(({ requests }) => requests.map((request, place) => ({ request, place })))
    .toSorted((a, b) => a.place - b.place)
    .slice(0, atATime)
    .map(({ request }) => request);
}
