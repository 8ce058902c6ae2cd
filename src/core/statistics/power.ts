/**
 * The power of a paired comparison for a number of questions, before anything is run. The test is the one in
 * `randomisation.ts`; for differences of −1, 0 and 1 it is the sign test.
 */

import { mean } from './mean.ts';
import { seededRandom } from './random.ts';
import { randomisationTests } from './randomisation.ts';

/** The wanted probability of detecting an existing difference. */
export const WANTED_POWER = 0.8;

export const LEVEL = 0.05;

/** The upper limit of searches for a number of questions. */
const MAX_QUESTIONS = 100_000;

export interface Testing {
  /** The number of pipelines compared with the baseline, among which the level is shared (Holm). */
  readonly tests?: number | undefined;
  readonly level?: number | undefined;
}

/**
 * The least number of questions that must differ, all in the same direction, for a significant difference. Questions
 * without a difference do not count, and with one in the other direction more are needed.
 */
export function fewestDiffering({ tests = 1, level = LEVEL }: Testing = {}): number {
  return Math.max(1, Math.ceil(Math.log2((2 * tests) / level) - 1e-9));
}

/**
 * The smallest mean difference that a test can detect for a number of questions.
 *
 * @param step the smallest difference of one question, such as 1 for MRecall
 * @returns `undefined` if there are too few questions to detect any difference
 */
export function smallestShowable(questions: number, step: number, testing: Testing = {}): number | undefined {
  const needed = fewestDiffering(testing);
  return questions < needed ? undefined : (needed * step) / questions;
}

/** The shares of questions that each of two pipelines wins. */
export interface Votes {
  readonly better: number;
  readonly worse: number;
}

/** @param differing share of the questions on which two pipelines differ; at least the difference itself */
export function votesOf(difference: number, differing: number): Votes {
  const all = Math.min(1, Math.max(differing, difference));
  return { better: (all + difference) / 2, worse: (all - difference) / 2 };
}

/**
 * The probability that a comparison shows the better pipeline to be better, for a measure that is 0 or 1 per question.
 * Exact: the number of differing questions is binomial, and so is the number of wins among them.
 */
export function signTestPower(questions: number, { better, worse }: Votes, testing: Testing = {}): number {
  const differing = better + worse;
  if (differing <= 0) return 0;
  const { tests = 1, level = LEVEL } = testing;
  let power = 0;
  for (const [count, chance] of binomial(questions, Math.min(1, differing))) {
    const wins = fewestWins(count, level / tests);
    if (wins !== undefined) power += chance * upperTail(count, better / differing, wins);
  }
  return power;
}

/** From this number of questions, the mean of differences is treated as normal. */
const MANY = 100;

/** The number of simulations, which gives the power to about one percentage point. */
const DRAWS = 2000;

/**
 * {@link signTestPower} for measures with other values: resamples differences of pipelines, shifts them to the mean,
 * and tests. With many questions the mean is treated as normal.
 *
 * @param differences of questions, at least one, with any mean
 */
export function meanTestPower(
  questions: number,
  difference: number,
  differences: readonly number[],
  { tests = 1, level = LEVEL }: Testing = {},
): number {
  const average = mean(differences);
  const centred = differences.map((value) => value - average);
  if (questions < fewestDiffering({ tests, level })) return 0;
  if (questions < MANY) return drawnPower(questions, difference, centred, level / tests);
  const spread = Math.sqrt(mean(centred.map((value) => value ** 2)));
  if (spread === 0) return difference > 0 ? 1 : 0;
  return normal((difference / spread) * Math.sqrt(questions) - normalQuantile(1 - level / tests / 2));
}

function drawnPower(
  questions: number,
  difference: number,
  centred: readonly number[],
  level: number,
): number {
  const random = seededRandom(1);
  let shown = 0;
  for (let draw = 0; draw < DRAWS; draw++) {
    const drawn: number[] = [];
    for (let question = 0; question < questions; question++)
      drawn.push(centred[Math.floor(random() * centred.length)]! + difference);
    if (isShown(drawn, level)) shown++;
  }
  return shown / DRAWS;
}

/** Up to this number of differences, all sign assignments are counted. Beyond it, their sum is treated as normal. */
const COUNTED = 13;

/** Whether the test in `randomisation.ts` shows that the mean is above 0. */
function isShown(values: readonly number[], level: number): boolean {
  const differences = values.filter((value) => Math.abs(value) > 1e-9);
  const sum = differences.reduce((total, value) => total + value, 0);
  if (sum <= 0) return false;
  if (differences.length <= COUNTED)
    return randomisationTests([differences], { random: seededRandom(1) })[0]! <= level;
  const squares = differences.reduce((total, value) => total + value ** 2, 0);
  return 2 * (1 - normal(sum / Math.sqrt(squares))) <= level;
}

/**
 * The least number of questions with the wanted power. `undefined` beyond {@link MAX_QUESTIONS}.
 *
 * @param power for a number of questions; increasing, except for jumps at small numbers
 */
export function questionsFor(
  power: (questions: number) => number,
  targetPower: number = WANTED_POWER,
): number | undefined {
  let [low, high] = [0, 8];
  while (power(high) < targetPower) {
    if (high >= MAX_QUESTIONS) return undefined;
    [low, high] = [high, high * 2];
  }
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (power(middle) < targetPower) low = middle;
    else high = middle;
  }
  return high;
}

/** The smallest difference in (0, 1] that is detected with the wanted power. `undefined` if not even 1 is. */
export function differenceFor(
  power: (difference: number) => number,
  targetPower: number = WANTED_POWER,
): number | undefined {
  if (power(1) < targetPower) return undefined;
  let [low, high] = [0, 1];
  for (let step = 0; step < 12; step++) {
    const middle = (low + high) / 2;
    if (power(middle) < targetPower) low = middle;
    else high = middle;
  }
  return high;
}

/** The counts of a binomial distribution with their probabilities, without negligible ones. */
function* binomial(trials: number, share: number): Generator<[count: number, chance: number]> {
  const width = 7 * Math.sqrt(trials * share * (1 - share)) + 7;
  const from = Math.max(0, Math.floor(trials * share - width));
  const to = Math.min(trials, Math.ceil(trials * share + width));
  for (let count = from; count <= to; count++) yield [count, binomialChance(trials, count, share)];
}

/** The least number of wins among the differing questions that is significant. `undefined` if not even all are. */
function fewestWins(differing: number, level: number): number | undefined {
  let tail = 0;
  let fewest: number | undefined;
  for (let wins = differing; 2 * wins > differing; wins--) {
    tail += binomialChance(differing, wins, 0.5);
    if (2 * tail > level) break;
    fewest = wins;
  }
  return fewest;
}

function upperTail(trials: number, share: number, from: number): number {
  let tail = 0;
  for (let count = from; count <= trials; count++) tail += binomialChance(trials, count, share);
  return Math.min(1, tail);
}

function binomialChance(trials: number, count: number, share: number): number {
  if (share <= 0) return count === 0 ? 1 : 0;
  if (share >= 1) return count === trials ? 1 : 0;
  const ways = logFactorial(trials) - logFactorial(count) - logFactorial(trials - count);
  return Math.exp(ways + count * Math.log(share) + (trials - count) * Math.log(1 - share));
}

const LOG_FACTORIALS = [0];
function logFactorial(n: number): number {
  for (let i = LOG_FACTORIALS.length; i <= n; i++) LOG_FACTORIALS.push(LOG_FACTORIALS[i - 1]! + Math.log(i));
  return LOG_FACTORIALS[n]!;
}

/** The normal distribution function, after Abramowitz and Stegun 1964, 26.2.17. Accurate to 1e-7. */
function normal(x: number): number {
  const t = 1 / (1 + 0.2316419 * Math.abs(x));
  const tail =
    ((((1.330274429 * t - 1.821255978) * t + 1.781477937) * t - 0.356563782) * t + 0.31938153) *
    t *
    Math.exp((-x * x) / 2) *
    0.3989422804;
  return x >= 0 ? 1 - tail : tail;
}

function normalQuantile(share: number): number {
  let [low, high] = [-10, 10];
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2;
    if (normal(middle) < share) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
