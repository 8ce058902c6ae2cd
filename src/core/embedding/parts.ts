/** A part of a text that is too long for a model. */
export interface TextPart {
  readonly ids: readonly number[];
  /** The number of ids that no earlier part has, used as the weight in a mean. */
  readonly added: number;
}

/**
 * Splits a text into parts of the length that a model reads. The last part ends with the text and reaches back to have
 * the full length, as a few words alone carry little meaning.
 *
 * @param ids of the whole text
 * @param most the length that the model reads, at least 1
 * @returns parts that together contain every id; empty for an empty text
 */
export function partsOf(ids: readonly number[], most: number): TextPart[] {
  return Array.from({ length: Math.ceil(ids.length / most) }, (_, part) => {
    const from = Math.min(part * most, Math.max(0, ids.length - most));
    return { ids: ids.slice(from, from + most), added: Math.min(most, ids.length - part * most) };
  });
}
