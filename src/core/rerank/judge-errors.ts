/** How a judge errs, as far as what it says is evidence. */
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../errors.ts';

/** How a judge errs: how often it says yes where a passage supports, and where it does not. In (0, 1). */
export interface JudgeErrors {
  readonly yesOfSupport: number;
  readonly yesOfNone: number;
}

/** Assumed of a judge that nobody has validated: worse than most that were (BERDS, Table 4; DREAM, Table 1). */
export const CAUTIOUS_ERRORS: JudgeErrors = { yesOfSupport: 0.75, yesOfNone: 0.08 };

/** Of judges whose errors nobody has compared; about 0.44 was found for models of several families (arXiv 2605.29800). */
export const UNKNOWN_CORRELATION = 0.5;

/** A judge that is always right, as far as a likelihood may say so. */
const SURE = 1e-4;

/**
 * No answer rules anything out: likelihoods of 0 and 1 are kept away from it.
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
      l10n.t`A judge that says yes to ${yesOfSupport} of what supports and to ${yesOfNone} of the rest tells nothing.`,
    );
  return { yesOfSupport: within(yesOfSupport), yesOfNone: within(yesOfNone) };
}

/** No chance is 0 or 1. */
export function within(chance: number): number {
  return Math.min(1 - SURE, Math.max(SURE, chance));
}
