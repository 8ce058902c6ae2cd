/** Which passages of a ranking say again what stands above them, nearly word for word. */
import { SAME_TEXT, sharedPart, shingles } from '../external/match.ts';

/**
 * Finds which of some passages another one says again, by the first of them that it is nearly the same text as. Those that
 * repeat one above them are left out, so that the first counts.
 *
 * @param above best first
 * @returns the place of that passage, if there is one
 */
export function repeatFinder(above: readonly string[]): (text: string) => number | undefined {
  const repeated = repeatsOf(above);
  const seen = above.flatMap((text, place) =>
    repeated[place] === undefined && text.trim() !== '' ? [{ place, text, parts: shingles(text) }] : [],
  );
  return (text) => {
    if (text.trim() === '') return undefined;
    const parts = shingles(text);
    return seen.find((other) => other.text === text || sharedPart(other.parts, parts) >= SAME_TEXT)?.place;
  };
}

/**
 * For each passage the place of the first one above it that is nearly the same text (see {@link SAME_TEXT}) and no
 * repeat itself; nothing for a passage that repeats none.
 *
 * @param texts best first; an empty text, which nobody has seen, repeats nothing
 */
export function repeatsOf(texts: readonly string[]): (number | undefined)[] {
  const seen: { readonly place: number; readonly text: string; readonly parts: ReadonlySet<string> }[] = [];
  return texts.map((text, place) => {
    if (text.trim() === '') return undefined;
    const parts = shingles(text);
    const first = seen.find((other) => other.text === text || sharedPart(other.parts, parts) >= SAME_TEXT);
    if (!first) seen.push({ place, text, parts });
    return first?.place;
  });
}
