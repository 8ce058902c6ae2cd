import { ParallaxError } from '../errors.ts';
import { mean } from './mean.ts';
import type { Random } from './random.ts';

export interface BootstrapOptions {
  readonly random: Random;
  /** How often the topics are drawn anew. */
  readonly resamples?: number | undefined;
  /** Share of the resampled differences inside the interval. */
  readonly level?: number | undefined;
}

export interface PairedDifference {
  /** Mean of second − first. */
  readonly difference: number;
  readonly low: number;
  readonly high: number;
}

/**
 * How much better the second of two systems is on the same topics, with a percentile bootstrap interval.
 * Topics are resampled with replacement, always both values of a topic together.
 *
 * Source: Efron and Tibshirani 1993, sections 8.3 (paired data) and 13.3 (percentile interval).
 *
 * @param first `[n]` one value per topic
 * @param second `[n]` values of the same topics in the same order
 * @throws ParallaxError `bad-argument` for lists that are empty or of different length.
 */
export function pairedBootstrap(
  first: readonly number[],
  second: readonly number[],
  { random, resamples = 2000, level = 0.95 }: BootstrapOptions,
): PairedDifference {
  if (first.length === 0 || first.length !== second.length)
    throw new ParallaxError(
      'bad-argument',
      `Comparing two systems needs the same topics for both; there are ${first.length} and ${second.length} values.`,
    );
  const differences = second.map((value, topic) => value - first[topic]!);
  const means = Float64Array.from({ length: resamples }, () => resampledMean(differences, random)).sort();
  const tail = (1 - level) / 2;
  return { difference: mean(differences), low: quantile(means, tail), high: quantile(means, 1 - tail) };
}

function resampledMean(values: readonly number[], random: Random): number {
  let sum = 0;
  for (let draw = 0; draw < values.length; draw++) sum += values[Math.floor(random() * values.length)]!;
  return sum / values.length;
}

/** Linear between the two nearest order statistics of sorted values. */
function quantile(sorted: Float64Array, share: number): number {
  const position = share * (sorted.length - 1);
  const below = sorted[Math.floor(position)]!;
  return below + (position - Math.floor(position)) * (sorted[Math.ceil(position)]! - below);
}
