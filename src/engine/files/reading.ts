/**
 * Reads all files that others may have written: documents, labels, eval sets, ignore files, snapshots,
 * configurations. A link, a pipe or a device instead of a file, and a file that grows while it is read, do no harm.
 * Files that only the engine writes (its store) are read elsewhere.
 */
import { constants, createReadStream } from 'node:fs';
import { open, stat, type FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { throwIfCancelled } from '../../core/errors.ts';
import type { Line } from '../../core/formats/lines.ts';
import { requireInside, type Boundary } from './boundary.ts';
import { byteLines, MAX_LINE_BYTES, MAX_TEXT_BYTES } from './byte-lines.ts';
import { codeOf, RefusedFile } from './file-reason.ts';

export interface ReadOptions {
  /** The folder that neither the file nor a link on its path may lead out of. */
  readonly boundary?: Boundary;
  /** A larger file is refused before it is read. */
  readonly maxBytes?: number;
  /** Whether to read a pipe, until its end, for files named on a command line, as in `<(zcat run.gz)`. */
  readonly pipes?: boolean;
  /** Whether to decompress gzip, whatever the file's name, up to the longest text. */
  readonly unpacks?: boolean;
  /** Decodes the bytes in another way than as UTF-8. */
  readonly textOf?: (bytes: Buffer) => Promise<string>;
  readonly signal?: AbortSignal | undefined;
}

const CHUNK_BYTES = 256 * 1024;

/** Windows has no pipes in folders, and no such flag. */
const WITHOUT_WAITING = constants.O_RDONLY | ((constants as Partial<typeof constants>).O_NONBLOCK ?? 0);

/**
 * The first `size` bytes of a file, its size when it was opened, and no more than fit into a text.
 *
 * @throws RefusedFile for anything but a regular file, and for one that is too large; errors of the file system;
 *   ParallaxError `untrusted`, `cancelled`
 */
export async function readBytes(file: string, callOptions: ReadOptions = {}): Promise<Buffer> {
  const options = { ...callOptions, maxBytes: mostBytes(callOptions) };
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

/** As {@link readBytes}, decoded as UTF-8. Invalid bytes become U+FFFD. */
export async function readText(file: string, options: ReadOptions = {}): Promise<string> {
  const text = await readWhole(file, options);
  return options.textOf?.(text) ?? text.toString('utf8');
}

async function readWhole(file: string, options: ReadOptions): Promise<Buffer> {
  const bytes = await readBytes(file, options);
  return options.unpacks && isPacked(bytes) ? unpacked(bytes, mostBytes(options)) : bytes;
}

const mostBytes = ({ maxBytes = MAX_TEXT_BYTES }: ReadOptions): number => Math.min(maxBytes, MAX_TEXT_BYTES);

/** RFC 1952, 2.3.1. */
const isPacked = (bytes: Buffer): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b;

async function unpacked(bytes: Buffer, maxBytes: number): Promise<Buffer> {
  try {
    return await promisify(gunzip)(bytes, { maxOutputLength: maxBytes });
  } catch (error) {
    if (codeOf(error) === 'ERR_BUFFER_TOO_LARGE') throw new RefusedFile('EFBIG', maxBytes);
    throw new RefusedFile('EBADGZIP');
  }
}

/**
 * As {@link readBytes}, line by line, for texts that may be longer than a string can be.
 *
 * @returns lines that are not blank, without their ends and a byte order mark
 * @throws RefusedFile also for a line longer than any written by hand
 */
export async function* readFileLines(file: string, options: ReadOptions = {}): AsyncGenerator<Line> {
  for await (const { line, bytes } of byteLines(await textChunks(file, options), MAX_LINE_BYTES)) {
    if (bytes === 'too-long') throw new RefusedFile('ELINE');
    const text = bytes.toString('utf8').replace(/\r$/u, '');
    if (text.trim() !== '') yield { number: line + 1, text: line === 0 ? withoutMark(text) : text };
  }
}

/** The chunks of a text. A pipe or a compressed file is one chunk, since its length is not known in advance. */
async function textChunks(file: string, options: ReadOptions): Promise<AsyncIterable<Buffer>> {
  const isWhole =
    (options.pipes && (await stat(file)).isFIFO()) ||
    (options.unpacks && isPacked(await beginning(file, options)));
  return isWhole ? Readable.from([await readWhole(file, options)]) : readChunks(file, options);
}

async function beginning(file: string, options: ReadOptions): Promise<Buffer> {
  for await (const chunk of readChunks(file, options)) return chunk;
  return Buffer.alloc(0);
}

const withoutMark = (text: string): string => (text.startsWith('\uFEFF') ? text.slice(1) : text);

/** As {@link readBytes}, piece by piece, for files that are too large to have in memory. */
export async function* readChunks(file: string, options: ReadOptions = {}): AsyncGenerator<Buffer> {
  const { handle, size } = await openRegular(file, options);
  try {
    for (let position = 0; position < size;) {
      throwIfCancelled(options.signal);
      const length = Math.min(CHUNK_BYTES, size - position);
      const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(length), 0, length, position);
      if (bytesRead === 0) return;
      position += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await handle.close();
  }
}

async function readPipe(file: string, { maxBytes = Infinity, signal }: ReadOptions): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of createReadStream(file, { signal }) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) throw new RefusedFile('EFBIG', maxBytes);
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

/** Checks the file after opening it, since a path may be replaced between a check and opening. */
async function openRegular(
  file: string,
  { boundary, maxBytes = Infinity, signal }: ReadOptions,
): Promise<{ handle: FileHandle; size: number }> {
  throwIfCancelled(signal);
  await requireInside(boundary, file);
  // Opening a pipe without a writer would block one of the few threads that read files.
  const handle = await open(file, WITHOUT_WAITING);
  try {
    const stats = await handle.stat();
    if (stats.isDirectory()) throw new RefusedFile('EISDIR');
    if (!stats.isFile()) throw new RefusedFile('ENOTREG');
    if (stats.size > maxBytes) throw new RefusedFile('EFBIG', maxBytes);
    return { handle, size: stats.size };
  } catch (error) {
    await handle.close();
    throw error;
  }
}
