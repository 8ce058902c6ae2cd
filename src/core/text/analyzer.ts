/**
 * Analyzers: from text to the terms that BM25 counts. Passages and queries go through the same one.
 */
import { porterStem } from './porter.ts';
import { ENGLISH_STOP_WORDS } from './stop-words.ts';
import { fold, words } from './words.ts';

export const ANALYZER_NAMES = ['english', 'simple', 'whitespace'] as const;
export type AnalyzerName = (typeof ANALYZER_NAMES)[number];

/** Raise when an analyzer gives other terms for the same text: stored indexes are then built anew. */
export const ANALYSIS_VERSION = 2;

export interface Analyzer {
  readonly name: AnalyzerName;
  /** The words of a text in order, repeats included. */
  words(text: string): string[];
  /** The term a word stands for, or nothing for a stop word. */
  term(word: string): string | undefined;
}

/** Of "C++", "C#" and "i++" nothing else would be left to find them by. */
const OPERATOR = /(?<!\+)(\+\+)(?!\+)|(?<=[\p{L}\p{N}])(#)(?![\p{L}\p{N}#])/u;

/** Whether a text has operators, which are words for analyzers that take punctuation for separators. */
export function hasOperators(text: string): boolean {
  return (text.includes('++') || text.includes('#')) && OPERATOR.test(text);
}

function wordsAndOperators(text: string): string[] {
  if (!hasOperators(text)) return words(fold(text));
  return text
    .split(OPERATOR)
    .flatMap((part) =>
      part === undefined ? [] : part === '++' || part === '#' ? [part] : words(fold(part)),
    );
}

const ANALYZERS: { readonly [name in AnalyzerName]: Analyzer } = {
  english: { name: 'english', words: wordsAndOperators, term: englishTerm },
  simple: { name: 'simple', words: wordsAndOperators, term: (word) => word },
  whitespace: { name: 'whitespace', words: (text) => text.split(' '), term: (word) => word },
};

/**
 * - `english`: folded words (see {@link words}) and the operators `++` and `#` (C++, C#), possessive 's removed, Lucene's stop words removed,
 *   Porter stems. The order is that of Lucene's English analysis, hence of Pyserini.
 * - `simple`: folded words and the same operators.
 * - `whitespace`: what Python's `text.split(" ")` gives, as in the examples of rank_bm25: case and
 *   punctuation stay, line breaks do not separate, and two spaces in a row have an empty word between
 *   them, which counts like any other. Even the empty text consists of one empty word.
 */
export function analyzer(name: AnalyzerName): Analyzer {
  return ANALYZERS[name];
}

/** The terms of a text in order, repeats included. */
export function analyze(text: string, name: AnalyzerName): string[] {
  const { words: split, term } = ANALYZERS[name];
  return split(text)
    .map(term)
    .filter((found) => found !== undefined);
}

function englishTerm(word: string): string | undefined {
  const bare = word.endsWith("'s") ? word.slice(0, -2) : word;
  return ENGLISH_STOP_WORDS.has(bare) ? undefined : porterStem(bare);
}
