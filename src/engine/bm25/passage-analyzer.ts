/**
 * Terms of passages as numbers, fast. Gives exactly the terms of `analyze`, but scans the text once,
 * makes a string only for a word it has not met before, and stems each distinct word once.
 */
import type { Analyzer } from '../../core/text/analyzer.ts';
import { APOSTROPHE, COMPLEX, unitClasses } from '../../core/text/unit-classes.ts';
import { EMPTY_HASH, grown, hashUnit, textOf, WordMap, type TermTable } from './term-table.ts';

const APOSTROPHE_UNIT = 0x27;
/** In the place of a term's id: the word is a stop word. */
const NO_TERM = 2 ** 31 - 1;
/** Corpora with endless distinct words (identifiers, encoded data) must not fill the memory with them. */
const MAX_REMEMBERED_BYTES = 128 * 1024 * 1024;

export class PassageAnalyzer {
  /** The terms of the text analysed last: ids in the lexicon, in order, repeats included. */
  terms = new Uint32Array(1024);
  /** How many of {@link terms} are filled. */
  length = 0;

  readonly #analyzer: Analyzer;
  readonly #lexicon: TermTable;
  readonly #classes: Int32Array;
  /** Whether two separators in a row have an empty word between them. */
  readonly #hasEmptyWords: boolean;
  /** Every word met so far → the lexicon's id of its term, or {@link NO_TERM}. */
  #termOfWord = new WordMap();
  /** The word being read. */
  #word = new Uint16Array(1024);
  /** The term being looked up. */
  #term = new Uint16Array(64);

  constructor(analyzer: Analyzer, lexicon: TermTable) {
    this.#analyzer = analyzer;
    this.#lexicon = lexicon;
    this.#classes = unitClasses(analyzer.name);
    this.#hasEmptyWords = analyzer.name === 'whitespace';
  }

  /** Fills {@link terms}, adding terms to the lexicon that it does not have yet. */
  analyze(text: string): void {
    if (this.#termOfWord.bytes > MAX_REMEMBERED_BYTES) this.#termOfWord = new WordMap();
    this.#reserve(text.length, text.length + 1);
    this.length = 0;
    if (this.#scan(text)) return;
    const words = this.#analyzer.words(text);
    this.#reserve(0, words.length);
    this.length = 0;
    for (const word of words) this.#addWord(word);
  }

  /** @returns whether every character could be read by itself; if not, {@link terms} are of no use. */
  #scan(text: string): boolean {
    const classes = this.#classes;
    const word = this.#word;
    let length = 0;
    let hash = EMPTY_HASH;
    for (let i = 0; i < text.length; i++) {
      const unit = classes[text.charCodeAt(i)]!;
      if (unit >= 0) {
        word[length++] = unit;
        hash = hashUnit(hash, unit);
      } else if (unit === APOSTROPHE && length > 0 && classes[text.charCodeAt(i + 1)]! >= 0) {
        word[length++] = APOSTROPHE_UNIT;
        hash = hashUnit(hash, APOSTROPHE_UNIT);
      } else if (unit === COMPLEX) {
        return false;
      } else {
        if (length > 0 || this.#hasEmptyWords) this.#endWord(length, hash);
        length = 0;
        hash = EMPTY_HASH;
      }
    }
    if (length > 0 || this.#hasEmptyWords) this.#endWord(length, hash);
    return true;
  }

  #addWord(text: string): void {
    this.#reserve(text.length, 0); // a character may fold to several
    this.#endWord(text.length, copyUnits(text, this.#word));
  }

  #endWord(length: number, hash: number): void {
    let term = this.#termOfWord.find(this.#word, length, hash);
    if (term < 0) term = this.#meetWord(length, hash);
    if (term !== NO_TERM) this.terms[this.length++] = term;
  }

  #meetWord(length: number, hash: number): number {
    const text = this.#analyzer.term(textOf(this.#word.subarray(0, length)));
    const term = text === undefined ? NO_TERM : this.#lexiconId(text);
    this.#termOfWord.add(this.#word, length, hash, term);
    return term;
  }

  #reserve(wordLength: number, terms: number): void {
    if (wordLength > this.#word.length) this.#word = grown(this.#word, wordLength);
    if (terms > this.terms.length) this.terms = grown(this.terms, terms);
  }

  #lexiconId(term: string): number {
    if (term.length > this.#term.length) this.#term = grown(this.#term, term.length);
    const hash = copyUnits(term, this.#term);
    const known = this.#lexicon.find(this.#term, term.length, hash);
    return known >= 0 ? known : this.#lexicon.add(this.#term, term.length, hash);
  }
}

/** The id of a term, or -1 where the lexicon does not have it. */
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
