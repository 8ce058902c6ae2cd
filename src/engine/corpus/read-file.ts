/**
 * Reads one file: its state on disk, its fingerprint, its documents.
 */
import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import * as l10n from '@vscode/l10n';
import { throwIfCancelled } from '../../core/errors.ts';
import type { CorpusConfig } from '../../shared/config.ts';
import { readBytes, readChunks } from '../files/reading.ts';
import { EncodingProbe } from './decode.ts';
import { requireNoReport } from './readers/own-reports.ts';
import { FileSkipped, type ReadContext, type Reader, type ReadItem } from './readers/reader.ts';
import type { FoundFile } from './walk.ts';

/** Distinguishes two versions of a file. */
export interface FileState {
  readonly size: number;
  readonly mtimeMs: number;
  /** When anything about it changed. Programs can set back the time of its content, but not this one. */
  readonly ctimeMs: number;
}

/** Whether the content is presumably the same. */
export function isSameState(a: FileState, b: FileState): boolean {
  return a.size === b.size && a.mtimeMs === b.mtimeMs && a.ctimeMs === b.ctimeMs;
}

/** A file, ready to be read. */
export interface OpenedFile {
  /** SHA-256 of the content, hexadecimal. */
  readonly hash: string;
  /** @throws FileSkipped, or what the parser throws for a broken file */
  items(): AsyncIterable<ReadItem>;
}

/** @throws FileSkipped `unreadable` for anything but a regular file, and errors of the file system */
export async function stateOf(file: string): Promise<FileState> {
  const state = await stat(file);
  if (!state.isFile()) throw new FileSkipped('unreadable', l10n.t('It is not a file.'));
  return { size: state.size, mtimeMs: state.mtimeMs, ctimeMs: state.ctimeMs };
}

/** Few enough to request at once while others wait for the disk as well. */
const LOOKED_AT_TOGETHER = 64;

/** A file of a walk with its stored state. */
export interface ComparedFile<Former extends FileState> {
  readonly file: FoundFile;
  /** `undefined` for a file that is not stored. */
  readonly former: Former | undefined;
  /** Also false for a file whose state cannot be read, which the reader handles. */
  readonly isUnchanged: boolean;
}

/**
 * Reads the state of every stored file once, many at a time, and of no other file.
 *
 * @returns the files in their order
 * @throws ParallaxError `cancelled`
 */
export async function* comparedWithKnown<Former extends FileState>(
  files: readonly FoundFile[],
  known: ReadonlyMap<string, Former>,
  signal?: AbortSignal,
): AsyncGenerator<ComparedFile<Former>> {
  const compared = async (file: FoundFile): Promise<ComparedFile<Former>> => {
    const former = known.get(file.path);
    return { file, former, isUnchanged: former !== undefined && (await isUnchanged(file.path, former)) };
  };
  for (let from = 0; from < files.length; from += LOOKED_AT_TOGETHER) {
    throwIfCancelled(signal);
    yield* await Promise.all(files.slice(from, from + LOOKED_AT_TOGETHER).map(compared));
  }
}

function isUnchanged(file: string, former: FileState): Promise<boolean> {
  return stateOf(file).then(
    (state) => isSameState(state, former),
    () => false,
  );
}

/**
 * Computes the fingerprint of a file. Small files stay in memory from here on; files of records are read a second
 * time, piece by piece, when their documents are requested.
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
    isNamed: file.isRoot || config.textField !== undefined,
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
      requireNoReport(bytes, context);
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

/** A file whose records are decoded one by one is not skipped for an unknown encoding. */
function encodingFor(reader: StreamedReader, probe: EncodingProbe): string {
  try {
    return probe.encoding();
  } catch (error) {
    if (reader.decodesRecords && error instanceof FileSkipped && error.reason === 'encoding') return 'utf-8';
    throw error;
  }
}
