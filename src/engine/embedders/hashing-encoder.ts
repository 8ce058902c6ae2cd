/**
 * Embeddings without a model: feature hashing (Weinberger et al. 2009, arXiv:0902.2206) of words, word
 * pairs and the character n-grams within words (as in fastText, Bojanowski et al. 2017, arXiv:1607.04606).
 *
 * Lexical, not semantic: two texts are close when they share words or parts of words. It finds spelling
 * variants and inflections that BM25 misses, and no synonyms at all.
 *
 * The arithmetic is that of src/engine/kernels/assembly/hashing.ts. test/engine/embedders/plain-hashing.ts says the
 * same in plain TypeScript, and the vectors of the two are equal to the last bit.
 */
import { KernelMemory, PAGE_BYTES } from '../kernels/kernel-memory.ts';
import { normalized, STOP_WORDS, unitTables } from './hashing-tables.ts';

/** Changes with everything that changes vectors, so that stored ones are not mixed with new ones. */
export const HASHING_VERSION = 1;

/** Counts whose weights are at hand for every text. */
const COUNTS = 1024;
/** Sizes of what the kernels work on, in bytes. */
const UNIT_BYTES = Uint16Array.BYTES_PER_ELEMENT;
const DOUBLE_BYTES = Float64Array.BYTES_PER_ELEMENT;
const UNIT_TABLE_BYTES = 65_536 * UNIT_BYTES;
const STOP_WORDS_BYTES = 512 * Uint32Array.BYTES_PER_ELEMENT;
const LANES_BYTES = 3 * 8 * Uint32Array.BYTES_PER_ELEMENT;
const FEATURE_BYTES = 16;
const FIRST_TABLE_BYTES = 1024 * Uint32Array.BYTES_PER_ELEMENT;
const TABLE_BYTES_PER_UNIT = 4 * Uint32Array.BYTES_PER_ELEMENT;
/** Kernels read so far beyond the ends of a text, and ignore what stands there. */
const MARGIN_BYTES = 32;

const TABLE_FOR_ANY = PAGE_BYTES;
const TABLE_FOR_NORMALIZED = TABLE_FOR_ANY + UNIT_TABLE_BYTES;
const STOP_WORDS_ADDRESS = TABLE_FOR_NORMALIZED + UNIT_TABLE_BYTES;
const WEIGHTS = STOP_WORDS_ADDRESS + STOP_WORDS_BYTES;
const LANES = WEIGHTS + COUNTS * DOUBLE_BYTES;
const SUMS = LANES + LANES_BYTES;

const MAXIMUM_BYTES = 2 ** 32;
/** A memory never shrinks: what a very long text made larger than this is not kept. */
const KEPT_BYTES = 2 ** 26;

/**
 * Embeds texts into d dimensions, one after the other. The same text always gives the same unit vector;
 * a text without any word gets the vector of the empty word.
 */
export class HashingEncoder {
  readonly #dimensions: number;
  /** Where the vector is written, and where the units of the text begin. */
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
   * @returns whether there was any word in the text
   * @throws ParallaxError `store-unusable` when the machine has no memory left for the text, about 40 bytes for
   *   each of its characters; `native-missing` where the kernels were not built
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

  /** A memory that holds the tables. */
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
   * Most texts are normalised by a table, unit by unit; the others take several times as long.
   *
   * @returns how many units the normalised text has
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

  /** Behind the units of a text stand its features, then the table in which they are found. */
  #places(count: number): { features: number; table: number; end: number } {
    const features = aligned(this.#units + count * UNIT_BYTES + MARGIN_BYTES);
    const table = features + (count + 1) * FEATURE_BYTES;
    return { features, table, end: table + Math.max(FIRST_TABLE_BYTES, count * TABLE_BYTES_PER_UNIT) };
  }

  /** Where the weights of counts stand: behind everything else, for a text in which a word occurs very often. */
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
  /** How often the most frequent feature occurs; 0 for a text without words. */
  readonly largest: number;
  /** Address behind everything that belongs to the text. */
  readonly end: number;
}

/**
 * A word that occurs twice counts more than once and less than twice. Computed here, since another logarithm may
 * differ in its last bit.
 */
function weightsOfCounts(length: number): Float64Array {
  return new Float64Array(length).map((_, count) => 1 + Math.log(count));
}

/** The next address at which a 128-bit group may begin. */
function aligned(address: number): number {
  return Math.ceil(address / 16) * 16;
}
