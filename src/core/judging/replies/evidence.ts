/** Locates quotes in a passage. Models change quotation marks, spaces and case, and make small mistakes. */
import type { Span } from '../../model.ts';
import { sentencesOf } from '../../split/sentences.ts';
import { windows } from '../../split/spans.ts';

/** The least word overlap at which a sentence counts as the quoted one (Dice coefficient, 0 to 1). */
const FUZZY_THRESHOLD = 0.7;
/** Shorter quotes must match letter by letter, with whole words, as any sentence could share two words. */
const FUZZY_MIN_WORDS = 4;

/**
 * Locates a quote. First letter by letter, ignoring case, spaces, punctuation, accents and hidden characters, also if its
 * last word is cut off; then part by part if it contains an ellipsis; then as the most similar sentences above
 * {@link FUZZY_THRESHOLD}.
 *
 * @returns spans in the passage in order, UTF-16 code units, half-open; empty if it is not in the passage
 */
export function locateEvidence(passage: string, quote: string): readonly Span[] {
  const folded = fold(passage);
  const whole = findFolded(passage, folded, quote);
  if (whole) return [whole];
  const parts = quote.split(/\[?(?:\.\.\.+|…)\]?/).filter((part) => fold(part).text !== '');
  const spans = parts.map((part) => findFolded(passage, folded, part));
  if (spans.every((span) => span !== undefined)) return inOrder(spans);
  const similar = mostSimilarSentences(passage, quote);
  return similar ? [similar] : [];
}

/** Spans sorted by start, with overlapping or equal ones merged. */
export function inOrder(spans: readonly Span[]): readonly Span[] {
  const merged: Span[] = [];
  for (const span of [...spans].sort((a, b) => a.start - b.start)) {
    const last = merged.at(-1);
    if (last && span.start < last.end)
      merged[merged.length - 1] = { start: last.start, end: Math.max(last.end, span.end) };
    else merged.push(span);
  }
  return merged;
}

/** Letters and digits only, with the original range of each. */
interface Folded {
  readonly text: string;
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

/** Without the Hangul fillers, which count as letters but are invisible. */
const LETTER_OR_DIGIT = /(?![\u115f\u1160\u3164\uffa0])[\p{L}\p{N}]/u;
const MARK = /\p{M}/u;

function fold(original: string): Folded {
  let text = '';
  const starts: number[] = [];
  const ends: number[] = [];
  let offset = 0;
  for (const character of original) {
    const end = offset + character.length;
    // An accent as a separate character belongs to the preceding letter.
    if (MARK.test(character) && ends.at(-1) === offset) ends[ends.length - 1] = end;
    if (LETTER_OR_DIGIT.test(character)) {
      const plain = character
        .normalize('NFKD')
        .toLowerCase()
        .replace(/[^\p{L}\p{N}]/gu, '');
      text += plain;
      for (let i = 0; i < plain.length; i++) {
        starts.push(offset);
        ends.push(end);
      }
    }
    offset = end;
  }
  return { text, starts, ends };
}

function findFolded(passage: string, folded: Folded, quote: string): Span | undefined {
  const needle = fold(quote).text;
  if (needle === '') return undefined;
  let cutOff: Span | undefined;
  for (let at = folded.text.indexOf(needle); at >= 0; at = folded.text.indexOf(needle, at + 1)) {
    const span = { start: folded.starts[at]!, end: folded.ends[at + needle.length - 1]! };
    if (splitsWord(passage, span.start)) continue;
    if (!splitsWord(passage, span.end)) return span;
    cutOff ??= span;
  }
  if (!cutOff || wordsOf(quote).length < FUZZY_MIN_WORDS) return undefined;
  return { start: cutOff.start, end: endOfWord(passage, cutOff.end) };
}

const endOfWord = (text: string, offset: number): number =>
  offset + /^[\p{L}\p{M}\p{N}]*/u.exec(text.slice(offset))![0].length;

/** Scripts without spaces, in which a quote may begin and end anywhere. */
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;
const WORD_BEFORE = /[\p{L}\p{N}]\p{M}*$/u;
const WORD_AFTER = /^[\p{L}\p{N}]/u;

function splitsWord(text: string, offset: number): boolean {
  const before = WORD_BEFORE.exec(text.slice(Math.max(0, offset - 8), offset))?.[0];
  const after = WORD_AFTER.exec(text.slice(offset, offset + 2))?.[0];
  return before !== undefined && after !== undefined && !UNSPACED.test(before) && !UNSPACED.test(after);
}

function mostSimilarSentences(passage: string, quote: string): Span | undefined {
  const quoted = wordsOf(quote);
  if (quoted.length < FUZZY_MIN_WORDS) return undefined;
  const size = Math.max(1, [...sentencesOf(quote)].length);
  let best: Span | undefined;
  let bestSimilarity = 0;
  for (const span of windows(sentencesOf(passage), size, size - 1)) {
    const similarity = dice(quoted, wordsOf(passage.slice(span.start, span.end)));
    if (similarity > bestSimilarity) {
      best = span;
      bestSimilarity = similarity;
    }
  }
  return bestSimilarity >= FUZZY_THRESHOLD ? best : undefined;
}

function wordsOf(text: string): readonly string[] {
  return (
    text
      .normalize('NFKD')
      .replace(/[\p{M}\p{Cf}]/gu, '')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}

/** 2·|a ∩ b| / (|a| + |b|) over multisets (Dice 1945), 0 to 1. */
function dice(a: readonly string[], b: readonly string[]): number {
  const left = new Map<string, number>();
  for (const word of a) left.set(word, (left.get(word) ?? 0) + 1);
  let common = 0;
  for (const word of b) {
    const remaining = left.get(word) ?? 0;
    if (remaining > 0) common++;
    left.set(word, remaining - 1);
  }
  return (2 * common) / (a.length + b.length);
}
