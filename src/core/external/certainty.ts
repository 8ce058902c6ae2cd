/** How far the order of a projection over a store is that of all its passages, and not of those alone that it returned. */
import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import type { Read } from '../read.ts';

const count = z.number().int().min(0);

export const certaintySchema = z.object({
  /** How many of the first are the best of the whole store. */
  certain: count,
  /** Of so many that were scored. */
  scored: count,
  /** The store's index is approximate: what is certain is so as far as it found the nearest passages. */
  approximate: z.boolean(),
});
export type Certainty = Read<typeof certaintySchema>;

/** Over the queries of an evaluation. */
export const certaintiesSchema = z.object({
  /** For so many queries the first k are those of the whole store. */
  certain: count,
  queries: count,
  k: count,
  /** Down to this rank the order is certain for every query; 0 where nothing can be told of one. */
  least: count,
  /** As of one search. */
  approximate: z.boolean(),
});
export type Certainties = Read<typeof certaintiesSchema>;

interface WithCertainty {
  readonly certainty?: Certainty | undefined;
}

/** The certainties of searches for different queries; absent where none tells anything. */
export function certaintiesOf(searches: readonly WithCertainty[], k: number): Certainties | undefined {
  const known = searches.flatMap(({ certainty }) => certainty ?? []);
  if (known.length === 0) return undefined;
  const isCertain = ({ certain, scored }: Certainty): boolean => certain >= Math.min(k, scored);
  return {
    certain: known.filter(isCertain).length,
    queries: searches.length,
    k,
    least: known.length < searches.length ? 0 : Math.min(...known.map(({ certain }) => certain)),
    approximate: known.some(({ approximate }) => approximate),
  };
}

/** One sentence or two. @param about what was searched by, at the beginning */
export function certaintiesText(
  about: string,
  { certain, queries, k, least, approximate }: Certainties,
): string {
  if (certain < queries)
    return l10n.t`${about}: queries whose first ${k} are certainly those of the whole store: ${certain} of ${queries}. At worst certainty ends at rank ${least}; below it a passage that the store did not return could still belong. More candidates tell more.`;
  return approximate
    ? l10n.t`${about}: queries whose first ${k} are certainly those of the whole store: all ${queries}, as far as its index finds what is nearest.`
    : l10n.t`${about}: queries whose first ${k} are certainly those of the whole store: all ${queries}.`;
}

/** The certainty of several searches for one result: that which tells least; absent where one of them tells nothing. */
export function leastCertain(searches: readonly WithCertainty[]): Certainty | undefined {
  const known = searches.flatMap(({ certainty }) => certainty ?? []);
  if (known.length === 0 || known.length < searches.length) return undefined;
  return known.reduce((least, one) => (one.certain < least.certain ? one : least));
}
