/** Stores that return fewer passages than they are asked for: their index gives up early, or a filter leaves too few. */
import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import type { Read } from '../read.ts';

const count = z.number().int().min(0);

export const shortfallSchema = z.object({
  /** Fewer than were asked for. */
  returned: count,
  /** The candidates of the pipeline, or all that the store holds where that is less. */
  asked: count,
});
export type Shortfall = Read<typeof shortfallSchema>;

/** Over the queries of an evaluation: the one that came back with the least. */
export const shortfallsSchema = shortfallSchema.extend({
  /** For how many queries too few came back; at least 1. */
  queries: count,
});
export type Shortfalls = Read<typeof shortfallsSchema>;

/** One sentence. @param about what was searched by, at the beginning @param all how many queries were asked */
export function shortfallsText(about: string, { returned, asked, queries }: Shortfalls, all: number): string {
  return l10n.t`${about}: the store returned fewer candidates than it was asked for in ${queries} of ${all} queries, at worst ${returned} of ${asked}: either no more pass its filter, or its index stopped early.`;
}

/** The shortfall of several searches for one result: that of the smallest share; absent where none was short. */
export function worstShortfall(
  searches: readonly { readonly short?: Shortfall | undefined }[],
): Shortfall | undefined {
  return searches
    .flatMap(({ short }) => short ?? [])
    .reduce<Shortfall | undefined>(
      (worst, short) => (worst && shareOf(worst) <= shareOf(short) ? worst : short),
      undefined,
    );
}

/** The shortfalls of searches for different queries; absent where none was short. */
export function shortfallsOf(
  searches: readonly { readonly short?: Shortfall | undefined }[],
): Shortfalls | undefined {
  const worst = worstShortfall(searches);
  return worst && { ...worst, queries: searches.filter(({ short }) => short !== undefined).length };
}

/**
 * A search may ask for more than a pipeline considers, for curves that look deeper: what it considers counts.
 *
 * @returns nothing where enough came back
 */
export function shortOf(short: Shortfall | undefined, candidates: number): Shortfall | undefined {
  if (short === undefined || short.returned >= candidates) return undefined;
  return { returned: short.returned, asked: Math.min(short.asked, candidates) };
}

const shareOf = ({ returned, asked }: Shortfall): number => returned / asked;
