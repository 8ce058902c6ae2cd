/**
 * Words: whatever stands between whitespace, and, in scripts that put none between words, what the
 * Unicode word segmentation finds.
 */
import type { Span } from '../model.ts';

/** Scripts that write words without a space between them. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/**
 * A run without whitespace this long (in code points) is no word but data: a minified script, base64.
 * It is cut, so that a passage of n words stays within n × this.
 */
const MAX_WORD_LENGTH = 1000;
/** With the flag `u` a match never ends inside a surrogate pair. */
const RUN = new RegExp(`\\S{1,${MAX_WORD_LENGTH}}`, 'gu');

const LAST_ASCII = 0x7f;
/** `[256]`: 1 for a byte of a word, 0 for whitespace in ASCII. */
const IN_WORD = Uint8Array.from({ length: 256 }, (_, byte) => Number(/\S/u.test(String.fromCharCode(byte))));
/** Longer texts are not counted to their end, so that it pays to look at each word. */
const MAX_PLAIN_LENGTH = 4096;
const plainBytes = new Uint8Array(MAX_PLAIN_LENGTH);
const encoder = new TextEncoder();

// One fixed locale: passages must not depend on the language of the machine.
const segmenter = new Intl.Segmenter('en', { granularity: 'word' });

/** The words of `text.slice(within.start, within.end)` in order. Together they hold every character that is not whitespace. */
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

/** Whether a text has `most` words or fewer; stops counting as soon as it is longer. */
export function hasAtMostWords(text: string, most: number): boolean {
  const plain = plainWords(text);
  if (plain !== undefined) return plain <= most;
  const words = wordsOf(text);
  for (let count = 0; count <= most; count++) if (words.next().done) return true;
  return false;
}

/**
 * The number of words of a text in ASCII that is not long, without a look at each of them: most texts of most corpora.
 * There is no jump in the loop, because nobody can foresee where words end.
 *
 * @returns undefined for any other text, and where there is a run that is no word but data
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

/** Words of a run without whitespace; punctuation belongs to the word before it. */
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
