/** Converts passages to numbered terms. Stems each distinct word once. */
import type { Analyzer } from '../../core/text/analyzer.ts';
import type { LanguageName } from './other-languages.ts';
import { languageBy, markOf, termOf } from './passage-terms.ts';
import { EMPTY_HASH, grown, hashUnit, type TermTable } from './term-table.ts';

/** Corpora with endless distinct words (identifiers, encoded data) must not fill the memory with them. */
const MAX_REMEMBERED = 500_000;
/** V8 keeps the whole text of a longer word in memory, as the word is a slice of it. */
const LONGEST_REMEMBERED = 12;

export class PassageAnalyzer {
  readonly #analyzer: Analyzer;
  readonly #lexicon: TermTable;
  /** Word → its term, `undefined` for a stop word; by language, `undefined` for the analyzer's own. */
  readonly #terms = new Map<LanguageName | undefined, Map<string, number | undefined>>();
  /** The term to look up. */
  #term = new Uint16Array(64);

  constructor(analyzer: Analyzer, lexicon: TermTable) {
    this.#analyzer = analyzer;
    this.#lexicon = lexicon;
  }

  /**
   * Adds terms to the lexicon that it does not have yet.
   *
   * @returns the terms of a text: ids in the lexicon, in order, including repeats. The same as `passageTerms`
   */
  analyze(text: string): number[] {
    const terms: number[] = [];
    const words = this.#analyzer.words(text);
    const language = languageBy(this.#analyzer, words);
    const remembered = this.#remembered(language);
    for (const word of words) {
      const term = this.#termOf(word, language, remembered);
      if (term !== undefined) terms.push(term);
    }
    if (language !== undefined) terms.push(this.#lexiconId(markOf(language)));
    return terms;
  }

  #remembered(language: LanguageName | undefined): Map<string, number | undefined> {
    const remembered = this.#terms.get(language) ?? new Map<string, number | undefined>();
    this.#terms.set(language, remembered);
    if (remembered.size >= MAX_REMEMBERED) remembered.clear();
    return remembered;
  }

  #termOf(
    word: string,
    language: LanguageName | undefined,
    remembered: Map<string, number | undefined>,
  ): number | undefined {
    if (word.length > LONGEST_REMEMBERED) return this.#newTermOf(word, language);
    const known = remembered.get(word);
    if (known !== undefined || remembered.has(word)) return known;
    const term = this.#newTermOf(word, language);
    remembered.set(word, term);
    return term;
  }

  #newTermOf(word: string, language: LanguageName | undefined): number | undefined {
    const term = termOf(this.#analyzer, word, language);
    return term === undefined ? undefined : this.#lexiconId(term);
  }

  #lexiconId(term: string): number {
    if (term.length > this.#term.length) this.#term = grown(this.#term, term.length);
    const hash = copyUnits(term, this.#term);
    const known = this.#lexicon.find(this.#term, term.length, hash);
    return known >= 0 ? known : this.#lexicon.add(this.#term, term.length, hash);
  }
}

/** The id of a term, or -1 if the lexicon does not have it. */
export function findTerm(lexicon: TermTable, term: string): number {
  const units = new Uint16Array(term.length);
  return lexicon.find(units, units.length, copyUnits(term, units));
}

/** Writes the code units of `text` into `target` and returns their hash. */
function copyUnits(text: string, target: Uint16Array): number {
  let hash = EMPTY_HASH;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    target[i] = unit;
    hash = hashUnit(hash, unit);
  }
  return hash;
}
