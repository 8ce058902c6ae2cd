/**
 * Which pairs have to be judged so that MRecall@k and Precision@k are exactly those of the full matrix of
 * judgements. Not every pair has to: Precision is settled for a passage by the first perspective that it is
 * known to support, and a perspective that is covered needs no further proof for MRecall.
 */

/** A passage and a perspective, by their ids. */
export interface WantedPair {
  readonly passageId: string;
  readonly perspectiveId: string;
}

export interface WantedFigures {
  /** Ids of the query's perspectives. */
  readonly perspectives: readonly string[];
  /** Distinct passage ids, best first; one ranking per pipeline. */
  readonly rankings: readonly (readonly string[])[];
  /** The k of MRecall@k and Precision@k. */
  readonly cutoffs: readonly number[];
  /**
   * How likely support is, in any unit: pairs with more of it are asked first, which saves calls when it is
   * right and costs no exactness when it is wrong. Without it, passages are asked in the order of the ranking.
   */
  readonly prior?: ((pair: WantedPair) => number) | undefined;
}

/** MRecall@k of one ranking: settled once enough perspectives are covered, or too many cannot be. */
interface Goal {
  readonly passages: readonly string[];
  /** How many perspectives a ranking has to cover: min(k, m). */
  readonly needed: number;
}

/** State of a goal. */
type Outlook = 'reached' | 'out-of-reach' | 'open';

/**
 * Hands out the pairs that one query's figures still depend on, batch by batch, and learns their answers.
 *
 * @example
 * const figures = new FewestCalls({ perspectives, rankings, cutoffs: [5] });
 * for (let batch = figures.next(); batch.length > 0; batch = figures.next())
 *   for (const pair of batch) figures.learn(pair, await supports(pair));
 */
export class FewestCalls {
  readonly #perspectives: readonly string[];
  readonly #passages: readonly string[];
  readonly #goals: readonly Goal[];
  readonly #prior: (pair: WantedPair) => number;
  /** Per passage: perspective id → whether it supports it. */
  readonly #known = new Map<string, Map<string, boolean>>();

  constructor({ perspectives, rankings, cutoffs, prior = () => 0 }: WantedFigures) {
    const deepest = Math.max(0, ...cutoffs);
    this.#perspectives = perspectives;
    this.#passages = [...new Set(rankings.flatMap((ranking) => ranking.slice(0, deepest)))];
    this.#goals = rankings.flatMap((ranking) =>
      cutoffs.map((k) => ({ passages: ranking.slice(0, k), needed: Math.min(k, perspectives.length) })),
    );
    this.#prior = prior;
    for (const passage of this.#passages) this.#known.set(passage, new Map());
  }

  /** How many pairs the full matrix has. */
  get pairs(): number {
    return this.#passages.length * this.#perspectives.length;
  }

  /** Takes in an answer, asked for or known from elsewhere. "Unsure" is no support, as in every figure. */
  learn({ passageId, perspectiveId }: WantedPair, supports: boolean): void {
    this.#known.get(passageId)?.set(perspectiveId, supports);
  }

  /**
   * Pairs that can be asked at the same time: the figures depend on each of them, or on another pair of the same
   * passage, whatever the others' answers are. None when all figures are settled.
   */
  next(): readonly WantedPair[] {
    const unsettled = this.#passages.filter((passage) => !this.#isSettled(passage));
    if (unsettled.length > 0) return this.#onePairEach(unsettled);
    const goal = this.#goals.find((candidate) => this.#outlook(candidate) === 'open');
    return goal ? [this.#cheapestProof(goal)] : [];
  }

  /** A passage counts for Precision as soon as it supports something, or when it has been asked about everything. */
  #isSettled(passage: string): boolean {
    const known = this.#known.get(passage)!;
    return known.size === this.#perspectives.length || [...known.values()].includes(true);
  }

  /** For each passage a perspective that is not covered yet, so that the answer serves MRecall as well. */
  #onePairEach(passages: readonly string[]): WantedPair[] {
    const wanted = new Set(
      this.#goals.filter((goal) => this.#outlook(goal) === 'open').flatMap((goal) => this.#missing(goal)),
    );
    return passages.map((passageId) => {
      const known = this.#known.get(passageId)!;
      const open = this.#perspectives
        .filter((perspectiveId) => !known.has(perspectiveId))
        .map((perspectiveId) => ({ passageId, perspectiveId }));
      const serving = open.filter(({ perspectiveId }) => wanted.has(perspectiveId));
      return this.#likeliest(serving.length > 0 ? serving : open);
    });
  }

  /**
   * The missing perspective with the fewest open passages is the cheapest to disprove, and one that is disproved
   * may settle the goal.
   */
  #cheapestProof(goal: Goal): WantedPair {
    const open = this.#missing(goal)
      .map((perspectiveId) =>
        goal.passages
          .filter((passageId) => !this.#known.get(passageId)!.has(perspectiveId))
          .map((passageId) => ({ passageId, perspectiveId })),
      )
      .filter((pairs) => pairs.length > 0)
      .sort((a, b) => a.length - b.length);
    return this.#likeliest(open[0]!);
  }

  /** The first of the pairs with the highest prior. */
  #likeliest(pairs: readonly WantedPair[]): WantedPair {
    return pairs.reduce((best, pair) => (this.#prior(pair) > this.#prior(best) ? pair : best));
  }

  #outlook(goal: Goal): Outlook {
    const missing = this.#missing(goal);
    if (this.#perspectives.length - missing.length >= goal.needed) return 'reached';
    const hopeless = missing.filter((perspective) =>
      goal.passages.every((passage) => this.#known.get(passage)!.has(perspective)),
    );
    return this.#perspectives.length - hopeless.length < goal.needed ? 'out-of-reach' : 'open';
  }

  /** Perspectives that no passage of the goal is known to support. */
  #missing({ passages }: Goal): string[] {
    return this.#perspectives.filter(
      (perspective) => !passages.some((passage) => this.#known.get(passage)!.get(perspective) === true),
    );
  }
}
