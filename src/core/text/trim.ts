/**
 * Trims characters in time linear in what is removed. A regular expression such as `/[.\s]+$/` retries at each of a
 * million full stops that are followed by something else.
 */

/** @param sign matches a single UTF-16 code unit, and has no `g` or `y` flag */
export function withoutTrailing(text: string, sign: RegExp): string {
  let end = text.length;
  while (end > 0 && sign.test(text[end - 1]!)) end--;
  return text.slice(0, end);
}

/** The sentence without its full stop, to be followed by a colon or a bracket. */
export function withoutFullStop(sentence: string): string {
  return sentence.replace(/(?<!\.)[.。]\s*$/u, '');
}
