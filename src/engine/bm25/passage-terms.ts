/** The terms of passages and queries, in the language of each passage if the analyzer is `auto`. */
import type { Analyzer } from '../../core/text/analyzer.ts';
import { languageOf, termIn, type LanguageName } from './other-languages.ts';

/** The terms of a passage in order, with repeats. */
export function passageTerms(analyzer: Analyzer, text: string): string[] {
  const words = analyzer.words(text);
  const language = languageBy(analyzer, words);
  const terms = words.flatMap((word) => termOf(analyzer, word, language) ?? []);
  return language === undefined ? terms : [...terms, markOf(language)];
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
