/**
 * Distinct words without a JavaScript string for each: their code units are stored consecutively in one array and
 * found through an open-addressing hash table.
 */

const FNV_OFFSET = 0x811c9dc5 | 0;
const FNV_PRIME = 0x01000193;

/** The hash of zero code units. Extend it with {@link hashUnit}. */
export const EMPTY_HASH = FNV_OFFSET;

/** FNV-1a over UTF-16 code units, one step. */
export function hashUnit(hash: number, unit: number): number {
  return Math.imul(hash ^ unit, FNV_PRIME);
}

/** Words with consecutive units. */
export interface Words {
  readonly count: number;
  readonly units: Uint16Array;
  /** `[count]`: where the units of each word end. */
  readonly ends: Uint32Array;
  /** `[count]`: hashes of exactly these units, see {@link hashUnit}. */
  readonly hashes: Int32Array;
}

/** A word is a record in one arena: hash, value, number of units, then the units, two per element. */
const [HASH, VALUE, LENGTH, UNITS] = [0, 1, 2, 3] as const;
const NO_RECORD = 0;

/** A map from words to numbers from 0 to 2^31 − 1. Frequent words are added early, so they are close together. */
class WordMap {
  #size = 0;
  /** Open addressing: where in the arena a record begins, or {@link NO_RECORD}. */
  #table = new Int32Array(4096);
  #arena = new Int32Array(1 << 14);
  /** The same memory, for reading units. */
  #units = new Uint16Array(this.#arena.buffer);
  /** Where the next record goes. 0 is reserved for {@link NO_RECORD}. */
  #end = 1;

  get bytes(): number {
    return this.#table.byteLength + this.#arena.byteLength;
  }

  /** The number of the word in the first `length` units, or -1. `hash` covers exactly these units. */
  find(word: Uint16Array, length: number, hash: number): number {
    const table = this.#table;
    const arena = this.#arena;
    const mask = table.length - 1;
    let cell = mix(hash) & mask;
    for (let record = table[cell]!; record !== NO_RECORD; record = table[cell]!) {
      if (arena[record + HASH] === hash && this.#isWord(record, word, 0, length))
        return arena[record + VALUE]!;
      cell = (cell + 1) & mask;
    }
    return -1;
  }

  /**
   * The numbers of several words, or -1. Each may be far away in memory, and the processor fetches many at once here,
   * since no lookup waits for the one before.
   *
   * @param values `[count]`, written
   */
  findAll({ count, units, ends, hashes }: Words, values: Int32Array): void {
    const table = this.#table;
    const arena = this.#arena;
    const mask = table.length - 1;
    for (let i = 0; i < count; i++) values[i] = table[mix(hashes[i]!) & mask]!;
    for (let i = 0; i < count; i++) {
      const hash = hashes[i]!;
      let record = values[i]!;
      for (let cell = mix(hash); record !== NO_RECORD && arena[record + HASH] !== hash;)
        record = table[++cell & mask]!;
      values[i] = record;
    }
    for (let i = 0, start = 0; i < count; start = ends[i++]!) {
      const record = values[i]!;
      const length = ends[i]! - start;
      if (record === NO_RECORD) values[i] = -1;
      else if (this.#isWord(record, units, start, length)) values[i] = arena[record + VALUE]!;
      // Another word with the same hash comes first.
      else values[i] = this.find(units.subarray(start, ends[i]!), length, hashes[i]!);
    }
  }

  /**
   * Adds a word that {@link find} does not find.
   *
   * @returns its record, see {@link unitsOf}
   */
  add(word: Uint16Array, length: number, hash: number, value: number): number {
    const record = this.#end;
    this.#end = record + UNITS + Math.ceil(length / 2);
    if (this.#end > this.#arena.length) this.#growArena();
    this.#arena[record + HASH] = hash;
    this.#arena[record + VALUE] = value;
    this.#arena[record + LENGTH] = length;
    const start = 2 * (record + UNITS);
    for (let i = 0; i < length; i++) this.#units[start + i] = word[i]!;
    insert(this.#table, hash, record);
    if (2 * ++this.#size > this.#table.length) this.#growTable();
    return record;
  }

  /** The code units of a word. Words do not change, so this view stays valid. */
  unitsOf(record: number): Uint16Array {
    const start = 2 * (record + UNITS);
    return this.#units.subarray(start, start + this.#arena[record + LENGTH]!);
  }

  /** Whether a record belongs to the word whose units begin at `start`. */
  #isWord(record: number, word: Uint16Array, start: number, length: number): boolean {
    if (this.#arena[record + LENGTH] !== length) return false;
    const recordStart = 2 * (record + UNITS);
    const units = this.#units;
    let same = 0;
    while (same < length && units[recordStart + same] === word[start + same]) same++;
    return same === length;
  }

  #growArena(): void {
    this.#arena = grown(this.#arena, this.#end);
    this.#units = new Uint16Array(this.#arena.buffer);
  }

  #growTable(): void {
    this.#table = new Int32Array(2 * this.#table.length);
    for (let record = 1; record < this.#end; record += UNITS + Math.ceil(this.#arena[record + LENGTH]! / 2))
      insert(this.#table, this.#arena[record + HASH]!, record);
  }
}

function insert(table: Int32Array, hash: number, record: number): void {
  const mask = table.length - 1;
  let cell = mix(hash) & mask;
  while (table[cell] !== NO_RECORD) cell = (cell + 1) & mask;
  table[cell] = record;
}

/** Words numbered in the order of adding. */
export class TermTable {
  #size = 0;
  readonly #ids = new WordMap();
  /** Id → record. */
  #records = new Uint32Array(2048);

  get size(): number {
    return this.#size;
  }

  get bytes(): number {
    return this.#ids.bytes + this.#records.byteLength;
  }

  /** The id of the word in the first `length` units, or -1. `hash` covers exactly these units. */
  find(word: Uint16Array, length: number, hash: number): number {
    return this.#ids.find(word, length, hash);
  }

  /**
   * The ids of several distinct words. Adds new ones.
   *
   * @param ids `[count]`, written
   */
  idsOf(words: Words, ids: Int32Array): void {
    this.#ids.findAll(words, ids);
    const { count, units, ends, hashes } = words;
    for (let i = 0, start = 0; i < count; start = ends[i++]!)
      if (ids[i] === -1) ids[i] = this.add(units.subarray(start, ends[i]!), ends[i]! - start, hashes[i]!);
  }

  /** Adds a word that {@link find} does not find, and returns its id. */
  add(word: Uint16Array, length: number, hash: number): number {
    const id = this.#size++;
    if (id === this.#records.length) this.#records = grown(this.#records, id + 1);
    this.#records[id] = this.#ids.add(word, length, hash, id);
    return id;
  }

  /** The code units of the word with an id below {@link size}. */
  units(id: number): Uint16Array {
    return this.#ids.unitsOf(this.#records[id]!);
  }
}

/** Spreads FNV's weak low bits (the finaliser of MurmurHash3, halved). */
function mix(hash: number): number {
  const mixed = Math.imul(hash ^ (hash >>> 15), 0x85ebca6b);
  return mixed ^ (mixed >>> 13);
}

/** A copy with room for at least `length` elements. Doubles, so that growing stays linear overall. */
export function grown<T extends Uint16Array | Uint32Array | Int32Array>(array: T, length: number): T {
  const larger = new (array.constructor as new (length: number) => T)(Math.max(length, 2 * array.length));
  larger.set(array);
  return larger;
}
