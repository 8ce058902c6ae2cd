/** How far the order of a projection over a store is that of all its passages, and not of those alone that it returned. */
import * as z from 'zod';

const count = z.number().int().min(0);

export const certaintySchema = z.object({
  /** So many of the first are the best of the whole store. */
  certain: count,
  /** Of so many that were scored. */
  scored: count,
  /** The store's index is approximate: what is certain is so as far as it found the nearest passages. */
  approximate: z.boolean(),
});
export type Certainty = z.output<typeof certaintySchema>;

/** Of several searches for one result: the one that tells least; absent where one of them tells nothing. */
export function leastCertain(
  searches: readonly { readonly certainty?: Certainty | undefined }[],
): Certainty | undefined {
  const known = searches.flatMap(({ certainty }) => certainty ?? []);
  if (known.length === 0 || known.length < searches.length) return undefined;
  return known.reduce((least, one) => (one.certain < least.certain ? one : least));
}
