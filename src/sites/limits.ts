/** Limits on the detection of calls, so that no file blocks the editor for long. */

/** The most programs of a workspace that are analysed at once. */
export const MAX_PROGRAMS = 5_000;

/** Longer texts are not analysed. About 10,000 lines, which take a fifth of a second the first time. */
const MAX_CHARACTERS = 500_000;

/** Texts with a longer line are not analysed, because they are generated, such as bundles. */
const MAX_CHARACTERS_OF_LINE = 20_000;

/**
 * The Python scanner has a buffer of 1,024 bytes: two for each level of indentation, and one for each of up to 255
 * nested strings. Beyond that it writes past its memory.
 */
const MAX_INDENTS = 350;

const TAB_WIDTH = 8;

/** Whether a text is too long, has too long a line, or is indented too deeply to be analysed. */
export function isTooLarge(text: string): boolean {
  return text.length > MAX_CHARACTERS || hasLongLine(text) || isIndentedTooDeeply(text);
}

/**
 * Each level is wider than the one before, so there are at most as many levels as widths. Only a parser knows which
 * lines count, because those inside strings and brackets do not. As in the parser, a form feed and a carriage return
 * reset the width, and a continued line adds to the one before.
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
    else if (widths.add(width).size > MAX_INDENTS) return true;
    else isIndent = false;
  }
  return false;
}

function hasLongLine(text: string): boolean {
  if (text.length <= MAX_CHARACTERS_OF_LINE) return false;
  let start = 0;
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
    if (end - start > MAX_CHARACTERS_OF_LINE) return true;
    start = end + 1;
  }
  return text.length - start > MAX_CHARACTERS_OF_LINE;
}
