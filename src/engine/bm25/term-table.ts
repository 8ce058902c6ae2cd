/**
 * Distinct words, numbered in the order they came, without a JavaScript string per word: code units lie
 * end to end in one array, found through an open-addressing hash table.
 */

const FNV_OFFSET = 0x811c9dc5 | 0;
const FNV_PRIME = 0x01000193;

/** The hash of no code units; extend it with {@link hashUnit}. */
export const EMPTY_HASH = FNV_OFFSET;

/** FNV-1a over UTF-16 code units, one step. */
export function hashUnit(hash: number, unit: number): number {
  return Math.imul(hash ^ unit, FNV_PRIME);
}

export class TermTable {
  #size = 0;
  /** Pairs of (hash, id + 1); an id part of 0 is an empty cell. At most half full. */
  #cells = new Int32Array(2 * 4096);
  #units = new Uint16Array(1 << 15);
  /** Where the units of each id begin; one more entry than there are ids. */
  #starts = new Uint32Array(2048);

  get size(): number {
    return this.#size;
  }

  get bytes(): number {
    return this.#cells.byteLength + this.#units.byteLength + this.#starts.byteLength;
  }

  /** The id of the word in the first `length` units, or -1. `hash` is that of exactly these units. */
  find(units: Uint16Array, length: number, hash: number): number {
    return this.#cells[this.#cellFor(units, length, hash) + 1]! - 1;
  }

  /** Adds a word that {@link find} does not know, and gives its id. */
  add(units: Uint16Array, length: number, hash: number): number {
    const id = this.#size++;
    if (4 * this.#size > this.#cells.length) this.#rehash();
    const cell = this.#cellFor(units, length, hash);
    this.#cells[cell] = hash;
    this.#cells[cell + 1] = id + 1;
    const start = this.#starts[id]!;
    this.#reserve(start + length);
    for (let i = 0; i < length; i++) this.#units[start + i] = units[i]!;
    this.#starts[id + 1] = start + length;
    return id;
  }

  /** The word of an id below {@link size}. */
  text(id: number): string {
    const start = this.#starts[id]!;
    return Buffer.from(this.#units.buffer, 2 * start, 2 * (this.#starts[id + 1]! - start)).toString(
      'utf16le',
    );
  }

  /** The code units of an id, valid until the next {@link add}. */
  unitsOf(id: number): Uint16Array {
    return this.#units.subarray(this.#starts[id]!, this.#starts[id + 1]!);
  }

  /** The cell that holds the word, or the empty one where it belongs. */
  #cellFor(units: Uint16Array, length: number, hash: number): number {
    const cells = this.#cells;
    const mask = cells.length - 1;
    let cell = (mix(hash) << 1) & mask;
    for (;;) {
      const id = cells[cell + 1]! - 1;
      if (id < 0 || (cells[cell] === hash && this.#equals(id, units, length))) return cell;
      cell = (cell + 2) & mask;
    }
  }

  #equals(id: number, units: Uint16Array, length: number): boolean {
    const start = this.#starts[id]!;
    if (this.#starts[id + 1]! - start !== length) return false;
    const known = this.#units;
    for (let i = 0; i < length; i++) if (known[start + i] !== units[i]) return false;
    return true;
  }

  #rehash(): void {
    const old = this.#cells;
    const cells = new Int32Array(2 * old.length);
    const mask = cells.length - 1;
    for (let from = 0; from < old.length; from += 2) {
      if (old[from + 1] === 0) continue;
      let cell = (mix(old[from]!) << 1) & mask;
      while (cells[cell + 1] !== 0) cell = (cell + 2) & mask;
      cells[cell] = old[from]!;
      cells[cell + 1] = old[from + 1]!;
    }
    this.#cells = cells;
  }

  #reserve(units: number): void {
    if (units > this.#units.length) this.#units = grown(this.#units, units);
    if (this.#size >= this.#starts.length) this.#starts = grown(this.#starts, this.#size + 1);
  }
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
