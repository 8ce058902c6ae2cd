import { mean } from './mean.ts';
import { isEnoughToTest } from './randomisation.ts';
import type { Random } from './random.ts';

export interface BootstrapOptions {
  readonly random: Random;
  /** The number of resamples. */
  readonly resamples?: number | undefined;
  /** Share of the resampled differences inside the interval. */
  readonly level?: number | undefined;
}

export interface DifferenceInterval {
  /** Mean of second − first. */
  readonly difference: number;
  readonly low: number;
  readonly high: number;
}

/**
 * How much better the second of two systems is on the same topics, with a percentile bootstrap interval for several
 * measures. Topics are resampled with replacement, keeping both values of a topic together. They are drawn once for all
 * measures, as drawing takes most of the time.
 *
 * Source: Efron and Tibshirani 1993, sections 8.3 (paired data) and 13.3 (percentile interval).
 *
 * @param differences `[measures][n]` second − first, at least one topic, the same topics in the same order
 */
export function bootstrapIntervals(
  differences: readonly (readonly number[])[],
  { random, resamples = 2000, level = 0.95 }: BootstrapOptions,
): DifferenceInterval[] {
  const measures = differences.map((values) => Float64Array.from(values));
  const means = measures.map(() => new Float64Array(resamples));
  const drawn = new Uint32Array(measures[0]?.length ?? 0);
  for (let resample = 0; resample < resamples; resample++) {
    for (let i = 0; i < drawn.length; i++) drawn[i] = Math.floor(random() * drawn.length);
    for (let m = 0; m < measures.length; m++) means[m]![resample] = meanOfDrawn(measures[m]!, drawn);
  }
  const tail = (1 - level) / 2;
  return differences.map((values, m) => {
    const sorted = means[m]!.sort();
    return { difference: mean(values), low: quantile(sorted, tail), high: quantile(sorted, 1 - tail) };
  });
}

/**
 * {@link bootstrapIntervals} with wider intervals where resampling underestimates the uncertainty:
 *
 * - Fewer than six topics are never distinguishable from chance, even if all agree: a paired randomisation test gives p
 *   ≥ 2 / 2^n. The corresponding interval is the whole range of the mean.
 * - If all topics have the same value, so has every resample. Other topics may differ: n topics miss a share of up to 1
 *   − (α / 2)^(1 / n) at the level (Clopper and Pearson 1934, for none of n), and each differs by at most the range.
 *
 * @param ranges `[measures]` the least and the most that a value can be
 */
export function intervalsWithin(
  values: readonly (readonly number[])[],
  ranges: readonly (readonly [least: number, most: number])[],
  options: BootstrapOptions,
): DifferenceInterval[] {
  const { level = 0.95 } = options;
  const topics = values[0]?.length ?? 0;
  const isEnough = isEnoughToTest(topics, 1, 1 - level);
  const drawn = isEnough ? bootstrapIntervals(values, options) : [];
  const missed = 1 - ((1 - level) / 2) ** (1 / topics);
  return values.map((differences, m) => {
    const [least, most] = ranges[m]!;
    if (!isEnough) return { difference: mean(differences), low: least, high: most };
    const [first] = differences as [number];
    if (differences.some((value) => value !== first)) return drawn[m]!;
    return {
      difference: first,
      low: first - missed * (first - least),
      high: first + missed * (most - first),
    };
  });
}

/** Uses four partial sums, as a single one would wait for each addition. */
function meanOfDrawn(values: Float64Array, drawn: Uint32Array): number {
  const { length } = drawn;
  const whole = length - (length % 4);
  let [a, b, c, d] = [0, 0, 0, 0];
  for (let i = 0; i < whole; i += 4) {
    a += values[drawn[i]!]!;
    b += values[drawn[i + 1]!]!;
    c += values[drawn[i + 2]!]!;
    d += values[drawn[i + 3]!]!;
  }
  for (let i = whole; i < length; i++) a += values[drawn[i]!]!;
  return (a + b + c + d) / length;
}

/** Interpolates linearly between the two nearest order statistics of sorted values. */
export function quantile(sorted: Float64Array, share: number): number {
  const position = share * (sorted.length - 1);
  const below = sorted[Math.floor(position)]!;
  return below + (position - Math.floor(position)) * (sorted[Math.ceil(position)]! - below);
}
