/** Limits of what is looked at for calls, so that no file holds the editor for long. */

/** The most programs of a workspace that are looked at in one go. */
export const MOST_PROGRAMS = 5_000;

/** A longer text is left alone: about 10,000 lines, which take a fifth of a second at first sight. */
const MOST_CHARACTERS = 500_000;

/** With a longer line a text is left alone: it was written by a program, such as a bundle. */
const MOST_CHARACTERS_OF_LINE = 20_000;

/** Whether a text is too long, or has too long a line, to look for calls in it. */
export function isTooLarge(text: string): boolean {
  if (text.length > MOST_CHARACTERS) return true;
  if (text.length <= MOST_CHARACTERS_OF_LINE) return false;
  let start = 0;
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
    if (end - start > MOST_CHARACTERS_OF_LINE) return true;
    start = end + 1;
  }
  return text.length - start > MOST_CHARACTERS_OF_LINE;
}
