/**
 * Reads one file: its state on disk, its fingerprint, its documents.
 */
import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import * as l10n from '@vscode/l10n';
import type { CorpusConfig } from '../../shared/config.ts';
import { readBytes, readChunks } from '../files/reading.ts';
import { EncodingProbe } from './decode.ts';
import { FileSkipped, type ReadContext, type Reader, type ReadItem } from './readers/reader.ts';
import type { FoundFile } from './walk.ts';

/** Distinguishes two versions of a file. */
export interface FileState {
  readonly size: number;
  readonly mtimeMs: number;
  /** When anything about it changed; a program can set back the time of its content, and not this one. */
  readonly ctimeMs: number;
}

/** Whether nothing says that the content is another. */
export function isSameState(a: FileState, b: FileState): boolean {
  return a.size === b.size && a.mtimeMs === b.mtimeMs && a.ctimeMs === b.ctimeMs;
}

/** A file as it was found, ready to be read. */
export interface OpenedFile {
  /** SHA-256 of the content, hexadecimal. */
  readonly hash: string;
  /** @throws FileSkipped, or what the parser throws at a broken file */
  items(): AsyncIterable<ReadItem>;
}

/** @throws FileSkipped `unreadable` for anything but a regular file, and the file system's errors */
export async function stateOf(file: string): Promise<FileState> {
  const found = await stat(file);
  if (!found.isFile()) throw new FileSkipped('unreadable', l10n.t('It is not a file.'));
  return { size: found.size, mtimeMs: found.mtimeMs, ctimeMs: found.ctimeMs };
}

/**
 * Takes the fingerprint of a file. Small files are held in memory from here on; files of records are
 * read a second time, piece by piece, when their documents are asked for.
 *
 * @throws FileSkipped `binary`
 */
export async function openFile(
  file: FoundFile,
  config: CorpusConfig,
  signal?: AbortSignal,
): Promise<OpenedFile> {
  const context: ReadContext = {
    name: path.basename(file.path),
    textField: config.textField,
    idField: config.idField,
    maxRecordBytes: config.maxFileBytes,
    signal,
  };
  return file.reader.streamed
    ? openStreamed(file.path, file.reader, context, signal)
    : openWhole(file.path, file.reader, context, signal);
}

type WholeReader = Extract<Reader, { streamed: false }>;
type StreamedReader = Extract<Reader, { streamed: true }>;

async function openWhole(
  file: string,
  reader: WholeReader,
  context: ReadContext,
  signal?: AbortSignal,
): Promise<OpenedFile> {
  const bytes = await readBytes(file, { maxBytes: context.maxRecordBytes, signal });
  return {
    hash: createHash('sha256').update(bytes).digest('hex'),
    async *items() {
      yield* await reader.read(bytes, context);
    },
  };
}

async function openStreamed(
  file: string,
  reader: StreamedReader,
  context: ReadContext,
  signal?: AbortSignal,
): Promise<OpenedFile> {
  const hash = createHash('sha256');
  const probe = new EncodingProbe();
  for await (const chunk of readChunks(file, { signal })) {
    hash.update(chunk);
    probe.add(chunk);
  }
  return {
    hash: hash.digest('hex'),
    async *items() {
      yield* reader.read(readChunks(file, { signal }), encodingFor(reader, probe), context);
    },
  };
}

/** A file of records that are decoded one by one is not given up for one of them. */
function encodingFor(reader: StreamedReader, probe: EncodingProbe): string {
  try {
    return probe.encoding();
  } catch (error) {
    if (reader.decodesRecords && error instanceof FileSkipped && error.reason === 'encoding') return 'utf-8';
    throw error;
  }
}
