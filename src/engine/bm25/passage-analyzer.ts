/**
 * Terms of passages as numbers, fast. Gives exactly the terms of `analyze`, but scans the text once,
 * makes a string only for a word it has not met before, and stems each distinct word once.
 */
import type { Analyzer } from '../../core/text/analyzer.ts';
import { APOSTROPHE, COMPLEX, SEPARATOR, unitClasses } from '../../core/text/unit-classes.ts';
import { EMPTY_HASH, grown, hashUnit, TermTable } from './term-table.ts';

const APOSTROPHE_UNIT = 0x27;
const NO_TERM = -1;
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
  #words = new TermTable();
  /** Id of a word → id of its term in the lexicon, or {@link NO_TERM}. */
  #termOfWord = new Int32Array(4096);
  /** The word being read. */
  #word = new Uint16Array(1024);

  constructor(analyzer: Analyzer, lexicon: TermTable) {
    this.#analyzer = analyzer;
    this.#lexicon = lexicon;
    this.#classes = unitClasses(analyzer.name);
    this.#hasEmptyWords = analyzer.name === 'whitespace';
  }

  /** Fills {@link terms}, adding terms to the lexicon that it does not have yet. */
  analyze(text: string): void {
    this.length = 0;
    if (text.length > this.#word.length) this.#word = grown(this.#word, text.length);
    if (this.#words.bytes > MAX_REMEMBERED_BYTES) this.#words = new TermTable();
    if (this.#scan(text)) return;
    this.length = 0;
    for (const word of this.#analyzer.words(text)) this.#addWord(word);
  }

  /** @returns whether every character could be read by itself; if not, {@link terms} are of no use. */
  #scan(text: string): boolean {
    const classes = this.#classes;
    const word = this.#word;
    let length = 0;
    let hash = EMPTY_HASH;
    for (let i = 0; i < text.length; i++) {
      let unit = classes[text.charCodeAt(i)]!;
      if (unit === APOSTROPHE) {
        const joins = length > 0 && i + 1 < text.length && classes[text.charCodeAt(i + 1)]! >= 0;
        unit = joins ? APOSTROPHE_UNIT : SEPARATOR;
      }
      if (unit >= 0) {
        word[length++] = unit;
        hash = hashUnit(hash, unit);
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
    // One character may fold to several.
    if (text.length > this.#word.length) this.#word = grown(this.#word, text.length);
    this.#endWord(text.length, copyUnits(text, this.#word));
  }

  #endWord(length: number, hash: number): void {
    let id = this.#words.find(this.#word, length, hash);
    if (id < 0) id = this.#meetWord(length, hash);
    const term = this.#termOfWord[id]!;
    if (term === NO_TERM) return;
    if (this.length === this.terms.length) this.terms = grown(this.terms, 2 * this.length);
    this.terms[this.length++] = term;
  }

  #meetWord(length: number, hash: number): number {
    const id = this.#words.add(this.#word, length, hash);
    if (id === this.#termOfWord.length) this.#termOfWord = grown(this.#termOfWord, 2 * id);
    const term = this.#analyzer.term(this.#words.text(id));
    this.#termOfWord[id] = term === undefined ? NO_TERM : this.#lexiconId(term);
    return id;
  }

  #lexiconId(term: string): number {
    const units = new Uint16Array(term.length);
    const hash = copyUnits(term, units);
    const known = this.#lexicon.find(units, units.length, hash);
    return known >= 0 ? known : this.#lexicon.add(units, units.length, hash);
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
