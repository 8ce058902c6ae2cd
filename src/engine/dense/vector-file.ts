/**
 * Embeddings on disk: one flat file that only grows. All numbers are little-endian.
 *
 *   header   magic, format version, dimensions, length of the key, key (UTF-8), padding to 4 bytes, CRC-32
 *   block    marker, rows n, CRC-32 of slots, texts and the sums of vectors, CRC-32 of these twelve bytes,
 *            slots u32 [n], texts u32 [n] (the CRC-32 of the text in each slot), vectors f32 [n, stride]
 *
 * The sums are those of `sumWords` (kernels/assembly/index.ts): a CRC of every byte takes six times as long.
 *
 * A block that is incomplete or fails a checksum ends the file: what stands before it is kept, the rest is
 * reported and must be embedded again. The file is left as it was found until the next append, so that
 * looking at it never makes anything worse.
 */
import { crc32 } from 'node:zlib';
import type { Stats } from 'node:fs';
import { open, stat, type FileHandle } from 'node:fs/promises';
import * as l10n from '@vscode/l10n';
import { ParallaxError, messageOf, throwIfCancelled } from '../../core/errors.ts';
import { BlockMemory } from '../kernels/block-memory.ts';
import { paddedDimensions } from '../kernels/kernel-memory.ts';
import type { TextSums } from '../text-sums.ts';
import type { WorkOptions } from '../types.ts';

const MAGIC = 0x43_45_56_50; // "PVEC"
const VERSION = 3;
const MARKER = 0x4b_4c_42_50; // "PBLK"
const WORD = 4;
/** A slot and its text. */
const LABEL_BYTES = 2 * WORD;
const HEADER_WORDS = 4;
const BLOCK_HEADER_BYTES = 4 * WORD;
const MAX_KEY_BYTES = 4096;
/** Blocks are written no larger than this, so that checking one is a short turn. */
const MAX_BLOCK_BYTES = 2 ** 22;
const WINDOW_BYTES = 2 ** 16;
/** Blocks on their way while one is checked: the system copies them meanwhile. */
const READS_AHEAD = 4;

/** The identity stored in a vector file's header. */
export interface VectorFileIdentity {
  /** `Embedder.key` of the embedder that made the vectors. */
  readonly key: string;
  readonly dimensions: number;
}

/** Vectors that could not be kept when a file was opened; the caller embeds them again. */
export interface VectorLoss {
  /**
   * `torn`: the last append did not finish. `damaged`: a checksum failed. `foreign`: vectors of another embedder, or of
   * other passages than the slots mean.
   */
  readonly kind: 'torn' | 'damaged' | 'foreign';
  /** Rows that stand before the loss and were kept; the vectors of all later rows are lost. */
  readonly keptRows: number;
  readonly lostBytes: number;
}

/** Takes the rows of a file in its order: they are read right to where they stay, some blocks at a time. */
export interface RowTarget {
  /** Room for so many more rows: bytes that follow each other, [rows, stride] floats in all. */
  room(rows: number): readonly Uint8Array[];
  /**
   * Checksums, by `sumWords` (kernels/assembly/index.ts), of the first rows of the room that was given away.
   */
  sums(rows: number): Uint8Array;
  /**
   * The first rows of the room that was given away are sound, and those of these slots.
   *
   * @param texts checksums of the texts in these slots
   */
  take(slots: Uint32Array, texts: Uint32Array): void;
  /** Whatever stands in the room that is left is void. */
  forget(): void;
}

/** A file that holds anything else is made again. */
export interface WantedVectors {
  /** As in {@link VectorFileIdentity}. */
  readonly key: string;
  readonly dimensions?: number | undefined;
  /** Of the passages that the slots mean now; not asked where it is left out. */
  readonly texts?: Pick<TextSums, 'fit'> | undefined;
}

export class VectorFile {
  readonly identity: VectorFileIdentity;
  readonly loss: VectorLoss | undefined;
  readonly #handle: FileHandle;
  readonly #path: string;
  #block: BlockMemory | undefined;
  /** End of the last good block: the next one goes here. */
  #end: number;
  /** Size when last seen; another size at the next append means that another process wrote. */
  #size: number;

  private constructor(handle: FileHandle, path: string, identity: VectorFileIdentity, found: Contents) {
    this.#handle = handle;
    this.#path = path;
    this.identity = identity;
    this.loss = found.loss;
    this.#end = found.end;
    this.#size = found.size;
  }

  /**
   * Opens or creates the file and hands all its rows to the target, checking every byte.
   *
   * @param wanted a file of another embedder or dimension is started anew (loss `foreign`); with no
   *   dimensions given, those of the file hold
   * @returns undefined when there is no usable file and no dimensions to create one with
   * @throws ParallaxError `store-unusable` when the file cannot be read or written, `cancelled`
   */
  static async open(
    path: string,
    wanted: WantedVectors,
    target: (identity: VectorFileIdentity) => RowTarget,
    work: WorkOptions = {},
  ): Promise<VectorFile | undefined> {
    const handle = await attempt(path, () => openOrCreate(path));
    try {
      return await attempt(path, () => VectorFile.#read(handle, path, wanted, target, work));
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  static async #read(
    handle: FileHandle,
    path: string,
    wanted: WantedVectors,
    target: (identity: VectorFileIdentity) => RowTarget,
    work: WorkOptions,
  ): Promise<VectorFile | undefined> {
    const { size } = await handle.stat();
    const header = await readHeader(handle);
    if (
      header &&
      header.key === wanted.key &&
      header.dimensions === (wanted.dimensions ?? header.dimensions)
    ) {
      const start = encodeHeader(header).length;
      const reader = new BlockReader(
        handle,
        { start, size },
        header.dimensions,
        target(header),
        wanted.texts,
      );
      const found = await reader.read(work);
      return new VectorFile(handle, path, header, found);
    }
    if (wanted.dimensions === undefined) {
      await handle.close();
      return undefined;
    }
    const identity = { key: wanted.key, dimensions: wanted.dimensions };
    target(identity);
    const kind = header ? 'foreign' : 'damaged';
    const loss: VectorLoss | undefined = size > 0 ? { kind, keptRows: 0, lostBytes: size } : undefined;
    return new VectorFile(handle, path, identity, { end: 0, size, loss });
  }

  /** Whether nobody has written to the file, or put another one in its place, since it was read or written here. */
  async isCurrent(): Promise<boolean> {
    return await attempt(this.#path, async () => {
      const [own, standing] = [await this.#handle.stat(), await statOf(this.#path)];
      return standing !== undefined && standing.ino === own.ino && standing.size === this.#size;
    });
  }

  /** Bytes of the file that hold checked rows. */
  get bytes(): number {
    return this.#end;
  }

  /**
   * Adds rows at the end; they are safe from a power cut after {@link flush}.
   *
   * @param slots [n], none of them in the file already
   * @param vectors [n, d]
   * @param texts [n], checksums of the texts in the slots; unknown ones are those of no store
   * @throws ParallaxError `store-unusable` when the disk is full or another process wrote to the file
   */
  async append(
    slots: Uint32Array,
    vectors: Float32Array,
    texts: Uint32Array = new Uint32Array(slots.length),
  ): Promise<void> {
    await attempt(this.#path, async () => {
      await this.#prepare();
      const { dimensions } = this.identity;
      const rowsPerBlock = mostRows(dimensions);
      for (let from = 0; from < slots.length; from += rowsPerBlock) {
        const to = Math.min(from + rowsPerBlock, slots.length);
        const rows = vectors.subarray(from * dimensions, to * dimensions);
        const labels = new Uint32Array(2 * (to - from));
        labels.set(slots.subarray(from, to));
        labels.set(texts.subarray(from, to), to - from);
        await this.#write(this.#encodeBlock(labels, rows));
      }
    });
  }

  /** Returns when everything appended is on the disk. */
  async flush(): Promise<void> {
    await attempt(this.#path, () => this.#handle.datasync());
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }

  /**
   * @param labels slots [n], then texts [n]
   * @returns bytes that are good until the next call
   */
  #encodeBlock(labels: Uint32Array, vectors: Float32Array): Uint8Array {
    const block = (this.#block ??= new BlockMemory(BLOCK_HEADER_BYTES, this.identity.dimensions));
    const { bytes, sums } = block.put(labels, vectors);
    const header = new Uint32Array(bytes.buffer, bytes.byteOffset, BLOCK_HEADER_BYTES / WORD);
    header.set([MARKER, labels.length / 2, checksumOf(labels, sums)]);
    header[3] = crc32(bytes.subarray(0, 3 * WORD));
    return bytes;
  }

  /** Cuts off what could not be kept, and writes the header of a new file. */
  async #prepare(): Promise<void> {
    const { size } = await this.#handle.stat();
    if (size !== this.#size)
      throw new ParallaxError(
        'store-unusable',
        l10n.t`Another process has written to ${this.#path}. Reload the window.`,
      );
    if (size > this.#end) await this.#handle.truncate(this.#end);
    this.#size = this.#end;
    if (this.#end === 0) await this.#write(encodeHeader(this.identity));
  }

  async #write(bytes: Uint8Array): Promise<void> {
    for (let done = 0; done < bytes.length;) {
      const { bytesWritten } = await this.#handle.write(bytes, done, bytes.length - done, this.#end + done);
      done += bytesWritten;
      this.#size = this.#end + done;
    }
    this.#end += bytes.length;
  }
}

interface Contents {
  readonly end: number;
  readonly size: number;
  readonly loss: VectorLoss | undefined;
}

/** `r+` fails when the file is absent, `w+` would empty it, and `a+` ignores positions: hence two attempts. */
async function openOrCreate(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'r+');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return await open(path, 'wx+');
  }
}

/** @returns undefined where there is no such file */
async function statOf(path: string): Promise<Stats | undefined> {
  try {
    return await stat(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

async function attempt<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (ParallaxError.is(error)) throw error;
    throw new ParallaxError(
      'store-unusable',
      l10n.t`The vectors in ${path} cannot be used (${messageOf(error)}). Make room on that disk, or check it, then try again.`,
      {
        cause: error,
      },
    );
  }
}

function encodeHeader({ key, dimensions }: VectorFileIdentity): Uint8Array {
  const keyBytes = new TextEncoder().encode(key);
  if (keyBytes.length > MAX_KEY_BYTES)
    throw new ParallaxError('bad-argument', l10n.t`An embedder's key is longer than ${MAX_KEY_BYTES} bytes.`);
  const checked = HEADER_WORDS * WORD + Math.ceil(keyBytes.length / WORD) * WORD;
  const bytes = new Uint8Array(checked + WORD);
  new Uint32Array(bytes.buffer).set([MAGIC, VERSION, dimensions, keyBytes.length]);
  bytes.set(keyBytes, HEADER_WORDS * WORD);
  new Uint32Array(bytes.buffer)[checked / WORD] = crc32(bytes.subarray(0, checked));
  return bytes;
}

/** @returns undefined when the file does not begin with a sound header of this version. */
async function readHeader(handle: FileHandle): Promise<VectorFileIdentity | undefined> {
  const bytes = new Uint8Array(HEADER_WORDS * WORD + MAX_KEY_BYTES + WORD);
  const length = await readFully(handle, bytes, 0);
  const [magic, version, dimensions, keyLength] = new Uint32Array(bytes.buffer, 0, HEADER_WORDS);
  if (length < HEADER_WORDS * WORD || magic !== MAGIC || version !== VERSION || keyLength! > MAX_KEY_BYTES)
    return undefined;
  const key = new TextDecoder().decode(bytes.subarray(HEADER_WORDS * WORD, HEADER_WORDS * WORD + keyLength!));
  const identity = { key, dimensions: dimensions! };
  const expected = encodeHeader(identity);
  return Buffer.compare(expected, bytes.subarray(0, Math.min(expected.length, length))) === 0
    ? identity
    : undefined;
}

function rowBytes(dimensions: number): number {
  return LABEL_BYTES + paddedDimensions(dimensions) * WORD;
}

function checksumOf(labels: Uint32Array, sums: Uint8Array): number {
  return crc32(sums, crc32(bytesOf(labels)));
}

/** Header of a block, before its vectors. */
interface BlockHead {
  /** Of all of it. */
  readonly bytes: number;
  readonly vectorsAt: number;
  /** See {@link checksumOf}. */
  readonly checksum: number;
  /** Slots [n], then texts [n]. */
  readonly labels: Uint32Array;
}

/** A block whose vectors are on their way. */
interface PendingBlock extends BlockHead {
  readonly arrived: Promise<void> | undefined;
}

/**
 * Reads the blocks of a file, several at a time, and takes them in their order. Heads, and small blocks as a
 * whole, come through a window, so that many small ones cost no more than few large ones.
 */
class BlockReader {
  readonly #handle: FileHandle;
  readonly #size: number;
  readonly #dimensions: number;
  readonly #target: RowTarget;
  readonly #texts: WantedVectors['texts'];
  readonly #window: Uint8Array;
  readonly #pending: PendingBlock[] = [];
  /** End of the last block that was taken. */
  #end: number;
  #keptRows = 0;

  constructor(
    handle: FileHandle,
    { start, size }: { readonly start: number; readonly size: number },
    dimensions: number,
    target: RowTarget,
    texts: WantedVectors['texts'],
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

  /** @param bytes of the file from `at`, where the block begins, as far as the window goes */
  #fetch(head: BlockHead, bytes: Uint8Array, at: number): void {
    const parts = this.#target.room(head.labels.length / 2);
    let arrived: Promise<void> | undefined;
    if (head.bytes <= bytes.length) copyInto(parts, bytes.subarray(head.vectorsAt, head.bytes));
    else {
      arrived = readInto(this.#handle, parts, at + head.vectorsAt);
      // Whoever waits for an earlier block is told first.
      arrived.catch(() => undefined);
    }
    this.#pending.push({ ...head, arrived });
  }

  /** @returns what is wrong with the block that comes next, which is not taken then */
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

/** The head of the block at the beginning of `bytes`. */
function decodeHead(bytes: Uint8Array, dimensions: number): BlockHead | 'incomplete' | 'damaged' {
  if (bytes.length < BLOCK_HEADER_BYTES) return 'incomplete';
  const [marker, count, checksum, headerChecksum] = new Uint32Array(bytes.buffer, bytes.byteOffset, 4);
  if (marker !== MARKER || headerChecksum !== crc32(bytes.subarray(0, 3 * WORD))) return 'damaged';
  if (count! > mostRows(dimensions)) return 'damaged';
  const vectorsAt = BLOCK_HEADER_BYTES + count! * LABEL_BYTES;
  if (vectorsAt > bytes.length) return 'incomplete';
  // A copy, because the window moves on.
  const labels = new Uint32Array(bytes.buffer, bytes.byteOffset + BLOCK_HEADER_BYTES, 2 * count!).slice();
  return {
    bytes: BLOCK_HEADER_BYTES + count! * rowBytes(dimensions),
    vectorsAt,
    checksum: checksum!,
    labels,
  };
}

/** Rows that a block has at most. */
function mostRows(dimensions: number): number {
  return Math.max(1, Math.floor(MAX_BLOCK_BYTES / rowBytes(dimensions)));
}

function bytesOf(words: Uint32Array): Uint8Array {
  return new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
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

/** Fills `target` from `position` on, as far as the file goes. */
async function readFully(handle: FileHandle, target: Uint8Array, position: number): Promise<number> {
  let length = 0;
  while (length < target.length) {
    const { bytesRead } = await handle.read(target, length, target.length - length, position + length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return length;
}
