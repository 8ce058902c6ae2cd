/**
 * The kernels of the passage analyzer. src/engine/bm25/known-words.ts describes their purpose and lays out the
 * memory. A text goes through {@link splitWords} and {@link findTerms}. Finding is a separate step so that the
 * processor can look up several words at once, each of which may be far away in memory.
 */

import { extended, FNV_OFFSET } from './fnv';

/** Classes of units, see src/core/text/unit-classes.ts. A class from 0 on is the unit that replaces it. */
const APOSTROPHE: i32 = -2;
const COMPLEX: i32 = -3;
const APOSTROPHE_UNIT: u16 = 0x27;

const NOT_SPLIT: u32 = u32.MAX_VALUE;
/** Instead of a term: the word is a stop word. */
const NO_TERM: u32 = 2 ** 31 - 1;

const UNIT_BYTES: usize = sizeof<u16>();
const CLASS_BYTES: usize = sizeof<i32>();
const TERM_BYTES: usize = sizeof<u32>();
const PLACE_BYTES: usize = sizeof<u32>();

/** A word: address of its first unit, its length in units, and its hash. */
const WORD_BYTES: usize = 12;
const LENGTH: usize = 4;
const HASH: usize = 8;

/** A known word: its term, its length and hash at the same offsets as above, then its units. */
const UNITS: usize = 12;
/** Units compared at once. */
const COMPARED: u32 = 4;

/**
 * Splits a text into words, and replaces their units by those of the classes.
 *
 * @param units address of `count` units, followed by a separator
 * @param classes address of the class of each of the 65,536 units
 * @param emptyWords whether two separators in a row have an empty word between them
 * @param words address of room for `count + 1` words
 * @returns the number of words, or {@link NOT_SPLIT} if a unit depends on its neighbours
 */
export function splitWords(units: usize, count: u32, classes: usize, emptyWords: bool, words: usize): u32 {
  const first = words;
  const end = units + <usize>count * UNIT_BYTES;
  let start = units;
  let hash = FNV_OFFSET;
  for (; units <= end; units += UNIT_BYTES) {
    let unit = classOf(units, classes);
    if (unit == APOSTROPHE && units > start && classOf(units + UNIT_BYTES, classes) >= 0)
      unit = APOSTROPHE_UNIT;
    if (unit >= 0) {
      store<u16>(units, <u16>unit);
      hash = extended(hash, unit);
    } else if (unit == COMPLEX) {
      return NOT_SPLIT;
    } else {
      if (units > start || emptyWords) {
        noteWord(words, start, <u32>((units - start) / UNIT_BYTES), hash);
        words += WORD_BYTES;
      }
      start = units + UNIT_BYTES;
      hash = FNV_OFFSET;
    }
  }
  return <u32>((words - first) / WORD_BYTES);
}

// @ts-ignore: a decorator that only AssemblyScript knows
@inline
function classOf(unit: usize, classes: usize): i32 {
  return load<i32>(classes + <usize>load<u16>(unit) * CLASS_BYTES);
}

// @ts-ignore: a decorator that only AssemblyScript knows
@inline
function noteWord(word: usize, start: usize, length: u32, hash: u32): void {
  store<u32>(word, <u32>start);
  store<u32>(word, length, LENGTH);
  store<u32>(word, hash, HASH);
}

/**
 * Stores a word that was split elsewhere.
 *
 * @param units address of its `length` units
 * @param word address of room for it
 */
export function takeWord(units: usize, length: u32, word: usize): void {
  let hash = FNV_OFFSET;
  for (let i: u32 = 0; i < length; i++)
    hash = extended(hash, load<u16>(units + <usize>i * UNIT_BYTES));
  noteWord(word, units, length, hash);
}

/**
 * Writes the term of each word, up to the first unknown word.
 *
 * @param words address of `count` words
 * @param table address of `places` addresses of known words, 0 for a free place; a power of two
 * @param terms address of `count` integers to write
 * @returns how many of the words are known
 */
export function findTerms(words: usize, count: u32, table: usize, places: u32, terms: usize): u32 {
  for (let i: u32 = 0; i < count; i++) {
    const known = find(words, table, places);
    if (known == 0) return i;
    store<u32>(terms, load<u32>(known));
    words += WORD_BYTES;
    terms += TERM_BYTES;
  }
  return count;
}

/** The address of the same known word, or 0. */
// @ts-ignore: a decorator that only AssemblyScript knows
@inline
function find(word: usize, table: usize, places: u32): usize {
  const mask = places - 1;
  const hash = load<u32>(word, HASH);
  let number = mix(hash);
  let known: usize;
  do {
    known = load<u32>(table + <usize>(number & mask) * PLACE_BYTES);
    number++;
  } while (known != 0 && (load<u32>(known, HASH) != hash || !isSame(known, word)));
  return known;
}

/** Reads up to seven bytes beyond the ends of both. */
// @ts-ignore: a decorator that only AssemblyScript knows
@inline
function isSame(known: usize, word: usize): bool {
  let length = load<u32>(word, LENGTH);
  if (load<u32>(known, LENGTH) != length) return false;
  let a = known + UNITS;
  let b = <usize>load<u32>(word);
  for (; length >= COMPARED; length -= COMPARED) {
    if (load<u64>(a) != load<u64>(b)) return false;
    a += <usize>COMPARED * UNIT_BYTES;
    b += <usize>COMPARED * UNIT_BYTES;
  }
  const rest = ((<u64>1) << ((<u64>length) << 4)) - 1;
  return ((load<u64>(a) ^ load<u64>(b)) & rest) == 0;
}

/**
 * Adds a known word.
 *
 * @param known address of room for it
 */
export function addWord(word: usize, term: u32, known: usize, table: usize, places: u32): void {
  const length = load<u32>(word, LENGTH);
  store<u32>(known, term);
  store<u32>(known, length, LENGTH);
  store<u32>(known, load<u32>(word, HASH), HASH);
  memory.copy(known + UNITS, <usize>load<u32>(word), <usize>length * UNIT_BYTES);
  insert(known, table, places);
}

/**
 * Fills a larger table with the words of another.
 *
 * @param table address of `places` integers, all 0
 */
export function moveWords(from: usize, fromPlaces: u32, table: usize, places: u32): void {
  for (let i: u32 = 0; i < fromPlaces; i++, from += PLACE_BYTES) {
    const known: usize = load<u32>(from);
    if (known != 0) insert(known, table, places);
  }
}

function insert(known: usize, table: usize, places: u32): void {
  const mask = places - 1;
  let number = mix(load<u32>(known, HASH));
  while (load<u32>(table + <usize>(number & mask) * PLACE_BYTES) != 0) number++;
  store<u32>(table + <usize>(number & mask) * PLACE_BYTES, <u32>known);
}

/**
 * Removes the entries of stop words from a list of terms.
 *
 * @returns how many are left
 */
export function dropStopWords(terms: usize, count: u32): u32 {
  let kept = terms;
  for (let i: u32 = 0; i < count; i++, terms += TERM_BYTES) {
    const term = load<u32>(terms);
    store<u32>(kept, term);
    kept += term == NO_TERM ? 0 : TERM_BYTES;
  }
  return count - <u32>((terms - kept) / TERM_BYTES);
}

/** Spreads FNV's weak low bits (the finalizer of MurmurHash3, halved). */
// @ts-ignore: a decorator that only AssemblyScript knows
@inline
function mix(hash: u32): u32 {
  const mixed = (hash ^ (hash >> 15)) * 0x85ebca6b;
  return mixed ^ (mixed >> 13);
}
