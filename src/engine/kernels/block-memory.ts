import {
  FLOAT_BYTES,
  KernelMemory,
  PAGE_BYTES,
  paddedDimensions,
  SHARD_BYTES,
  SUM_BYTES,
} from './kernel-memory.ts';

const SUMS = PAGE_BYTES;
const BLOCK = SUMS + SUM_BYTES;

/** The memory in which one block at a time is assembled: a header, labels u32 [m], vectors f32 [n, stride]. */
export class BlockMemory {
  readonly #memory = new KernelMemory(BLOCK, SHARD_BYTES);
  readonly #headerBytes: number;
  readonly #dimensions: number;

  /**
   * @param headerBytes a multiple of 4
   * @param dimensions d
   */
  constructor(headerBytes: number, dimensions: number) {
    this.#headerBytes = headerBytes;
    this.#dimensions = dimensions;
  }

  /**
   * @param labels the words before the vectors, [m]
   * @param vectors [n, d]
   * @returns the whole block, with the header of the last call, and what `sumWords` (assembly/index.ts) computes of
   *   its vectors, [{@link SUM_BYTES}]; both are valid until the next call
   * @throws ParallaxError `store-unusable` if the machine has no memory left
   */
  put(labels: Uint32Array, vectors: Float32Array): { bytes: Uint8Array; sums: Uint8Array } {
    const memory = this.#memory;
    const stride = paddedDimensions(this.#dimensions);
    const count = (vectors.length / this.#dimensions) * stride;
    const rows = BLOCK + this.#headerBytes + labels.byteLength;
    const end = rows + count * FLOAT_BYTES;
    memory.reserve(end);
    memory.writeArray(BLOCK + this.#headerBytes, labels);
    if (stride !== this.#dimensions) memory.view(rows, count).fill(0);
    memory.writeRows(rows, vectors, this.#dimensions, stride);
    memory.bytes(SUMS, BLOCK).fill(0);
    memory.kernels.sumWords(rows, count, SUMS);
    return { bytes: memory.bytes(BLOCK, end), sums: memory.bytes(SUMS, BLOCK) };
  }
}
