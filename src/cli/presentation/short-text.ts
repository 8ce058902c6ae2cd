/** Reports that a store returned fewer candidates than requested, and what a projection may therefore miss. */
import { counted } from '../../core/counted.ts';
import type { Certainty } from '../../core/external/certainty.ts';
import type { Shortfall, Shortfalls } from '../../core/external/shortfall.ts';

const WHY = 'either no more pass its filter, or its index stopped early';

/** A sentence about one search. */
export function shortText({ returned, asked }: Shortfall): string {
  return `The store returned ${returned} of the ${asked} candidates it was asked for: ${WHY}.`;
}

/**
 * The same over the queries of an evaluation, printed after the name of the pipeline.
 *
 * @param all the number of queries
 */
export function shortfallsText({ returned, asked, queries }: Shortfalls, all: number): string {
  return counted(
    'for {0} of {1} [1:query|queries] the store returned fewer candidates than it was asked for, at worst {2} of {3}: {4}.',
    queries,
    all,
    returned,
    asked,
    WHY,
  );
}

/** Whether a projection over what a store returned may miss passages. @param listed the number of shown passages */
export function certaintyText({ certain, scored, approximate }: Certainty, listed: number): string {
  if (certain < listed)
    return `Certain down to rank ${certain}; below it a passage outside the ${scored} that the store returned could still belong here. More candidates tell more.`;
  return approximate
    ? `The ${listed} best are certain, as far as the store's index finds what is nearest.`
    : `The ${listed} best are certain: no other passage of the store can score higher.`;
}
