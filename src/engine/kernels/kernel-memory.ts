/** The kernels (assembly/index.ts), and memories for them to work on. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../../core/errors.ts';

export const FLOAT_BYTES = Float32Array.BYTES_PER_ELEMENT;
/** The first page of each memory is for the module's own data. */
export const PAGE_BYTES = 65_536;
/**
 * One WebAssembly memory ends at 4 GiB, which a million rows of 1024 dimensions exceed, so rows are spread
 * over several.
 */
export const SHARD_BYTES = 2 ** 30;
/** The bytes of the sums of `sumWords` (assembly/index.ts). */
export const SUM_BYTES = 64;

interface KernelExports {
  dotRows(query: number, rows: number, count: number, stride: number, scores: number): void;
  squaredLengths(rows: number, count: number, stride: number, squaredLengths: number): void;
  sumWords(words: number, count: number, sums: number): void;
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

/** Row length in floats: the dimensions rounded up to whole 128-bit groups, padded with zeros. */
export function paddedDimensions(dimensions: number): number {
  return Math.ceil(dimensions / 4) * 4;
}

/** A growing memory, its kernels, and access to its content by address. */
export class KernelMemory {
  readonly kernels: KernelExports;
  readonly #memory: WebAssembly.Memory;
  readonly #maximumPages: number;
  #floats: Float32Array;
  #bytes: Buffer;

  constructor(initialBytes: number, maximumBytes: number) {
    const initial = Math.ceil(initialBytes / PAGE_BYTES);
    this.#maximumPages = Math.ceil(maximumBytes / PAGE_BYTES);
    this.#memory = new WebAssembly.Memory({ initial, maximum: this.#maximumPages, shared: true });
    this.kernels = instantiate(this.#memory);
    this.#floats = new Float32Array(this.#memory.buffer);
    this.#bytes = Buffer.from(this.#memory.buffer);
  }

  get size(): number {
    return this.#bytes.length;
  }

  /**
   * Grows by at least half, so that n appended rows cost O(n).
   *
   * @throws ParallaxError `store-unusable` if the machine has no memory left
   */
  reserve(bytes: number): void {
    const pages = this.size / PAGE_BYTES;
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
    this.#bytes = Buffer.from(this.#memory.buffer);
  }

  /** `count` floats: a view. */
  view(address: number, count: number): Float32Array {
    return this.#floats.subarray(address / FLOAT_BYTES, address / FLOAT_BYTES + count);
  }

  bytes(from: number, to: number): Uint8Array {
    return new Uint8Array(this.#memory.buffer, from, to - from);
  }

  /** Writes the bytes of any typed array. */
  writeArray(address: number, { buffer, byteOffset, byteLength }: ArrayBufferView): void {
    this.#bytes.set(new Uint8Array(buffer, byteOffset, byteLength), address);
  }

  write(address: number, values: ArrayLike<number>): void {
    this.#floats.set(values, address / FLOAT_BYTES);
  }

  /**
   * @param vectors [n, rowLength]
   * @param stride floats from one row to the next; those in between are unchanged
   */
  writeRows(address: number, vectors: Float32Array, rowLength: number, stride: number): void {
    if (rowLength === stride) this.write(address, vectors);
    else
      for (let at = 0, to = address; at < vectors.length; at += rowLength, to += stride * FLOAT_BYTES)
        this.write(to, vectors.subarray(at, at + rowLength));
  }
}

let compiled: WebAssembly.Module | undefined;

function instantiate(memory: WebAssembly.Memory): KernelExports {
  compiled ??= new WebAssembly.Module(readFileSync(kernelsFile()));
  return new WebAssembly.Instance(compiled, { env: { memory } }).exports as unknown as KernelExports;
}

/** Bundled code is in `dist/` or `dist/chunks/`, sources are in `src/engine/kernels/` beside `dist/`. */
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
