/** Compares the files of a corpus with what is stored, and reads what is new. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import * as l10n from '@vscode/l10n';
import { messageOf, ParallaxError, throwIfCancelled } from '../../core/errors.ts';
import type { CorpusConfig } from '../../shared/config.ts';
import { Pace } from '../concurrency/pace.ts';
import type { ExtractedDocument } from '../types.ts';
import { DocumentIds, type FileDocumentIds, type OwnerOf } from './document-ids.ts';
import { errorCode, relativeInside } from '../files/paths.ts';
import { comparedWithKnown, isSameState, openFile, stateOf, type FileState } from './read-file.ts';
import { FileSkipped, type FileProblem, type ReadItem, type SkipReason } from './readers/reader.ts';
import { skippedByError, walkCorpus, type FoundFile, type SkippedPath, type WalkOptions } from './walk.ts';

/** A version of a file whose documents are stored. */
export interface KnownFile extends FileState {
  /** SHA-256 of the content, hexadecimal. */
  readonly hash: string;
}

export interface ScanOptions extends WalkOptions {
  /** Files whose documents are stored, by absolute path. Empty if fields or splitting changed. */
  readonly known: ReadonlyMap<string, KnownFile>;
  /**
   * The file that owns a document id in the store, so that a file that is read again takes no id from an
   * unchanged one.
   */
  readonly ownerOf?: OwnerOf | undefined;
  /** Called before a file is read whose content may be new. */
  readonly onReading?: ((path: string) => void) | undefined;
}

/**
 * One step of a scan. Order: `discovered`, then `skipped` paths of the walk, then every `deleted`, then the files by
 * path. A file is either `unchanged`, or `skipped`, or `file-start`, `documents` …, `file-end`.
 *
 * A `file-start` without its `file-end` is void: after `skipped` for the same path (the file broke half-way), after
 * another `file-start` for it (the file changed while it was read, and is read again), and if the scan is cancelled.
 */
export type ScanEvent =
  | {
      readonly type: 'discovered';
      /** Files that events will follow for. */
      readonly total: number;
      /** Files left out because their type is unknown: extension → count. */
      readonly unknownTypes: ReadonlyMap<string, number>;
    }
  | ({ readonly type: 'unchanged'; readonly path: string } & KnownFile)
  | ({ readonly type: 'file-start'; readonly path: string; readonly relativePath: string } & KnownFile)
  | { readonly type: 'documents'; readonly path: string; readonly documents: readonly ExtractedDocument[] }
  | {
      readonly type: 'file-end';
      readonly path: string;
      readonly documents: number;
      /** Problems within the file, at most {@link MAX_PROBLEMS}. */
      readonly problems: readonly FileProblem[];
      readonly problemCount: number;
    }
  | {
      readonly type: 'skipped';
      readonly path: string;
      readonly reason: SkipReason;
      /** A sentence about "it", the file or folder. */
      readonly message: string;
      /** Whether passages stored under this path (or below it, for a folder) stay, because it could not be read. */
      readonly keepStored: boolean;
    }
  | { readonly type: 'deleted'; readonly path: string };

export const MAX_PROBLEMS = 100;
/** A batch of documents ends at this many documents or characters, whichever comes first. */
const BATCH_DOCUMENTS = 500;
const BATCH_CHARACTERS = 1_000_000;

/**
 * Walks the roots and yields what a store needs to match the files. A bad file is reported and does not stop the
 * others. Memory is bounded by the largest file that is not a stream of records (`maxFileBytes`), one batch, and the
 * ids of the documents.
 *
 * @throws ParallaxError `bad-config` for an invalid glob, `cancelled`
 */
export async function* scanCorpus(config: CorpusConfig, options: ScanOptions): AsyncGenerator<ScanEvent> {
  const { files, skipped, unknownTypes } = await walkCorpus(config, options);
  yield { type: 'discovered', total: files.length, unknownTypes };
  for (const each of skipped) yield { type: 'skipped', ...each };
  yield* deletions(options.known, files, skipped);
  const ids = new DocumentIds(options.ownerOf ?? (() => undefined));
  for await (const { file, former, isUnchanged } of comparedWithKnown(files, options.known, options.signal)) {
    throwIfCancelled(options.signal);
    if (former && isUnchanged) {
      yield { type: 'unchanged', path: file.path, ...former };
      continue;
    }
    await nextTurn();
    yield* scanFile(file, config, options, ids);
  }
}

/** Known files that are gone, without those that could not be read. */
function* deletions(
  known: ScanOptions['known'],
  files: readonly FoundFile[],
  skipped: readonly SkippedPath[],
): Generator<ScanEvent> {
  const paths = new Set(files.map(({ path }) => path));
  const unseen = skipped.filter(({ keepStored }) => keepStored);
  for (const path of known.keys()) {
    if (paths.has(path) || unseen.some((folder) => relativeInside(folder.path, path) !== undefined)) continue;
    yield { type: 'deleted', path };
  }
}

type ClosingEvent = Extract<ScanEvent, { type: 'unchanged' | 'file-end' }>;

async function* scanFile(
  file: FoundFile,
  config: CorpusConfig,
  options: ScanOptions,
  ids: DocumentIds,
): AsyncGenerator<ScanEvent> {
  try {
    for (let attempt = 1; attempt <= 2; attempt++) {
      const before = await stateOf(file.path);
      const fileIds = ids.forFile(file);
      const closing = yield* readVersion(file, before, config, options, fileIds);
      if (!isSameState(before, await stateOf(file.path))) continue;
      fileIds.keep();
      yield closing;
      return;
    }
    throw new FileSkipped('changing', l10n.t('It changes while it is being read.'));
  } catch (error) {
    throwIfCancelled(options.signal);
    yield { type: 'skipped', ...explainFailure(file.path, error) };
  }
}

/**
 * Reads one version of a file. Returns its closing event, which is valid if the file did not change while it
 * was read.
 */
async function* readVersion(
  file: FoundFile,
  state: FileState,
  config: CorpusConfig,
  { known, signal, onReading }: ScanOptions,
  ids: FileDocumentIds,
): AsyncGenerator<ScanEvent, ClosingEvent> {
  const { path, relativePath } = file;
  const former = known.get(path);
  checkSize(file, state, config);
  onReading?.(path);
  const { hash, items } = await openFile(file, config, signal);
  if (former?.hash === hash) return { type: 'unchanged', path, ...state, hash };
  const reading = new Reading(ids);
  const pace = new Pace({ signal });
  for await (const item of items()) {
    throwIfCancelled(signal);
    reading.add(item);
    if (pace.due) await pace.rest();
    if (!reading.isBatchFull) continue;
    if (reading.isFirstBatch) yield { type: 'file-start', path, relativePath, ...state, hash };
    yield { type: 'documents', path, documents: reading.takeBatch() };
    await nextTurn();
  }
  reading.checkNotEmpty();
  if (reading.isFirstBatch) yield { type: 'file-start', path, relativePath, ...state, hash };
  if (reading.hasBatch) yield { type: 'documents', path, documents: reading.takeBatch() };
  return { type: 'file-end', path, ...reading.summary };
}

/** Progress of reading one version of a file. */
class Reading {
  readonly #ids: FileDocumentIds;
  #batch: ExtractedDocument[] = [];
  #characters = 0;
  #taken = 0;
  readonly #problems: FileProblem[] = [];
  #problemCount = 0;

  constructor(ids: FileDocumentIds) {
    this.#ids = ids;
  }

  get isFirstBatch(): boolean {
    return this.#taken === 0;
  }

  get hasBatch(): boolean {
    return this.#batch.length > 0;
  }

  get isBatchFull(): boolean {
    return this.#batch.length >= BATCH_DOCUMENTS || this.#characters >= BATCH_CHARACTERS;
  }

  get summary(): { documents: number; problems: readonly FileProblem[]; problemCount: number } {
    return { documents: this.#taken, problems: this.#problems, problemCount: this.#problemCount };
  }

  add(item: ReadItem): void {
    if ('problem' in item) return this.#report(item.problem);
    if (item.document.text.trim() === '') throw new FileSkipped('empty', l10n.t('It has no text.'));
    const { document, problem } = this.#ids.identify(item.document);
    if (problem) this.#report(problem);
    this.#batch.push(document);
    this.#characters += document.text.length;
  }

  takeBatch(): ExtractedDocument[] {
    const batch = this.#batch;
    this.#taken += batch.length;
    this.#batch = [];
    this.#characters = 0;
    return batch;
  }

  /** @throws FileSkipped if no document was found */
  checkNotEmpty(): void {
    if (this.hasBatch || this.#taken > 0) return;
    const [first] = this.#problems;
    if (!first) throw new FileSkipped('empty', l10n.t('It has no text.'));
    throw new FileSkipped(
      'broken',
      this.#problemCount > 1
        ? l10n.t`No record could be read. ${first.message} ${this.#problemCount - 1} more like it.`
        : l10n.t`No record could be read. ${first.message}`,
    );
  }

  #report(problem: FileProblem): void {
    this.#problemCount++;
    if (this.#problems.length < MAX_PROBLEMS) this.#problems.push(problem);
  }
}

/** A root that is a file of records may have any size: the user named it, and it is never in memory as a whole. */
function checkSize(file: FoundFile, { size }: FileState, { maxFileBytes }: CorpusConfig): void {
  if (size <= maxFileBytes || (file.isRoot && file.reader.streamed)) return;
  throw new FileSkipped(
    'too-large',
    l10n.t`It has ${megabytes(size)} MB, more than the ${megabytes(maxFileBytes)} MB that maxFileBytes of the corpus allows.`,
  );
}

function megabytes(bytes: number): string {
  return (bytes / 1024 / 1024).toFixed(1);
}

function explainFailure(path: string, error: unknown): SkippedPath {
  if (error instanceof FileSkipped)
    return { path, reason: error.reason, message: error.message, keepStored: error.reason === 'changing' };
  if (error instanceof ParallaxError) throw error;
  if (errorCode(error) !== undefined) return skippedByError(path, error);
  return {
    path,
    reason: 'broken',
    message: l10n.t`It cannot be read: ${messageOf(error)}.`,
    keepStored: false,
  };
}
