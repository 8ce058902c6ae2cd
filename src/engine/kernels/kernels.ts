/**
 * The vector kernels (assembly/index.ts) and the memory they work on.
 */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../../core/errors.ts';
import { NORM_FLOOR, type ScoringPlan } from '../../core/projection/project.ts';
import type { InnerProduct } from '../../core/rerank/similarity.ts';
import { grownArray } from '../grown-array.ts';

/** Most rows that one kernel call scores: their scores (16 KiB) stay in the first-level cache. */
export const SCAN_ROWS = 4096;

const FLOAT_BYTES = Float32Array.BYTES_PER_ELEMENT;
const PAGE_BYTES = 65_536;
/** One WebAssembly memory ends at 4 GiB, which a million rows of 1024 dimensions exceed: rows are spread over several. */
const SHARD_BYTES = 2 ** 30;
/** How far the squared length of a vector that was scaled to unit length may be from 1, by rounding. */
const UNIT_TOLERANCE = 1e-5;

interface KernelExports {
  dotRows(query: number, rows: number, count: number, stride: number, scores: number): void;
  squaredLengths(rows: number, count: number, stride: number, squaredLengths: number): void;
  projectRows(
    direction: number,
    axis: number,
    rows: number,
    squares: number,
    count: number,
    stride: number,
    scores: number,
    offset: number,
    linear: number,
    quadratic: number,
    constant: number,
    floor: number,
  ): void;
  quantizeRows(
    rows: number,
    count: number,
    stride: number,
    bytesPerRow: number,
    quantized: number,
    scales: number,
    errors: number,
  ): void;
  dotQuantizedRows(
    query: number,
    queryScale: number,
    quantized: number,
    count: number,
    bytesPerRow: number,
    scales: number,
    scores: number,
  ): void;
  innerProduct(a: number, b: number, stride: number): number;
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
  /** Rows behind these whose room was given away: see {@link room}. */
  #promised = 0;
  #unitLength = true;
  #longestSquared = 0;

  /**
   * @param dimensions d, at least 1
   * @param shardBytes size at which another memory is begun
   */
  constructor(dimensions: number, shardBytes = SHARD_BYTES) {
    if (!Number.isInteger(dimensions) || dimensions < 1)
      throw new ParallaxError('bad-argument', l10n.t`Vectors cannot have ${dimensions} dimensions.`);
    this.dimensions = dimensions;
    this.stride = paddedDimensions(dimensions);
    this.#shardBytes = shardBytes;
    this.#rowsPerShard = Math.floor((shardBytes - rowsAddress(this.stride)) / (this.stride * FLOAT_BYTES));
  }

  get rows(): number {
    return this.#rows;
  }

  /** Whether all rows have length 1, so that inner products with them are as good as divided by it. */
  get unitLength(): boolean {
    return this.#unitLength;
  }

  /** Length of the longest row. */
  get longest(): number {
    return Math.sqrt(this.#longestSquared);
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
      this.#measure(shard, local, batch);
      done += batch;
      this.#rows += batch;
    }
  }

  /**
   * Room for rows that come from elsewhere, to be filled and then {@link take}n, in the order of asking. Nothing
   * may be appended before that.
   *
   * @returns bytes that follow each other, [count, stride] floats in all, 0 behind the dimensions of each row
   * @throws ParallaxError `store-unusable` when the machine has no memory left for them
   */
  room(count: number): Uint8Array[] {
    const parts: Uint8Array[] = [];
    for (let done = 0; done < count;) {
      const [shard, local] = this.#locate(this.#rows + this.#promised);
      const batch = Math.min(count - done, this.#rowsPerShard - local);
      parts.push(shard.room(local, batch));
      done += batch;
      this.#promised += batch;
    }
    return parts;
  }

  /** The first so many rows of the {@link room} that was given away are there. */
  take(count: number): void {
    for (let done = 0; done < count;) {
      const [shard, local] = this.#locate(this.#rows);
      const batch = Math.min(count - done, this.#rowsPerShard - local);
      this.#measure(shard, local, batch);
      done += batch;
      this.#rows += batch;
      this.#promised -= batch;
    }
  }

  /** Takes back the room that was given away, whatever stands in it. */
  forget(): void {
    const promised = this.#promised;
    this.#promised = 0;
    for (const part of this.room(promised)) part.fill(0);
    this.#promised = 0;
  }

  #measure(shard: Shard, local: number, count: number): void {
    for (const squared of shard.measure(local, count)) {
      this.#unitLength &&= Math.abs(squared - 1) <= UNIT_TOLERANCE;
      this.#longestSquared = Math.max(this.#longestSquared, squared);
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

  /**
   * The same for the scores of a plan, as {@link scoreFromProducts} defines them. The plan's numbers must be
   * finite in single precision.
   */
  projectRows(plan: ScoringPlan, from: number, to: number): Float32Array {
    const [shard, local] = this.#locate(from);
    return shard.project(plan, local, Math.min(to - from, SCAN_ROWS, this.#rowsPerShard - local));
  }

  /** The shard of a row and the row's number in it; a shard is begun when its first row is asked for. */
  #locate(row: number): [Shard, number] {
    const number = Math.floor(row / this.#rowsPerShard);
    const shard = (this.#shards[number] ??= new Shard(this.stride, this.#shardBytes));
    return [shard, row - number * this.#rowsPerShard];
  }
}

/**
 * One WebAssembly memory: a page for the module's own data, the query, the axis of a projection, the
 * squared lengths and the scores of the rows at hand, then the rows.
 */
class Shard {
  readonly #stride: number;
  readonly #memory: KernelMemory;
  /** `[rows]` ‖c‖², at least. */
  #squaredLengths = new Float32Array(SCAN_ROWS);

  constructor(stride: number, maximumBytes: number) {
    this.#stride = stride;
    this.#memory = new KernelMemory(rowsAddress(stride), maximumBytes);
  }

  write(row: number, vectors: Float32Array, rowLength: number): void {
    this.#memory.reserve(this.#rowAddress(row + vectors.length / rowLength));
    this.#memory.writeRows(this.#rowAddress(row), vectors, rowLength, this.#stride);
  }

  /** The bytes of some rows: a view. */
  room(row: number, count: number): Uint8Array {
    this.#memory.reserve(this.#rowAddress(row + count));
    return this.#memory.bytes(this.#rowAddress(row), this.#rowAddress(row + count));
  }

  /** @returns ‖c‖² of some rows: a view */
  measure(row: number, count: number): Float32Array {
    const end = row + count;
    this.#squaredLengths = grownArray(this.#squaredLengths, end);
    for (let from = row; from < end; from += SCAN_ROWS)
      this.#measurePortion(from, Math.min(end - from, SCAN_ROWS));
    return this.#squaredLengths.subarray(row, end);
  }

  row(row: number): Float32Array {
    return this.#memory.view(this.#rowAddress(row), this.#stride);
  }

  score(query: Float32Array, row: number, count: number): Float32Array {
    const scores = scoresAddress(this.#stride);
    this.#memory.write(QUERY_ADDRESS, query);
    this.#memory.kernels.dotRows(QUERY_ADDRESS, this.#rowAddress(row), count, this.#stride, scores);
    return this.#memory.view(scores, count);
  }

  project({ direction, offset, norm }: ScoringPlan, row: number, count: number): Float32Array {
    const axis = axisAddress(this.#stride);
    const squares = squaresAddress(this.#stride);
    const scores = scoresAddress(this.#stride);
    this.#memory.write(QUERY_ADDRESS, direction);
    // Without a norm, what stands at the axis is multiplied by 0.
    if (norm) this.#memory.write(axis, norm.axis);
    this.#memory.write(squares, this.#squaredLengths.subarray(row, row + count));
    const { linear, quadratic, constant } = norm ?? { linear: 0, quadratic: 0, constant: 0 };
    this.#memory.kernels.projectRows(
      QUERY_ADDRESS,
      axis,
      this.#rowAddress(row),
      squares,
      count,
      this.#stride,
      scores,
      offset,
      linear,
      quadratic,
      constant,
      NORM_FLOOR,
    );
    return this.#memory.view(scores, count);
  }

  #measurePortion(row: number, count: number): void {
    const squares = squaresAddress(this.#stride);
    this.#memory.kernels.squaredLengths(this.#rowAddress(row), count, this.#stride, squares);
    this.#squaredLengths.set(this.#memory.view(squares, count), row);
  }

  #rowAddress(row: number): number {
    return rowsAddress(this.#stride) + row * this.#stride * FLOAT_BYTES;
  }
}

/**
 * A copy of rows in 8 bits each, with a scale per row: a quarter of the bytes to read in a scan. Rows are only
 * ever added. One WebAssembly memory: a page for the module's own data, the query, scores, a portion of rows as
 * they come, then for each portion its scales, its errors and its rows.
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
   * @param shardBytes size at which another memory is begun
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
   * @throws ParallaxError `store-unusable` when the machine has no memory left for them
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
   * About the inner products of the query with the rows `from`, `from + 1`, …: at least one, at most
   * {@link QUANTIZED_ROWS}, none at or beyond `to`.
   *
   * @param query [d], made by {@link quantizedQuery}
   * @returns [count], to be used before the next call, which overwrites it
   */
  scoreRows({ values, scale }: QuantizedQuery, from: number, to: number): Float32Array {
    const [memory, portion, row] = this.#locate(from);
    const count = Math.min(to - from, QUANTIZED_ROWS - row);
    memory.writeShorts(QUERY_ADDRESS, values);
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
   * How far the rows `from`, `from + 1`, … are from what is kept of them: the length of the difference.
   *
   * @param count as many as {@link scoreRows} gives scores from `from` on
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

/** A query in 8 bits: a value times the scale is about the value that it stands for. */
export interface QuantizedQuery {
  readonly values: Int16Array;
  readonly scale: number;
}

/** @param query [d], finite and not all zero */
export function quantizedQuery(query: Float32Array): QuantizedQuery {
  const scale = query.reduce((max, value) => Math.max(max, Math.abs(value)), 0) / 127;
  return { values: Int16Array.from(query, (value) => Math.round(value / scale)), scale };
}

/** Rows quantised, or scored, by one kernel call. */
const QUANTIZED_ROWS = 4096;
/** Quantised rows are padded with zeros to whole 128-bit groups of bytes. */
const QUANTIZED_GROUP = 16;
const SHORT_BYTES = Int16Array.BYTES_PER_ELEMENT;

const QUERY_ADDRESS = PAGE_BYTES;

function axisAddress(stride: number): number {
  return QUERY_ADDRESS + stride * FLOAT_BYTES;
}

function squaresAddress(stride: number): number {
  return axisAddress(stride) + stride * FLOAT_BYTES;
}

function scoresAddress(stride: number): number {
  return squaresAddress(stride) + SCAN_ROWS * FLOAT_BYTES;
}

function rowsAddress(stride: number): number {
  return scoresAddress(stride) + SCAN_ROWS * FLOAT_BYTES;
}

/** A memory that grows, the kernels that work on it, and access to its floats by address. */
class KernelMemory {
  readonly kernels: KernelExports;
  readonly #memory: WebAssembly.Memory;
  readonly #maximumPages: number;
  #floats: Float32Array;

  constructor(initialBytes: number, maximumBytes: number) {
    const initial = Math.ceil(initialBytes / PAGE_BYTES);
    this.#maximumPages = Math.ceil(maximumBytes / PAGE_BYTES);
    this.#memory = new WebAssembly.Memory({ initial, maximum: this.#maximumPages, shared: true });
    this.kernels = instantiate(this.#memory);
    this.#floats = new Float32Array(this.#memory.buffer);
  }

  /**
   * Grows by half at least, so that n appended rows cost O(n).
   *
   * @throws ParallaxError `store-unusable` when the machine has no memory left
   */
  reserve(bytes: number): void {
    const pages = this.#memory.buffer.byteLength / PAGE_BYTES;
    const needed = Math.ceil(bytes / PAGE_BYTES);
    if (needed <= pages) return;
    const target = Math.max(needed, Math.min(this.#maximumPages, Math.ceil(pages * 1.5)));
    try {
      this.#memory.grow(target - pages);
    } catch (error) {
      throw new ParallaxError(
        'store-unusable',
        l10n.t('There is not enough memory for the vectors of this corpus.'),
        { cause: error },
      );
    }
    this.#floats = new Float32Array(this.#memory.buffer);
  }

  /** `count` floats: a view. */
  view(address: number, count: number): Float32Array {
    return this.#floats.subarray(address / FLOAT_BYTES, address / FLOAT_BYTES + count);
  }

  bytes(from: number, to: number): Uint8Array {
    return new Uint8Array(this.#memory.buffer, from, to - from);
  }

  write(address: number, values: ArrayLike<number>): void {
    this.#floats.set(values, address / FLOAT_BYTES);
  }

  writeShorts(address: number, values: Int16Array): void {
    new Int16Array(this.#memory.buffer, address, values.length).set(values);
  }

  /**
   * @param vectors [n, rowLength]
   * @param stride floats from one row to the next; what is between them is left as it is
   */
  writeRows(address: number, vectors: Float32Array, rowLength: number, stride: number): void {
    if (rowLength === stride) this.write(address, vectors);
    else
      for (let at = 0, to = address; at < vectors.length; at += rowLength, to += stride * FLOAT_BYTES)
        this.write(to, vectors.subarray(at, at + rowLength));
  }
}

let candidateMemory: KernelMemory | undefined;

/**
 * Inner products within one candidate list, in double precision. All lists share one memory: the products
 * of a list can be asked for until this is called for the next.
 *
 * @param vectors [n, d]
 * @param dimensions d
 * @throws ParallaxError `store-unusable` when the machine has no memory left for a copy of the vectors
 */
export function candidateProducts(vectors: Float32Array, dimensions: number): InnerProduct {
  const memory = (candidateMemory ??= new KernelMemory(PAGE_BYTES, SHARD_BYTES));
  const stride = paddedDimensions(dimensions);
  const rowBytes = stride * FLOAT_BYTES;
  const end = PAGE_BYTES + (vectors.length / (dimensions || 1)) * rowBytes;
  memory.reserve(end);
  if (stride !== dimensions) memory.view(PAGE_BYTES, (end - PAGE_BYTES) / FLOAT_BYTES).fill(0);
  memory.writeRows(PAGE_BYTES, vectors, dimensions, stride);
  const { innerProduct } = memory.kernels;
  return (a, b) => innerProduct(PAGE_BYTES + a * rowBytes, PAGE_BYTES + b * rowBytes, stride);
}

let measuredMemory: KernelMemory | undefined;

/**
 * Squared lengths of vectors, in single precision.
 *
 * @param vectors [n, d]
 * @param dimensions d
 * @returns [n], to be used before the next call, which overwrites it
 * @throws ParallaxError `store-unusable` when the machine has no memory left for a portion of the vectors
 */
export function squaredLengths(vectors: Float32Array, dimensions: number): Float32Array {
  const memory = (measuredMemory ??= new KernelMemory(PAGE_BYTES, SHARD_BYTES));
  const stride = paddedDimensions(dimensions);
  const count = vectors.length / dimensions;
  const lengths = PAGE_BYTES + count * stride * FLOAT_BYTES;
  memory.reserve(lengths + count * FLOAT_BYTES);
  if (stride !== dimensions) memory.view(PAGE_BYTES, count * stride).fill(0);
  memory.writeRows(PAGE_BYTES, vectors, dimensions, stride);
  memory.kernels.squaredLengths(PAGE_BYTES, count, stride, lengths);
  return memory.view(lengths, count);
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
      l10n.t('dist/kernels.wasm is missing. Build Parallax again: npm run build.'),
    );
  return file;
}
