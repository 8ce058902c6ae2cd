/**
 * Embeddings without a model: feature hashing (Weinberger et al. 2009, arXiv:0902.2206) of words, word
 * pairs and the character n-grams within words (as in fastText, Bojanowski et al. 2017, arXiv:1607.04606).
 *
 * Lexical, not semantic: two texts are close when they share words or parts of words. It finds spelling
 * variants and inflections that BM25 misses, and no synonyms at all.
 */

/** Changes with everything that changes vectors, so that stored ones are not mixed with new ones. */
export const HASHING_VERSION = 1;

const PAIR_WEIGHT = 0.5;
/** Of all n-grams of a word together, as a length: they count as much as the word itself. */
const GRAMS_WEIGHT = 1;
const STOP_WORD_WEIGHT = 0.1;
const MIN_GRAM = 3;
const MAX_GRAM = 5;
/** From here on stand the scripts whose words are short, with no spaces between them. */
const FIRST_IDEOGRAPHIC = 0x2e80;
const IDEOGRAPHS_PER_WORD = 2;

const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;
/** Different seeds keep a word, the pair and the n-gram of the same letters apart. */
const PAIR_SEED = 0x3c6ef372;
const GRAM_SEED = 0x1b873593;
const WORD_START = 0x02;
const WORD_END = 0x03;

const STOP_WORDS = new Set(
  (
    'a about after all also an and any are as at be because been before but by can could did do does for from ' +
    'had has have he her his how i if in into is it its more most no not of on only or other our out over she ' +
    'should so some such than that the their them then there these they this those to up was we were what when ' +
    'where which who why will with would you your'
  )
    .split(' ')
    .map(hashWord),
);

/**
 * Embeds texts into d dimensions, one after the other. The same text always gives the same unit vector;
 * a text without any word gets the vector of the empty word.
 */
export class HashingEncoder {
  readonly #sum: Float64Array;
  /** Turns a 32-bit hash into a dimension. */
  readonly #scale: number;
  readonly #counts = new FeatureCounts();
  /** Code units of the text, from 1 on: much faster to read, again and again, than a string. */
  #units = new Uint16Array(1024);
  readonly #isWord: Uint8Array;

  /** @param dimensions d, at least 1 */
  constructor(dimensions: number) {
    this.#sum = new Float64Array(dimensions);
    this.#scale = dimensions / 2 ** 32;
    this.#isWord = wordCharacters();
  }

  /**
   * Writes the text's unit vector, [d], into `target`.
   *
   * @returns whether there was any word in the text
   */
  embedInto(text: string, target: Float32Array): boolean {
    this.#sum.fill(0);
    this.#count(this.#read(text.toLowerCase().normalize('NFC')));
    this.#counts.forEach((hash, count, start, end) => {
      const weight = 1 + Math.log(count);
      if (start === end) this.#add(hash, weight * PAIR_WEIGHT);
      else if (STOP_WORDS.has(hash)) this.#add(hash, weight * STOP_WORD_WEIGHT);
      else if (this.#units[start]! >= FIRST_IDEOGRAPHIC) this.#addIdeographs(start, end, weight);
      else {
        this.#add(hash, weight);
        this.#addGrams(start, end, MIN_GRAM, MAX_GRAM, weight * GRAMS_WEIGHT);
      }
    });
    this.#writeUnit(target);
    return this.#counts.size > 0;
  }

  /** @returns where the {@link #units} of the text end; before and behind them is room for the mark of a word's end */
  #read(text: string): number {
    const end = text.length + 1;
    if (end >= this.#units.length) this.#units = new Uint16Array(2 * end);
    const units = this.#units;
    for (let at = 1; at < end; at++) units[at] = text.charCodeAt(at - 1);
    return end;
  }

  /** Counts words and pairs of words that follow each other, stop words left out of the pairs. */
  #count(textEnd: number): void {
    const units = this.#units;
    const isWord = this.#isWord;
    this.#counts.clear();
    let previous = 0;
    for (let start = 1; start < textEnd;) {
      if (isWord[units[start]!] === 0) {
        start++;
        continue;
      }
      let end = start;
      let word = FNV_OFFSET | 0;
      for (; end < textEnd && isWord[units[end]!] === 1; end++) word = extended(word, units[end]!);
      this.#counts.add(word, start, end);
      if (!STOP_WORDS.has(word)) {
        if (previous !== 0) this.#counts.add(hashPair(previous, word), 0, 0);
        previous = word;
      }
      start = end;
    }
  }

  /** What stands between two spaces is a sentence here, not a word: its parts count, as much as so many words. */
  #addIdeographs(start: number, end: number, weight: number): void {
    const words = (end - start) / IDEOGRAPHS_PER_WORD;
    this.#addGrams(start, end, 1, IDEOGRAPHS_PER_WORD, weight * Math.sqrt(words));
  }

  /** Adds the n-grams of a word with its ends marked; `weight` is the length of all of them together. */
  #addGrams(start: number, end: number, min: number, max: number, weight: number): void {
    const units = this.#units;
    const length = end - start + 2;
    let grams = 0;
    for (let size = min; size <= max; size++) grams += Math.max(0, length - size + 1);
    const each = weight / Math.sqrt(Math.max(1, grams));
    // What stands there is no part of any word, and the marks are written anew for each.
    units[start - 1] = WORD_START;
    units[end] = WORD_END;
    for (let from = start - 1; from <= end; from++) {
      const last = Math.min(from + max - 1, end);
      let hash = GRAM_SEED;
      for (let at = from; at <= last; at++) {
        hash = extended(hash, units[at]!);
        if (at - from + 1 >= min) this.#add(hash, each);
      }
    }
  }

  /** The high bits of the mixed hash choose the dimension, the lowest one the sign. */
  #add(hash: number, weight: number): void {
    const mixed = mix(hash);
    const index = ((mixed >>> 0) * this.#scale) | 0;
    // Multiplied, because a jump that nobody can foresee costs more.
    this.#sum[index]! += weight * (1 - 2 * (mixed & 1));
  }

  #writeUnit(target: Float32Array): void {
    const sum = this.#sum;
    let norm = euclideanNorm(sum);
    if (norm === 0) {
      this.#add(FNV_OFFSET, 1);
      norm = 1;
    }
    for (let i = 0; i < sum.length; i++) target[i] = sum[i]! / norm;
  }
}

/** Features of one text and how often each occurs: an open-addressing table that is emptied in no time. */
class FeatureCounts {
  #capacity = 1024;
  #hashes = new Int32Array(this.#capacity);
  #counts = new Int32Array(this.#capacity);
  #starts = new Int32Array(this.#capacity);
  #ends = new Int32Array(this.#capacity);
  /** Places in use, in order of first occurrence. */
  #used: number[] = [];

  get size(): number {
    return this.#used.length;
  }

  clear(): void {
    for (const place of this.#used) this.#counts[place] = 0;
    this.#used.length = 0;
  }

  add(hash: number, start: number, end: number): void {
    const place = this.#find(hash);
    if (this.#counts[place]!++ > 0) return;
    this.#hashes[place] = hash;
    this.#starts[place] = start;
    this.#ends[place] = end;
    this.#used.push(place);
    if (this.#used.length * 2 > this.#capacity) this.#grow();
  }

  /** `start` and `end` are those of the first occurrence. */
  forEach(visit: (hash: number, count: number, start: number, end: number) => void): void {
    for (const place of this.#used)
      visit(this.#hashes[place]!, this.#counts[place]!, this.#starts[place]!, this.#ends[place]!);
  }

  #find(hash: number): number {
    const mask = this.#capacity - 1;
    let place = mix(hash) & mask;
    while (this.#counts[place] !== 0 && this.#hashes[place] !== hash) place = (place + 1) & mask;
    return place;
  }

  #grow(): void {
    const entries: [hash: number, count: number, start: number, end: number][] = [];
    this.forEach((...entry) => entries.push(entry));
    this.#capacity *= 4;
    this.#hashes = new Int32Array(this.#capacity);
    this.#counts = new Int32Array(this.#capacity);
    this.#starts = new Int32Array(this.#capacity);
    this.#ends = new Int32Array(this.#capacity);
    this.#used = [];
    for (const [hash, count, start, end] of entries) {
      this.add(hash, start, end);
      this.#counts[this.#find(hash)] = count;
    }
  }
}

/** FNV-1a over UTF-16 code units, one step; a signed 32-bit integer. */
function extended(hash: number, unit: number): number {
  return Math.imul(hash ^ unit, FNV_PRIME);
}

function hashWord(word: string): number {
  let hash = FNV_OFFSET | 0;
  for (let at = 0; at < word.length; at++) hash = extended(hash, word.charCodeAt(at));
  return hash;
}

function hashPair(first: number, second: number): number {
  return Math.imul(Math.imul(first, 31) ^ second ^ PAIR_SEED, FNV_PRIME);
}

/** The finalizer of MurmurHash3: every bit of the input moves every bit of the result. */
function mix(hash: number): number {
  let mixed = hash;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}

function euclideanNorm(vector: Float64Array): number {
  let sum = 0;
  for (const value of vector) sum += value * value;
  return Math.sqrt(sum);
}

let wordTable: Uint8Array | undefined;

/** 1 for every UTF-16 code unit that belongs to words: letters, marks, digits, and all beyond the basic plane. */
function wordCharacters(): Uint8Array {
  if (wordTable) return wordTable;
  const word = /[\p{L}\p{M}\p{N}\p{Cs}]/u;
  return (wordTable = Uint8Array.from({ length: 0x10000 }, (_, code) =>
    word.test(String.fromCharCode(code)) ? 1 : 0,
  ));
}
