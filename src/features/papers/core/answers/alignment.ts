/** Whether better retrieval goes with better answers (DREAM, section 5.2 and appendix J). */
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../../../../core/errors.ts';
import { mean } from '../../../../core/statistics/mean.ts';

/**
 * RAGAlign@k: share of queries on which retrieval and generation agree, both succeeding or both failing.
 *
 * @param retrieval `[n]` whether retrieval succeeded, per query
 * @param generation `[n]` whether the answer succeeded, for the same queries in the same order
 * @throws ParallaxError `bad-argument` for lists that are empty or of different length
 */
export function ragAlign(retrieval: readonly boolean[], generation: readonly boolean[]): number {
  checkSameQueries(retrieval, generation);
  return mean(retrieval.map((succeeded, query) => (succeeded === generation[query] ? 1 : 0)));
}

/**
 * The graded form of RAGAlign for a measure that is not binary: the point-biserial correlation
 * (R̄1 − R̄0)/s · √(n1·n0/(n(n − 1))) with s the sample standard deviation, which equals Pearson's correlation.
 *
 * @param retrieval `[n]` the measure per query
 * @param generation `[n]` whether the answer succeeded, for the same queries in the same order
 * @returns `undefined` if all answers succeeded, all failed, or the measure is constant
 * @throws ParallaxError `bad-argument` for lists that are empty or of different length
 */
export function gradedRagAlign(
  retrieval: readonly number[],
  generation: readonly boolean[],
): number | undefined {
  checkSameQueries(retrieval, generation);
  const successes = retrieval.filter((_, query) => generation[query]);
  const failures = retrieval.filter((_, query) => !generation[query]);
  const n = retrieval.length;
  const spread = sampleDeviation(retrieval);
  if (successes.length === 0 || failures.length === 0 || spread === 0) return undefined;
  return (
    ((mean(successes) - mean(failures)) / spread) *
    Math.sqrt((successes.length * failures.length) / (n * (n - 1)))
  );
}

/**
 * Pearson's correlation, e.g. of a retrieval measure and the share of successful answers over pipelines.
 *
 * @param first `[n]`
 * @param second `[n]`
 * @returns `undefined` if one of them is constant
 * @throws ParallaxError `bad-argument` for lists that are empty or of different length
 */
export function correlation(first: readonly number[], second: readonly number[]): number | undefined {
  checkSameQueries(first, second);
  const [meanFirst, meanSecond] = [mean(first), mean(second)];
  const covariance = first.reduce((sum, x, i) => sum + (x - meanFirst) * (second[i]! - meanSecond), 0);
  const spread = sampleDeviation(first) * sampleDeviation(second) * (first.length - 1);
  return spread === 0 ? undefined : covariance / spread;
}

/** 0 for a single value. Differences within rounding error count as none. */
function sampleDeviation(values: readonly number[]): number {
  if (values.every((value) => value === values[0])) return 0;
  const centre = mean(values);
  return Math.sqrt(values.reduce((sum, value) => sum + (value - centre) ** 2, 0) / (values.length - 1));
}

function checkSameQueries(first: readonly unknown[], second: readonly unknown[]): void {
  if (first.length === 0 || first.length !== second.length)
    throw new ParallaxError(
      'bad-argument',
      l10n.t`Alignment needs the same questions on both sides; there are ${first.length} and ${second.length}.`,
    );
}
