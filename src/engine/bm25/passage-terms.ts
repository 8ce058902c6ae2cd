/**
 * The terms of passages and queries. With the analyzer `auto` they are in the language of each passage, and include
 * those of its headings.
 */
import type { Analyzer } from '../../core/text/analyzer.ts';
import { languageOf, termIn, type LanguageName } from './other-languages.ts';

/** How often each word of the headings counts (`npm run bench -- headings`). */
const HEADING_WEIGHT = 2;

export interface IndexedText {
  readonly text: string;
  /** By `headingsAbove`; `undefined` without any. */
  readonly headings?: string | undefined;
}

/** The terms of a passage, those of its headings last, with repeats. */
export function passageTerms(analyzer: Analyzer, { text, headings = '' }: IndexedText): string[] {
  const words = analyzer.words(text);
  const language = languageBy(analyzer, words);
  const terms = [...words, ...headingWords(analyzer, headings)].flatMap(
    (word) => termOf(analyzer, word, language) ?? [],
  );
  return language === undefined ? terms : [...terms, markOf(language)];
}

/** The words that headings add to a passage. */
export function headingWords(analyzer: Analyzer, headings: string): string[] {
  if (analyzer.name !== 'auto' || headings === '') return [];
  const words = analyzer.words(headings);
  return Array.from({ length: HEADING_WEIGHT }, () => words).flat();
}

/** The language that an analyzer takes a passage for; `undefined` for its own. */
export function languageBy({ name }: Analyzer, words: readonly string[]): LanguageName | undefined {
  return name === 'auto' ? languageOf(words) : undefined;
}

/** @param language `undefined` for the analyzer's own */
export function termOf(
  analyzer: Analyzer,
  word: string,
  language: LanguageName | undefined,
): string | undefined {
  return language === undefined ? analyzer.term(word) : termIn(language, word);
}

/** A term that counts the passages in a language. No word contains its first character. */
export function markOf(language: LanguageName): string {
  return `\0${language}`;
}
