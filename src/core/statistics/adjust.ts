/** Corrects the p-values of several tests. */
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../errors.ts';

/**
 * Holm's step-down correction: the smallest p-value times m, the next times m − 1, and so on, never below the preceding
 * one and at most 1. Limits the probability of any false finding in the family to the level, however the tests depend
 * on each other.
 *
 * Source: Holm 1979.
 *
 * @param family `[m]` the p-values of all tests that a finding may be picked from, in any order
 * @returns `[m]` in the same order, each at least as large as given
 * @throws ParallaxError `bad-argument` for a value outside [0, 1]
 */
export function holm(family: readonly number[]): number[] {
  const bad = family.find((p) => !(p >= 0 && p <= 1));
  if (bad !== undefined)
    throw new ParallaxError('bad-argument', l10n.t`A p-value is ${bad}, outside [0, 1].`);
  const adjusted = new Array<number>(family.length);
  let above = 0;
  [...family.keys()]
    .sort((a, b) => family[a]! - family[b]!)
    .forEach((test, rank) => {
      above = Math.max(above, Math.min(1, family[test]! * (family.length - rank)));
      adjusted[test] = above;
    });
  return adjusted;
}
