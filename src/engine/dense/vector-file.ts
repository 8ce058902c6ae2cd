/**
 * Embeddings on disk: an open file of vectors, which only grows. vector-format.ts defines its bytes.
 *
 * The file ends at a block that is incomplete or fails a checksum: earlier blocks are kept, the rest is reported and
 * must be embedded again. The file is not changed before the next append, so that opening it never makes anything
 * worse.
 */
import type { Stats } from 'node:fs';
import { open, stat, type FileHandle } from 'node:fs/promises';
import * as l10n from '@vscode/l10n';
import { ParallaxError, messageOf } from '../../core/errors.ts';
import { BlockMemory } from '../kernels/block-memory.ts';
import type { TextSums } from '../text-sums.ts';
import type { WorkOptions } from '../types.ts';
import {
  BLOCK_HEADER_BYTES,
  encodeHeader,
  mostRows,
  sealBlock,
  type VectorFileIdentity,
} from './vector-format.ts';
import { BlockReader, readHeader, type Contents, type RowTarget, type VectorLoss } from './vector-reading.ts';

/** A file with anything else is recreated. */
export interface WantedVectors {
  /** As in {@link VectorFileIdentity}. */
  readonly key: string;
  readonly dimensions?: number | undefined;
  /** Checksums of the current passages of the slots. Not checked if undefined. */
  readonly texts?: Pick<TextSums, 'fit'> | undefined;
}

export class VectorFile {
  readonly identity: VectorFileIdentity;
  readonly loss: VectorLoss | undefined;
  readonly #handle: FileHandle;
  readonly #path: string;
  #block: BlockMemory | undefined;
  /** End of the last valid block, where the next one goes. */
  #end: number;
  /** Size at the last access. Another size at the next append means that another process wrote. */
  #size: number;

  private constructor(handle: FileHandle, path: string, identity: VectorFileIdentity, contents: Contents) {
    this.#handle = handle;
    this.#path = path;
    this.identity = identity;
    this.loss = contents.loss;
    this.#end = contents.end;
    this.#size = contents.size;
  }

  /**
   * Opens or creates the file and loads all its rows into the target, checking every byte.
   *
   * @param requirements a file of another embedder or dimension is recreated (loss `foreign`); defaults to the dimensions
   *   of the file
   * @returns undefined if there is no usable file and no dimensions to create one with
   * @throws ParallaxError `store-unusable` if the file cannot be read or written, `cancelled`
   */
  static async open(
    path: string,
    requirements: WantedVectors,
    target: (identity: VectorFileIdentity) => RowTarget,
    work: WorkOptions = {},
  ): Promise<VectorFile | undefined> {
    const handle = await attempt(path, () => openOrCreate(path));
    try {
      return await attempt(path, () => VectorFile.#read(handle, path, requirements, target, work));
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  static async #read(
    handle: FileHandle,
    path: string,
    requirements: WantedVectors,
    target: (identity: VectorFileIdentity) => RowTarget,
    work: WorkOptions,
  ): Promise<VectorFile | undefined> {
    const { size } = await handle.stat();
    const header = await readHeader(handle);
    if (
      header &&
      header.key === requirements.key &&
      header.dimensions === (requirements.dimensions ?? header.dimensions)
    ) {
      const start = encodeHeader(header).length;
      const reader = new BlockReader(
        handle,
        { start, size },
        header.dimensions,
        target(header),
        requirements.texts,
      );
      const contents = await reader.read(work);
      return new VectorFile(handle, path, header, contents);
    }
    if (requirements.dimensions === undefined) {
      await handle.close();
      return undefined;
    }
    const identity = { key: requirements.key, dimensions: requirements.dimensions };
    target(identity);
    const kind = header ? 'foreign' : 'damaged';
    const loss: VectorLoss | undefined = size > 0 ? { kind, keptRows: 0, lostBytes: size } : undefined;
    return new VectorFile(handle, path, identity, { end: 0, size, loss });
  }

  /** Whether no other process has written to the file or replaced it since it was read or written here. */
  async isCurrent(): Promise<boolean> {
    return await attempt(this.#path, async () => {
      const [handleStats, standing] = [await this.#handle.stat(), await statOf(this.#path)];
      return standing !== undefined && standing.ino === handleStats.ino && standing.size === this.#size;
    });
  }

  /** Bytes of the file with checked rows. */
  get bytes(): number {
    return this.#end;
  }

  /**
   * Adds rows at the end. They survive a power cut after {@link flush}.
   *
   * @param slots [n], none of them in the file already
   * @param vectors [n, d]
   * @param texts [n], checksums of the texts in the slots; unknown ones match no store
   * @throws ParallaxError `store-unusable` if the disk is full or another process wrote to the file
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

  /** Resolves when everything appended is on the disk. */
  async flush(): Promise<void> {
    await attempt(this.#path, () => this.#handle.datasync());
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }

  /**
   * @param labels slots [n], then texts [n]
   * @returns bytes that are valid until the next call
   */
  #encodeBlock(labels: Uint32Array, vectors: Float32Array): Uint8Array {
    const block = (this.#block ??= new BlockMemory(BLOCK_HEADER_BYTES, this.identity.dimensions));
    const { bytes, sums } = block.put(labels, vectors);
    sealBlock(bytes, labels, sums);
    return bytes;
  }

  /** Truncates what could not be kept, and writes the header of a new file. */
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

/** `r+` fails if the file is missing, `w+` would empty it, and `a+` ignores positions, hence two attempts. */
async function openOrCreate(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'r+');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return await open(path, 'wx+');
  }
}

/** @returns undefined if there is no such file */
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
