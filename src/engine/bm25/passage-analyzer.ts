/**
 * Converts passages to numbered terms, fast. Returns exactly the terms of `analyze`, but scans the text once, creates
 * a string only for a new word, and stems each distinct word once.
 */
import type { Analyzer } from '../../core/text/analyzer.ts';
import { KnownWords } from './known-words.ts';
import { EMPTY_HASH, grown, hashUnit, type TermTable } from './term-table.ts';

/** Corpora with endless distinct words (identifiers, encoded data) must not fill the memory with them. */
const MAX_REMEMBERED_BYTES = 128 * 1024 * 1024;

export class PassageAnalyzer {
  readonly #analyzer: Analyzer;
  readonly #lexicon: TermTable;
  #words: KnownWords | undefined;
  /** The term to look up. */
  #term = new Uint16Array(64);

  constructor(analyzer: Analyzer, lexicon: TermTable) {
    this.#analyzer = analyzer;
    this.#lexicon = lexicon;
  }

  /**
   * Adds terms to the lexicon that it does not have yet.
   *
   * @returns the terms of a text: ids in the lexicon, in order, including repeats; a view that is valid until the
   *   next
   * @throws ParallaxError `native-missing` if the kernels were not built, `store-unusable` for lack of memory
   */
  analyze(text: string): Uint32Array {
    if (this.#words && this.#words.bytes > MAX_REMEMBERED_BYTES) this.#words = undefined;
    this.#words ??= new KnownWords(this.#analyzer);
    return this.#words.termsOf(text, this.#termOfWord);
  }

  readonly #termOfWord = (word: string): number | undefined => {
    const term = this.#analyzer.term(word);
    return term === undefined ? undefined : this.#lexiconId(term);
  };

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
