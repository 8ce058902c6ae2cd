/**
 * The expected value of a top k given probabilities of support: expected MRecall@k, or expected α-nDCG@k. See
 * docs/expected-coverage.md for the derivation.
 */

/** As in the measure (src/core/metrics/diversity-measures.ts). */
const ALPHA = 0.5;

/** Measures that a top k can be optimised for, by their names in ir_measures. */
export const COVERAGE_AIMS = ['MRecall', 'alpha_nDCG'] as const;
export type CoverageAim = (typeof COVERAGE_AIMS)[number];

/** Whether the aim is MRecall, the default. */
export const isPlainAim = (aim: CoverageAim = 'MRecall'): boolean => aim === 'MRecall';

/** The value of a list after a candidate replaces one of its places. */
export type Exchanged = (candidate: number) => number;

export interface Aim {
  /** Whether the value depends on the order of candidates. */
  readonly isOrdered: boolean;
  /** @param chosen distinct candidates, best first */
  valueOf(chosen: readonly number[]): number;
  /**
   * The result is only valid as long as the probabilities of the list's candidates do not change, except for the one at
   * `place`.
   */
  exchanged(chosen: readonly number[], place: number): Exchanged;
}

/**
 * @param support [n, m] the probability that a candidate supports a perspective; may change later
 * @param k the length of lists
 */
export function aimAt(aim: CoverageAim, support: Float64Array, m: number, k: number): Aim {
  return aim === 'MRecall' ? new ExpectedMRecall(support, m, k) : new ExpectedAlphaNdcg(support, m, k);
}

/**
 * Weights of secondary goals besides covering enough: the covered share if that is out of reach, and the number of
 * passages that support anything.
 */
const SHARE_WEIGHT = 0.02;
const PRECISION_WEIGHT = 0.02;

/** A set without one of its places. */
interface Rest {
  /** [m]: the probability that none of them supports a perspective. */
  readonly missed: Float64Array;
  /** The expected number of passages that support any perspective. */
  readonly supporting: number;
}

class ExpectedMRecall implements Aim {
  readonly isOrdered = false;
  readonly #support: Float64Array;
  readonly #m: number;
  readonly #k: number;

  constructor(support: Float64Array, m: number, k: number) {
    this.#support = support;
    this.#m = m;
    this.#k = k;
  }

  valueOf(chosen: readonly number[]): number {
    const { missed, supporting } = this.#sum(chosen);
    return this.#worth(
      missed.map((chance) => 1 - chance),
      supporting,
    );
  }

  exchanged(chosen: readonly number[], place: number): Exchanged {
    const { missed, supporting } = this.#sum(chosen.filter((_, index) => index !== place));
    return (candidate) => {
      const covered = missed.map(
        (chance, perspective) => 1 - chance * (1 - this.#support[candidate * this.#m + perspective]!),
      );
      return this.#worth(covered, supporting + this.#supportsAny(candidate));
    };
  }

  #sum(candidates: readonly number[]): Rest {
    const missed = new Float64Array(this.#m).fill(1);
    let supporting = 0;
    for (const candidate of candidates) {
      for (let perspective = 0; perspective < this.#m; perspective++)
        missed[perspective]! *= 1 - this.#support[candidate * this.#m + perspective]!;
      supporting += this.#supportsAny(candidate);
    }
    return { missed, supporting };
  }

  #supportsAny(candidate: number): number {
    let none = 1;
    for (let perspective = 0; perspective < this.#m; perspective++)
      none *= 1 - this.#support[candidate * this.#m + perspective]!;
    return 1 - none;
  }

  #worth(covered: Float64Array, supporting: number): number {
    const needed = Math.min(this.#k, this.#m);
    let share = 0;
    for (const chance of covered) share += chance / covered.length;
    return atLeast(covered, needed) + SHARE_WEIGHT * share + (PRECISION_WEIGHT * supporting) / this.#k;
  }
}

/**
 * The expected α-DCG@k, as a share of its value for k passages that support every perspective. With independent
 * probabilities p, the passage at rank r has the expected gain p(r, s) · Π (1 − α p(i, s)) for a perspective s, over
 * the passages i above it, as each of them halves the gain if it supports s.
 */
class ExpectedAlphaNdcg implements Aim {
  readonly isOrdered = true;
  readonly #support: Float64Array;
  readonly #m: number;
  readonly #most: number;

  constructor(support: Float64Array, m: number, k: number) {
    this.#support = support;
    this.#m = m;
    this.#most = Array.from({ length: k }, (_, place) => m * (1 - ALPHA) ** place * discount(place)).reduce(
      (sum, gain) => sum + gain,
      0,
    );
  }

  valueOf(chosen: readonly number[]): number {
    return this.#worth(chosen, 0, new Float64Array(this.#m).fill(1), 0);
  }

  exchanged(chosen: readonly number[], place: number): Exchanged {
    const left = new Float64Array(this.#m).fill(1);
    let before = 0;
    for (let at = 0; at < place; at++) before += this.#gain(chosen[at]!, at, left);
    const list = [...chosen];
    return (candidate) => {
      list[place] = candidate;
      return this.#worth(list, place, Float64Array.from(left), before);
    };
  }

  /** @param left [m] the gain at this place for each perspective; modified */
  #worth(list: readonly number[], from: number, left: Float64Array, before: number): number {
    let sum = before;
    for (let place = from; place < list.length; place++) sum += this.#gain(list[place]!, place, left);
    return sum / this.#most;
  }

  #gain(candidate: number, place: number, left: Float64Array): number {
    let gain = 0;
    for (let perspective = 0; perspective < this.#m; perspective++) {
      const chance = this.#support[candidate * this.#m + perspective]!;
      gain += chance * left[perspective]!;
      left[perspective]! *= 1 - ALPHA * chance;
    }
    return gain * discount(place);
  }
}

/** @param place from 0 */
function discount(place: number): number {
  return 1 / Math.log2(place + 2);
}

/** The probability that at least `needed` of independent events happen (Poisson binomial). */
export function atLeast(chances: Float64Array, needed: number): number {
  if (needed === chances.length) {
    let all = 1;
    for (const chance of chances) all *= chance;
    return all;
  }
  // [0 … needed]: the probability of each count so far, with `needed` for all higher ones.
  const counts = new Float64Array(needed + 1);
  counts[0] = 1;
  for (const chance of chances)
    for (let many = needed; many >= 0; many--)
      counts[many] =
        (many === needed ? counts[many]! : counts[many]! * (1 - chance)) +
        (many > 0 ? counts[many - 1]! * chance : 0);
  return counts[needed]!;
}
