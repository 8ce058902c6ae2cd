/** Stores that return fewer passages than requested, because their index stops early or a filter leaves too few. */
import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import { counted } from '../counted.ts';
import type { Read } from '../read.ts';

const count = z.number().int().min(0);

export const shortfallSchema = z.object({
  /** Fewer than requested. */
  returned: count,
  /** The pipeline's candidates, or all records of the store if that is less. */
  asked: count,
});
export type Shortfall = Read<typeof shortfallSchema>;

/** The worst shortfall over the queries of an evaluation. */
export const shortfallsSchema = shortfallSchema.extend({
  /** The number of queries with too few results, at least 1. */
  queries: count,
});
export type Shortfalls = Read<typeof shortfallsSchema>;

/** A sentence about one search. */
export function shortfallText({ returned, asked }: Shortfall): string {
  return counted(
    l10n.t('The store returned {0} of the {1} candidates it was asked for: {2}.'),
    returned,
    asked,
    reason(),
  );
}

/** One sentence. @param about the pipeline, at the beginning @param all the number of queries */
export function shortfallsText(about: string, { returned, asked, queries }: Shortfalls, all: number): string {
  return counted(
    l10n.t(
      '{0}: for {1} of {2} [2:question|questions] the store returned fewer candidates than it was asked for, at worst {3} of {4}: {5}.',
    ),
    about,
    queries,
    all,
    returned,
    asked,
    reason(),
  );
}

const reason = (): string => l10n.t('either no more pass its filter, or its index stopped early');

/** The worst shortfall of several searches for one result, by share. `undefined` if there is none. */
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

/** Combines searches for different queries. `undefined` if none was short. */
export function shortfallsOf(
  searches: readonly { readonly short?: Shortfall | undefined }[],
): Shortfalls | undefined {
  const worst = worstShortfall(searches);
  return worst && { ...worst, queries: searches.filter(({ short }) => short !== undefined).length };
}

/**
 * Limits a shortfall to the pipeline's candidates. A search may request more, for curves that look deeper.
 *
 * @returns `undefined` if enough were returned
 */
export function shortOf(short: Shortfall | undefined, candidates: number): Shortfall | undefined {
  if (short === undefined || short.returned >= candidates) return undefined;
  return { returned: short.returned, asked: Math.min(short.asked, candidates) };
}

const shareOf = ({ returned, asked }: Shortfall): number => returned / asked;
