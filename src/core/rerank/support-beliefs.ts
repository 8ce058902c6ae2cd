/**
 * The probabilities that passages support perspectives, given the answers of imperfect judges. See
 * docs/expected-coverage.md for the model and the origin of its constants.
 */
import { within, type JudgeErrors } from './judge-errors.ts';
import { atLeast } from './expected-aims.ts';

/** cos(i, c) of the words of two candidates, in [0, 1]. Symmetric. */
export type Likeness = readonly ArrayLike<number>[];

export interface BeliefsInput {
  /** n candidates, in rank order. */
  readonly candidates: number;
  /** m perspectives. */
  readonly perspectives: number;
  /** One for each available opinion, in the order in which they are asked. */
  readonly errors: readonly JudgeErrors[];
  /** The correlation of the errors of two opinions, in [0, 1]. */
  readonly correlation: number;
  /** `undefined` if the passages' texts are not available. */
  readonly likeness?: Likeness | undefined;
}

/** The highest probability that a passage supports a perspective before any answer. */
const MAX_OF_PAIR = 0.42;
/** The log-odds of the first candidate, their slope in the logarithm of the rank, and the spread of questions. */
const FIRST = 2.4;
const FALL = -1.56;
const SPREAD = 1.28;
/** Changes once something is confirmed: the rank becomes less informative, and likeness to confirmed passages more. */
const AFTER = -2.2;
const FALL_AFTER = 0.39;
const LIKE_RELEVANT = 3.2;
/** The range of that likeness on the debates. Nothing is known beyond it. */
const LIKENESS_RANGE = [-0.8, 2.5] as const;
/** Passages that are very similar to a confirmed one are on its side. */
const LIKE_SIDE = 6;
const USUAL_SIDE = 0.092;
/** Keeps logarithms of small likenesses bounded. */
const MIN_LIKENESS = 0.02;
/** The probability from which a candidate counts as confirmed, for passages similar to it. */
const CONFIRMED = 0.5;

/** Deviations of a question from the average one, with their probabilities. */
const DEVIATIONS = [-2.4, -1.8, -1.2, -0.6, 0, 0.6, 1.2, 1.8, 2.4];
const WEIGHTS = normalised(DEVIATIONS.map((deviation) => Math.exp((-deviation * deviation) / 2)));

export class SupportBeliefs {
  /** [n, m]: the probability that a candidate supports a perspective. */
  readonly support: Float64Array;
  /** [n]: the probability that a candidate supports anything. */
  readonly relevant: Float64Array;
  /** [n, m]: the number of requested opinions on a pair. */
  readonly opinions: Uint8Array;
  readonly #input: BeliefsInput;
  readonly #n: number;
  readonly #m: number;
  /** [n, m]: the likelihood ratio of a pair's answers, for support against no support. */
  readonly #ratios: Float64Array;
  /** [n, m]: the numbers of "yes" and of all answers. */
  readonly #yes: Uint8Array;
  readonly #answers: Uint8Array;
  /** [n]: the median likeness to a candidate. */
  readonly #usual: readonly number[];
  /** [deviations]: their probabilities given the answers. */
  #weights: readonly number[] = WEIGHTS;
  /** [deviations][n, m]: support for a question of that deviation. */
  readonly #given = DEVIATIONS.map(() => new Float64Array());

  constructor(input: BeliefsInput) {
    const { candidates, perspectives, likeness = [] } = input;
    const pairs = candidates * perspectives;
    this.#input = input;
    this.#n = candidates;
    this.#m = perspectives;
    this.support = new Float64Array(pairs);
    this.relevant = new Float64Array(candidates);
    this.opinions = new Uint8Array(pairs);
    this.#ratios = new Float64Array(pairs).fill(1);
    this.#yes = new Uint8Array(pairs);
    this.#answers = new Uint8Array(pairs);
    this.#usual = likeness.map((likenesses) => Float64Array.from(likenesses).sort()[likenesses.length >> 1]!);
    for (let at = 0; at < DEVIATIONS.length; at++) this.#given[at] = new Float64Array(pairs);
    this.update();
  }

  /** Whether the answers to a pair favour support. */
  isSupported(at: number): boolean {
    return this.#ratios[at]! > 1;
  }

  /**
   * Records the next opinion on a pair; {@link update} computes the probabilities. Opinions with correlated errors
   * follow a beta-binomial distribution: after t of them, the next one repeats one of those with the weight tρ / (1 − ρ
   * + tρ).
   *
   * @param verdict "unsure" and `undefined` are no evidence
   */
  learn(at: number, verdict: string | undefined): void {
    const { errors, correlation } = this.#input;
    const { yesOfSupport, yesOfNone } = errors[this.opinions[at]!]!;
    this.opinions[at]!++;
    if (verdict !== 'yes' && verdict !== 'no') return;
    const answers = this.#answers[at]!;
    const again = answers === 0 ? 0 : (answers * correlation) / (1 - correlation + answers * correlation);
    const share = answers === 0 ? 0 : this.#yes[at]! / answers;
    const chanceOf = (yes: number): number => {
      const chance = within((1 - again) * yes + again * share);
      return verdict === 'yes' ? chance : 1 - chance;
    };
    this.#ratios[at]! *= chanceOf(yesOfSupport) / chanceOf(yesOfNone);
    this.#answers[at]!++;
    if (verdict === 'yes') this.#yes[at]!++;
  }

  /**
   * Computes all probabilities from all answers: those for a question of each deviation, weighted by how well it
   * explains the answers.
   */
  update(): void {
    // The second pass uses what the last answers confirm.
    for (let pass = 0; pass < 2; pass++) this.#explainAnswers();
  }

  #explainAnswers(): void {
    const odds = this.#oddsBefore();
    const logs = DEVIATIONS.map((deviation, at) => {
      const factor = Math.exp(SPREAD * deviation);
      return Math.log(WEIGHTS[at]!) + this.#explain(odds, factor, this.#given[at]!);
    });
    const most = Math.max(...logs);
    this.#weights = normalised(logs.map((log) => Math.exp(log - most)));
    this.support.fill(0);
    this.relevant.fill(0);
    for (const [at, weight] of this.#weights.entries()) this.#add(this.#given[at]!, weight);
  }

  #add(chances: Float64Array, weight: number): void {
    for (let candidate = 0; candidate < this.#n; candidate++) {
      let none = 1;
      for (let at = candidate * this.#m; at < (candidate + 1) * this.#m; at++) {
        const chance = chances[at]!;
        this.support[at]! += weight * chance;
        none *= 1 - chance;
      }
      this.relevant[candidate]! += weight * (1 - none);
    }
  }

  /** @returns the log-likelihood of the answers relative to passages that support nothing */
  #explain(odds: Float64Array, factor: number, chances: Float64Array): number {
    let log = 0;
    for (let at = 0; at < odds.length; at++) {
      const pairOdds = odds[at]! * factor;
      const before = (MAX_OF_PAIR * pairOdds) / (1 + pairOdds);
      const yes = before * this.#ratios[at]!;
      chances[at] = yes / (yes + 1 - before);
      log += Math.log(yes + 1 - before);
    }
    return log;
  }

  /** [n, m]: prior odds by rank, and by likeness to confirmed passages. */
  #oddsBefore(): Float64Array {
    const odds = new Float64Array(this.#n * this.#m);
    const likeness = this.#likenessToConfirmed();
    for (let candidate = 0; candidate < this.#n; candidate++) {
      const rank = Math.log(candidate + 1);
      for (let at = candidate * this.#m; at < (candidate + 1) * this.#m; at++) {
        const isAfter = likeness && !this.#isConfirmed(at);
        const added = isAfter
          ? likeness.strength * (AFTER + FALL_AFTER * rank + LIKE_RELEVANT * likeness.relevant[candidate]!) +
            LIKE_SIDE * likeness.side[at]!
          : 0;
        odds[at] = Math.exp(FIRST + FALL * rank + added);
      }
    }
    return odds;
  }

  #isConfirmed(at: number): boolean {
    return this.#answers[at]! > 0 && this.support[at]! >= CONFIRMED;
  }

  /** `undefined` if nothing is confirmed. */
  #likenessToConfirmed(): LikenessToConfirmed | undefined {
    const { likeness } = this.#input;
    if (!likeness) return undefined;
    const result = {
      strength: 0,
      relevant: new Float64Array(this.#n),
      side: new Float64Array(this.#n * this.#m),
    };
    let weights = 0;
    for (let confirmed = 0; confirmed < this.#n; confirmed++) {
      const likenesses = likeness[confirmed]!;
      let most = 0;
      for (let perspective = 0; perspective < this.#m; perspective++) {
        const at = confirmed * this.#m + perspective;
        if (!this.#isConfirmed(at)) continue;
        const chance = this.support[at]!;
        most = Math.max(most, chance);
        for (let candidate = 0; candidate < this.#n; candidate++) {
          const place = candidate * this.#m + perspective;
          const side = chance * (likenesses[candidate]! - USUAL_SIDE);
          if (result.side[place] === 0 || side > result.side[place]!) result.side[place] = side;
        }
      }
      if (most === 0) continue;
      weights += most;
      result.strength = Math.max(result.strength, most);
      const usual = this.#usual[confirmed]! + MIN_LIKENESS;
      for (let candidate = 0; candidate < this.#n; candidate++)
        result.relevant[candidate]! +=
          most * bounded(Math.log((likenesses[candidate]! + MIN_LIKENESS) / usual));
    }
    if (weights === 0) return undefined;
    for (let candidate = 0; candidate < this.#n; candidate++) result.relevant[candidate]! /= weights;
    return result;
  }

  /** The probability that a set covers at least `needed` perspectives, over all deviations of the question. */
  covers(set: readonly number[], needed: number): number {
    return this.#given.reduce(
      (sum, chances, at) => sum + this.#weights[at]! * atLeast(this.#covered(chances, set), needed),
      0,
    );
  }

  /** [m]: the probability that each perspective is covered. */
  #covered(chances: Float64Array, set: readonly number[]): Float64Array {
    return Float64Array.from({ length: this.#m }, (_, perspective) => {
      const missed = set.reduce((chance, each) => chance * (1 - chances[each * this.#m + perspective]!), 1);
      return 1 - missed;
    });
  }
}

interface LikenessToConfirmed {
  /** The highest probability among the confirmed. */
  readonly strength: number;
  /** [n]. */
  readonly relevant: Float64Array;
  /** [n, m]. */
  readonly side: Float64Array;
}

function normalised(weights: readonly number[]): number[] {
  const sum = weights.reduce((all, weight) => all + weight, 0);
  return weights.map((weight) => weight / sum);
}

function bounded(value: number): number {
  const [least, most] = LIKENESS_RANGE;
  return Math.min(most, Math.max(least, value));
}
