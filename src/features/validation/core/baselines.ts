/** Scores of raters who do not read the passages. */
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../../../core/errors.ts';
import { ratio, type Figure } from './figure.ts';

/** Shares from 0 to 1. */
export interface Baseline {
  readonly positiveShare: number;
  readonly accuracy: Figure;
  /** F1 of "yes". */
  readonly f1: Figure;
}

/**
 * The expected figures of a guesser who says "yes" with a fixed probability: 0 for always "no", 1 for always "yes", and
 * the reference's own share for BERDS' random baseline (section 5.1). Exact rather than simulated: the number of "yes"
 * is binomial, and given that number the mean of the true ones is hypergeometric.
 *
 * @param yes number of pairs with "yes" in the reference
 * @param no number of pairs with "no"
 * @param positiveShare from 0 to 1
 * @throws ParallaxError `bad-argument` for a share out of range
 */
export function guesser(yes: number, no: number, positiveShare: number): Baseline {
  if (!(positiveShare >= 0 && positiveShare <= 1))
    throw new ParallaxError('bad-argument', l10n.t`A share lies between 0 and 1; ${positiveShare} does not.`);
  return {
    positiveShare,
    accuracy: ratio(yes * positiveShare + no * (1 - positiveShare), yes + no),
    f1: yes === 0 ? null : expectedF1(yes, yes + no, positiveShare),
  };
}

function expectedF1(yes: number, pairs: number, positiveShare: number): number {
  const f1At = (saidYes: number): number => (2 * saidYes * (yes / pairs)) / (saidYes + yes);
  if (positiveShare === 1) return f1At(pairs);
  const logOdds = Math.log(positiveShare) - Math.log1p(-positiveShare);
  // In logarithms, as the probability of no "yes" at all underflows for many pairs.
  let logProbability = pairs * Math.log1p(-positiveShare);
  let expected = 0;
  for (let saidYes = 0; saidYes <= pairs; saidYes++) {
    expected += Math.exp(logProbability) * f1At(saidYes);
    logProbability += Math.log((pairs - saidYes) / (saidYes + 1)) + logOdds;
  }
  return expected;
}
