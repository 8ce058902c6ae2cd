/** Fisher's exact test of two shares, one-sided: whether the second is lower. */

/** Successes among trials. */
export interface Trials {
  readonly successes: number;
  readonly trials: number;
}

/**
 * One-sided p-value: the probability that as few of all successes, or fewer, fall to `low` if they are distributed over
 * all trials at random (the hypergeometric distribution).
 *
 * Source: Fisher 1935, section 21.1.
 *
 * @param low the side whose share may be lower
 * @param high the other side
 * @returns in (0, 1]; 1 if either has no trials
 */
export function fisherExact(low: Trials, high: Trials): number {
  const all = low.trials + high.trials;
  const successes = low.successes + high.successes;
  const least = Math.max(0, successes - high.trials);
  const total = logChoose(all, low.trials);
  let p = 0;
  for (let count = least; count <= low.successes; count++)
    p += Math.exp(logChoose(successes, count) + logChoose(all - successes, low.trials - count) - total);
  return Math.min(1, p);
}

/** The smallest possible p-value for this many trials on either side: all against none. */
export function smallestFisherP(trials: number): number {
  return fisherExact({ successes: 0, trials }, { successes: trials, trials });
}

/** The logarithm of a binomial coefficient. */
function logChoose(n: number, chosen: number): number {
  let sum = 0;
  for (let i = 1; i <= chosen; i++) sum += Math.log((n - chosen + i) / i);
  return sum;
}
