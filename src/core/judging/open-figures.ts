/** The ranges of MRecall@k and Precision@k while passages are being judged, and the pairs they still depend on. */
import { supports } from '../metrics/judgements.ts';
import { boundsOf, isSettled, type Bounds } from '../metrics/unjudged.ts';

/** Ids of a passage and a perspective. */
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
  /** The cutoffs of MRecall@k and Precision@k. */
  readonly cutoffs: readonly number[];
}

/** The top k of one ranking, whose MRecall@k and Precision@k are wanted. */
export interface Goal {
  readonly k: number;
  /** At most k. */
  readonly passages: readonly string[];
  /** The number of perspectives they must cover for MRecall: min(k, m). */
  readonly needed: number;
}

export interface GoalBounds {
  readonly mRecall: Bounds;
  readonly precision: Bounds;
}

export class OpenFigures {
  readonly perspectives: readonly string[];
  /** All passages in any top k, in ranking order. */
  readonly passages: readonly string[];
  /** One for each ranking and cutoff. */
  readonly goals: readonly Goal[];
  /** Known judgements of passages, by perspective id. */
  readonly #known: ReadonlyMap<string, Map<string, number>>;

  constructor({ perspectives, rankings, cutoffs }: WantedFigures) {
    const deepest = Math.max(0, ...cutoffs);
    this.perspectives = perspectives;
    this.passages = [...new Set(rankings.flatMap((ranking) => ranking.slice(0, deepest)))];
    this.goals = rankings.flatMap((ranking) =>
      cutoffs.map((k) => ({ k, passages: ranking.slice(0, k), needed: Math.min(k, perspectives.length) })),
    );
    this.#known = new Map(perspectives.map((perspective) => [perspective, new Map()]));
  }

  /** Records an answer. "Unsure" is no support, as in every figure. */
  learn({ passageId, perspectiveId }: WantedPair, isSupport: boolean): void {
    this.#known.get(perspectiveId)!.set(passageId, isSupport ? 1 : 0);
  }

  isKnown({ passageId, perspectiveId }: WantedPair): boolean {
    return this.#known.get(perspectiveId)!.has(passageId);
  }

  /** Whether a passage is settled for Precision: it supports a perspective, or all its pairs are known. */
  isSettled(passage: string): boolean {
    const known = [...this.#known.values()].map((passages) => passages.get(passage));
    return known.some(supports) || !known.includes(undefined);
  }

  /** Whether MRecall@k is certain: enough perspectives are covered, or too many cannot be. */
  isDecided(goal: Goal): boolean {
    return isSettled(this.#boundsOf('MRecall', goal));
  }

  /** Perspectives without a passage of the goal that is known to support them. */
  missing({ passages }: Goal): string[] {
    return this.perspectives.filter((perspective) => {
      const known = this.#known.get(perspective)!;
      return !passages.some((passage) => supports(known.get(passage)));
    });
  }

  /** In the order of `goals`. */
  bounds(): GoalBounds[] {
    return this.goals.map((goal) => ({
      mRecall: this.#boundsOf('MRecall', goal),
      precision: this.#boundsOf('Precision', goal),
    }));
  }

  #boundsOf(family: 'MRecall' | 'Precision', { k, passages }: Goal): Bounds {
    return boundsOf({ family, k }, passages, this.#known, 'open');
  }
}
