/**
 * The way in for files that somebody else may have written: documents, labels, eval sets, ignore files, snapshots,
 * configurations. A link, a pipe or a device in place of a file, and one that grows while it is read, cost nothing.
 * Files that the engine alone writes (its store) are read where they are written.
 */
import { constants, createReadStream } from 'node:fs';
import { open, stat, type FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { throwIfCancelled } from '../../core/errors.ts';
import type { Line } from '../../core/formats/lines.ts';
import { requireInside, type Boundary } from './boundary.ts';
import { byteLines, MOST_LINE_BYTES, MOST_TEXT_BYTES } from './byte-lines.ts';
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
  /** Makes a text of the bytes in another way than as UTF-8. */
  readonly textOf?: (bytes: Buffer) => Promise<string>;
  readonly signal?: AbortSignal | undefined;
}

const CHUNK_BYTES = 256 * 1024;

/** Windows knows no pipes in folders, and no such flag. */
const WITHOUT_WAITING = constants.O_RDONLY | ((constants as Partial<typeof constants>).O_NONBLOCK ?? 0);

/**
 * The first `size` bytes of a file, which is all that it held when it was opened; no more than a text can be made of.
 *
 * @throws RefusedFile for anything but a regular file, and for one that is too large; the file system's errors;
 *   ParallaxError `untrusted`, `cancelled`
 */
export async function readBytes(file: string, given: ReadOptions = {}): Promise<Buffer> {
  const options = { ...given, maxBytes: mostBytes(given) };
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
  const text = await readWhole(file, options);
  return options.textOf?.(text) ?? text.toString('utf8');
}

async function readWhole(file: string, options: ReadOptions): Promise<Buffer> {
  const bytes = await readBytes(file, options);
  return options.unpacks && isPacked(bytes) ? unpacked(bytes, mostBytes(options)) : bytes;
}

const mostBytes = ({ maxBytes = MOST_TEXT_BYTES }: ReadOptions): number =>
  Math.min(maxBytes, MOST_TEXT_BYTES);

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
 * As {@link readBytes}, line by line: for texts that may be longer than one string can be.
 *
 * @returns lines that are not blank, without their ends and a byte order mark
 * @throws RefusedFile also for a line that is longer than anybody writes
 */
export async function* readFileLines(file: string, options: ReadOptions = {}): AsyncGenerator<Line> {
  for await (const { line, bytes } of byteLines(await textChunks(file, options), MOST_LINE_BYTES)) {
    if (bytes === 'too-long') throw new RefusedFile('ELINE');
    const text = bytes.toString('utf8').replace(/\r$/u, '');
    if (text.trim() !== '') yield { number: line + 1, text: line === 0 ? withoutMark(text) : text };
  }
}

/** The chunks of a text; of a pipe, or of what is packed, all at once, since neither says before how long it is. */
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

/** As {@link readBytes}, piece by piece, for files that are larger than what should be held at once. */
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
    if (found.size > maxBytes) throw new RefusedFile('EFBIG', maxBytes);
    return { handle, size: found.size };
  } catch (error) {
    await handle.close();
    throw error;
  }
}
