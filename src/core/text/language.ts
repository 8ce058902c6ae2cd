/** Detects English by its share of English function words, a heuristic. */

/** Function words that are common in English prose, and rare or without meaning in other languages. */
const FUNCTION_WORDS = new Set(
  'the of and that it with are this be by not or from which you can will their they'.split(' '),
);

/**
 * English prose has about 0.15, documentation with code 0.1. Dutch and Danish, which share some words, have less than
 * 0.05.
 */
const MIN_SHARE = 0.06;

/** @returns the share of function words among the words of the texts, from 0 to 1; 0 without words */
export function englishShare(texts: Iterable<string>): number {
  let words = 0;
  let functionWords = 0;
  for (const text of texts)
    for (const [word] of text.toLowerCase().matchAll(/[\p{L}\p{M}]+/gu)) {
      words++;
      if (FUNCTION_WORDS.has(word)) functionWords++;
    }
  return words === 0 ? 0 : functionWords / words;
}

/** @param share from {@link englishShare} */
export function isEnglish(share: number): boolean {
  return share >= MIN_SHARE;
}
