/**
 * Sentences by Unicode segmentation (UAX #29), with additional rules for wrapped lines, lists, headings and
 * abbreviations.
 */
import type { Span } from '../model.ts';
import { linesOf } from './lines.ts';
import { trimSpan, windows } from './spans.ts';
import { wordsOf } from './words.ts';

/** A line that begins a block: list item, heading, quote, table row, code fence. */
const BEGINS_BLOCK = /^\s*(?:[-*+•‣◦–]\s|\d{1,3}[.)]\s|[a-z]\)\s|#{1,6}\s|>|\||```|~~~)/;
/** A line that ends a block: heading, table row, code fence, rule. */
const ENDS_BLOCK = /^\s*(?:#{1,6}\s|\||```|~~~|[-=*_]{3,}\s*$)/;

/** Full stops after these do not end a sentence: titles, initials, Latin shorthand, list numbers. */
const ABBREVIATION =
  /(?:^|[\s("'“‘[])(?:Mr|Mrs|Ms|Dr|Prof|St|Gen|Sen|Rep|Gov|Capt|Lt|Col|Sgt|Rev|Hon|vs|cf|e\.g|i\.e|ca|[A-HJ-Z])\.\s*$/;
/** Full stops after these do not end a sentence if a number follows. */
const BEFORE_NUMBER = /(?:^|[\s("'“‘[])(?:No|Nos|Fig|Figs|Eq|Vol|Sec|Ch|Art|pp|p)\.\s*$/;
const LIST_NUMBER = /^\s*\d{1,3}[.)]\s*$/;
/** The longest text before a full stop that the patterns above need. */
const TAIL_LENGTH = 12;

/** Readable text. Rules and fences alone do not match. */
const READABLE = /[\p{L}\p{N}]/u;

/** Longer "sentences", in UTF-16 code units, are tables, logs or code, and are cut between words. */
const MAX_SENTENCE_LENGTH = 2000;
const WORDS_OF_LONG_SENTENCE = 200;

const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });

/** The sentences of a text in order. Together they contain every character except whitespace. */
export function* sentencesOf(text: string): Generator<Span> {
  for (const sentence of joinUnreadable(text, trimmedSentences(text)))
    if (sentence.end - sentence.start <= MAX_SENTENCE_LENGTH) yield sentence;
    else yield* windows(wordsOf(text, sentence), WORDS_OF_LONG_SENTENCE, 0);
}

function* trimmedSentences(text: string): Generator<Span> {
  for (const block of blocksOf(text))
    for (const sentence of sentencesOfBlock(text, block)) {
      const trimmed = trimSpan(text, sentence);
      if (trimmed) yield trimmed;
    }
}

/** Paragraphs, list items, headings, table rows. */
function* blocksOf(text: string): Generator<Span> {
  let start = 0;
  for (const line of linesOf(text)) {
    const content = text.slice(line.start, line.end);
    if (line.start > start && BEGINS_BLOCK.test(content)) {
      yield { start, end: line.start };
      start = line.start;
    }
    if (content.trim() === '' || ENDS_BLOCK.test(content)) {
      yield { start, end: line.next };
      start = line.next;
    }
  }
  if (start < text.length) yield { start, end: text.length };
}

/** Line breaks inside a block are spaces, as prose is often wrapped by hand. */
function* sentencesOfBlock(text: string, block: Span): Generator<Span> {
  const flat = text.slice(block.start, block.end).replace(/[\r\n]/g, ' ');
  let start = 0;
  let previousEnd = 0;
  for (const { index, segment } of segmenter.segment(flat)) {
    if (index > start && !continuesSentence(flat, start, index)) {
      yield { start: block.start + start, end: block.start + index };
      start = index;
    }
    previousEnd = index + segment.length;
  }
  yield { start: block.start + start, end: block.start + previousEnd };
}

/** Whether the text from `start` to `at` ends with an abbreviation instead of a sentence. */
function continuesSentence(flat: string, start: number, at: number): boolean {
  const tail = flat.slice(Math.max(start, at - TAIL_LENGTH), at);
  if (ABBREVIATION.test(tail) || LIST_NUMBER.test(tail)) return true;
  return BEFORE_NUMBER.test(tail) && /\d/.test(flat.charAt(at));
}

/** Joins rules, fences and stray characters with the preceding sentence, or else with the following one. */
function* joinUnreadable(text: string, sentences: Iterable<Span>): Generator<Span> {
  let pending: Span | undefined;
  let readable = false;
  for (const sentence of sentences) {
    const hasText = READABLE.test(text.slice(sentence.start, sentence.end));
    if (pending && readable && hasText) {
      yield pending;
      pending = undefined;
    }
    pending = { start: pending?.start ?? sentence.start, end: sentence.end };
    readable ||= hasText;
  }
  if (pending) yield pending;
}
