/** Limits of what is looked at for calls, so that no file holds the editor for long. */

/** The most programs of a workspace that are looked at in one go. */
export const MOST_PROGRAMS = 5_000;

/** A longer text is left alone: about 10,000 lines, which take a fifth of a second at first sight. */
const MOST_CHARACTERS = 500_000;

/** With a longer line a text is left alone: it was written by a program, such as a bundle. */
const MOST_CHARACTERS_OF_LINE = 20_000;

/** The parser of Python has room for 512 levels of indentation, and writes beyond its memory after that. */
const MOST_INDENTS = 400;

/** Whether a text is too long, has too long a line or is indented too deeply to look for calls in it. */
export function isTooLarge(text: string): boolean {
  return text.length > MOST_CHARACTERS || hasLongLine(text) || isIndentedTooDeeply(text);
}

/** Counts levels as Python does, in lines of any kind. */
function isIndentedTooDeeply(text: string): boolean {
  if (text.length < (MOST_INDENTS * MOST_INDENTS) / 2) return false;
  const levels = [0];
  for (const [indent] of text.matchAll(/^[ \t]*(?=[^\s#])/gmu)) {
    while (levels.length > 1 && levels.at(-1)! > indent.length) levels.pop();
    if (indent.length > levels.at(-1)! && levels.push(indent.length) > MOST_INDENTS) return true;
  }
  return false;
}

function hasLongLine(text: string): boolean {
  if (text.length <= MOST_CHARACTERS_OF_LINE) return false;
  let start = 0;
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
    if (end - start > MOST_CHARACTERS_OF_LINE) return true;
    start = end + 1;
  }
  return text.length - start > MOST_CHARACTERS_OF_LINE;
}
