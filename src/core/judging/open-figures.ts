/** What is known of MRecall@k and Precision@k while their passages are being judged, and what they still depend on. */

/** A passage and a perspective, by their ids. */
export interface WantedPair {
  readonly passageId: string;
  readonly perspectiveId: string;
}

/** The figures of one query. */
export interface WantedFigures {
  /** Ids of the query's perspectives. */
  readonly perspectives: readonly string[];
  /** Distinct passage ids, best first; one ranking per pipeline. */
  readonly rankings: readonly (readonly string[])[];
  /** The k of MRecall@k and Precision@k. */
  readonly cutoffs: readonly number[];
}

/** The top k of one ranking, whose MRecall@k and Precision@k are wanted. */
export interface Goal {
  readonly k: number;
  /** At most k. */
  readonly passages: readonly string[];
  /** How many perspectives they have to cover for MRecall: min(k, m). */
  readonly needed: number;
}

/** The least and the most that a figure can be, whatever is still to be answered; shares in [0, 1]. */
export interface Bounds {
  readonly low: number;
  readonly high: number;
}

export interface GoalBounds {
  readonly mRecall: Bounds;
  readonly precision: Bounds;
}

export class OpenFigures {
  readonly perspectives: readonly string[];
  /** Of any top k, in the order of the rankings. */
  readonly passages: readonly string[];
  /** For each ranking one for each cutoff. */
  readonly goals: readonly Goal[];
  /** Per passage: perspective id → whether it supports it. */
  readonly #known = new Map<string, Map<string, boolean>>();

  constructor({ perspectives, rankings, cutoffs }: WantedFigures) {
    const deepest = Math.max(0, ...cutoffs);
    this.perspectives = perspectives;
    this.passages = [...new Set(rankings.flatMap((ranking) => ranking.slice(0, deepest)))];
    this.goals = rankings.flatMap((ranking) =>
      cutoffs.map((k) => ({ k, passages: ranking.slice(0, k), needed: Math.min(k, perspectives.length) })),
    );
    for (const passage of this.passages) this.#known.set(passage, new Map());
  }

  /** Takes in an answer. "Unsure" is no support, as in every figure. */
  learn({ passageId, perspectiveId }: WantedPair, supports: boolean): void {
    this.#known.get(passageId)?.set(perspectiveId, supports);
  }

  isKnown({ passageId, perspectiveId }: WantedPair): boolean {
    return this.#known.get(passageId)!.has(perspectiveId);
  }

  /** A passage counts for Precision as soon as it supports something, or when it has been asked about everything. */
  isSettled(passage: string): boolean {
    return this.#known.get(passage)!.size === this.perspectives.length || this.#supportsAny(passage);
  }

  /** Whether MRecall@k is certain: enough perspectives are covered, or too many cannot be. */
  isDecided(goal: Goal): boolean {
    const { low, high } = this.#mRecall(goal);
    return low === high;
  }

  /** Perspectives that no passage of the goal is known to support. */
  missing({ passages }: Goal): string[] {
    return this.perspectives.filter(
      (perspective) => !passages.some((passage) => this.#known.get(passage)!.get(perspective) === true),
    );
  }

  /** In the order of the goals. */
  bounds(): GoalBounds[] {
    return this.goals.map((goal) => ({ mRecall: this.#mRecall(goal), precision: this.#precision(goal) }));
  }

  #mRecall(goal: Goal): Bounds {
    const all = this.perspectives.length;
    if (all === 0) return { low: 0, high: 0 };
    const missing = this.missing(goal);
    const hopeless = missing.filter((perspectiveId) =>
      goal.passages.every((passageId) => this.isKnown({ passageId, perspectiveId })),
    );
    return {
      low: all - missing.length >= goal.needed ? 1 : 0,
      high: all - hopeless.length >= goal.needed ? 1 : 0,
    };
  }

  #precision({ passages, k }: Goal): Bounds {
    const supporting = passages.filter((passage) => this.#supportsAny(passage)).length;
    const open = passages.filter((passage) => !this.isSettled(passage)).length;
    return { low: supporting / k, high: (supporting + open) / k };
  }

  #supportsAny(passage: string): boolean {
    return [...this.#known.get(passage)!.values()].includes(true);
  }
}
