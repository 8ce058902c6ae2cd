/** Limits of what is looked at for calls, so that no file holds the editor for long. */

/** The most programs of a workspace that are looked at in one go. */
export const MOST_PROGRAMS = 5_000;

/** A longer text is left alone: about 10,000 lines, which take a fifth of a second at first sight. */
const MOST_CHARACTERS = 500_000;

/** With a longer line a text is left alone: it was written by a program, such as a bundle. */
const MOST_CHARACTERS_OF_LINE = 20_000;

/**
 * The parser of Python has room for 1,024 bytes: two for each level of indentation, and one for each of up to 255 texts in
 * texts. It writes beyond its memory after that.
 */
const MOST_INDENTS = 350;

const TAB_WIDTH = 8;

/** Whether a text is too long, has too long a line or is indented too deeply to look for calls in it. */
export function isTooLarge(text: string): boolean {
  return text.length > MOST_CHARACTERS || hasLongLine(text) || isIndentedTooDeeply(text);
}

/**
 * Each level is wider than the one before, so that there are no more levels than widths. Which lines count is known only to
 * a parser: those within texts and brackets do not. A form feed and a carriage return begin again, as for the parser, and a
 * line that goes on adds to the one before.
 */
function isIndentedTooDeeply(text: string): boolean {
  const widths = new Set<number>();
  let width = 0;
  let isIndent = true;
  for (let at = 0; at < text.length; at++) {
    const sign = text[at];
    if (sign === '\n' || sign === '\r' || sign === '\f') [width, isIndent] = [0, true];
    else if (!isIndent) continue;
    else if (sign === ' ') width++;
    else if (sign === '\t') width += TAB_WIDTH;
    else if (sign === '\\' && text[at + 1] === '\n') at++;
    else if (sign === '\\' && text.startsWith('\r\n', at + 1)) at += 2;
    else if (widths.add(width).size > MOST_INDENTS) return true;
    else isIndent = false;
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
