/** Analyzers: convert text to the terms that BM25 counts. Passages and queries use the same analyzer. */
import { withPartsOfNames } from './identifiers.ts';
import { porterStem } from './porter.ts';
import { ENGLISH_STOP_WORDS } from './stop-words.ts';
import { fold, words } from './words.ts';

export const ANALYZER_NAMES = ['auto', 'english', 'simple', 'whitespace'] as const;
export type AnalyzerName = (typeof ANALYZER_NAMES)[number];

/** Increment if an analyzer returns other terms for a text, so that stored indexes are rebuilt. */
export const ANALYSIS_VERSION = 3;

export interface Analyzer {
  readonly name: AnalyzerName;
  /** The words of a text in order, with repeats. */
  words(text: string): string[];
  /** The term of a word, or `undefined` for a stop word. */
  term(word: string): string | undefined;
}

/** Names such as "C++", "C#" and "i++" cannot be found without these. */
const OPERATOR = /(?<!\+)(\+\+)(?!\+)|(?<=[\p{L}\p{N}])(#)(?![\p{L}\p{N}#])/u;

/** Whether a text has operators, which are words for analyzers that split at punctuation. */
function hasOperators(text: string): boolean {
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
  auto: { name: 'auto', words: (text) => wordsAndOperators(withPartsOfNames(text)), term: englishTerm },
  english: { name: 'english', words: wordsAndOperators, term: englishTerm },
  simple: { name: 'simple', words: wordsAndOperators, term: (word) => word },
  whitespace: { name: 'whitespace', words: (text) => text.split(' '), term: (word) => word },
};

/**
 * - `auto`: as `english`, with the parts of names in code. An index stems passages in other languages by these
 *   (`src/engine/bm25/passage-terms.ts`); here all text is English.
 * - `english`: folded words (see {@link words}) and the operators `++` and `#` (C++, C#), without possessive 's and
 *   Lucene's stop words, as Porter stems. The order of steps is Lucene's English analysis, and thus Pyserini's.
 * - `simple`: folded words and the same operators.
 * - `whitespace`: the result of Python's `text.split(" ")`, as in rank_bm25 examples. Case and punctuation stay, line
 *   breaks do not separate, and two consecutive spaces have an empty word between them, which counts. Even the empty
 *   text is one empty word.
 */
export function analyzer(name: AnalyzerName): Analyzer {
  return ANALYZERS[name];
}

/** The terms of a text in order, with repeats. */
export function analyze(text: string, name: AnalyzerName): string[] {
  const { words: split, term } = ANALYZERS[name];
  return split(text)
    .map(term)
    .filter((token) => token !== undefined);
}

function englishTerm(word: string): string | undefined {
  return isEnglishStopWord(word) ? undefined : porterStem(withoutPossessive(word));
}

export function isEnglishStopWord(word: string): boolean {
  return ENGLISH_STOP_WORDS.has(withoutPossessive(word));
}

function withoutPossessive(word: string): string {
  return word.endsWith("'s") ? word.slice(0, -2) : word;
}
