/**
 * Embeddings without a model: feature hashing (Weinberger et al. 2009, arXiv:0902.2206) of words, word pairs and the
 * character n-grams within words (as in fastText, Bojanowski et al. 2017, arXiv:1607.04606).
 *
 * Lexical, not semantic: two texts are close if they share words or parts of words. It finds spelling variants and
 * inflections that BM25 misses, and no synonyms at all.
 *
 * src/engine/kernels/assembly/hashing.ts does the arithmetic. test/engine/embedders/plain-hashing.ts does the same in
 * plain TypeScript, and the vectors of both are equal to the last bit.
 */
import { KernelMemory, PAGE_BYTES } from '../kernels/kernel-memory.ts';
import { normalized, STOP_WORDS, unitTables } from './hashing-tables.ts';

/** Raise it with every change of the vectors, so that stored ones are not mixed with new ones. */
export const HASHING_VERSION = 1;

/** Counts whose weights are computed in advance. */
const COUNTS = 1024;
/** Sizes of the kernels' data, in bytes. */
const UNIT_BYTES = Uint16Array.BYTES_PER_ELEMENT;
const DOUBLE_BYTES = Float64Array.BYTES_PER_ELEMENT;
const UNIT_TABLE_BYTES = 65_536 * UNIT_BYTES;
const STOP_WORDS_BYTES = 512 * Uint32Array.BYTES_PER_ELEMENT;
const LANES_BYTES = 3 * 8 * Uint32Array.BYTES_PER_ELEMENT;
const FEATURE_BYTES = 16;
const FIRST_TABLE_BYTES = 1024 * Uint32Array.BYTES_PER_ELEMENT;
const TABLE_BYTES_PER_UNIT = 4 * Uint32Array.BYTES_PER_ELEMENT;
/** How far kernels read beyond the ends of a text. They ignore those bytes. */
const MARGIN_BYTES = 32;

const TABLE_FOR_ANY = PAGE_BYTES;
const TABLE_FOR_NORMALIZED = TABLE_FOR_ANY + UNIT_TABLE_BYTES;
const STOP_WORDS_ADDRESS = TABLE_FOR_NORMALIZED + UNIT_TABLE_BYTES;
const WEIGHTS = STOP_WORDS_ADDRESS + STOP_WORDS_BYTES;
const LANES = WEIGHTS + COUNTS * DOUBLE_BYTES;
const SUMS = LANES + LANES_BYTES;

const MAXIMUM_BYTES = 2 ** 32;
/** A memory never shrinks, so one that a very long text made larger than this is dropped. */
const KEPT_BYTES = 2 ** 26;

/**
 * Embeds texts into d dimensions, one after the other. The same text always has the same unit vector; a text without
 * words has the vector of the empty word.
 */
export class HashingEncoder {
  readonly #dimensions: number;
  /** Addresses of the vector, and of the units of the text. */
  readonly #vector: number;
  readonly #units: number;
  #memory: KernelMemory | undefined;

  /** @param dimensions d, from 1 to 2²¹ */
  constructor(dimensions: number) {
    this.#dimensions = dimensions;
    // An even number of values, since they are divided two at a time.
    const values = dimensions + (dimensions % 2);
    this.#vector = SUMS + values * DOUBLE_BYTES;
    this.#units = aligned(this.#vector + values * Float32Array.BYTES_PER_ELEMENT) + MARGIN_BYTES;
  }

  /**
   * Writes the text's unit vector, [d], into `target`.
   *
   * @returns whether the text has words
   * @throws ParallaxError
   *   `store-unusable` if the machine has no memory left for the text, about 40 bytes per character; `native-missing`
   *   if the kernels were not built
   */
  embedInto(text: string, target: Float32Array): boolean {
    const memory = (this.#memory ??= this.#begun());
    const { kernels } = memory;
    const counted = this.#count(memory, text);
    const weights = this.#weights(memory, counted);
    kernels.sumFeatures(counted.features, STOP_WORDS_ADDRESS, weights, LANES, this.#dimensions, SUMS);
    kernels.writeUnitVector(SUMS, this.#dimensions, this.#vector);
    target.set(memory.view(this.#vector, this.#dimensions));
    if (memory.size > KEPT_BYTES) this.#memory = undefined;
    return counted.largest > 0;
  }

  /** A memory with the tables. */
  #begun(): KernelMemory {
    const memory = new KernelMemory(this.#units, MAXIMUM_BYTES);
    const { any, normalized } = unitTables();
    memory.writeArray(TABLE_FOR_ANY, any);
    memory.writeArray(TABLE_FOR_NORMALIZED, normalized);
    memory.writeArray(WEIGHTS, weightsOfCounts(COUNTS));
    memory.kernels.noteStopWords(this.#count(memory, STOP_WORDS).features, STOP_WORDS_ADDRESS);
    return memory;
  }

  #count(memory: KernelMemory, text: string): CountedText {
    const count = this.#read(memory, text);
    const { features, table, end } = this.#places(count);
    const { kernels } = memory;
    const largest = kernels.countFeatures(this.#units, count, STOP_WORDS_ADDRESS, features, table);
    return { features, largest, end };
  }

  /**
   * Normalises most texts by a table, unit by unit. The others take several times as long.
   *
   * @returns the number of units of the normalised text
   */
  #read(memory: KernelMemory, text: string): number {
    if (this.#mapped(memory, text, TABLE_FOR_ANY)) return text.length;
    const normal = normalized(text);
    this.#mapped(memory, normal, TABLE_FOR_NORMALIZED);
    return normal.length;
  }

  #mapped(memory: KernelMemory, text: string, table: number): boolean {
    memory.reserve(this.#places(text.length).end);
    memory.writeText(this.#units, text);
    return memory.kernels.mapUnits(this.#units, text.length, table) !== 0;
  }

  /** After the units of a text come its features, then the table that finds them. */
  #places(count: number): { features: number; table: number; end: number } {
    const features = aligned(this.#units + count * UNIT_BYTES + MARGIN_BYTES);
    const table = features + (count + 1) * FEATURE_BYTES;
    return { features, table, end: table + Math.max(FIRST_TABLE_BYTES, count * TABLE_BYTES_PER_UNIT) };
  }

  /** Address of the weights of counts. They come after everything else if a word occurs very often. */
  #weights(memory: KernelMemory, { largest, end }: CountedText): number {
    if (largest < COUNTS) return WEIGHTS;
    memory.reserve(end + (largest + 1) * DOUBLE_BYTES);
    memory.writeArray(end, weightsOfCounts(largest + 1));
    return end;
  }
}

interface CountedText {
  /** Address of the first feature. */
  readonly features: number;
  /** The count of the most frequent feature. 0 for a text without words. */
  readonly largest: number;
  /** Address after all data of the text. */
  readonly end: number;
}

/**
 * A word that occurs twice counts more than once and less than twice. Computed here, since another implementation of
 * the logarithm may differ in the last bit.
 */
function weightsOfCounts(length: number): Float64Array {
  return new Float64Array(length).map((_, count) => 1 + Math.log(count));
}

/** The next possible address of a 128-bit group. */
function aligned(address: number): number {
  return Math.ceil(address / 16) * 16;
}
