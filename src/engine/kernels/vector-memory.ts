import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../../core/errors.ts';
import { NORM_FLOOR, type ScoringPlan } from '../../core/projection/project.ts';
import { grownArray } from '../grown-array.ts';
import {
  FLOAT_BYTES,
  KernelMemory,
  PAGE_BYTES,
  paddedDimensions,
  SHARD_BYTES,
  SUM_BYTES,
} from './kernel-memory.ts';

/** The most rows that one kernel call scores: their scores (16 KiB) stay in the first-level cache. */
export const SCAN_ROWS = 4096;

/** How far rounding may move the squared length of a unit vector from 1. */
const UNIT_TOLERANCE = 1e-5;

/**
 * Float32 rows [n, d] in memory that the kernels, and later other threads, can read. Rows are only ever added, so a
 * search may run while rows are appended.
 */
export class VectorMemory {
  readonly dimensions: number;
  /** Floats from one row to the next. */
  readonly stride: number;
  readonly #rowsPerShard: number;
  readonly #shardBytes: number;
  readonly #shards: Shard[] = [];
  #rows = 0;
  /** Rows of reserved room behind the present ones; see {@link room}. */
  #promised = 0;
  #unitLength = true;
  #longestSquared = 0;

  /**
   * @param dimensions d, at least 1
   * @param shardBytes size at which another memory starts
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

  /** Whether all rows have length 1, so that inner products need not be divided by it. */
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
   * @throws ParallaxError `store-unusable` if the machine has no memory left for them
   */
  append(vectors: Float32Array, rowLength = this.dimensions): void {
    let done = 0;
    for (const [shard, local, count] of this.#stretches(this.#rows, vectors.length / rowLength)) {
      shard.write(local, vectors.subarray(done * rowLength, (done + count) * rowLength), rowLength);
      this.#measure(shard, local, count);
      done += count;
      this.#rows += count;
    }
  }

  /**
   * Reserves room for rows, to be filled and then {@link take}n in the order of the requests. Nothing may be appended
   * before that.
   *
   * @returns consecutive bytes, [count, stride] floats in all, 0 behind the dimensions of each row
   * @throws ParallaxError `store-unusable` if the machine has no memory left for them
   */
  room(count: number): Uint8Array[] {
    const parts: Uint8Array[] = [];
    for (const [shard, local, part] of this.#stretches(this.#rows + this.#promised, count))
      parts.push(shard.room(local, part));
    this.#promised += count;
    return parts;
  }

  /**
   * Checksums, by `sumWords` (assembly/index.ts), of the first `count` rows of the reserved {@link room}.
   *
   * @returns [{@link SUM_BYTES}]
   */
  sums(count: number): Uint8Array {
    let sums: Uint8Array = new Uint8Array(SUM_BYTES);
    for (const [shard, local, part] of this.#stretches(this.#rows, count))
      sums = shard.sums(local, part, sums);
    return sums;
  }

  /** Adds the first `count` rows of the reserved {@link room}, which is filled. */
  take(count: number): void {
    for (const [shard, local, part] of this.#stretches(this.#rows, count)) this.#measure(shard, local, part);
    this.#rows += count;
    this.#promised -= count;
  }

  /** Releases the reserved room, whatever its content. */
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
   * Inner products of the query with the rows `from`, `from + 1`, …: at least one, at most {@link SCAN_ROWS}, none at
   * or beyond `to`.
   *
   * @param query [d]
   * @returns [count], to be used before the next call, which overwrites it
   */
  scoreRows(query: Float32Array, from: number, to: number): Float32Array {
    const [shard, local] = this.#locate(from);
    return shard.score(query, local, Math.min(to - from, SCAN_ROWS, this.#rowsPerShard - local));
  }

  /**
   * The same for the scores of a plan, as `scoreFromProducts` defines them. The plan's numbers must be finite in
   * single precision.
   */
  projectRows(plan: ScoringPlan, from: number, to: number): Float32Array {
    const [shard, local] = this.#locate(from);
    return shard.project(plan, local, Math.min(to - from, SCAN_ROWS, this.#rowsPerShard - local));
  }

  /** Consecutive rows by shard: the number of the first row in the shard, and the number of rows. */
  *#stretches(first: number, count: number): Generator<[Shard, local: number, count: number]> {
    for (let row = first; row < first + count;) {
      const [shard, local] = this.#locate(row);
      const part = Math.min(first + count - row, this.#rowsPerShard - local);
      yield [shard, local, part];
      row += part;
    }
  }

  /** The shard of a row and the row's number in it. A shard is created when its first row is needed. */
  #locate(row: number): [Shard, number] {
    const number = Math.floor(row / this.#rowsPerShard);
    const shard = (this.#shards[number] ??= new Shard(this.stride, this.#shardBytes));
    return [shard, row - number * this.#rowsPerShard];
  }
}

/**
 * One WebAssembly memory: a page for the module's own data, the query, the axis of a projection, the squared lengths
 * and the scores of the present rows, then the rows.
 */
class Shard {
  readonly #stride: number;
  readonly #memory: KernelMemory;
  /** `[rows]` ‖c‖², at least this long. */
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

  /** @returns a copy of the sums with some rows added */
  sums(row: number, count: number, sums: Uint8Array): Uint8Array {
    // The room for scores is free, since these are used before the next call.
    const address = scoresAddress(this.#stride);
    this.#memory.writeArray(address, sums);
    this.#memory.kernels.sumWords(this.#rowAddress(row), count * this.#stride, address);
    return this.#memory.bytes(address, address + SUM_BYTES).slice();
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
    // Without a norm, the content of the axis is multiplied by 0.
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
