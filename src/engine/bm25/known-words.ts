/**
 * The words of texts and their terms, found by kernels (src/engine/kernels/assembly/words.ts). A JavaScript string is
 * created only for a new word.
 */
import { hasOperators, type Analyzer } from '../../core/text/analyzer.ts';
import { unitClasses } from '../../core/text/unit-classes.ts';
import { KernelMemory, PAGE_BYTES } from '../kernels/kernel-memory.ts';

/** Instead of a term: the word is a stop word. */
const NO_TERM = 2 ** 31 - 1;
/** Separates words for every analyzer. */
const SPACE = ' ';

/** Sizes of the kernels' data, in bytes. */
const UNIT_BYTES = Uint16Array.BYTES_PER_ELEMENT;
const PLACE_BYTES = Uint32Array.BYTES_PER_ELEMENT;
const TERM_BYTES = Uint32Array.BYTES_PER_ELEMENT;
const WORD_BYTES = 12;
const KNOWN_WORD_BYTES = 12;
/** How far kernels read beyond the end of a word. They ignore those bytes. */
const MARGIN_BYTES = 8;

const CLASSES = PAGE_BYTES;
const CLASSES_BYTES = 65_536 * Int32Array.BYTES_PER_ELEMENT;
const FIRST_PLACES = 4_096;
const FIRST_UNITS = 4_096;
const MAXIMUM_BYTES = 2 ** 32;

/** Addresses for texts of up to `capacity` units. */
interface Room {
  readonly capacity: number;
  readonly units: number;
  readonly words: number;
  readonly terms: number;
}

/** Words found so far, each with its term. Memory is allocated piece by piece, and freed all at once. */
export class KnownWords {
  readonly #memory = new KernelMemory(CLASSES + CLASSES_BYTES, MAXIMUM_BYTES);
  readonly #analyzer: Analyzer;
  /** Whether two separators in a row have an empty word between them. */
  readonly #emptyWords: boolean;
  /** Address of the next piece, in memory that was never written to. */
  #end = CLASSES + CLASSES_BYTES;
  #count = 0;
  #places = FIRST_PLACES;
  /** An open-addressing table of the addresses of known words, at most half full. */
  #table: number;
  #room: Room;

  /** @throws ParallaxError `native-missing` if the kernels were not built */
  constructor(analyzer: Analyzer) {
    this.#analyzer = analyzer;
    this.#emptyWords = analyzer.name === 'whitespace';
    this.#memory.writeArray(CLASSES, unitClasses(analyzer.name));
    this.#table = this.#take(FIRST_PLACES * PLACE_BYTES);
    this.#room = this.#roomFor(FIRST_UNITS);
  }

  get bytes(): number {
    return this.#end;
  }

  /**
   * The terms of a text in order, including repeats: a view that is valid until the next text.
   *
   * @param meet returns the term of a new word, or undefined for a stop word
   * @throws ParallaxError `store-unusable` if the machine has no memory left for the text, about 18 bytes per
   *   character
   */
  termsOf(text: string, meet: (word: string) => number | undefined): Uint32Array {
    const count = this.#split(text) ?? this.#takeWords(this.#analyzer.words(text));
    const { words, terms } = this.#room;
    const { kernels } = this.#memory;
    for (let index = 0; ; index++) {
      const at = words + index * WORD_BYTES;
      index += kernels.findTerms(at, count - index, this.#table, this.#places, terms + index * TERM_BYTES);
      if (index === count) break;
      const term = this.#meet(words + index * WORD_BYTES, meet);
      this.#memory.integers(terms + index * TERM_BYTES, 1)[0] = term;
    }
    return this.#memory.integers(terms, kernels.dropStopWords(terms, count));
  }

  /** @returns the number of words, or undefined if a character depends on its neighbours */
  #split(text: string): number | undefined {
    if (hasOperators(text)) return undefined;
    this.#reserve(text.length);
    const { units, words } = this.#room;
    this.#memory.writeText(units, text);
    this.#memory.writeText(units + text.length * UNIT_BYTES, SPACE);
    const count = this.#memory.kernels.splitWords(units, text.length, CLASSES, this.#emptyWords, words);
    return count < 0 ? undefined : count;
  }

  /** Stores words that the analyzer has split: a folded text may be longer than the original. */
  #takeWords(list: readonly string[]): number {
    this.#reserve(list.reduce((sum, word) => sum + word.length, list.length));
    let { units, words } = this.#room;
    for (const word of list) {
      this.#memory.writeText(units, word);
      this.#memory.kernels.takeWord(units, word.length, words);
      units += word.length * UNIT_BYTES;
      words += WORD_BYTES;
    }
    return list.length;
  }

  /** Adds a new word, and returns its term. */
  #meet(word: number, meet: (word: string) => number | undefined): number {
    const [start = 0, length = 0] = this.#memory.integers(word, 2);
    const text = this.#memory.text(start, length);
    const term = meet(text) ?? NO_TERM;
    const known = this.#take(KNOWN_WORD_BYTES + length * UNIT_BYTES);
    this.#memory.kernels.addWord(word, term, known, this.#table, this.#places);
    if (2 * ++this.#count > this.#places) this.#growTable();
    return term;
  }

  #growTable(): void {
    const places = 2 * this.#places;
    const table = this.#take(places * PLACE_BYTES);
    this.#memory.kernels.moveWords(this.#table, this.#places, table, places);
    [this.#table, this.#places] = [table, places];
  }

  /** At least doubles the capacity, so that growing stays linear overall. */
  #reserve(length: number): void {
    const { capacity } = this.#room;
    if (length > capacity) this.#room = this.#roomFor(Math.max(length, 2 * capacity));
  }

  #roomFor(capacity: number): Room {
    return {
      capacity,
      units: this.#take((capacity + 1) * UNIT_BYTES),
      words: this.#take((capacity + 1) * WORD_BYTES),
      terms: this.#take((capacity + 1) * TERM_BYTES),
    };
  }

  #take(bytes: number): number {
    const address = this.#end;
    const end = address + Math.ceil(bytes / 4) * 4;
    this.#memory.reserve(end + MARGIN_BYTES);
    this.#end = end;
    return address;
  }
}
