/** Texts for the states, bounds and sources of an evaluation, shared by all processes. */
import * as l10n from '@vscode/l10n';
import type { Place } from '../core/coverage-states.ts';
import type { Measured } from '../core/measured.ts';

/** Smaller changes of a value do not show in print. A share. */
const PRINTED = 0.0005;

/**
 * `≥ 58.4%` for a lower bound, `58.4%` for any other value.
 *
 * @param format formats a number
 */
export function measuredText(measured: Measured, format: (value: number) => string): string {
  return isLowerBound(measured) ? `≥ ${format(measured.value)}` : format(measured.value);
}

/** Whether further verdicts can raise a value visibly. */
export function isLowerBound({ value, bound, most = value }: Measured): boolean {
  return bound === 'least' && most - value >= PRINTED;
}

/** A sentence on what a perspective's place means. */
export function placeMeaning(place: Place): string {
  switch (place) {
    case 'covered':
      return l10n.t('A supporting passage is in the top k.');
    case 'below-k':
      return l10n.t('A supporting passage was retrieved, but below k: reranking can bring it up.');
    case 'approximate-miss':
      return l10n.t('An exact search would have had a supporting passage among the candidates.');
    case 'not-retrieved':
      return l10n.t('A supporting passage is known, but it is not among the candidates.');
    case 'unjudged':
      return l10n.t('No passage is judged for it: it may be covered.');
    case 'not-found':
      return l10n.t(
        'None of the passages that were judged for it supports it. That does not mean that the corpus has none.',
      );
  }
}
