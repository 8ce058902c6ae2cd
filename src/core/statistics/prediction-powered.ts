/**
 * A mean over units that a judge has scored, all of them, and people have decided some of: prediction-powered inference
 * (Angelopoulos, Bates, Fannjiang, Jordan and Zrnic 2023) in its stratified form (Fisch et al. 2024), for a limited
 * number of units. The derivation is in docs/corrected-figures.md.
 */
import { mean } from './mean.ts';
import { studentReach } from './student.ts';

/** One unit, such as a query. Values are in [0, 1], those of differences in [−1, 1]. */
export interface PredictedUnit {
  /** The judge's value, also where people decided it. */
  readonly predicted: number;
  /** People's value; absent where they have not decided it. */
  readonly truth?: number | undefined;
  /** The chance in (0, 1] with which it was drawn to be put to people; absent where nobody drew it. */
  readonly chance?: number | undefined;
  /** The judge's value is not its own: the unit stands for no other. */
  readonly isAlone?: boolean | undefined;
}

export interface CorrectedMean {
  /** The judge's mean over all units, less its mean error on those that people decided. */
  readonly value: number;
  /** 95% interval for the mean over these very units, had people decided all of them. */
  readonly low: number;
  readonly high: number;
}

/** The least and the most that the values of units can be. */
export type ValueRange = readonly [least: number, most: number];
const SHARES: ValueRange = [0, 1];
/** Also where no unit at hand is below zero: those that people have not decided may be. */
export const DIFFERENCES: ValueRange = [-1, 1];

/** How many units must have been decided before anything is said about the others. */
export const LEAST_DECIDED = 10;

/** Decided units of a stratum: fewer give no idea of how far they differ, and more strata narrow little. */
const LEAST_IN_STRATUM = 12;
const MOST_STRATA = 4;

/**
 * Where some of the decided units were drawn by chance, the others stand for themselves alone. Where none was, all of
 * them count as drawn, each as likely as any other.
 *
 * @param range {@link DIFFERENCES} for those; shares when left out
 * @returns nothing where people decided fewer than {@link LEAST_DECIDED} that can stand for others
 */
export function correctedMean(
  units: readonly PredictedUnit[],
  range: ValueRange = SHARES,
): CorrectedMean | undefined {
  const isAnyDrawn = units.some((unit) => isDecided(unit) && !unit.isAlone && unit.chance !== undefined);
  const standsForItself = (unit: PredictedUnit): boolean =>
    isDecided(unit) && (unit.isAlone === true || (isAnyDrawn && unit.chance === undefined));
  const sampled = units.filter((unit) => !standsForItself(unit));
  if (sampled.filter(isDecided).length < LEAST_DECIDED) return undefined;
  const known = units.filter(standsForItself).map(({ truth }) => truth!);
  const strata = strataOf(sampled);
  const step = smallestStep(units);
  const estimates = strata.map((own) => estimate(own, { step, range }, 1 / strata.length));
  const total = (part: keyof Estimate): number => sumOf(estimates.map((own) => own[part]));
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
 * About how many decided units an interval would take that reaches no further than `reach` to either side. Variance
 * goes with 1/n − 1/N, for n of N decided.
 *
 * @param half of the width of the interval now
 * @returns how many more than now, at most all of them
 */
export function moreDecided(
  { decided, units, half }: { readonly decided: number; readonly units: number; readonly half: number },
  reach: number,
): number {
  if (half <= reach) return 0;
  const now = 1 / decided - 1 / units;
  const wanted = 1 / ((reach / half) ** 2 * now + 1 / units);
  return Math.min(units - decided, Math.ceil(wanted - decided - 1e-9));
}

type Decided = PredictedUnit & { readonly truth: number };

function isDecided(unit: PredictedUnit): unit is Decided {
  return unit.truth !== undefined;
}

/** Neighbours by what the judge makes of them, with enough that people decided in each; equals stay together. */
function strataOf(units: readonly PredictedUnit[]): PredictedUnit[][] {
  const equals = [...Map.groupBy(units, ({ predicted }) => predicted)].sort(([a], [b]) => a - b);
  const wanted = Math.max(LEAST_IN_STRATUM, units.filter(isDecided).length / MOST_STRATA);
  const strata: PredictedUnit[][] = [[]];
  for (const [, own] of equals) {
    if (strata.at(-1)!.filter(isDecided).length >= wanted) strata.push([]);
    strata.at(-1)!.push(...own);
  }
  const last = strata.at(-1)!;
  if (strata.length === 1 || last.filter(isDecided).length >= wanted) return strata;
  return [...strata.slice(0, -2), [...strata.at(-2)!, ...last]];
}

interface Estimate {
  /** Of the values of all units. */
  readonly sum: number;
  /** The same, where its interval has its middle. */
  readonly middle: number;
  /** Of the sum. */
  readonly variance: number;
  readonly freedom: number;
}

/**
 * Weights are scaled to the size of the stratum (Hájek's estimator), so that it does not matter how many happened to be
 * drawn. Two made-up residuals keep the interval from being too narrow where few or equal residuals were seen: of shares
 * it is then the one of Agresti and Caffo 2000.
 *
 * @param units at least one of them decided
 * @param pseudo weight of each of the made-up residuals, among those that were seen
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
    sumOf(residuals.map((own, at) => weights[at]! * (weights[at]! - 1) * (own - centre) ** 2)) +
    sumOf(madeUp.map((own) => pseudo * each * (each - 1) * (own - centre) ** 2));
  const size = decided.length + 2 * pseudo;
  const share = units.length / (sumOf(weights) + 2 * pseudo * each);
  return {
    sum: units.length * (predicted + residual),
    // The made-up residuals do not move units that people decided.
    middle: units.length * (predicted + residual) + (units.length - decided.length) * (centre - residual),
    variance: (share ** 2 * squares * size) / (size - 1),
    freedom: size - 1,
  };
}

/** The smallest step between two values that people came to. */
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
