/**
 * The way in for files that somebody else may have written: documents, labels, eval sets, ignore files, snapshots,
 * configurations. A link, a pipe or a device in place of a file, and one that grows while it is read, cost nothing.
 * Files that the engine alone writes (its store) are read where they are written.
 */
import { constants, createReadStream } from 'node:fs';
import { open, stat, type FileHandle } from 'node:fs/promises';
import { throwIfCancelled } from '../../core/errors.ts';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { requireInside, type Boundary } from './boundary.ts';
import { codeOf, RefusedFile } from './file-reason.ts';

export interface ReadOptions {
  /** Neither the file nor a link on the way to it may lead out of it. */
  readonly boundary?: Boundary;
  /** A larger file is refused before anything of it is read. */
  readonly maxBytes?: number;
  /** A pipe is read as well, until its end: for what a user names on a command line, as in `<(zcat run.gz)`. */
  readonly pipes?: boolean;
  /** Unpacks files that gzip packed, whatever they are called, up to the length of a text. */
  readonly unpacks?: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** One string can hold no more (V8's limit), so a longer file cannot be read as a text. */
export const MOST_TEXT_BYTES = 2 ** 29 - 24;

const CHUNK_BYTES = 256 * 1024;

/** Windows knows no pipes in folders, and no such flag. */
const WITHOUT_WAITING = constants.O_RDONLY | ((constants as Partial<typeof constants>).O_NONBLOCK ?? 0);

/**
 * The first `size` bytes of a file, which is all that it held when it was opened.
 *
 * @throws RefusedFile for anything but a regular file, and for one that is too large; the file system's errors;
 *   ParallaxError `untrusted`, `cancelled`
 */
export async function readBytes(file: string, options: ReadOptions = {}): Promise<Buffer> {
  if (options.pipes && (await stat(file)).isFIFO()) return readPipe(file, options);
  return withFile(file, options, async (handle, size) => {
    const bytes = Buffer.allocUnsafe(size);
    let filled = 0;
    while (filled < size) {
      throwIfCancelled(options.signal);
      const length = Math.min(size - filled, 64 * CHUNK_BYTES);
      const { bytesRead } = await handle.read(bytes, filled, length, filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return bytes.subarray(0, filled);
  });
}

/** As {@link readBytes}, as UTF-8; what is not valid in it becomes U+FFFD. */
export async function readText(file: string, options: ReadOptions = {}): Promise<string> {
  const maxBytes = Math.min(options.maxBytes ?? MOST_TEXT_BYTES, MOST_TEXT_BYTES);
  const bytes = await readBytes(file, { ...options, maxBytes });
  const text = options.unpacks && isPacked(bytes) ? await unpacked(bytes, maxBytes) : bytes;
  return text.toString('utf8');
}

/** RFC 1952, 2.3.1. */
const isPacked = (bytes: Buffer): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b;

async function unpacked(bytes: Buffer, maxBytes: number): Promise<Buffer> {
  try {
    return await promisify(gunzip)(bytes, { maxOutputLength: maxBytes });
  } catch (error) {
    throw new RefusedFile(codeOf(error) === 'ERR_BUFFER_TOO_LARGE' ? 'EFBIG' : 'EBADGZIP');
  }
}

/** As {@link readBytes}, piece by piece, for files that are larger than what should be held at once. */
export async function* readChunks(file: string, options: ReadOptions = {}): AsyncGenerator<Buffer> {
  yield* chunksInto(() => Buffer.allocUnsafe(CHUNK_BYTES), file, options);
}

/** As {@link readChunks}, for whoever keeps nothing of a chunk: the next one is read into the same memory. */
export async function* readPassingChunks(file: string, options: ReadOptions = {}): AsyncGenerator<Buffer> {
  const memory = Buffer.allocUnsafe(4 * CHUNK_BYTES);
  yield* chunksInto(() => memory, file, options);
}

async function* chunksInto(memory: () => Buffer, file: string, options: ReadOptions): AsyncGenerator<Buffer> {
  const { handle, size } = await openRegular(file, options);
  try {
    for (let position = 0; position < size;) {
      throwIfCancelled(options.signal);
      const room = memory();
      const length = Math.min(room.length, size - position);
      const { bytesRead, buffer } = await handle.read(room, 0, length, position);
      if (bytesRead === 0) return;
      position += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await handle.close();
  }
}

async function readPipe(file: string, { maxBytes = MOST_TEXT_BYTES, signal }: ReadOptions): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of createReadStream(file, { signal }) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) throw new RefusedFile('EFBIG');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

async function withFile<T>(
  file: string,
  options: ReadOptions,
  work: (handle: FileHandle, size: number) => Promise<T>,
): Promise<T> {
  const { handle, size } = await openRegular(file, options);
  try {
    return await work(handle, size);
  } finally {
    await handle.close();
  }
}

/** Looked at once it is open: what stands at a path may be exchanged between a look and an opening. */
async function openRegular(
  file: string,
  { boundary, maxBytes = Infinity, signal }: ReadOptions,
): Promise<{ handle: FileHandle; size: number }> {
  throwIfCancelled(signal);
  await requireInside(boundary, file);
  // A pipe without a writer would hold one of the few threads that read files.
  const handle = await open(file, WITHOUT_WAITING);
  try {
    const found = await handle.stat();
    if (found.isDirectory()) throw new RefusedFile('EISDIR');
    if (!found.isFile()) throw new RefusedFile('ENOTREG');
    if (found.size > maxBytes) throw new RefusedFile('EFBIG');
    return { handle, size: found.size };
  } catch (error) {
    await handle.close();
    throw error;
  }
}
