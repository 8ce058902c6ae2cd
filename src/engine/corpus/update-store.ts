/** Updates a store from the files of a corpus. */
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../../core/errors.ts';
import type { CorpusRef } from '../../shared/requests/configuration.ts';
import type { IndexReport, SkippedFile } from '../../shared/requests/corpora.ts';
import { LoopWatch } from '../concurrency/loop-watch.ts';
import { Pace } from '../concurrency/pace.ts';
import type { DocumentWithPassages, KnownFile, PendingFile } from '../store/file-rows.ts';
import type { Store } from '../store/store.ts';
import type { ExtractedDocument, Slot, WorkOptions } from '../types.ts';
import { eachPassageOf } from './passages.ts';
import { isSameState } from './read-file.ts';
import { scanCorpus, type ScanEvent } from './scan.ts';
import { splitToolsFor } from './tokenizer.ts';

export type StoreChanges = Pick<IndexReport, 'added' | 'changed' | 'deleted' | 'unchanged'>;

/**
 * Reads new and changed files, and removes deleted ones. Each file is stored completely or not at all. If cancelled,
 * what was stored until then stays. No other process may be updating the store.
 *
 * @param onStored receives the slots of passages when they are stored, ascending, long before they are live
 * @param watch names the file that blocks the event loop; closed at the end
 * @throws ParallaxError `corpus-empty` if there is nothing to read, `cancelled`, `store-unusable`
 */
export async function updateStore(
  store: Store,
  { base, config, excludeGlobs, fenced }: CorpusRef,
  work: WorkOptions,
  onStored: (slots: readonly Slot[]) => Promise<void> = async () => undefined,
  watch = new LoopWatch(),
): Promise<StoreChanges> {
  store.files.removeIncomplete();
  const update = new StoreUpdate(store, work, watch);
  const tools = await splitToolsFor(config.split);
  const pace = new Pace(work);
  const cut = async (documents: readonly ExtractedDocument[]): Promise<DocumentWithPassages[]> => {
    const result: DocumentWithPassages[] = [];
    for (const document of documents) {
      const passages = [];
      for (const passage of eachPassageOf(document, config.split, tools)) {
        passages.push(passage);
        if (pace.due) await pace.rest();
      }
      result.push({ document, passages });
    }
    return result;
  };
  const events = scanCorpus(config, {
    base,
    excludeGlobs,
    boundary: fenced ? base : undefined,
    known: update.known,
    // If no file is known yet, every id is free, and a million look-ups are spared.
    ownerOf: update.known.size === 0 ? undefined : (documentId) => store.pathOf(documentId),
    signal: work.signal,
    onReading: (path) => watch.workOn(path),
  });
  try {
    for await (const event of events)
      if (event.type === 'documents') await onStored(update.addDocuments(await cut(event.documents)));
      else update.take(event);
  } finally {
    await watch.close();
  }
  store.releaseMemory();
  return update.finish();
}

/** The state of one update between the events of its scan. */
class StoreUpdate {
  readonly known: Map<string, KnownFile>;
  readonly #store: Store;
  readonly #work: WorkOptions;
  readonly #watch: LoopWatch;
  readonly #formerlySkipped: readonly SkippedFile[];
  readonly #skipped: SkippedFile[] = [];
  readonly #unchanged = new Set<string>();
  readonly #changes = { added: 0, changed: 0, deleted: 0, unchanged: 0 };
  #pending: { file: PendingFile; state: KnownFile } | undefined;
  #total = 0;
  #done = 0;

  constructor(store: Store, work: WorkOptions, watch: LoopWatch) {
    this.#store = store;
    this.#work = work;
    this.#watch = watch;
    this.known = store.files.known();
    this.#formerlySkipped = store.skipped();
  }

  /** @returns the slots of new passages */
  addDocuments(documents: readonly DocumentWithPassages[]): readonly Slot[] {
    return this.#pending ? this.#store.files.addDocuments(this.#pending.file, documents) : [];
  }

  take(event: Exclude<ScanEvent, { type: 'documents' }>): void {
    switch (event.type) {
      case 'discovered':
        this.#total = event.total;
        return;
      case 'unchanged':
        return this.#keep(event);
      case 'deleted':
        this.#store.files.delete(event.path);
        this.#changes.deleted++;
        return;
      case 'skipped':
        return this.#skip(event);
      case 'file-start':
        return this.#begin(event);
      case 'file-end':
        return this.#end(event);
    }
  }

  finish(): StoreChanges {
    // Problems within a file are kept while the file is unchanged.
    const still = this.#formerlySkipped.filter(({ path }) => this.#unchanged.has(path));
    this.#store.setSkipped([...still, ...this.#skipped]);
    if (this.#store.live.count === 0) throw new ParallaxError('corpus-empty', this.#emptyMessage());
    return this.#changes;
  }

  #keep({ path, size, mtimeMs, ctimeMs, hash }: Extract<ScanEvent, { type: 'unchanged' }>): void {
    const former = this.known.get(path);
    if (former && !isSameState(former, { size, mtimeMs, ctimeMs }))
      this.#store.files.touch(path, { size, mtimeMs, ctimeMs, hash });
    this.#unchanged.add(path);
    this.#changes.unchanged++;
    this.#advance();
  }

  #skip({ path, reason, message, keepStored }: Extract<ScanEvent, { type: 'skipped' }>): void {
    if (this.#pending?.file.path === path) this.#abandon();
    if (!keepStored && this.known.has(path)) this.#store.files.delete(path);
    this.#skipped.push({ path, reason, message });
    this.#advance();
  }

  #begin({ path, size, mtimeMs, ctimeMs, hash }: Extract<ScanEvent, { type: 'file-start' }>): void {
    // A start without an end is void: the file changed while it was read, and is read again.
    this.#abandon();
    const state = { size, mtimeMs, ctimeMs, hash };
    this.#pending = { file: this.#store.files.begin(path, state), state };
  }

  #end({ path, problems, problemCount }: Extract<ScanEvent, { type: 'file-end' }>): void {
    if (!this.#pending)
      throw new ParallaxError('internal', l10n.t`The reading of ${path} ended without having begun.`);
    this.#store.files.end(this.#pending.file, this.#pending.state);
    this.#pending = undefined;
    this.#changes[this.known.has(path) ? 'changed' : 'added']++;
    for (const { line, message } of problems)
      this.#skipped.push({
        path,
        reason: 'record',
        message: line === undefined ? message : l10n.t`Line ${line + 1}: ${message}`,
      });
    if (problemCount > problems.length)
      this.#skipped.push({
        path,
        reason: 'record',
        message: l10n.t`${problemCount - problems.length} more problems like these.`,
      });
    const held = this.#watch.heldSeconds;
    if (held > 0)
      this.#skipped.push({
        path,
        reason: 'slow',
        message: l10n.t`It was read, but it blocked other requests for ${Math.round(held)} seconds meanwhile.`,
      });
    this.#advance();
  }

  #abandon(): void {
    if (this.#pending) this.#store.files.abandon(this.#pending.file);
    this.#pending = undefined;
  }

  #advance(): void {
    this.#done++;
    this.#work.onProgress?.({
      done: Math.min(this.#done, this.#total),
      total: this.#total,
      detail: l10n.t`${this.#store.live.count} passages`,
    });
  }

  #emptyMessage(): string {
    const [first] = this.#skipped;
    return first
      ? l10n.t`Nothing could be indexed. ${first.path}: ${first.message}`
      : l10n.t('There is nothing to index: the corpus has no file that Parallax can read.');
  }
}
