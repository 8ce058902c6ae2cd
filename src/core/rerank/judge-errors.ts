/** Error rates of judges, which determine how much evidence their answers are. */
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../errors.ts';

/** How often a judge says yes if a passage supports, and if it does not. In (0, 1). */
export interface JudgeErrors {
  readonly yesOfSupport: number;
  readonly yesOfNone: number;
}

/** Assumed for judges without a validation. Worse than most validated ones (BERDS, Table 4; DREAM, Table 1). */
export const CAUTIOUS_ERRORS: JudgeErrors = { yesOfSupport: 0.75, yesOfNone: 0.08 };

/**
 * Assumed for judges whose errors were never compared. About 0.44 was found for models of several families (arXiv
 * 2605.29800).
 */
export const UNKNOWN_CORRELATION = 0.5;

/** Limit of likelihoods for a judge that is always right. */
const SURE = 1e-4;

/**
 * Keeps likelihoods away from 0 and 1, so that no answer excludes anything.
 *
 * @throws ParallaxError `bad-argument` outside of [0, 1], and for a judge that is not better than chance
 */
export function smoothed({ yesOfSupport, yesOfNone }: JudgeErrors): JudgeErrors {
  for (const [name, value] of [
    ['yesOfSupport', yesOfSupport],
    ['yesOfNone', yesOfNone],
  ] as const)
    if (!(value >= 0 && value <= 1))
      throw new ParallaxError('bad-argument', l10n.t`${name} is a share from 0 to 1, not ${value}.`);
  if (yesOfSupport <= yesOfNone)
    throw new ParallaxError(
      'bad-argument',
      l10n.t`A judge that says yes to ${yesOfSupport} of the supporting passages and to ${yesOfNone} of the others is too inaccurate to help.`,
    );
  return { yesOfSupport: within(yesOfSupport), yesOfNone: within(yesOfNone) };
}

/** Limits a probability to values other than 0 and 1. */
export function within(chance: number): number {
  return Math.min(1 - SURE, Math.max(SURE, chance));
}
