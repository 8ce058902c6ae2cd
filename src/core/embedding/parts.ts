/** A part of a text that is longer than a model reads. */
export interface TextPart {
  readonly ids: readonly number[];
  /** How many of the ids no earlier part has: what the part counts in a mean. */
  readonly added: number;
}

/**
 * Divides a text into parts of the length that a model reads. The last one ends with the text and reaches back to have the
 * full length, since a few words alone would say little.
 *
 * @param ids of the whole text
 * @param most how many the model reads, at least 1
 * @returns no part for an empty text; together they hold every id
 */
export function partsOf(ids: readonly number[], most: number): TextPart[] {
  return Array.from({ length: Math.ceil(ids.length / most) }, (_, part) => {
    const from = Math.min(part * most, Math.max(0, ids.length - most));
    return { ids: ids.slice(from, from + most), added: Math.min(most, ids.length - part * most) };
  });
}
