/** The paired randomisation test: how surprising a mean difference is if the two systems are interchangeable. */
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../errors.ts';
import type { Random } from './random.ts';

export interface RandomisationOptions {
  /** Unused if all sign assignments are counted. */
  readonly random: Random;
  /** The number of random sign assignments if there are too many to count. */
  readonly permutations?: number | undefined;
}

/** Up to this number of non-zero differences, all 2^n sign assignments are counted. */
export const EXACT_UP_TO = 16;

/**
 * The number of differences whose signs are drawn and whose sums are looked up together. Two groups suffice for an
 * exact test.
 */
const GROUP = 11;
const ASSIGNMENTS = 2 ** GROUP;

/** Sums within this share of Σ|d| are equal up to the order of addition. */
const ROUNDING = 1e-10;

/**
 * Two-sided p-values of mean differences in several measures. If the systems do not differ, each topic's difference
 * could have the opposite sign: p is the share of sign assignments whose mean is at least as far from 0. Topics without
 * a difference do not matter. With more than {@link EXACT_UP_TO} others, assignments are drawn, and p is (b + 1)/(m +
 * 1) for b of m draws, so that it is never 0.
 *
 * Source: Fisher 1935, section 21; Smucker, Allan and Carterette 2007, section 3.1; Phipson and Smyth 2010 for (b +
 * 1)/(m + 1).
 *
 * The signs are drawn once for all measures of a pair of systems.
 *
 * @param differences `[measures][n]` one per topic
 * @returns `[measures]` in (0, 1]; 1 without any difference
 * @throws ParallaxError `bad-argument` for a difference that is not a finite number, or no permutations
 */
export function randomisationTests(
  differences: readonly (readonly number[])[],
  { random, permutations = 10_000 }: RandomisationOptions,
): number[] {
  check(differences, permutations);
  const measures = differences.map((values) => values.filter((value) => value !== 0));
  const most = Math.max(0, ...measures.map(({ length }) => length));
  const signs = drawSigns(most > EXACT_UP_TO ? Math.ceil(most / GROUP) : 0, permutations, random);
  return measures.map((values) => pValue(values, signs, permutations));
}

/**
 * Whether a difference over this many queries can be significant, if all agree and it is the most significant of this
 * many tests (Holm).
 *
 * @param level in (0, 1)
 */
export function isEnoughToTest(queries: number, tests: number, level: number): boolean {
  return (2 / 2 ** queries) * tests <= level;
}

function pValue(values: readonly number[], signs: readonly Uint16Array[], permutations: number): number {
  if (values.length === 0) return 1;
  const sums = signedSums(values);
  const magnitude = values.reduce((sum, value) => sum + Math.abs(value), 0);
  const observed = Math.abs(values.reduce((sum, value) => sum + value, 0));
  const bar = observed - ROUNDING * magnitude;
  return values.length <= EXACT_UP_TO
    ? shareOfAll(sums, values.length, bar)
    : (1 + countDrawn(sums, signs, permutations, bar)) / (1 + permutations);
}

/** `[groups][permutations]`: the signs of each group of differences. */
function drawSigns(groups: number, permutations: number, random: Random): Uint16Array[] {
  return Array.from({ length: groups }, () => {
    const signs = new Uint16Array(permutations);
    for (let permutation = 0; permutation < permutations; permutation++)
      signs[permutation] = random() * ASSIGNMENTS;
    return signs;
  });
}

/**
 * The sum of each group of differences under each sign assignment, with a set bit for plus. One look-up replaces {@link
 * GROUP} additions, and the table fits the L1 cache.
 */
function signedSums(values: readonly number[]): Float64Array[] {
  return Array.from({ length: Math.ceil(values.length / GROUP) }, (_, group) => {
    const groupValues = values.slice(group * GROUP, (group + 1) * GROUP);
    const sums = new Float64Array(ASSIGNMENTS);
    sums[0] = -groupValues.reduce((sum, value) => sum + value, 0);
    for (let bit = 0; bit < GROUP; bit++) {
      const twice = 2 * (groupValues[bit] ?? 0);
      const known = 1 << bit;
      for (let signs = 0; signs < known; signs++) sums[known + signs] = sums[signs]! + twice;
    }
    return sums;
  });
}

function shareOfAll([low, high]: readonly Float64Array[], count: number, bar: number): number {
  const all = 2 ** count;
  let extreme = 0;
  for (let signs = 0; signs < all; signs++)
    if (Math.abs(low![signs % ASSIGNMENTS]! + (high?.[signs >>> GROUP] ?? 0)) >= bar) extreme++;
  return extreme / all;
}

/** Processes one group at a time, so that only one table of sums is read. */
function countDrawn(
  sums: readonly Float64Array[],
  signs: readonly Uint16Array[],
  permutations: number,
  bar: number,
): number {
  const totals = new Float64Array(permutations);
  sums.forEach((groupSums, group) => addDrawn(totals, groupSums, signs[group]!));
  let extreme = 0;
  for (const total of totals) if (Math.abs(total) >= bar) extreme++;
  return extreme;
}

function addDrawn(totals: Float64Array, sums: Float64Array, signs: Uint16Array): void {
  for (let permutation = 0; permutation < totals.length; permutation++)
    totals[permutation]! += sums[signs[permutation]!]!;
}

function check(differences: readonly (readonly number[])[], permutations: number): void {
  const bad = differences.flat().find((value) => !Number.isFinite(value));
  if (bad !== undefined)
    throw new ParallaxError(
      'bad-argument',
      l10n.t`A difference between two systems is ${bad}, not a number.`,
    );
  if (!(permutations >= 1))
    throw new ParallaxError('bad-argument', l10n.t`permutations must be 1 or more, not ${permutations}.`);
}
