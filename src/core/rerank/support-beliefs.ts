/**
 * The chances that passages support perspectives, given the answers of judges that err. The model and where its numbers
 * come from are in docs/expected-coverage.md.
 */
import { within, type JudgeErrors } from './judge-errors.ts';
import { atLeast } from './expected-aims.ts';

/** cos(i, c) of the words of two candidates, in [0, 1]; symmetric. */
export type Likeness = readonly ArrayLike<number>[];

export interface BeliefsInput {
  /** n candidates, in rank order. */
  readonly candidates: number;
  /** m perspectives. */
  readonly perspectives: number;
  /** One for each opinion that can be had, in the order in which they are asked. */
  readonly errors: readonly JudgeErrors[];
  /** How the errors of two opinions go together, in [0, 1]. */
  readonly correlation: number;
  /** Absent where nobody has read the passages' texts. */
  readonly likeness?: Likeness | undefined;
}

/** No passage is more likely than this to support a perspective before anybody is asked. */
const MOST_OF_PAIR = 0.42;
/** The log-odds of the first candidate, their fall with the logarithm of the rank, and the spread of questions. */
const FIRST = 2.4;
const FALL = -1.56;
const SPREAD = 1.28;
/** What is added once something is confirmed: the rank says less then, and the likeness to what is confirmed more. */
const AFTER = -2.2;
const FALL_AFTER = 0.39;
const LIKE_RELEVANT = 3.2;
/** The least and most of that likeness on the debates: beyond them nothing is known. */
const LIKENESS_RANGE = [-0.8, 2.5] as const;
/** Passages that are very like one that is confirmed are on its side. */
const LIKE_SIDE = 6;
const USUAL_SIDE = 0.092;
/** Keeps logarithms of small likenesses from being large. */
const LEAST_LIKENESS = 0.02;
/** From here on a candidate counts as confirmed for what is like it. */
const CONFIRMED = 0.5;

/** Deviations of a question from the average one, and how likely they are. */
const DEVIATIONS = [-2.4, -1.8, -1.2, -0.6, 0, 0.6, 1.2, 1.8, 2.4];
const WEIGHTS = normalised(DEVIATIONS.map((deviation) => Math.exp((-deviation * deviation) / 2)));

export class SupportBeliefs {
  /** [n, m]: the chance that a candidate supports a perspective. */
  readonly support: Float64Array;
  /** [n]: the chance that a candidate supports anything. */
  readonly relevant: Float64Array;
  /** [n, m]: how many opinions on a pair were asked for. */
  readonly opinions: Uint8Array;
  readonly #input: BeliefsInput;
  readonly #n: number;
  readonly #m: number;
  /** [n, m]: how much likelier the answers to a pair are where it is one of support. */
  readonly #ratios: Float64Array;
  /** [n, m]: "yes" and answers. */
  readonly #yes: Uint8Array;
  readonly #answers: Uint8Array;
  /** [n]: the median likeness to a candidate. */
  readonly #usual: readonly number[];
  /** [deviations]: how likely each is by now. */
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
    this.#usual = likeness.map((own) => Float64Array.from(own).sort()[own.length >> 1]!);
    for (let at = 0; at < DEVIATIONS.length; at++) this.#given[at] = new Float64Array(pairs);
    this.update();
  }

  /** Whether the answers to a pair speak for support. */
  isSupported(at: number): boolean {
    return this.#ratios[at]! > 1;
  }

  /**
   * Takes in the next opinion on a pair; the chances follow with {@link update}. Opinions of correlated errors follow a
   * beta-binomial law: after t of them the next one is, with the weight tρ / (1 − ρ + tρ), one of those again.
   *
   * @param verdict nothing is learnt from "unsure", nor from none
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

  /** Works out all chances from all answers: those of a question of each deviation, weighed by how well it explains them. */
  update(): void {
    // What the last answers confirm tells of the others.
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

  #add(given: Float64Array, weight: number): void {
    for (let candidate = 0; candidate < this.#n; candidate++) {
      let none = 1;
      for (let at = candidate * this.#m; at < (candidate + 1) * this.#m; at++) {
        const chance = given[at]!;
        this.support[at]! += weight * chance;
        none *= 1 - chance;
      }
      this.relevant[candidate]! += weight * (1 - none);
    }
  }

  /** @returns the logarithm of how likely the answers are, beside those to passages that support nothing */
  #explain(odds: Float64Array, factor: number, given: Float64Array): number {
    let log = 0;
    for (let at = 0; at < odds.length; at++) {
      const own = odds[at]! * factor;
      const before = (MOST_OF_PAIR * own) / (1 + own);
      const yes = before * this.#ratios[at]!;
      given[at] = yes / (yes + 1 - before);
      log += Math.log(yes + 1 - before);
    }
    return log;
  }

  /** [n, m]: by rank, and by likeness to what is confirmed. */
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

  /** Absent while nothing is confirmed. */
  #likenessToConfirmed(): LikenessToConfirmed | undefined {
    const { likeness } = this.#input;
    if (!likeness) return undefined;
    const found = {
      strength: 0,
      relevant: new Float64Array(this.#n),
      side: new Float64Array(this.#n * this.#m),
    };
    let weights = 0;
    for (let confirmed = 0; confirmed < this.#n; confirmed++) {
      const own = likeness[confirmed]!;
      let most = 0;
      for (let perspective = 0; perspective < this.#m; perspective++) {
        const at = confirmed * this.#m + perspective;
        if (!this.#isConfirmed(at)) continue;
        const chance = this.support[at]!;
        most = Math.max(most, chance);
        for (let candidate = 0; candidate < this.#n; candidate++) {
          const place = candidate * this.#m + perspective;
          const side = chance * (own[candidate]! - USUAL_SIDE);
          if (found.side[place] === 0 || side > found.side[place]!) found.side[place] = side;
        }
      }
      if (most === 0) continue;
      weights += most;
      found.strength = Math.max(found.strength, most);
      const usual = this.#usual[confirmed]! + LEAST_LIKENESS;
      for (let candidate = 0; candidate < this.#n; candidate++)
        found.relevant[candidate]! += most * bounded(Math.log((own[candidate]! + LEAST_LIKENESS) / usual));
    }
    if (weights === 0) return undefined;
    for (let candidate = 0; candidate < this.#n; candidate++) found.relevant[candidate]! /= weights;
    return found;
  }

  /** The chance that a set covers so many perspectives, over all deviations of the question. */
  covers(set: readonly number[], needed: number): number {
    return this.#given.reduce(
      (sum, given, at) => sum + this.#weights[at]! * atLeast(this.#covered(given, set), needed),
      0,
    );
  }

  /** [m]. */
  #covered(given: Float64Array, set: readonly number[]): Float64Array {
    return Float64Array.from({ length: this.#m }, (_, perspective) => {
      const missed = set.reduce((chance, each) => chance * (1 - given[each * this.#m + perspective]!), 1);
      return 1 - missed;
    });
  }
}

interface LikenessToConfirmed {
  /** The chance of what is surest among the confirmed. */
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
