/**
 * The vector kernels (assembly/index.ts) and the memory they work on.
 */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ParallaxError } from '../../core/errors.ts';

/** Most rows that one kernel call scores: their scores (16 KiB) stay in the first-level cache. */
export const SCAN_ROWS = 4096;

const FLOAT_BYTES = Float32Array.BYTES_PER_ELEMENT;
const PAGE_BYTES = 65_536;
/** One WebAssembly memory ends at 4 GiB, which a million rows of 1024 dimensions exceed: rows are spread over several. */
const SHARD_BYTES = 2 ** 30;

interface KernelExports {
  dotRows(query: number, rows: number, count: number, stride: number, scores: number): void;
}

/** Row length in floats: the dimensions rounded up to whole 128-bit groups, the rest zeros. */
export function paddedDimensions(dimensions: number): number {
  return Math.ceil(dimensions / 4) * 4;
}

/**
 * Float32 rows [n, d] in memory that the kernels, and later other threads, can read. Rows are only
 * ever added, so a search may go on while rows are appended.
 */
export class VectorMemory {
  readonly dimensions: number;
  /** Floats from one row to the next. */
  readonly stride: number;
  readonly #rowsPerShard: number;
  readonly #shardBytes: number;
  readonly #shards: Shard[] = [];
  #rows = 0;

  /**
   * @param dimensions d, at least 1
   * @param shardBytes size at which another memory is begun
   */
  constructor(dimensions: number, shardBytes = SHARD_BYTES) {
    if (!Number.isInteger(dimensions) || dimensions < 1)
      throw new ParallaxError('bad-argument', `Vectors cannot have ${dimensions} dimensions.`);
    this.dimensions = dimensions;
    this.stride = paddedDimensions(dimensions);
    this.#shardBytes = shardBytes;
    this.#rowsPerShard = Math.floor((shardBytes - rowsAddress(this.stride)) / (this.stride * FLOAT_BYTES));
  }

  get rows(): number {
    return this.#rows;
  }

  /**
   * Adds rows at the end.
   *
   * @param vectors [n, rowLength], where rowLength is `dimensions` or, already padded, `stride`
   * @throws ParallaxError `store-unusable` when the machine has no memory left for them
   */
  append(vectors: Float32Array, rowLength = this.dimensions): void {
    const count = vectors.length / rowLength;
    for (let done = 0; done < count;) {
      const [shard, local] = this.#locate(this.#rows);
      const batch = Math.min(count - done, this.#rowsPerShard - local);
      shard.write(local, vectors.subarray(done * rowLength, (done + batch) * rowLength), rowLength);
      done += batch;
      this.#rows += batch;
    }
  }

  /** One row, [d]: a view, not a copy. */
  row(index: number): Float32Array {
    const [shard, local] = this.#locate(index);
    return shard.row(local).subarray(0, this.dimensions);
  }

  /**
   * Inner products of the query with the rows `from`, `from + 1`, …: at least one, at most
   * {@link SCAN_ROWS}, none at or beyond `to`.
   *
   * @param query [d]
   * @returns [count], to be used before the next call, which overwrites it
   */
  scoreRows(query: Float32Array, from: number, to: number): Float32Array {
    const [shard, local] = this.#locate(from);
    return shard.score(query, local, Math.min(to - from, SCAN_ROWS, this.#rowsPerShard - local));
  }

  /** The shard of a row and the row's number in it; a shard is begun when its first row is asked for. */
  #locate(row: number): [Shard, number] {
    const number = Math.floor(row / this.#rowsPerShard);
    const shard = (this.#shards[number] ??= new Shard(this.stride, this.#shardBytes));
    return [shard, row - number * this.#rowsPerShard];
  }
}

/**
 * One WebAssembly memory: a page for the module's own data, the query, the scores, then the rows.
 */
class Shard {
  readonly #stride: number;
  readonly #memory: WebAssembly.Memory;
  readonly #kernels: KernelExports;
  readonly #maximumPages: number;
  #floats: Float32Array;

  constructor(stride: number, maximumBytes: number) {
    this.#stride = stride;
    const initial = Math.ceil(rowsAddress(stride) / PAGE_BYTES);
    this.#maximumPages = Math.ceil(maximumBytes / PAGE_BYTES);
    this.#memory = new WebAssembly.Memory({ initial, maximum: this.#maximumPages, shared: true });
    this.#kernels = instantiate(this.#memory);
    this.#floats = new Float32Array(this.#memory.buffer);
  }

  write(row: number, vectors: Float32Array, rowLength: number): void {
    const count = vectors.length / rowLength;
    this.#reserve(row + count);
    const start = this.#rowIndex(row);
    if (rowLength === this.#stride) this.#floats.set(vectors, start);
    else
      for (let i = 0; i < count; i++)
        this.#floats.set(vectors.subarray(i * rowLength, (i + 1) * rowLength), start + i * this.#stride);
  }

  row(row: number): Float32Array {
    const start = this.#rowIndex(row);
    return this.#floats.subarray(start, start + this.#stride);
  }

  score(query: Float32Array, row: number, count: number): Float32Array {
    const scores = scoresAddress(this.#stride);
    this.#floats.set(query, PAGE_BYTES / FLOAT_BYTES);
    this.#kernels.dotRows(PAGE_BYTES, this.#rowIndex(row) * FLOAT_BYTES, count, this.#stride, scores);
    return this.#floats.subarray(scores / FLOAT_BYTES, scores / FLOAT_BYTES + count);
  }

  #rowIndex(row: number): number {
    return rowsAddress(this.#stride) / FLOAT_BYTES + row * this.#stride;
  }

  /** Grows by half at least, so that n appended rows cost O(n); views of the memory as it was must be renewed. */
  #reserve(rows: number): void {
    const pages = this.#memory.buffer.byteLength / PAGE_BYTES;
    const needed = Math.ceil((this.#rowIndex(rows) * FLOAT_BYTES) / PAGE_BYTES);
    if (needed <= pages) return;
    const target = Math.min(this.#maximumPages, Math.max(needed, Math.ceil(pages * 1.5)));
    try {
      this.#memory.grow(target - pages);
    } catch (error) {
      throw new ParallaxError(
        'store-unusable',
        'There is not enough memory for the vectors of this corpus.',
        {
          cause: error,
        },
      );
    }
    this.#floats = new Float32Array(this.#memory.buffer);
  }
}

function scoresAddress(stride: number): number {
  return PAGE_BYTES + stride * FLOAT_BYTES;
}

function rowsAddress(stride: number): number {
  return scoresAddress(stride) + SCAN_ROWS * FLOAT_BYTES;
}

let compiled: WebAssembly.Module | undefined;

function instantiate(memory: WebAssembly.Memory): KernelExports {
  compiled ??= new WebAssembly.Module(readFileSync(kernelsFile()));
  return new WebAssembly.Instance(compiled, { env: { memory } }).exports as unknown as KernelExports;
}

/** Bundled code stands in `dist/` or `dist/chunks/`, sources in `src/engine/kernels/` beside `dist/`. */
function kernelsFile(): string {
  const here = dirname(fileURLToPath(import.meta.url));
  const folders = [here, dirname(here), join(here, '../../../dist')];
  const file = folders.map((folder) => join(folder, 'kernels.wasm')).find((path) => existsSync(path));
  if (file === undefined)
    throw new ParallaxError(
      'native-missing',
      'dist/kernels.wasm is missing. Build Parallax again: npm run build.',
    );
  return file;
}
