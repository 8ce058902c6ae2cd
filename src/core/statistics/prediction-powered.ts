/**
 * The mean over units that a judge has all scored and people have partly decided: prediction-powered inference
 * (Angelopoulos, Bates, Fannjiang, Jordan and Zrnic 2023) in its stratified form (Fisch et al. 2024), for a finite
 * number of units. See docs/corrected-figures.md for the derivation.
 */
import { mean } from './mean.ts';
import { studentReach } from './student.ts';

/** One unit, such as a query. Values are in [0, 1], or in [−1, 1] for differences. */
export interface PredictedUnit {
  /** The judge's value, even if people decided the unit. */
  readonly predicted: number;
  /** People's value. `undefined` if undecided. */
  readonly truth?: number | undefined;
  /** The probability in (0, 1] with which it was drawn for labelling. `undefined` if it was not drawn. */
  readonly chance?: number | undefined;
  /** Whether the judge's value rests on missing answers, so that the unit does not represent others. */
  readonly isAlone?: boolean | undefined;
}

export interface CorrectedMean {
  /** The judge's mean over all units, minus its mean error on the decided ones. */
  readonly value: number;
  /** 95% interval for the mean over exactly these units, if people had decided all of them. */
  readonly low: number;
  readonly high: number;
}

/** The least and the most that a unit's value can be. */
export type ValueRange = readonly [least: number, most: number];
const SHARES: ValueRange = [0, 1];
/** Used even if no known difference is negative, as undecided ones may be. */
export const DIFFERENCES: ValueRange = [-1, 1];

/** The least number of decided units for an estimate of the others. */
export const MIN_DECIDED = 10;

/** Decided units per stratum. Fewer do not show their spread, and more strata hardly narrow the interval. */
const MIN_IN_STRATUM = 12;
const MAX_STRATA = 4;

/**
 * The mean over all units. If some of the decided units were drawn at random, other decided ones only represent
 * themselves. If none was, all of them count as drawn with equal probability.
 *
 * @param range {@link DIFFERENCES} for differences; defaults to shares
 * @returns `undefined` if fewer than {@link MIN_DECIDED} decided units can represent others
 */
export function correctedMean(
  units: readonly PredictedUnit[],
  range: ValueRange = SHARES,
): CorrectedMean | undefined {
  const isAnyDrawn = units.some((unit) => isDecided(unit) && !unit.isAlone && unit.chance !== undefined);
  const standsForItself = (unit: PredictedUnit): boolean =>
    isDecided(unit) && (unit.isAlone === true || (isAnyDrawn && unit.chance === undefined));
  const sampled = units.filter((unit) => !standsForItself(unit));
  if (sampled.filter(isDecided).length < MIN_DECIDED) return undefined;
  const known = units.filter(standsForItself).map(({ truth }) => truth!);
  const strata = strataOf(sampled);
  const step = smallestStep(units);
  const estimates = strata.map((stratum) => estimate(stratum, { step, range }, 1 / strata.length));
  const total = (part: keyof Estimate): number => sumOf(estimates.map((each) => each[part]));
  const value = (sumOf(known) + total('sum')) / units.length;
  const middle = (sumOf(known) + total('middle')) / units.length;
  const reach = (studentReach(total('freedom')) * Math.sqrt(total('variance'))) / units.length;
  const [least, most] = range;
  const inside = (share: number): number => Math.min(most, Math.max(least, share));
  return {
    value: inside(value),
    low: Math.min(inside(value), inside(middle - reach)),
    high: Math.max(inside(value), inside(middle + reach)),
  };
}

/**
 * The approximate number of decided units for an interval of at most `reach` on either side. The variance is
 * proportional to 1/n − 1/N, for n of N decided.
 *
 * @param half the present half width of the interval
 * @returns how many more are needed, at most all of them
 */
export function moreDecided(
  { decided, units, half }: { readonly decided: number; readonly units: number; readonly half: number },
  reach: number,
): number {
  if (half <= reach) return 0;
  const now = 1 / decided - 1 / units;
  const sampleSize = 1 / ((reach / half) ** 2 * now + 1 / units);
  return Math.min(units - decided, Math.ceil(sampleSize - decided - 1e-9));
}

type Decided = PredictedUnit & { readonly truth: number };

function isDecided(unit: PredictedUnit): unit is Decided {
  return unit.truth !== undefined;
}

/** Neighbours by the judge's value, with enough decided units in each stratum. Equal values stay together. */
function strataOf(units: readonly PredictedUnit[]): PredictedUnit[][] {
  const equals = [...Map.groupBy(units, ({ predicted }) => predicted)].sort(([a], [b]) => a - b);
  const leastDecided = Math.max(MIN_IN_STRATUM, units.filter(isDecided).length / MAX_STRATA);
  const strata: PredictedUnit[][] = [[]];
  for (const [, equalUnits] of equals) {
    if (strata.at(-1)!.filter(isDecided).length >= leastDecided) strata.push([]);
    strata.at(-1)!.push(...equalUnits);
  }
  const last = strata.at(-1)!;
  if (strata.length === 1 || last.filter(isDecided).length >= leastDecided) return strata;
  return [...strata.slice(0, -2), [...strata.at(-2)!, ...last]];
}

interface Estimate {
  /** Estimate of the sum over all units. */
  readonly sum: number;
  /** The centre of its interval. */
  readonly middle: number;
  /** Variance of the sum. */
  readonly variance: number;
  readonly freedom: number;
}

/**
 * Weights are scaled to the size of the stratum (Hájek's estimator), so that the number of drawn units does not matter.
 * Two pseudo-residuals keep the interval from being too narrow if residuals are few or equal. For shares, this is the
 * interval of Agresti and Caffo 2000.
 *
 * @param units at least one of them decided
 * @param pseudo weight of each pseudo-residual relative to a real one
 */
function estimate(
  units: readonly PredictedUnit[],
  { step, range }: { readonly step: number; readonly range: ValueRange },
  pseudo: number,
): Estimate {
  const decided = units.filter(isDecided);
  const drawn = decided.map(({ chance = 1 }) => 1 / chance);
  const weights = drawn.map((weight) => Math.max(1, (weight * units.length) / sumOf(drawn)));
  const residuals = decided.map(({ truth, predicted }) => truth - predicted);
  const predicted = mean(units.map((unit) => unit.predicted));
  const residual = weightedMean(residuals, weights);
  const [least, most] = range;
  const madeUp = [-step, step].map(
    (off) => Math.min(most, Math.max(least, predicted + residual + off)) - predicted,
  );
  const each = mean(weights);
  const centre = weightedMean([...residuals, ...madeUp], [...weights, ...madeUp.map(() => pseudo * each)]);
  const squares =
    sumOf(residuals.map((value, at) => weights[at]! * (weights[at]! - 1) * (value - centre) ** 2)) +
    sumOf(madeUp.map((value) => pseudo * each * (each - 1) * (value - centre) ** 2));
  const size = decided.length + 2 * pseudo;
  const share = units.length / (sumOf(weights) + 2 * pseudo * each);
  return {
    sum: units.length * (predicted + residual),
    // The pseudo-residuals do not affect decided units.
    middle: units.length * (predicted + residual) + (units.length - decided.length) * (centre - residual),
    variance: (share ** 2 * squares * size) / (size - 1),
    freedom: size - 1,
  };
}

/** The smallest step between two of people's values. */
function smallestStep(units: readonly PredictedUnit[]): number {
  const values = [...new Set(units.flatMap(({ truth }) => truth ?? []))].sort((a, b) => a - b);
  return Math.min(
    1,
    ...values
      .slice(1)
      .map((value, at) => value - values[at]!)
      .filter((gap) => gap > 1e-9),
  );
}

function weightedMean(values: readonly number[], weights: readonly number[]): number {
  return sumOf(values.map((value, at) => value * weights[at]!)) / sumOf(weights);
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
