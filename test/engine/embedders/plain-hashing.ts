/**
 * A readable version of the hashing encoder. Sources and reasons are beside the encoder
 * (src/engine/embedders/hashing-encoder.ts). The encoder's vectors must equal these to the last bit, so sums are added
 * in the order of the text here, too.
 */
import { STOP_WORDS } from '../../../src/engine/embedders/hashing-tables.ts';

const FNV_OFFSET = 0x811c9dc5 | 0;
const FNV_PRIME = 0x01000193;
const PAIR_SEED = 0x3c6ef372;
const GRAM_SEED = 0x1b873593;
const WORD = /[\p{L}\p{M}\p{N}\p{Cs}]/u;
const FIRST_IDEOGRAPHIC = '\u2e80';

const stopWords = new Set(STOP_WORDS.split(' ').map((word) => hashed(word)));

interface Feature {
  /** The word as first written. `undefined` for a pair. */
  readonly word?: string;
  count: number;
}

/**
 * @param dimensions d, at least 1
 * @returns the text's unit vector, [d], and whether there was any word in the text
 */
export function plainEmbedding(
  text: string,
  dimensions: number,
): { readonly vector: Float32Array; readonly hasWords: boolean } {
  const sums = new Float64Array(dimensions);
  const add = (hash: number, weight: number): void => {
    const mixed = mix(hash);
    sums[Math.floor(((mixed >>> 0) / 2 ** 32) * dimensions)]! += mixed & 1 ? -weight : weight;
  };
  const features = featuresOf(wordsOf(text.toLowerCase().normalize('NFC')));
  for (const [hash, { word, count }] of features) {
    const weight = 1 + Math.log(count);
    if (word === undefined) add(hash, weight * 0.5);
    else if (stopWords.has(hash)) add(hash, weight * 0.1);
    else if (word >= FIRST_IDEOGRAPHIC)
      addTogether(gramsOf(word, 1, 2), weight * Math.sqrt(word.length / 2), add);
    else {
      add(hash, weight);
      addTogether(gramsOf(word, 3, 5), weight, add);
    }
  }
  return { vector: unit(sums, add), hasWords: features.size > 0 };
}

/** Longest stretches of units, not characters, that belong to words. */
function wordsOf(text: string): string[] {
  const words = [''];
  for (let at = 0; at < text.length; at++)
    if (WORD.test(text.charAt(at))) words[words.length - 1] += text.charAt(at);
    else words.push('');
  return words.filter((word) => word !== '');
}

/** Words, and pairs of words without stop words, by their hashes and in the order of first occurrence. */
function featuresOf(words: readonly string[]): Map<number, Feature> {
  const features = new Map<number, Feature>();
  const count = (hash: number, feature: Feature): void => {
    const known = features.get(hash);
    if (known) known.count++;
    else features.set(hash, feature);
  };
  let previous = 0;
  for (const word of words) {
    const hash = hashed(word);
    count(hash, { word, count: 1 });
    if (stopWords.has(hash)) continue;
    if (previous !== 0) count(hashOfPair(previous, hash), { count: 1 });
    previous = hash;
  }
  return features;
}

/** Hashes of the n-grams of a word with its ends marked: by start, then by length. */
function gramsOf(word: string, shortest: number, longest: number): number[] {
  const marked = `\u0002${word}\u0003`;
  const grams: number[] = [];
  for (let start = 0; start < marked.length; start++)
    for (let end = start + shortest; end <= Math.min(start + longest, marked.length); end++)
      grams.push(hashed(marked.slice(start, end), GRAM_SEED));
  return grams;
}

/** Adds vectors of equal length whose sum has the length `weight`. */
function addTogether(
  hashes: readonly number[],
  weight: number,
  add: (hash: number, weight: number) => void,
): void {
  const each = weight / Math.sqrt(hashes.length);
  for (const hash of hashes) add(hash, each);
}

function unit(sums: Float64Array, add: (hash: number, weight: number) => void): Float32Array {
  if (sums.every((sum) => sum === 0)) add(FNV_OFFSET, 1);
  const norm = Math.sqrt(sums.reduce((squares, sum) => squares + sum * sum, 0));
  return Float32Array.from(sums, (sum) => sum / norm);
}

/** FNV-1a over UTF-16 code units; a signed 32-bit integer. */
function hashed(text: string, seed = FNV_OFFSET): number {
  let hash = seed;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), FNV_PRIME);
  return hash;
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
