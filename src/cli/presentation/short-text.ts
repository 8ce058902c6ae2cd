/** Says that a store returned fewer candidates than it was asked for. */
import { countedOf } from './counted.ts';
import type { Shortfall, Shortfalls } from '../../core/external/shortfall.ts';

const WHY = 'either no more pass its filter, or its index stopped early';

/** One sentence on one search. */
export function shortText({ returned, asked }: Shortfall): string {
  return `The store returned ${returned} of the ${asked} candidates it was asked for: ${WHY}.`;
}

/**
 * The same over the queries of an evaluation, to follow the name of the pipeline.
 *
 * @param all how many queries were asked
 */
export function shortfallsText({ returned, asked, queries }: Shortfalls, all: number): string {
  return `for ${countedOf(queries, all, 'query', 'queries')} the store returned fewer candidates than it was asked for, at worst ${returned} of ${asked}: ${WHY}.`;
}
