import { FLOAT_BYTES, KernelMemory, PAGE_BYTES, paddedDimensions, SHARD_BYTES } from './kernel-memory.ts';

/** Rows that one kernel call quantises or scores. */
const QUANTIZED_ROWS = 4096;
/** Quantised rows are padded with zeros to whole 128-bit groups of bytes. */
const QUANTIZED_GROUP = 16;
const SHORT_BYTES = Int16Array.BYTES_PER_ELEMENT;
const QUERY_ADDRESS = PAGE_BYTES;

/**
 * A copy of rows in 8 bits each, with a scale per row: a quarter of the bytes to read in a scan. Rows are only ever
 * added. One WebAssembly memory: a page for the module's own data, the query, scores, a portion of incoming rows,
 * then for each portion its scales, its errors and its rows.
 */
export class QuantizedMemory {
  readonly #dimensions: number;
  readonly #stride: number;
  readonly #bytesPerRow: number;
  readonly #shardPortions: number;
  readonly #shards: KernelMemory[] = [];
  #rows = 0;

  /**
   * @param dimensions d, at least 1
   * @param shardBytes size at which another memory starts
   */
  constructor(dimensions: number, shardBytes = SHARD_BYTES) {
    this.#dimensions = dimensions;
    this.#stride = paddedDimensions(dimensions);
    this.#bytesPerRow = Math.ceil(dimensions / QUANTIZED_GROUP) * QUANTIZED_GROUP;
    const portions = Math.floor((shardBytes - this.#portionAddress(0)) / this.#portionBytes);
    this.#shardPortions = Math.max(1, portions);
  }

  get rows(): number {
    return this.#rows;
  }

  /**
   * Adds rows at the end.
   *
   * @param vectors [n, d]
   * @throws ParallaxError `store-unusable` if the machine has no memory left for them
   */
  append(vectors: Float32Array): void {
    const count = vectors.length / this.#dimensions;
    for (let done = 0; done < count;) {
      const [memory, portion, row] = this.#locate(this.#rows);
      const batch = Math.min(count - done, QUANTIZED_ROWS - row);
      memory.reserve(this.#portionAddress(portion + 1));
      const rows = vectors.subarray(done * this.#dimensions, (done + batch) * this.#dimensions);
      memory.writeRows(this.#inputAddress, rows, this.#dimensions, this.#stride);
      memory.kernels.quantizeRows(
        this.#inputAddress,
        batch,
        this.#stride,
        this.#bytesPerRow,
        this.#rowAddress(portion, row),
        this.#portionAddress(portion) + row * FLOAT_BYTES,
        this.#errorsAddress(portion) + row * FLOAT_BYTES,
      );
      done += batch;
      this.#rows += batch;
    }
  }

  /**
   * Approximate inner products of the query with the rows `from`, `from + 1`, …: at least one, at most
   * {@link QUANTIZED_ROWS}, none at or beyond `to`.
   *
   * @param query [d], made by {@link quantizedQuery}
   * @returns [count], to be used before the next call, which overwrites it
   */
  scoreRows({ values, scale }: QuantizedQuery, from: number, to: number): Float32Array {
    const [memory, portion, row] = this.#locate(from);
    const count = Math.min(to - from, QUANTIZED_ROWS - row);
    memory.writeArray(QUERY_ADDRESS, values);
    memory.kernels.dotQuantizedRows(
      QUERY_ADDRESS,
      scale,
      this.#rowAddress(portion, row),
      count,
      this.#bytesPerRow,
      this.#portionAddress(portion) + row * FLOAT_BYTES,
      this.#scoresAddress,
    );
    return memory.view(this.#scoresAddress, count);
  }

  /**
   * The rounding error of the rows `from`, `from + 1`, …: the length of the difference.
   *
   * @param count the number of scores that {@link scoreRows} returns from `from` on
   * @returns [count]: a view
   */
  errors(from: number, count: number): Float32Array {
    const [memory, portion, row] = this.#locate(from);
    return memory.view(this.#errorsAddress(portion) + row * FLOAT_BYTES, count);
  }

  /** The memory of a row, the number of its portion there, and its number within that. */
  #locate(row: number): [KernelMemory, portion: number, row: number] {
    const portion = Math.floor(row / QUANTIZED_ROWS);
    const number = Math.floor(portion / this.#shardPortions);
    const memory = (this.#shards[number] ??= new KernelMemory(
      this.#portionAddress(0),
      this.#portionAddress(this.#shardPortions),
    ));
    return [memory, portion - number * this.#shardPortions, row % QUANTIZED_ROWS];
  }

  get #scoresAddress(): number {
    return QUERY_ADDRESS + this.#bytesPerRow * SHORT_BYTES;
  }

  get #inputAddress(): number {
    return this.#scoresAddress + QUANTIZED_ROWS * FLOAT_BYTES;
  }

  get #portionBytes(): number {
    return QUANTIZED_ROWS * (2 * FLOAT_BYTES + this.#bytesPerRow);
  }

  #portionAddress(portion: number): number {
    return this.#inputAddress + QUANTIZED_ROWS * this.#stride * FLOAT_BYTES + portion * this.#portionBytes;
  }

  #errorsAddress(portion: number): number {
    return this.#portionAddress(portion) + QUANTIZED_ROWS * FLOAT_BYTES;
  }

  #rowAddress(portion: number, row: number): number {
    return this.#portionAddress(portion) + 2 * QUANTIZED_ROWS * FLOAT_BYTES + row * this.#bytesPerRow;
  }
}

/** A query in 8 bits. A value times the scale is approximately the original value. */
export interface QuantizedQuery {
  readonly values: Int16Array;
  readonly scale: number;
}

/** @param query [d], finite and not all zero */
export function quantizedQuery(query: Float32Array): QuantizedQuery {
  const scale = query.reduce((max, value) => Math.max(max, Math.abs(value)), 0) / 127;
  return { values: Int16Array.from(query, (value) => Math.round(value / scale)), scale };
}
