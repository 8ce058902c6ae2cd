/** Which passages of a ranking say again what stands above them, nearly word for word. */
import { SAME_TEXT, sharedPart, shingles } from '../external/match.ts';

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
