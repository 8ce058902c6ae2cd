/**
 * Distinct words without a JavaScript string for each: their code units lie end to end in one array and
 * are found through an open-addressing hash table.
 */

const FNV_OFFSET = 0x811c9dc5 | 0;
const FNV_PRIME = 0x01000193;

/** The hash of no code units; extend it with {@link hashUnit}. */
export const EMPTY_HASH = FNV_OFFSET;

/** FNV-1a over UTF-16 code units, one step. */
export function hashUnit(hash: number, unit: number): number {
  return Math.imul(hash ^ unit, FNV_PRIME);
}

/** Cells of four numbers side by side, so that a look-up touches one cache line besides the word itself. */
const CELL_BITS = 2;
const CELL = 1 << CELL_BITS;
const [HASH, START, LENGTH, VALUE_PLUS_1] = [0, 1, 2, 3] as const;
const EMPTY = 0;

/** A map from words to numbers from 0 to 2^31 − 2. */
export class WordMap {
  #size = 0;
  /** Open addressing, at most half full; a cell whose last number is {@link EMPTY} is free. */
  #cells = new Int32Array(CELL * 4096);
  #units = new Uint16Array(1 << 15);
  #usedUnits = 0;

  get bytes(): number {
    return this.#cells.byteLength + this.#units.byteLength;
  }

  /** The number of the word in the first `length` units, or -1. `hash` is that of exactly these units. */
  find(units: Uint16Array, length: number, hash: number): number {
    const cells = this.#cells;
    const known = this.#units;
    const mask = cells.length - 1;
    let cell = firstCell(hash, mask);
    while (cells[cell + VALUE_PLUS_1] !== EMPTY) {
      if (cells[cell + HASH] === hash && cells[cell + LENGTH] === length) {
        const start = cells[cell + START]!;
        let same = 0;
        while (same < length && known[start + same] === units[same]) same++;
        if (same === length) return cells[cell + VALUE_PLUS_1]! - 1;
      }
      cell = (cell + CELL) & mask;
    }
    return -1;
  }

  /**
   * Adds a word that {@link find} does not know.
   *
   * @returns where its units lie, see {@link unitsAt}
   */
  add(units: Uint16Array, length: number, hash: number, value: number): number {
    const start = this.#usedUnits;
    this.#usedUnits += length;
    this.#size++;
    if (2 * CELL * this.#size > this.#cells.length) this.#cells = rehashed(this.#cells);
    if (this.#usedUnits > this.#units.length) this.#units = grown(this.#units, this.#usedUnits);
    for (let i = 0; i < length; i++) this.#units[start + i] = units[i]!;
    insert(this.#cells, hash, start, length, value);
    return start;
  }

  /** A view of the units of all words, one after the other; valid until the next {@link add}. */
  unitsAt(start: number, end: number): Uint16Array {
    return this.#units.subarray(start, end);
  }
}

/** Words numbered in the order in which they came. */
export class TermTable {
  #size = 0;
  readonly #ids = new WordMap();
  /** `[size + 1]` at least: where the units of each id begin. */
  #starts = new Uint32Array(2048);

  get size(): number {
    return this.#size;
  }

  get bytes(): number {
    return this.#ids.bytes + this.#starts.byteLength;
  }

  /** The id of the word in the first `length` units, or -1. `hash` is that of exactly these units. */
  find(units: Uint16Array, length: number, hash: number): number {
    return this.#ids.find(units, length, hash);
  }

  /** Adds a word that {@link find} does not know, and gives its id. */
  add(units: Uint16Array, length: number, hash: number): number {
    const id = this.#size++;
    if (this.#size === this.#starts.length) this.#starts = grown(this.#starts, this.#size + 1);
    this.#starts[this.#size] = this.#ids.add(units, length, hash, id) + length;
    return id;
  }

  /** The word of an id below {@link size}. */
  text(id: number): string {
    return textOf(this.units(id));
  }

  /** The code units of the word; a view that is valid until the next {@link add}. */
  units(id: number): Uint16Array {
    return this.#ids.unitsAt(this.#starts[id]!, this.#starts[id + 1]!);
  }
}

/** Above this length, spreading the units over arguments is slower than a copy. */
const SHORT_WORD = 64;

/** Units as a string, also where they are no valid UTF-16. */
export function textOf(units: Uint16Array): string {
  if (units.length <= SHORT_WORD) return String.fromCharCode(...units);
  return Buffer.from(units.buffer, units.byteOffset, units.byteLength).toString('utf16le');
}

function firstCell(hash: number, mask: number): number {
  return (mix(hash) << CELL_BITS) & mask;
}

function insert(cells: Int32Array, hash: number, start: number, length: number, value: number): void {
  const mask = cells.length - 1;
  let cell = firstCell(hash, mask);
  while (cells[cell + VALUE_PLUS_1] !== EMPTY) cell = (cell + CELL) & mask;
  cells[cell + HASH] = hash;
  cells[cell + START] = start;
  cells[cell + LENGTH] = length;
  cells[cell + VALUE_PLUS_1] = value + 1;
}

function rehashed(cells: Int32Array): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(2 * cells.length);
  for (let cell = 0; cell < cells.length; cell += CELL) {
    const value = cells[cell + VALUE_PLUS_1]! - 1;
    if (value >= 0) insert(larger, cells[cell + HASH]!, cells[cell + START]!, cells[cell + LENGTH]!, value);
  }
  return larger;
}

/** Spreads FNV's weak low bits (the finaliser of MurmurHash3, halved). */
function mix(hash: number): number {
  const mixed = Math.imul(hash ^ (hash >>> 15), 0x85ebca6b);
  return mixed ^ (mixed >>> 13);
}

/** A copy with room for at least `length` elements, doubling so that growing stays linear overall. */
export function grown<T extends Uint16Array | Uint32Array | Int32Array>(array: T, length: number): T {
  const larger = new (array.constructor as new (length: number) => T)(Math.max(length, 2 * array.length));
  larger.set(array);
  return larger;
}
