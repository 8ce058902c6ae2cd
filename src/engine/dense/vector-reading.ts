/** Reads a file of vectors directly into the memory where they stay, checking every byte. */
import type { FileHandle } from 'node:fs/promises';
import { throwIfCancelled } from '../../core/errors.ts';
import type { TextSums } from '../text-sums.ts';
import type { WorkOptions } from '../types.ts';
import {
  BLOCK_HEADER_BYTES,
  checksumOf,
  decodeHead,
  decodeHeader,
  LABEL_BYTES,
  MAX_HEADER_BYTES,
  mostRows,
  type BlockHead,
  type VectorFileIdentity,
} from './vector-format.ts';

const WINDOW_BYTES = 2 ** 16;
/** Blocks read while one is checked: the system copies them in parallel. */
const READS_AHEAD = 4;

/** Vectors that could not be kept when a file was opened. The caller embeds them again. */
export interface VectorLoss {
  /**
   * `torn`: the last append did not finish. `damaged`: a checksum failed. `foreign`: vectors of another embedder, or
   * of passages other than the current ones in these slots.
   */
  readonly kind: 'torn' | 'damaged' | 'foreign';
  /** Rows before the loss, which were kept. The vectors of all later rows are lost. */
  readonly keptRows: number;
  readonly lostBytes: number;
}

/** Takes the rows of a file in its order. They are read directly to their destination, several blocks at once. */
export interface RowTarget {
  /** Room for this many more rows: consecutive bytes, [rows, stride] floats in all. */
  room(rows: number): readonly Uint8Array[];
  /** Checksums, by `sumWords` (kernels/assembly/index.ts), of the first rows of the reserved room. */
  sums(rows: number): Uint8Array;
  /**
   * Takes the first rows of the reserved room, which are valid, for these slots.
   *
   * @param texts checksums of the texts in these slots
   */
  take(slots: Uint32Array, texts: Uint32Array): void;
  /** Discards the rest of the reserved room. */
  forget(): void;
}

/** A file as it was read. */
export interface Contents {
  /** End of the last valid block. */
  readonly end: number;
  readonly size: number;
  readonly loss: VectorLoss | undefined;
}

/** @returns undefined if the file does not begin with a valid header of this version */
export async function readHeader(handle: FileHandle): Promise<VectorFileIdentity | undefined> {
  const bytes = new Uint8Array(MAX_HEADER_BYTES);
  return decodeHeader(bytes.subarray(0, await readFully(handle, bytes, 0)));
}

/** A block whose vectors are still being read. */
interface PendingBlock extends BlockHead {
  readonly arrived: Promise<void> | undefined;
}

/**
 * Reads the blocks of a file, several at a time, and takes them in their order. Heads, and small blocks as a whole,
 * are read through a window, so that many small blocks cost no more than a few large ones.
 */
export class BlockReader {
  readonly #handle: FileHandle;
  readonly #size: number;
  readonly #dimensions: number;
  readonly #target: RowTarget;
  readonly #texts: Pick<TextSums, 'fit'> | undefined;
  readonly #window: Uint8Array;
  readonly #pending: PendingBlock[] = [];
  /** End of the last block that was taken. */
  #end: number;
  #keptRows = 0;

  /** @param texts of the current passages of the slots; not checked if undefined */
  constructor(
    handle: FileHandle,
    { start, size }: { readonly start: number; readonly size: number },
    dimensions: number,
    target: RowTarget,
    texts: Pick<TextSums, 'fit'> | undefined,
  ) {
    this.#handle = handle;
    this.#end = start;
    this.#size = size;
    this.#dimensions = dimensions;
    this.#target = target;
    this.#texts = texts;
    this.#window = new Uint8Array(
      Math.max(WINDOW_BYTES, BLOCK_HEADER_BYTES + mostRows(dimensions) * LABEL_BYTES),
    );
  }

  /** @throws ParallaxError `cancelled` */
  async read(work: WorkOptions): Promise<Contents> {
    try {
      const stop = await this.#readAll(work);
      let fault: VectorLoss['kind'] | undefined;
      while (!fault && this.#pending.length > 0) fault = await this.#takeFirst(work);
      const kind = fault ?? stop;
      const lostBytes = this.#size - this.#end;
      return {
        end: this.#end,
        size: this.#size,
        loss: kind && { kind, keptRows: this.#keptRows, lostBytes },
      };
    } finally {
      await Promise.allSettled(this.#pending.flatMap(({ arrived }) => arrived ?? []));
      this.#target.forget();
    }
  }

  /** @returns why it stopped before the end of the file */
  async #readAll(work: WorkOptions): Promise<VectorLoss['kind'] | undefined> {
    for (let at = this.#end; at < this.#size;) {
      throwIfCancelled(work.signal);
      const length = await readFully(this.#handle, this.#window, at);
      let used = 0;
      while (used < length) {
        const bytes = this.#window.subarray(used, length);
        const head = decodeHead(bytes, this.#dimensions);
        if (head === 'damaged') return 'damaged';
        if (head === 'incomplete' && used > 0) break;
        if (head === 'incomplete' || at + used + head.bytes > this.#size) return 'torn';
        this.#fetch(head, bytes, at + used);
        used += head.bytes;
        const fault = this.#pending.length > READS_AHEAD ? await this.#takeFirst(work) : undefined;
        if (fault) return fault;
      }
      at += used;
    }
    return undefined;
  }

  /** @param bytes of the file from `at`, where the block begins, to the end of the window */
  #fetch(head: BlockHead, bytes: Uint8Array, at: number): void {
    const parts = this.#target.room(head.labels.length / 2);
    let arrived: Promise<void> | undefined;
    if (head.bytes <= bytes.length) copyInto(parts, bytes.subarray(head.vectorsAt, head.bytes));
    else {
      arrived = readInto(this.#handle, parts, at + head.vectorsAt);
      // The error is reported by the await in `#takeFirst`, after those of earlier blocks.
      arrived.catch(() => undefined);
    }
    this.#pending.push({ ...head, arrived });
  }

  /** @returns what is wrong with the next block, which is then not taken */
  async #takeFirst({ signal, onProgress }: WorkOptions): Promise<VectorLoss['kind'] | undefined> {
    const { labels, checksum, arrived, bytes } = this.#pending[0]!;
    if (arrived) await arrived;
    throwIfCancelled(signal);
    const rows = labels.length / 2;
    const [slots, texts] = [labels.subarray(0, rows), labels.subarray(rows)];
    if (checksumOf(labels, this.#target.sums(rows)) !== checksum) return 'damaged';
    if (this.#texts && !this.#texts.fit(slots, texts)) return 'foreign';
    this.#target.take(slots, texts);
    this.#pending.shift();
    this.#keptRows += rows;
    this.#end += bytes;
    onProgress?.({ done: this.#end, total: this.#size });
    return undefined;
  }
}

function copyInto(parts: readonly Uint8Array[], bytes: Uint8Array): void {
  let done = 0;
  for (const part of parts) {
    part.set(bytes.subarray(done, done + part.length));
    done += part.length;
  }
}

async function readInto(handle: FileHandle, parts: readonly Uint8Array[], position: number): Promise<void> {
  let done = 0;
  for (const part of parts) done += await readFully(handle, part, position + done);
}

/** Fills `target` from `position` on, to the end of the file at most. */
async function readFully(handle: FileHandle, target: Uint8Array, position: number): Promise<number> {
  let length = 0;
  while (length < target.length) {
    const { bytesRead } = await handle.read(target, length, target.length - length, position + length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return length;
}
