/**
 * Trimming by signs, in time linear in what is taken away. A regular expression such as `/[.\s]+$/` tries again at
 * each of a million full stops that something else follows.
 */

/** @param sign matches a single UTF-16 code unit, and has no `g` or `y` flag */
export function withoutTrailing(text: string, sign: RegExp): string {
  let end = text.length;
  while (end > 0 && sign.test(text[end - 1]!)) end--;
  return text.slice(0, end);
}
