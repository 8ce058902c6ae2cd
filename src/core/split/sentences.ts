/**
 * Sentences by Unicode segmentation (UAX #29), with what that leaves to others: lines that are merely
 * wrapped, lists and headings, and full stops that belong to abbreviations.
 */
import type { Span } from '../model.ts';
import { linesOf } from './lines.ts';
import { trimSpan, windows } from './spans.ts';
import { wordsOf } from './words.ts';

/** A line that begins something of its own: list item, heading, quote, table row, code fence. */
const BEGINS_BLOCK = /^\s*(?:[-*+•‣◦–]\s|\d{1,3}[.)]\s|[a-z]\)\s|#{1,6}\s|>|\||```|~~~)/;
/** A line that nothing after it continues: heading, table row, code fence, rule. */
const ENDS_BLOCK = /^\s*(?:#{1,6}\s|\||```|~~~|[-=*_]{3,}\s*$)/;

/** Full stops after these do not end a sentence: titles, initials, Latin shorthand, list numbers. */
const ABBREVIATION =
  /(?:^|[\s("'“‘[])(?:Mr|Mrs|Ms|Dr|Prof|St|Gen|Sen|Rep|Gov|Capt|Lt|Col|Sgt|Rev|Hon|vs|cf|e\.g|i\.e|ca|[A-HJ-Z])\.\s*$/;
/** Full stops after these do not end a sentence when a number follows. */
const BEFORE_NUMBER = /(?:^|[\s("'“‘[])(?:No|Nos|Fig|Figs|Eq|Vol|Sec|Ch|Art|pp|p)\.\s*$/;
const LIST_NUMBER = /^\s*\d{1,3}[.)]\s*$/;
/** Longest text before a full stop that the patterns above look at. */
const TAIL_LENGTH = 12;

/** Something a reader would read; rules and fences alone are not. */
const READABLE = /[\p{L}\p{N}]/u;

/** A "sentence" longer than this (in UTF-16 code units) is a table, a log or code, and is cut by words. */
const MAX_SENTENCE_LENGTH = 2000;
const WORDS_OF_LONG_SENTENCE = 200;

const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });

/** The sentences of a text in order. Together they hold every character that is not whitespace. */
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

/** Inside a block a line break is a space: lines of prose are often wrapped by hand. */
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

/** Whether the text from `start` up to `at` stops at an abbreviation and not at the end of a sentence. */
function continuesSentence(flat: string, start: number, at: number): boolean {
  const tail = flat.slice(Math.max(start, at - TAIL_LENGTH), at);
  if (ABBREVIATION.test(tail) || LIST_NUMBER.test(tail)) return true;
  return BEFORE_NUMBER.test(tail) && /\d/.test(flat.charAt(at));
}

/** A rule, a fence or a stray sign joins the sentence before it, or else the one after it. */
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
