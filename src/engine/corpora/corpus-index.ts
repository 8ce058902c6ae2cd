/**
 * One corpus: its store, and the indexes derived from it. A derived index is opened or built when a pipeline first
 * needs it, and adds what it lacks from the store before it answers.
 */
import { createHash } from 'node:crypto';
import * as l10n from '@vscode/l10n';
import { ParallaxError, throwIfCancelled } from '../../core/errors.ts';
import type { NamedDocument } from '../../features/explain/core/explanation.ts';
import type { ExternalResult } from '../../core/external/spec.ts';
import { storeLabel } from '../../core/external/store-types.ts';
import { varyingFields, type FoundField } from '../../core/likeness/document-fields.ts';
import type { TermFrequencies } from '../../core/likeness/terms.ts';
import { DEFAULT_BM25, searchesByVector, type Pipeline } from '../../core/pipeline.ts';
import type { ReducedProjection } from '../../core/projection/what-if.ts';
import type { CorpusRef } from '../../shared/requests/configuration.ts';
import type {
  CorpusStatus,
  FileChanges,
  IndexReport,
  MeaningSoFar,
  SkippedFile,
} from '../../shared/requests/corpora.ts';
import { fileChanges } from '../corpus/file-changes.ts';
import { updateStore } from '../corpus/update-store.ts';
import { derivedFolder, removeDerived } from '../derivation/derived-folder.ts';
import { LexicalIndexes } from '../derivation/lexical-indexes.ts';
import { VectorIndexes } from '../derivation/vector-indexes.ts';
import type { MatchCounts } from '../external/match-passages.ts';
import type { Neighbours } from '../judges/judge.ts';
import type { PipelineQuery, PipelineServices } from '../retrieval/pipeline-services.ts';
import { projectedQueries, reducedProjections, type QueryWithout } from '../retrieval/query-projections.ts';
import { runPipeline, type PipelineIndexes, type PipelineResult } from '../retrieval/run-pipeline.ts';
import type { Store } from '../store/store.ts';
import { wordsHash } from '../text-sums.ts';
import { asOnlyWriter, ifOnlyWriter } from '../store/writer-lock.ts';
import type { Slot, SlotOrder, StoredPassage, WorkOptions } from '../types.ts';
import { CorpusFields } from './corpus-fields.ts';
import { CorpusPassages } from './corpus-passages.ts';
import { CorpusSearches, type SearchTools } from './corpus-searches.ts';
import { openStore, storeFile, updateLock } from './corpus-store.ts';
import { StoreCorpus, type StoreState } from './store-corpus.ts';
import type { ProjectionSpec } from '../../core/rerank/rerankers.ts';

export interface CorpusIndexOptions extends SearchTools {
  readonly approximateAbove: number;
  readonly log: (message: string) => void;
  /** The number of new passages from which several threads index them. Defaults to {@link THREADS_FROM}. */
  readonly threadsFrom?: number | undefined;
  /** Passages of a BM25 segment that a thread builds, for tests with few passages. */
  readonly segmentPassages?: number | undefined;
}

/** Built with every update, so that the first question is answered at once. */
const DEFAULT_ANALYZER = DEFAULT_BM25.analyzer;
/** The key of the passage count of a remote store in the corpus's own store. */
const STORED_COUNT = 'stored passages';
/** With fewer passages, indexing ends before a thread has started. */
const THREADS_FROM = 20_000;

export class CorpusIndex {
  readonly ref: CorpusRef;
  /** A search for each index. */
  readonly searches: CorpusSearches;
  /** The same searches, without waiting for vectors that the shipped encoder has yet to compute. */
  readonly searchesAtOnce: CorpusSearches;
  readonly #options: CorpusIndexOptions;
  readonly #store: Store;
  readonly #passages: CorpusPassages;
  /** The store that the corpus lives in. `undefined` for a corpus of files. */
  readonly #home: StoreCorpus | undefined;
  readonly #fields: CorpusFields;
  readonly #lexical: LexicalIndexes;
  readonly #vectors: VectorIndexes;
  /** Aborts running work when the corpus is closed. */
  readonly #closing = new AbortController();
  readonly #running = new Set<Promise<unknown>>();
  readonly #notices = new Set<string>();
  #documentHashes = { version: -1, of: new Map<string, string | undefined>() };
  #fingerprint: { readonly version: number; readonly text: string } | undefined;

  private constructor(ref: CorpusRef, options: CorpusIndexOptions, store: Store) {
    this.ref = ref;
    this.#options = options;
    this.#store = store;
    const { store: home } = ref.config;
    this.#passages = new CorpusPassages(store, ref.store, home !== undefined);
    this.#home = home && new StoreCorpus(ref.name, home, options.externals, () => this.#passages.foreign);
    this.#fields = new CorpusFields(store, home && (() => this.#passages.foreign));
    const { threadsFrom = THREADS_FROM, log, approximateAbove, segmentPassages } = options;
    const notice = (text: string) => void this.#notices.add(text);
    const folder = derivedFolder(ref.store, store.epoch);
    const derived = { store, storeFile: storeFile(ref), folder, threadsFrom, log };
    this.#lexical = new LexicalIndexes({ ...derived, segmentPassages });
    this.#vectors = new VectorIndexes({
      ...derived,
      approximateAbove,
      notice,
      inBackground: (work) => this.#during({}, work),
    });
    const searched = {
      store,
      passages: this.#passages,
      home: this.#home,
      held: () => (this.#home ? this.#storedCount || undefined : undefined),
      lexical: this.#lexical,
      vectors: this.#vectors,
      notice,
    };
    this.searches = new CorpusSearches(searched, options);
    this.searchesAtOnce = new CorpusSearches({ ...searched, atOnce: true }, options);
  }

  /**
   * Opens the index of a corpus, or starts an empty one if there is none or the splitting changed.
   *
   * @throws ParallaxError `store-unusable`
   */
  static async open(ref: CorpusRef, options: CorpusIndexOptions): Promise<CorpusIndex> {
    const store = await openStore(ref, options.log);
    // The lock prevents a new generation. If it is taken, its holder removes old indexes, or the next process
    // to open.
    await ifOnlyWriter(updateLock(ref), async () => {
      if (!store.isSuperseded) await removeDerived(ref.store, store.epoch);
    });
    return new CorpusIndex(ref, options, store);
  }

  /** Whether another window has rebuilt the index, so that it has to be opened again. */
  get isSuperseded(): boolean {
    return this.#store.isSuperseded;
  }

  get isIndexed(): boolean {
    return this.#home !== undefined || this.#store.get('indexed') === 'yes';
  }

  get status(): CorpusStatus {
    this.#store.refresh();
    const { store } = this.ref.config;
    const counts = { ...this.#store.counts(), ...(store ? { passages: this.#storedCount } : {}) };
    const where = store ? { store: storeLabel(store) } : {};
    const meaning = this.meaningSoFar;
    return {
      indexed: this.isIndexed,
      ...counts,
      ...where,
      notices: this.notices,
      ...(meaning ? { meaning } : {}),
    };
  }

  /** For a corpus in a store, the count at the last request. */
  get #storedCount(): number {
    return Number(this.#store.get(STORED_COUNT) ?? 0);
  }

  /** The order of passages with equal scores; see `LiveSlots.compare`. */
  get compare(): SlotOrder {
    return this.#store.live.compare;
  }

  /** Parts missing on this machine that something has needed since the corpus was opened. */
  get notices(): string[] {
    return [...this.#notices];
  }

  get skipped(): SkippedFile[] {
    return this.#store.skipped();
  }

  /**
   * Identifies the set of passages: differs for every other set, and stays the same after a restart. A slot keeps its
   * text, but copies of a store may give the same slot to different texts.
   */
  get fingerprint(): string {
    const { version } = this.#store.live;
    if (this.#fingerprint?.version === version) return this.#fingerprint.text;
    const slots = Uint32Array.from(this.#store.live);
    const texts = this.#store.textSums().of(slots);
    const digest = createHash('sha256').update(slots).update(texts).digest('hex');
    const text = `${this.#store.epoch} ${digest}`;
    this.#fingerprint = { version, text };
    return text;
  }

  /**
   * Changes when the index is rebuilt; see `Store.epoch`.
   *
   * @throws ParallaxError `cancelled` if the corpus is closed
   */
  get generation(): string {
    throwIfCancelled(this.#closing.signal);
    return this.#store.epoch;
  }

  /** Whether (nearly) all passages have a vector of this embedder, so that a search need not wait for them. */
  async hasVectors(name: string): Promise<boolean> {
    return this.#vectors.isReady(await this.#options.embedder(name));
  }

  /**
   * Finds files that changed since the last update by size and time. Takes seconds, and reads no file.
   *
   * @throws ParallaxError `cancelled`
   */
  fileChanges(work: WorkOptions): Promise<FileChanges> {
    return this.#during(work, (during) => fileChanges(this.#store, this.ref, during));
  }

  /**
   * Updates the store from the files, and the lexical index from the store.
   *
   * @throws ParallaxError `corpus-empty`, `cancelled` (keeps what was read until then), `store-unusable`
   */
  update(work: WorkOptions): Promise<IndexReport> {
    return this.#during(work, async (during) => {
      const begun = performance.now();
      if (this.#home) return this.#counted(this.#home, begun, during);
      const changes = await asOnlyWriter(updateLock(this.ref), during, async () => {
        this.#store.refresh();
        const ahead = this.#lexical.segmentsAhead(DEFAULT_ANALYZER);
        try {
          const report = await updateStore(this.#store, this.ref, during, (slots) => ahead.add(slots));
          this.#store.set('indexed', 'yes');
          await this.#lexical.ready(DEFAULT_ANALYZER, during, ahead);
          return report;
        } finally {
          await ahead.end();
        }
      });
      const { documents, passages, skipped } = this.#store.counts();
      return { ...changes, skipped, documents, passages, milliseconds: performance.now() - begun };
    });
  }

  /** Reads nothing: checks that the store is reachable, and counts its passages. */
  async #counted(home: StoreCorpus, begun: number, work: WorkOptions): Promise<IndexReport> {
    const passages = await home.count(work);
    this.#store.set(STORED_COUNT, String(passages));
    const none = { added: 0, changed: 0, deleted: 0, unchanged: 0, skipped: 0, documents: 0 };
    return { ...none, passages, milliseconds: performance.now() - begun };
  }

  /**
   * Loads passages by their ids. Only a corpus in a store has passages that are not loaded.
   *
   * @throws ParallaxError `retriever-failed`, `untrusted`, `model-key`, `cancelled`
   */
  fetchPassages(ids: Iterable<string>, work: WorkOptions = {}): Promise<void> {
    return this.#during(work, async (during) => this.#home?.fetch(ids, during));
  }

  /** The passages that a pipeline retrieves, best first, at most `depth`. */
  search(
    pipeline: Pipeline,
    query: PipelineQuery,
    depth: number,
    services: PipelineServices,
    work: WorkOptions = {},
  ): Promise<PipelineResult> {
    return this.searchIn(this.searches, pipeline, query, depth, services, work);
  }

  /** The same, in the searches for one question. */
  searchIn(
    searches: PipelineIndexes,
    pipeline: Pipeline,
    query: PipelineQuery,
    depth: number,
    services: PipelineServices,
    work: WorkOptions = {},
  ): Promise<PipelineResult> {
    return this.#during(work, async (during) => {
      if (query.text.trim() === '') throw new ParallaxError('bad-argument', l10n.t('Type a question first.'));
      return runPipeline(searches, services, pipeline, query, depth, during);
    });
  }

  /** Progress of the shipped encoder. `undefined` if nothing is being embedded in the background. */
  get meaningSoFar(): MeaningSoFar | undefined {
    return this.#vectors.background;
  }

  /**
   * Waits for what {@link searchesAtOnce} left to the background. Cancelling stops that work; finished vectors stay,
   * and the next question continues it.
   *
   * @returns whether every passage has a vector now
   */
  async embedded({ signal, onProgress }: WorkOptions): Promise<boolean> {
    await this.#vectors.backgroundEnd(signal, ({ embedded, of, secondsLeft }) =>
      onProgress?.({
        done: embedded,
        total: of,
        ...(secondsLeft === undefined ? {} : { detail: l10n.t`about ${secondsLeft} s left` }),
      }),
    );
    return signal?.aborted !== true;
  }

  async termFrequencies(work: WorkOptions): Promise<TermFrequencies> {
    const index = await this.#lexical.ready(DEFAULT_ANALYZER, work);
    return index.frequencies(this.#store.live);
  }

  /**
   * Matches the results of a program to passages of this corpus.
   *
   * @returns slots of distinct passages, best first
   * @throws ParallaxError `cancelled`
   */
  recognised(
    results: readonly Partial<ExternalResult>[],
    work: WorkOptions = {},
  ): Promise<{ slots: Slot[]; matches: MatchCounts }> {
    return this.#during(work, async (during) => {
      const { hits, matches } = await this.searches.matched(
        results.map((result, place) => ({ ...result, score: result.score ?? 0 - place })),
        undefined,
        during,
      );
      return { slots: hits.map(({ item }) => item), matches };
    });
  }

  /**
   * The current state of a corpus in a store. `undefined` for a corpus that is indexed here.
   *
   * @throws ParallaxError `retriever-failed`, `untrusted`, `model-key`, `cancelled`
   */
  storeState(work: WorkOptions = {}): Promise<StoreState | undefined> {
    return this.#during(work, async (during) => this.#home?.state(during));
  }

  /**
   * Everything needed to order some passages under any weight of a projection, one entry per perspective.
   *
   * @throws ParallaxError as a search with that projection, and `bad-argument` if the query has no perspective
   */
  projections(
    projection: ProjectionSpec,
    embedderName: string,
    query: PipelineQuery,
    slots: readonly Slot[],
    services: PipelineServices,
    work: WorkOptions = {},
  ): Promise<ReducedProjection[]> {
    return this.#during(work, async (during) => {
      const embedder = await this.#options.embedder(embedderName);
      const vectors = await this.vectors(embedderName, slots, during);
      return reducedProjections(embedder, projection, query, vectors, services, during);
    });
  }

  /**
   * The query vector that PAP or PAP+ searches with, for every perspective, by the embedder of the pipeline. Empty
   * for methods without such a vector.
   *
   * @throws ParallaxError as a search with that projection
   */
  projectedQueries(
    { projection, retriever }: Pipeline,
    query: PipelineQuery,
    services: PipelineServices,
    work: WorkOptions = {},
  ): Promise<QueryWithout[]> {
    return this.#during(work, async (during) => {
      if (!projection || !searchesByVector(retriever)) return [];
      const embedder = await this.#options.embedder(retriever.embedder);
      return projectedQueries(embedder, projection, query, services, during);
    });
  }

  /** Vectors of some passages, [n, d]. Embeds missing ones now. */
  vectors(name: string, slots: readonly Slot[], work: WorkOptions): Promise<Float32Array> {
    return this.searches.vectors(name, slots, work);
  }

  /** The embedder whose vectors measure how alike the passages of a pipeline are. */
  likenessEmbedder(pipeline: Pipeline): Promise<string> {
    return this.searches.likenessEmbedder(pipeline);
  }

  /** Vectors of texts as questions, one of `[d]` each. */
  async queryVectors(name: string, texts: readonly string[], work: WorkOptions): Promise<Float32Array[]> {
    const embedder = await this.#options.embedder(name);
    const vectors: Float32Array[] = [];
    for (const text of texts) vectors.push(await embedder.embedQuery(text, work));
    return vectors;
  }

  passageId(slot: Slot): string {
    return this.#readable.idOf(slot);
  }

  /** The slots of all passages, ascending. */
  slots(): Slot[] {
    throwIfCancelled(this.#closing.signal);
    return [...this.#store.live];
  }

  /** The passages in these slots, without those that have been deleted since. */
  passages(slots: readonly Slot[]): StoredPassage[] {
    return slots.flatMap((slot) => this.#readable.bySlot(slot) ?? []);
  }

  passageById(id: string): StoredPassage | undefined {
    return this.#readable.byId(id);
  }

  /**
   * One passage for each of these hashes whose text occurs in the corpus. Reads all hashes.
   *
   * @throws ParallaxError `cancelled`
   */
  passagesByHash(hashes: ReadonlySet<string>, work: WorkOptions = {}): Promise<Map<string, StoredPassage>> {
    return this.#during(work, (during) => this.#passages.byHash(hashes, during));
  }

  passagesOf(documentId: string): StoredPassage[] {
    return this.#readable.ofDocument(documentId);
  }

  /** Passages of the documents in a file, by its absolute path, in reading order. */
  passagesOfFile(file: string): StoredPassage[] {
    return this.#readable.ofFile(file);
  }

  /** Passages of the documents with this title, whatever its case. */
  passagesTitled(title: string): StoredPassage[] {
    return this.#readable.titled(title);
  }

  /** At most `most` documents whose name or title contains a text. Empty for a corpus in a store. */
  documentsNamed(part: string, most: number): NamedDocument[] {
    return this.#readable.documentsNamed(part, most);
  }

  /** See `documentHash` of a label. `undefined` for documents in a store, of which only some passages are known. */
  documentHash(documentId: string): string | undefined {
    if (this.#home) return undefined;
    const { version } = this.#store.live;
    if (this.#documentHashes.version !== version) this.#documentHashes = { version, of: new Map() };
    const { of } = this.#documentHashes;
    if (!of.has(documentId)) {
      const passages = this.passagesOf(documentId);
      of.set(documentId, passages.length === 0 ? undefined : wordsHash(passages.map(({ text }) => text)));
    }
    return of.get(documentId);
  }

  /** The sentences right before and after a passage in its document. */
  neighbours(passage: StoredPassage): Neighbours {
    return this.#readable.neighbours(passage);
  }

  /**
   * The fields of documents, most common first, found in a sample, and those whose values are counted: the ones that
   * the corpus names, else those that vary. For a corpus in a store, computed from the passages found so far.
   */
  get fields(): { readonly found: readonly FoundField[]; readonly counted: readonly string[] } {
    throwIfCancelled(this.#closing.signal);
    const { entries } = this.#fields;
    const chosen = this.ref.config.fields?.map((name) => name.toLowerCase());
    return { found: entries, counted: chosen ?? varyingFields(entries) };
  }

  /** Aborts running work and closes every file. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.allSettled(this.#running);
    await this.#vectors.close();
    this.#passages.close();
    this.#store.close();
  }

  /** @throws ParallaxError `cancelled` if the corpus is closed, which ends work on it */
  get #readable(): CorpusPassages {
    throwIfCancelled(this.#closing.signal);
    return this.#passages;
  }

  /** Runs work that has to end before the files are closed. */
  async #during<T>(
    { signal, ...otherOptions }: WorkOptions,
    work: (options: WorkOptions) => Promise<T>,
  ): Promise<T> {
    const closing = this.#closing.signal;
    this.#store.refresh();
    const running = work({ signal: signal ? AbortSignal.any([signal, closing]) : closing, ...otherOptions });
    this.#running.add(running);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
    }
  }
}
