/** Words: text between whitespace, and in scripts without spaces the words found by Unicode segmentation. */
import type { Span } from '../model.ts';

const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/**
 * Longer runs without whitespace, in code points, are data: minified scripts, base64. They are cut, so that a passage
 * of n words has at most n × this code points.
 */
const MAX_WORD_LENGTH = 1000;
/** With the flag `u` a match never ends inside a surrogate pair. */
const RUN = new RegExp(`\\S{1,${MAX_WORD_LENGTH}}`, 'gu');

const LAST_ASCII = 0x7f;
/** `[256]`: 1 for a byte of a word, 0 for whitespace in ASCII. */
const IN_WORD = Uint8Array.from({ length: 256 }, (_, byte) => Number(/\S/u.test(String.fromCharCode(byte))));
/** Longer texts are counted word by word, as counting usually ends early. */
const MAX_PLAIN_LENGTH = 4096;
const plainBytes = new Uint8Array(MAX_PLAIN_LENGTH);
const encoder = new TextEncoder();

// A fixed locale, so that passages do not depend on the machine's language.
const segmenter = new Intl.Segmenter('en', { granularity: 'word' });

/**
 * The words of `text.slice(within.start, within.end)` in order. Together they contain every character except
 * whitespace.
 */
export function* wordsOf(text: string, within: Span = { start: 0, end: text.length }): Generator<Span> {
  const part = text.slice(within.start, within.end);
  const mayBeUnspaced = UNSPACED.test(part);
  for (const match of part.matchAll(RUN)) {
    const run = match[0];
    const start = within.start + match.index;
    if (mayBeUnspaced && UNSPACED.test(run)) yield* unspacedWords(run, start);
    else yield { start, end: start + run.length };
  }
}

/** Whether a text has at most `most` words. Stops counting as soon as it has more. */
export function hasAtMostWords(text: string, most: number): boolean {
  const plain = plainWords(text);
  if (plain !== undefined) return plain <= most;
  const words = wordsOf(text);
  for (let count = 0; count <= most; count++) if (words.next().done) return true;
  return false;
}

/**
 * The number of words of a short ASCII text, without creating them. Covers most texts of most corpora. The loop has no
 * branches, as word ends are unpredictable.
 *
 * @returns `undefined` for other texts, and for texts with overlong runs
 */
function plainWords(text: string): number | undefined {
  if (text.length > MAX_PLAIN_LENGTH) return undefined;
  const { read, written } = encoder.encodeInto(text, plainBytes);
  if (read < text.length) return undefined;
  let allBits = 0;
  let words = 0;
  let length = 0;
  let longest = 0;
  for (let at = 0; at < written; at++) {
    const byte = plainBytes[at]!;
    const isInWord = IN_WORD[byte]!;
    allBits |= byte;
    words += isInWord & Number(length === 0);
    length = (length + 1) * isInWord;
    longest = Math.max(longest, length);
  }
  return allBits > LAST_ASCII || longest > MAX_WORD_LENGTH ? undefined : words;
}

/** The words of a run without whitespace. Punctuation belongs to the preceding word. */
function* unspacedWords(run: string, offset: number): Generator<Span> {
  let start = 0;
  let holdsWord = false;
  for (const { index, isWordLike } of segmenter.segment(run)) {
    if (!isWordLike) continue;
    if (holdsWord) {
      yield { start: offset + start, end: offset + index };
      start = index;
    }
    holdsWord = true;
  }
  yield { start: offset + start, end: offset + run.length };
}
