/** Passages of a ranking that repeat a higher-ranked one nearly word for word. */
import { SAME_TEXT, sharedPart, shingles } from '../external/match.ts';

/**
 * Finds the passage that a text repeats: the first one with nearly the same text. Passages that are themselves repeats
 * are skipped, so that the first occurrence counts.
 *
 * @param above best first
 * @returns the index of that passage, or `undefined`
 */
export function repeatFinder(above: readonly string[]): (text: string) => number | undefined {
  const repeated = repeatsOf(above);
  const originals = above.flatMap((text, place) =>
    repeated[place] === undefined && text.trim() !== '' ? [{ place, text, parts: shingles(text) }] : [],
  );
  return (text) => {
    if (text.trim() === '') return undefined;
    const parts = shingles(text);
    return originals.find(
      (original) => original.text === text || sharedPart(original.parts, parts) >= SAME_TEXT,
    )?.place;
  };
}

/**
 * For each passage, the index of the first higher-ranked one with nearly the same text (see {@link SAME_TEXT}) that is
 * not a repeat itself. `undefined` for passages that repeat none.
 *
 * @param texts best first; an empty text is unknown and repeats nothing
 */
export function repeatsOf(texts: readonly string[]): (number | undefined)[] {
  const originals: { readonly place: number; readonly text: string; readonly parts: ReadonlySet<string> }[] =
    [];
  return texts.map((text, place) => {
    if (text.trim() === '') return undefined;
    const parts = shingles(text);
    const first = originals.find(
      (original) => original.text === text || sharedPart(original.parts, parts) >= SAME_TEXT,
    );
    if (!first) originals.push({ place, text, parts });
    return first?.place;
  });
}
