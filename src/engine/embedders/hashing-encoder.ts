/**
 * Embeddings without a model: feature hashing (Weinberger et al. 2009, arXiv:0902.2206) of words, word pairs and the
 * character n-grams within words (as in fastText, Bojanowski et al. 2017, arXiv:1607.04606).
 *
 * Lexical, not semantic: two texts are close if they share words or parts of words. It finds spelling variants and
 * inflections that BM25 misses, and no synonyms at all.
 */

/** Raise it with every change of the vectors, so that stored ones are not mixed with new ones. */
export const HASHING_VERSION = 1;

const FNV_OFFSET = 0x811c9dc5 | 0;
const FNV_PRIME = 0x01000193;
const PAIR_SEED = 0x3c6ef372;
const GRAM_SEED = 0x1b873593;
const WORD_START = 2;
const WORD_END = 3;

/** From here on, scripts without spaces between words: their n-grams have one and two characters. */
const FIRST_IDEOGRAPHIC = '\u2e80';
/** Letters, marks, digits, and everything beyond the basic plane. */
const WORDS = /[\p{L}\p{M}\p{N}\p{Cs}\u{10000}-\u{10ffff}]+/gu;

const STOP_WORDS = new Set(
  (
    'a about after all also an and any are as at be because been before but by can could did do does for from had ' +
    'has have he her his how i if in into is it its more most no not of on only or other our out over she should so ' +
    'some such than that the their them then there these they this those to up was we were what when where which ' +
    'who why will with would you your'
  )
    .split(' ')
    .map((word) => hashOf(word)),
);

/** Weights of stop words and of pairs, relative to that of a word. */
const STOP_WORD_WEIGHT = 0.1;
const PAIR_WEIGHT = 0.5;

interface Feature {
  /** The word as first written. `undefined` for a pair. */
  readonly word?: string;
  count: number;
}

/**
 * Embeds a text into as many dimensions as `target` has. The same text always has the same unit vector; a text without
 * words has the vector of the empty word.
 *
 * @param target [d], written
 * @returns whether the text has words
 */
export function embedByHashing(text: string, target: Float32Array): boolean {
  const sums = new Float64Array(target.length);
  const features = featuresOf(text.toLowerCase().normalize('NFC').match(WORDS) ?? []);
  for (const [hash, { word, count }] of features) {
    // A word that occurs twice counts more than once and less than twice.
    const weight = 1 + Math.log(count);
    if (word === undefined) add(sums, hash, weight * PAIR_WEIGHT);
    else if (STOP_WORDS.has(hash)) add(sums, hash, weight * STOP_WORD_WEIGHT);
    else if (word >= FIRST_IDEOGRAPHIC) addGrams(sums, word, 1, 2, weight * Math.sqrt(word.length / 2));
    else {
      add(sums, hash, weight);
      addGrams(sums, word, 3, 5, weight);
    }
  }
  writeUnit(sums, target);
  return features.size > 0;
}

/** Words, and pairs of words without stop words, by their hashes and in the order of first occurrence. */
function featuresOf(words: readonly string[]): Map<number, Feature> {
  const features = new Map<number, Feature>();
  const count = (hash: number, word?: string): void => {
    const feature = features.get(hash);
    if (feature) feature.count++;
    else features.set(hash, { ...(word !== undefined && { word }), count: 1 });
  };
  let previous = 0;
  for (const word of words) {
    const hash = hashOf(word);
    count(hash, word);
    if (STOP_WORDS.has(hash)) continue;
    if (previous !== 0) count(hashOfPair(previous, hash));
    previous = hash;
  }
  return features;
}

/** Adds the n-grams of a word with its ends marked. Their sum has the length `weight`. */
function addGrams(sums: Float64Array, word: string, shortest: number, longest: number, weight: number): void {
  const length = word.length + 2;
  let grams = 0;
  for (let n = shortest; n <= longest; n++) grams += Math.max(0, length - n + 1);
  const each = weight / Math.sqrt(grams);
  for (let start = 0; start < length; start++) {
    const end = Math.min(start + longest, length);
    let hash = GRAM_SEED;
    for (let at = start; at < end; at++) {
      hash = hashUnit(hash, unitAt(word, at));
      if (at + 1 >= start + shortest) add(sums, hash, each);
    }
  }
}

/** A code unit of a word with its ends marked. */
function unitAt(word: string, at: number): number {
  if (at === 0) return WORD_START;
  return at > word.length ? WORD_END : word.charCodeAt(at - 1);
}

function add(sums: Float64Array, hash: number, weight: number): void {
  const mixed = mix(hash);
  sums[Math.floor(((mixed >>> 0) / 2 ** 32) * sums.length)]! += mixed & 1 ? -weight : weight;
}

function writeUnit(sums: Float64Array, target: Float32Array): void {
  if (sums.every((sum) => sum === 0)) add(sums, FNV_OFFSET, 1);
  const norm = Math.sqrt(sums.reduce((squares, sum) => squares + sum * sum, 0));
  for (let at = 0; at < sums.length; at++) target[at] = sums[at]! / norm;
}

/** FNV-1a over UTF-16 code units; a signed 32-bit integer. */
function hashOf(text: string): number {
  let hash = FNV_OFFSET;
  for (let at = 0; at < text.length; at++) hash = hashUnit(hash, text.charCodeAt(at));
  return hash;
}

function hashUnit(hash: number, unit: number): number {
  return Math.imul(hash ^ unit, FNV_PRIME);
}

function hashOfPair(first: number, second: number): number {
  return Math.imul(Math.imul(first, 31) ^ second ^ PAIR_SEED, FNV_PRIME);
}

/** The finalizer of MurmurHash3. */
function mix(hash: number): number {
  let mixed = hash;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}
