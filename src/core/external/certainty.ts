/** How far the order of a projection over a store's results is the order over all its passages. */
import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import { counted } from '../counted.ts';
import type { Read } from '../read.ts';

const count = z.number().int().min(0);

export const certaintySchema = z.object({
  /** The number of top passages that are certainly the best of the whole store. */
  certain: count,
  /** The number of scored passages. */
  scored: count,
  /** Whether the store's index is approximate. Certainty then assumes that it found the nearest passages. */
  approximate: z.boolean(),
});
export type Certainty = Read<typeof certaintySchema>;

/** Certainty over the queries of an evaluation. */
export const certaintiesSchema = z.object({
  /** The number of questions whose first k are certain. */
  certain: count,
  queries: count,
  k: count,
  /** The order is certain down to this rank for every query. 0 if it is unknown for one. */
  least: count,
  /** See {@link certaintySchema}. */
  approximate: z.boolean(),
});
export type Certainties = Read<typeof certaintiesSchema>;

interface WithCertainty {
  readonly certainty?: Certainty | undefined;
}

/** Combines searches for different queries. `undefined` if none has a certainty. */
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

/** A sentence about one search. @param listed the number of shown passages */
export function certaintyText({ certain, scored, approximate }: Certainty, listed: number): string {
  if (certain < listed)
    return counted(
      l10n.t(
        'Certain down to rank {0}; below it, a passage outside the {1} that the store returned could still belong here. Ask for more candidates to be sure.',
      ),
      certain,
      scored,
    );
  return approximate
    ? counted(l10n.t("The {0} best are certain if the store's index finds the nearest."), listed)
    : counted(l10n.t('The {0} best are certain: no other passage of the store can score higher.'), listed);
}

/** One or two sentences. @param about the pipeline, at the beginning */
export function certaintiesText(
  about: string,
  { certain, queries, k, least, approximate }: Certainties,
): string {
  if (certain < queries)
    return l10n.t`${about}: questions whose first ${k} are certainly those of the whole store: ${certain} of ${queries}. At worst certainty ends at rank ${least}; below it a passage that the store did not return could still belong. Ask for more candidates to be sure.`;
  return approximate
    ? l10n.t`${about}: questions whose first ${k} are certainly those of the whole store: all ${queries}, as far as its index finds what is nearest.`
    : l10n.t`${about}: questions whose first ${k} are certainly those of the whole store: all ${queries}.`;
}

/** The lowest certainty of several searches for one result. `undefined` if one of them has none. */
export function leastCertain(searches: readonly WithCertainty[]): Certainty | undefined {
  const known = searches.flatMap(({ certainty }) => certainty ?? []);
  if (known.length === 0 || known.length < searches.length) return undefined;
  return known.reduce((least, one) => (one.certain < least.certain ? one : least));
}
