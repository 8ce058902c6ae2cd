/**
 * The kernels of the hashing encoder. src/engine/embedders/hashing-encoder.ts describes what they compute and lays
 * out the memory, and repeats the sizes below. A text goes through {@link mapUnits}, {@link countFeatures},
 * {@link sumFeatures} and {@link writeUnitVector}. Sums are added in the order of the text, so that vectors are the
 * same to the last bit on every machine.
 */

import { extended, FNV_OFFSET, FNV_PRIME } from './fnv';

/** The value to which {@link mapUnits} maps everything that is not part of a word. */
const SEPARATOR: u32 = 1;
/** Marks of a word's ends, written over the separators around it. */
const WORD_START: u16 = 2;
const WORD_END: u16 = 3;

/** Different seeds distinguish a word, a pair and an n-gram of the same letters. */
const PAIR_SEED: u32 = 0x3c6ef372;
const GRAM_SEED: u32 = 0x1b873593;

const PAIR_WEIGHT: f64 = 0.5;
const STOP_WORD_WEIGHT: f64 = 0.1;
/** The first unit of the scripts with short words and no spaces between them. */
const FIRST_IDEOGRAPHIC: u32 = 0x2e80;
const IDEOGRAPHS_PER_WORD: f64 = 2;

const UNIT_BYTES: usize = sizeof<u16>();
/** A feature: its mixed hash, its count, and where its first occurrence starts and ends. */
const FEATURE_BYTES: usize = 16;
const COUNT: usize = 4;
const START: usize = 8;
const END: usize = 12;
/** Initial places of the table of features. Always a power of two. */
const FIRST_PLACES: u32 = 1024;
const STOP_WORD_PLACES: u32 = 512;

/** The number of starts whose n-grams are hashed at once, in the lanes of two vectors. */
const STARTS: u32 = 8;
const LANE_BYTES: usize = sizeof<u32>();
/** Distance from the hashes of one length of n-gram to those of the next. */
const GRAM_BYTES: usize = <usize>STARTS * LANE_BYTES;

/**
 * Replaces each unit by its entry in a table.
 *
 * @param units address of `count` units, behind which a separator is written
 * @param table address of 65,536 units: 0 for a unit that depends on its neighbours
 * @returns whether all units were replaced; if not, the content of `units` is undefined
 */
export function mapUnits(units: usize, count: u32, table: usize): bool {
  const end = units + <usize>count * UNIT_BYTES;
  let failed: u32 = 0;
  for (; units < end; units += UNIT_BYTES) {
    const mapped: u32 = load<u16>(table + <usize>load<u16>(units) * UNIT_BYTES);
    failed |= <u32>(mapped == 0);
    store<u16>(units, <u16>mapped);
  }
  store<u16>(end, <u16>SEPARATOR);
  return failed == 0;
}

/**
 * Counts words and pairs of consecutive words. Pairs skip stop words.
 *
 * @param units address of `count` mapped units and the separator behind them, with room for a unit before and for 32
 *   bytes behind
 * @param stopWords address of {@link STOP_WORD_PLACES} integers, an open-addressing table of mixed hashes
 * @param features address of room for `count + 1` features, written in order of first occurrence and followed by one
 *   with count 0; the start and end of a pair are 0
 * @param table address of room for {@link FIRST_PLACES} integers or, if that is more, 4 × `count`
 * @returns the largest count, 0 for a text without words
 */
export function countFeatures(
  units: usize,
  count: u32,
  stopWords: usize,
  features: usize,
  table: usize,
): u32 {
  const textEnd = units + <usize>count * UNIT_BYTES;
  let places = FIRST_PLACES;
  let room = places / 2;
  let next = features;
  let previous: u32 = 0;
  memory.fill(table, 0, <usize>places * sizeof<u32>());
  for (let start = units; start < textEnd; start += UNIT_BYTES) {
    let unit: u32 = load<u16>(start);
    if (unit == SEPARATOR) continue;
    let end = start;
    let word = FNV_OFFSET;
    do {
      word = extended(word, unit);
      end += UNIT_BYTES;
      unit = load<u16>(end);
    } while (unit != SEPARATOR);
    const mixed = mix(word);
    next = counted(mixed, start, end, next, table, places);
    if (!isStopWord(mixed, stopWords)) {
      if (previous != 0) next = counted(mix(hashPair(previous, word)), 0, 0, next, table, places);
      previous = word;
    }
    start = end;
    if (<u32>(next - features) / <u32>FEATURE_BYTES > room) {
      places *= 2;
      room *= 2;
      fillTable(features, next, table, places);
    }
  }
  store<u32>(next, 0, COUNT);
  return largestCount(features);
}

/**
 * Adds 1 to the count of a feature.
 *
 * @param next address behind the existing features
 * @returns the same after it
 */
// @ts-ignore: a decorator that only AssemblyScript knows
@inline
function counted(mixed: u32, start: usize, end: usize, next: usize, table: usize, places: u32): usize {
  const place = placeOf(mixed, table, places);
  const feature: usize = load<u32>(place);
  if (feature != 0) {
    store<u32>(feature, load<u32>(feature, COUNT) + 1, COUNT);
    return next;
  }
  store<u32>(place, <u32>next);
  store<u32>(next, mixed);
  store<u32>(next, 1, COUNT);
  store<u32>(next, <u32>start, START);
  store<u32>(next, <u32>end, END);
  return next + FEATURE_BYTES;
}

/** The place of the table with the address of a feature, or where it has to be written. */
// @ts-ignore: a decorator that only AssemblyScript knows
@inline
function placeOf(mixed: u32, table: usize, places: u32): usize {
  const mask = places - 1;
  let place = table + <usize>(mixed & mask) * sizeof<u32>();
  for (let number = mixed + 1; isTaken(place, mixed); number++)
    place = table + <usize>(number & mask) * sizeof<u32>();
  return place;
}

// @ts-ignore: a decorator that only AssemblyScript knows
@inline
function isTaken(place: usize, mixed: u32): bool {
  const feature: usize = load<u32>(place);
  return feature != 0 && load<u32>(feature) != mixed;
}

/** Recreates the table with this number of places. */
function fillTable(features: usize, next: usize, table: usize, places: u32): void {
  memory.fill(table, 0, <usize>places * sizeof<u32>());
  for (let feature = features; feature < next; feature += FEATURE_BYTES)
    store<u32>(placeOf(load<u32>(feature), table, places), <u32>feature);
}

function largestCount(features: usize): u32 {
  let largest: u32 = 0;
  for (let count: u32; (count = load<u32>(features, COUNT)) != 0; features += FEATURE_BYTES)
    largest = max(largest, count);
  return largest;
}

// @ts-ignore: a decorator that only AssemblyScript knows
@inline
function isStopWord(mixed: u32, stopWords: usize): bool {
  let number = mixed;
  let there: u32;
  do {
    there = load<u32>(stopWordPlace(number, stopWords));
    number++;
  } while (there != 0 && there != mixed);
  return there != 0;
}

/**
 * Makes all words of a text stop words.
 *
 * @param features as {@link countFeatures} wrote them
 * @param stopWords address of {@link STOP_WORD_PLACES} integers, 0 for a free place
 */
export function noteStopWords(features: usize, stopWords: usize): void {
  for (; load<u32>(features, COUNT) != 0; features += FEATURE_BYTES) {
    if (load<u32>(features, START) == 0) continue;
    let number = load<u32>(features);
    while (load<u32>(stopWordPlace(number, stopWords)) != 0) number++;
    store<u32>(stopWordPlace(number, stopWords), load<u32>(features));
  }
}

// @ts-ignore: a decorator that only AssemblyScript knows
@inline
function stopWordPlace(number: u32, stopWords: usize): usize {
  return stopWords + <usize>(number & (STOP_WORD_PLACES - 1)) * sizeof<u32>();
}

/**
 * Adds up the weights of a text's features.
 *
 * @param features as {@link countFeatures} wrote them
 * @param weights address of a double for each count, from 0 on
 * @param lanes address of room for the hashes of three lengths of n-gram, {@link GRAM_BYTES} each
 * @param dimensions d, at most 2²¹
 * @param sums address of d doubles to write
 */
export function sumFeatures(
  features: usize,
  stopWords: usize,
  weights: usize,
  lanes: usize,
  dimensions: u32,
  sums: usize,
): void {
  memory.fill(sums, 0, <usize>dimensions * sizeof<f64>());
  for (let count: u32; (count = load<u32>(features, COUNT)) != 0; features += FEATURE_BYTES) {
    const mixed = load<u32>(features);
    const start: usize = load<u32>(features, START);
    const end: usize = load<u32>(features, END);
    const weight = load<f64>(weights + <usize>count * sizeof<f64>());
    if (start == 0) add(mixed, weight * PAIR_WEIGHT, dimensions, sums);
    else if (isStopWord(mixed, stopWords)) add(mixed, weight * STOP_WORD_WEIGHT, dimensions, sums);
    else {
      const length = <u32>((end - start) / UNIT_BYTES);
      store<u16>(start - UNIT_BYTES, WORD_START);
      store<u16>(end, WORD_END);
      if (load<u16>(start) >= FIRST_IDEOGRAPHIC) {
        addIdeographs(start - UNIT_BYTES, length, weight, dimensions, sums);
      } else {
        add(mixed, weight, dimensions, sums);
        addGrams(start - UNIT_BYTES, length, weight, lanes, dimensions, sums);
      }
    }
  }
}

/**
 * Adds the n-grams of 3 to 5 units of a word with marked ends. Together they have the weight of the word.
 *
 * @param from address of the mark of its start
 * @param length of the word without the marks, and so the number of starts of n-grams
 */
function addGrams(from: usize, length: u32, weight: f64, lanes: usize, dimensions: u32, sums: usize): void {
  const grams = length == 1 ? 1 : 3 * length - 3;
  const each = reinterpret<u64>(weight / sqrt<f64>(<f64>grams));
  let whole: i32 = <i32>length - 2;
  for (; ; whole -= STARTS) {
    hashGrams(from, lanes);
    hashGrams(from + 4 * UNIT_BYTES, lanes + 4 * LANE_BYTES);
    let lane = lanes;
    for (let left = min<i32>(whole, STARTS); left > 0; left--) {
      addSigned(load<u32>(lane), each, dimensions, sums);
      addSigned(load<u32>(lane, GRAM_BYTES), each, dimensions, sums);
      addSigned(load<u32>(lane, 2 * GRAM_BYTES), each, dimensions, sums);
      lane += LANE_BYTES;
    }
    if (whole >= 0 && whole < <i32>STARTS) {
      addSigned(load<u32>(lane), each, dimensions, sums);
      addSigned(load<u32>(lane, GRAM_BYTES), each, dimensions, sums);
      lane += LANE_BYTES;
    }
    if (whole < <i32>STARTS - 1) {
      addSigned(load<u32>(lane), each, dimensions, sums);
      return;
    }
    from += <usize>STARTS * UNIT_BYTES;
  }
}

/** Writes mixed hashes of the 3, 4 and 5 units that begin at each of four starts. */
// @ts-ignore: a decorator that only AssemblyScript knows
@inline
function hashGrams(from: usize, lanes: usize): void {
  let hashes = i32x4.splat(GRAM_SEED);
  hashes = extendedLanes(hashes, v128.load16x4_u(from));
  hashes = extendedLanes(hashes, v128.load16x4_u(from, UNIT_BYTES));
  hashes = extendedLanes(hashes, v128.load16x4_u(from, 2 * UNIT_BYTES));
  v128.store(lanes, mixLanes(hashes));
  hashes = extendedLanes(hashes, v128.load16x4_u(from, 3 * UNIT_BYTES));
  v128.store(lanes, mixLanes(hashes), GRAM_BYTES);
  hashes = extendedLanes(hashes, v128.load16x4_u(from, 4 * UNIT_BYTES));
  v128.store(lanes, mixLanes(hashes), 2 * GRAM_BYTES);
}

/** Text between two spaces is a sentence here, not a word, so its parts have the weight of that many words. */
function addIdeographs(from: usize, length: u32, weight: f64, dimensions: u32, sums: usize): void {
  const end = from + <usize>(length + 1) * UNIT_BYTES;
  const words = <f64>length / IDEOGRAPHS_PER_WORD;
  const each = reinterpret<u64>((weight * sqrt<f64>(words)) / sqrt<f64>(<f64>(2 * length + 3)));
  for (; ; from += UNIT_BYTES) {
    const one = extended(GRAM_SEED, load<u16>(from));
    addSigned(mix(one), each, dimensions, sums);
    if (from == end) return;
    addSigned(mix(extended(one, load<u16>(from, UNIT_BYTES))), each, dimensions, sums);
  }
}

// @ts-ignore: a decorator that only AssemblyScript knows
@inline
function add(mixed: u32, weight: f64, dimensions: u32, sums: usize): void {
  addSigned(mixed, reinterpret<u64>(weight), dimensions, sums);
}

/**
 * The high bits of the mixed hash choose the dimension, the lowest one the sign.
 *
 * @param weight the bits of a double, whose sign is changed without an unpredictable branch
 */
// @ts-ignore: a decorator that only AssemblyScript knows
@inline
function addSigned(mixed: u32, weight: u64, dimensions: u32, sums: usize): void {
  const sum = sums + (<usize>((<u64>mixed * dimensions) >> 32) << 3);
  store<f64>(sum, load<f64>(sum) + reinterpret<f64>(weight ^ (<u64>mixed << 63)));
}

/**
 * The sums, divided by their length. If they are all 0, the vector is that of the empty word.
 *
 * @param sums address of `dimensions` doubles, and of room for one more
 * @param vector address of `dimensions` floats to write, and of room for one more
 */
export function writeUnitVector(sums: usize, dimensions: u32, vector: usize): void {
  let norm = euclideanNorm(sums, dimensions);
  if (norm == 0) {
    add(mix(FNV_OFFSET), 1, dimensions, sums);
    norm = 1;
  }
  const divisor = f64x2.splat(norm);
  for (const end = sums + <usize>dimensions * sizeof<f64>(); sums < end; sums += 2 * sizeof<f64>()) {
    v128.store64_lane(vector, f32x4.demote_f64x2_zero(f64x2.div(v128.load(sums), divisor)), 0);
    vector += 2 * sizeof<f32>();
  }
}

function euclideanNorm(sums: usize, dimensions: u32): f64 {
  let squares: f64 = 0;
  for (let i: u32 = 0; i < dimensions; i++, sums += sizeof<f64>()) {
    const sum = load<f64>(sums);
    squares += sum * sum;
  }
  return sqrt<f64>(squares);
}

// @ts-ignore: a decorator that only AssemblyScript knows
@inline
function extendedLanes(hashes: v128, units: v128): v128 {
  return i32x4.mul(v128.xor(hashes, units), i32x4.splat(FNV_PRIME));
}

// @ts-ignore: a decorator that only AssemblyScript knows
@inline
function hashPair(first: u32, second: u32): u32 {
  return ((first * 31) ^ second ^ PAIR_SEED) * FNV_PRIME;
}

/** The finalizer of MurmurHash3: every bit of the input affects every bit of the result, and it is a bijection. */
// @ts-ignore: a decorator that only AssemblyScript knows
@inline
function mix(hash: u32): u32 {
  let mixed = hash;
  mixed = (mixed ^ (mixed >> 16)) * 0x85ebca6b;
  mixed = (mixed ^ (mixed >> 13)) * 0xc2b2ae35;
  return mixed ^ (mixed >> 16);
}

// @ts-ignore: a decorator that only AssemblyScript knows
@inline
function mixLanes(hashes: v128): v128 {
  let mixed = hashes;
  mixed = i32x4.mul(v128.xor(mixed, i32x4.shr_u(mixed, 16)), i32x4.splat(0x85ebca6b));
  mixed = i32x4.mul(v128.xor(mixed, i32x4.shr_u(mixed, 13)), i32x4.splat(0xc2b2ae35));
  return v128.xor(mixed, i32x4.shr_u(mixed, 16));
}
