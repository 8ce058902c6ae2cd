/**
 * One corpus: its store, and the indexes derived from it. A derived index is opened or built when a
 * pipeline first needs it; whatever it lacks is added from the store before it answers.
 */
import { rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { createHash } from 'node:crypto';
import * as l10n from '@vscode/l10n';
import { inContext, ParallaxError } from '../core/errors.ts';
import type { MatchCorpus } from '../core/external/match.ts';
import type { ExternalResult, ExternalRetrieverSpec } from '../core/external/spec.ts';
import {
  isStore,
  searchesApproximately,
  type StoreRetriever,
  type VectorStoreRetriever,
} from '../core/external/stores.ts';
import type {
  Bm25Retriever,
  CrossEncoderSpec,
  DenseRetriever,
  Pipeline,
  ProjectionSpec,
  SearchKind,
} from '../core/pipeline.ts';
import { differencePerspective, planProjection } from '../core/projection/project.ts';
import { reduceProjection, type ReducedProjection } from '../core/projection/what-if.ts';
import type { CorpusRef, CorpusStatus, IndexReport } from '../shared/rpc.ts';
import type { Embedder } from './embedders/embedder.ts';
import type { ExternalQuery } from './external/external-retriever.ts';
import type { ExternalRetrievers } from './external/external-retrievers.ts';
import { FOREIGN_PREFIX, ForeignPassages, isForeign } from './external/foreign-passages.ts';
import { matchPassages, type MatchCounts } from './external/match-passages.ts';
import { projectedInStore } from './external/project-in-store.ts';
import { RetrievedRecords, rowsOf } from './external/retrieved-records.ts';
import { updateStore } from './corpus/update-store.ts';
import { DerivedFolder, removeDerived } from './derivation/derived-folder.ts';
import { LexicalIndexes, type AnalyzerName } from './derivation/lexical-indexes.ts';
import { VectorIndexes } from './derivation/vector-indexes.ts';
import { Pace } from './pace.ts';
import type { CrossEncoders } from './rerankers/cross-encoders.ts';
import { queryParts, type ProjectedQuery } from './retrieval/query-parts.ts';
import type { Retrieval } from './retrieval/retrieve.ts';
import {
  runPipeline,
  type PipelineIndexes,
  type PipelineQuery,
  type PipelineResult,
  type PipelineServices,
} from './retrieval/run-pipeline.ts';
import { DamagedDatabase, openDatabase } from './store/database.ts';
import { Store, type SkippedFile } from './store/store.ts';
import { makeFolder } from './store/usable-folder.ts';
import { asOnlyWriter, ifOnlyWriter } from './store/writer-lock.ts';
import type { Hit, Slot, StoredPassage, WorkOptions } from './types.ts';

export interface CorpusIndexOptions {
  /** @throws ParallaxError `bad-pipeline` for an unknown name */
  readonly embedder: (name: string) => Promise<Embedder>;
  readonly crossEncoders: Pick<CrossEncoders, 'score'>;
  readonly externals: Pick<ExternalRetrievers, 'search' | 'store'>;
  readonly approximateAbove: number;
  readonly log: (message: string) => void;
  /** From so many new passages on, several threads index them; {@link THREADS_FROM} when left out. */
  readonly threadsFrom?: number | undefined;
  /** Passages of a BM25 segment that a thread builds; for tests with few passages. */
  readonly segmentPassages?: number | undefined;
}

/** Built with every update, so that the first question is answered at once. */
const DEFAULT_ANALYZER: AnalyzerName = 'english';
/** Passages read from the store at a time. */
const PORTION = 1_000;
/** Fewer passages are indexed before a thread has started. */
const THREADS_FROM = 20_000;
export class CorpusIndex implements PipelineIndexes {
  readonly ref: CorpusRef;
  readonly #options: CorpusIndexOptions;
  readonly #store: Store;
  #foreign: ForeignPassages | undefined;
  readonly #records: RetrievedRecords;
  readonly #lexical: LexicalIndexes;
  readonly #vectors: VectorIndexes;
  /** Ends whatever is under way when the corpus is closed. */
  readonly #closing = new AbortController();
  readonly #running = new Set<Promise<unknown>>();
  readonly #notices = new Set<string>();
  #fingerprint: { readonly version: number; readonly text: string } | undefined;

  private constructor(ref: CorpusRef, options: CorpusIndexOptions, store: Store, folder: DerivedFolder) {
    this.ref = ref;
    this.#options = options;
    this.#store = store;
    const {
      externals,
      embedder,
      threadsFrom = THREADS_FROM,
      log,
      approximateAbove,
      segmentPassages,
    } = options;
    this.#records = new RetrievedRecords({ store: (spec) => externals.store(spec), embedder });
    const derived = { store, storeFile: storeFile(ref), folder, threadsFrom, log };
    this.#lexical = new LexicalIndexes({ ...derived, segmentPassages });
    this.#vectors = new VectorIndexes({
      ...derived,
      approximateAbove,
      notice: (text) => this.#notices.add(text),
      inBackground: (work) => this.#during({}, work),
    });
  }

  /**
   * Opens the index of a corpus, or begins it. Where the splitting changed it begins anew.
   *
   * @throws ParallaxError `store-unusable`
   */
  static async open(ref: CorpusRef, options: CorpusIndexOptions): Promise<CorpusIndex> {
    await makeFolder(ref.store);
    const store = await openStore(ref, options.log);
    // Under the lock no other generation is begun. Whoever holds it now removes what is old, or the next to open.
    await ifOnlyWriter(updateLock(ref), async () => {
      if (!store.isSuperseded) await removeDerived(ref.store, store.epoch);
    });
    const folder = new DerivedFolder(ref.store, store);
    if (await folder.isAheadOfStore()) {
      options.log(
        `${storeFile(ref)} has lost what was stored last; what was derived from it is built again.`,
      );
      await folder.remove();
    }
    return new CorpusIndex(ref, options, store, folder);
  }

  /**
   * Empties the index of a corpus that is not open here. Other windows that have it open take note.
   *
   * @throws ParallaxError `store-unusable`, `cancelled`
   */
  static async remove(ref: CorpusRef, work: WorkOptions = {}): Promise<void> {
    await makeFolder(ref.store);
    await asOnlyWriter(updateLock(ref), work, async () => {
      try {
        Store.empty(storeFile(ref));
      } catch (error) {
        if (!(error instanceof DamagedDatabase)) throw error;
        await removeStore(ref);
      }
      await removeDerived(ref.store, undefined);
    });
  }

  /** Whether another window has begun the index anew: open it again. */
  get isSuperseded(): boolean {
    return this.#store.isSuperseded;
  }

  get isIndexed(): boolean {
    return this.#store.get('indexed') === 'yes';
  }

  get status(): CorpusStatus {
    this.#store.refresh();
    return { indexed: this.isIndexed, ...this.#store.counts(), notices: [...this.#notices] };
  }

  get skipped(): SkippedFile[] {
    return this.#store.skipped();
  }

  /**
   * Names what can be found: another text whenever the set of passages is another, the same after a restart.
   * Within one generation a slot keeps its text, so that the live slots say it all.
   */
  get fingerprint(): string {
    const { version } = this.#store.live;
    if (this.#fingerprint?.version === version) return this.#fingerprint.text;
    const slots = Uint32Array.from(this.#store.live);
    const text = `${this.#store.epoch} ${createHash('sha256').update(slots).digest('hex')}`;
    this.#fingerprint = { version, text };
    return text;
  }

  /**
   * Brings the store up to date with the files, and the lexical index with the store.
   *
   * @throws ParallaxError `corpus-empty`, `cancelled` (what was read until then stays), `store-unusable`
   */
  update(work: WorkOptions): Promise<IndexReport> {
    return this.#during(work, async (during) => {
      const begun = performance.now();
      const changes = await asOnlyWriter(updateLock(this.ref), during, async () => {
        this.#store.refresh();
        const ahead = this.#lexical.segmentsAhead(DEFAULT_ANALYZER);
        try {
          const made = await updateStore(this.#store, this.ref, during, (slots) => ahead.add(slots));
          this.#store.set('indexed', 'yes');
          await this.#lexical.ready(DEFAULT_ANALYZER, during, ahead);
          return made;
        } finally {
          await ahead.end();
        }
      });
      const { documents, passages, skipped } = this.#store.counts();
      return { ...changes, skipped, documents, passages, milliseconds: performance.now() - begun };
    });
  }

  /** The passages that a pipeline retrieves, best first, `depth` at most. */
  search(
    pipeline: Pipeline,
    query: PipelineQuery,
    depth: number,
    services: PipelineServices,
    work: WorkOptions = {},
  ): Promise<PipelineResult> {
    return this.#during(work, async (during) => {
      if (query.text.trim() === '') throw new ParallaxError('bad-argument', l10n.t('Type a question first.'));
      return runPipeline(this, services, pipeline, query, depth, during);
    });
  }

  async bm25(query: string, spec: Bm25Retriever, depth: number, work: WorkOptions): Promise<Retrieval> {
    const index = await this.#lexical.ready(spec.analyzer, work);
    return { hits: index.search(query, spec, depth, this.#store.live), search: 'exact' };
  }

  async dense(query: string, spec: DenseRetriever, depth: number, work: WorkOptions): Promise<Retrieval> {
    const embedder = await this.#options.embedder(spec.embedder);
    const index = await this.#vectors.ready(embedder, work);
    // Asked for by name, the graph is worth waiting for; otherwise it is built while scans serve.
    if (spec.search === 'approximate') await this.#vectors.prepareGraphIfPossible(embedder, index, work);
    else if (spec.search === 'auto') this.#vectors.prepareGraphInBackground(embedder, index);
    const vector = await embedder.embedQuery(query, work);
    if (embedder.notice !== undefined) this.#notices.add(embedder.notice);
    const { live } = this.#store;
    const { hits, exact } = await index.search(
      vector,
      { depth, live, search: spec.search, ef: spec.ef, rescore: spec.rescore },
      work,
    );
    return { hits, search: exact ? 'exact' : inexactKind(spec) };
  }

  /** Asks the user's own retriever, and recognises what it returns among the passages of this corpus. */
  async external(
    query: ExternalQuery,
    spec: ExternalRetrieverSpec,
    depth: number,
    work: WorkOptions,
  ): Promise<Retrieval> {
    const results = await this.#options.externals.search(spec, query, depth, work.signal);
    const found = await this.#matched(results, spec, work);
    return { ...found, search: isStore(spec) && searchesApproximately(spec) ? 'approximate' : 'exact' };
  }

  /**
   * What a program was seen to retrieve, recognised among the passages of this corpus.
   *
   * @returns slots of distinct passages, best first
   * @throws ParallaxError `cancelled`
   */
  recognised(
    results: readonly ExternalResult[],
    work: WorkOptions = {},
  ): Promise<{ slots: Slot[]; matches: MatchCounts }> {
    return this.#during(work, async (during) => {
      const { hits, matches } = await this.#matched(results, undefined, during);
      return { slots: hits.map(({ item }) => item), matches };
    });
  }

  /**
   * One page of what a store holds, recognised among the passages of this corpus, so that it can be judged and
   * labelled like what was retrieved.
   *
   * @param from `next` of the page before; the first page when left out
   * @throws ParallaxError `retriever-failed`, `untrusted`, `cancelled`
   */
  storedPage(
    spec: StoreRetriever,
    from: string | undefined,
    limit: number,
    work: WorkOptions = {},
  ): Promise<{ slots: Slot[]; matches: MatchCounts; next?: string | undefined }> {
    return this.#during(work, async (during) => {
      const { records, next } = await this.#options.externals.store(spec).page(from, limit, during.signal);
      const unranked = records.map((record) => ({ ...record, score: 0 }));
      const { hits, matches } = await this.#matched(unranked, spec, during);
      return { slots: hits.map(({ item }) => item), matches, next };
    });
  }

  async projected(
    query: ProjectedQuery,
    projection: ProjectionSpec,
    spec: DenseRetriever | VectorStoreRetriever,
    depth: number,
    work: WorkOptions,
  ): Promise<Retrieval> {
    if (spec.type !== 'dense') return this.#projectedInStore(query, projection, spec, depth, work);
    const embedder = await this.#options.embedder(spec.embedder);
    const index = await this.#vectors.ready(embedder, work);
    const input = await projectionInput(embedder, query, projection, work);
    const plan = planFor(query, projection, input);
    const { live } = this.#store;
    const { hits, exact } = await index.searchProjected(
      plan,
      { depth, live, search: spec.search, ef: spec.ef, rescore: spec.rescore },
      work,
    );
    return { hits, search: exact ? 'exact' : inexactKind(spec) };
  }

  /**
   * What it takes to order some passages under any weight of a projection, one entry per perspective.
   *
   * @throws ParallaxError as a search with that projection, and `bad-argument` where the query has no perspective
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
      const reduced: ReducedProjection[] = [];
      for (const { root, perspective, full } of await queryParts(query, projection, services, during)) {
        if (perspective === undefined)
          throw new ParallaxError(
            'bad-argument',
            l10n.t`The model finds no perspective in the query "${full}", so there is nothing to weigh.`,
          );
        const input = await projectionInput(embedder, { root, perspective, full }, projection, during);
        reduced.push(reduceProjection(input, vectors));
      }
      return reduced;
    });
  }

  async vectors(name: string, slots: readonly Slot[], work: WorkOptions): Promise<Float32Array> {
    const embedder = await this.#options.embedder(name);
    const vectors = await this.#records.vectors(embedder, slots, work.signal);
    if (vectors.size === 0) return this.#ownVectors(embedder, slots, work);
    const others = slots.filter((slot) => !vectors.has(slot));
    if (others.length > 0) {
      const own = await this.#ownVectors(embedder, others, work);
      const dimensions = own.length / others.length;
      for (const [place, slot] of others.entries())
        vectors.set(slot, own.subarray(place * dimensions, (place + 1) * dimensions));
    }
    return rowsOf(slots, vectors);
  }

  /** From the dense index, embedded now where they are missing there. */
  async #ownVectors(embedder: Embedder, slots: readonly Slot[], work: WorkOptions): Promise<Float32Array> {
    return slots.some(isForeign)
      ? embedder.embedPassages(this.#textsOf(slots), { signal: work.signal })
      : this.#vectors.vectors(embedder, slots, work);
  }

  async relevance(
    spec: CrossEncoderSpec,
    query: string,
    slots: readonly Slot[],
    work: WorkOptions,
  ): Promise<Float64Array> {
    return this.#options.crossEncoders.score(spec, query, this.#textsOf(slots), work);
  }

  passageId(slot: Slot): string {
    const id = isForeign(slot) ? this.#foreignPassages.passage(slot)?.id : this.#store.idOf(slot);
    if (id === undefined)
      throw new ParallaxError(
        'not-found',
        l10n.t('A retrieved passage was deleted meanwhile. Search again.'),
      );
    return id;
  }

  /** All passages of the corpus by their slots, in ascending order. */
  slots(): Slot[] {
    return [...this.#store.live];
  }

  /** The passages in these slots; those that vanished meanwhile are left out. */
  passages(slots: readonly Slot[]): StoredPassage[] {
    return slots.flatMap((slot) => this.#passage(slot) ?? []);
  }

  passageById(id: string): StoredPassage | undefined {
    return id.startsWith(FOREIGN_PREFIX)
      ? this.#foreignPassages.passageById(id)
      : this.#store.passageById(id);
  }

  /**
   * One passage for each of these hashes of texts that stands anywhere in the corpus. Reads all hashes.
   *
   * @throws ParallaxError `cancelled`
   */
  passagesByHash(wanted: ReadonlySet<string>, work: WorkOptions = {}): Promise<Map<string, StoredPassage>> {
    return this.#during(work, async (during) => {
      const pace = new Pace(during);
      const slots = new Map<string, Slot>();
      for (let from: Slot | undefined = 0; from !== undefined;) {
        const portion = this.#store.hashes(from, PORTION);
        for (const { slot, hash } of portion.hashes)
          if (wanted.has(hash) && !slots.has(hash)) slots.set(hash, slot);
        from = portion.next;
        if (pace.due) await pace.rest();
      }
      const found = new Map<string, StoredPassage>();
      for (const hash of wanted) {
        const slot = slots.get(hash);
        const passage =
          slot === undefined ? this.#foreign?.passageById(FOREIGN_PREFIX + hash) : this.#store.passage(slot);
        if (passage) found.set(hash, passage);
        if (pace.due) await pace.rest();
      }
      return found;
    });
  }

  /** Passages of a document in reading order. */
  passagesOf(documentId: string): StoredPassage[] {
    if (!documentId.startsWith(FOREIGN_PREFIX)) return this.#store.passagesOf(documentId);
    const foreign = this.#foreignPassages.passageById(documentId);
    return foreign ? [foreign] : [];
  }

  /** Ends what is under way, and closes every file. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.allSettled(this.#running);
    await this.#vectors.close();
    this.#foreign?.close();
    this.#store.close();
  }

  /** Runs work that must have ended before the files are closed. */
  async #during<T>(
    { signal, onProgress }: WorkOptions,
    work: (options: WorkOptions) => Promise<T>,
  ): Promise<T> {
    const closing = this.#closing.signal;
    this.#store.refresh();
    const running = work({ signal: signal ? AbortSignal.any([signal, closing]) : closing, onProgress });
    this.#running.add(running);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
    }
  }

  /** Opened when the first foreign retriever answers. */
  get #foreignPassages(): ForeignPassages {
    this.#foreign ??= new ForeignPassages(openDatabase(path.join(this.ref.store, FOREIGN_FILE)));
    return this.#foreign;
  }

  #passage(slot: Slot): StoredPassage | undefined {
    return isForeign(slot) ? this.#foreignPassages.passage(slot) : this.#store.passage(slot);
  }

  /** In the order of the slots; empty for passages that are gone. */
  #textsOf(slots: readonly Slot[]): string[] {
    return slots.some(isForeign)
      ? slots.map((slot) => this.#passage(slot)?.text ?? '')
      : this.#store.textsOf(slots);
  }

  /** What a foreign retriever returned, as passages of this corpus where they can be recognised. */
  async #matched(
    results: readonly ExternalResult[],
    spec: ExternalRetrieverSpec | undefined,
    work: WorkOptions,
  ): Promise<{ hits: readonly Hit[]; matches: MatchCounts }> {
    const corpus: MatchCorpus<StoredPassage> = {
      byId: (id) => this.#store.passageById(id) ?? onlyOne(this.#store.passagesOf(id)),
      similar: (text) => this.#sharingWords(text, work),
      textOf: ({ text }) => text,
    };
    const { hits, counts, keys } = await matchPassages(results, corpus, this.#foreignPassages, work.signal);
    if (spec && isStore(spec)) this.#records.remember(spec, keys);
    return { hits, matches: counts };
  }

  async #projectedInStore(
    query: ProjectedQuery,
    projection: ProjectionSpec,
    spec: VectorStoreRetriever,
    depth: number,
    work: WorkOptions,
  ): Promise<Retrieval> {
    const { vectors } = this.#options.externals.store(spec);
    if (!vectors)
      throw new ParallaxError('bad-pipeline', l10n.t('Projection needs a store that hands out its vectors.'));
    const embedder = await this.#options.embedder(spec.embedder);
    const plan = planFor(query, projection, await projectionInput(embedder, query, projection, work));
    const results = await projectedInStore(vectors, plan, depth, work.signal);
    const isExact = plan.norm === undefined && !searchesApproximately(spec);
    return { ...(await this.#matched(results, spec, work)), search: isExact ? 'exact' : 'approximate' };
  }

  /** The passages that share most words with a text. */
  async #sharingWords(text: string, work: WorkOptions): Promise<StoredPassage[]> {
    const query = text.split(/\s+/u, MATCHED_WORDS).join(' ');
    const { hits } = await this.bm25(query, MATCHING, MATCHED_PASSAGES, work);
    return this.passages(hits.map(({ item }) => item));
  }
}

/** How a dense index searched that did not score every passage exactly. */
const inexactKind = ({ search }: DenseRetriever): SearchKind => (search === 'int8' ? 'int8' : 'approximate');

/** The vectors of a projected search, [d] each. */
type ProjectionVectors = Record<'query' | 'root' | 'perspective', ArrayLike<number>>;

/** A query may have many perspectives: an error says which one it is about. */
function planFor(
  { perspective }: ProjectedQuery,
  { method, weight }: ProjectionSpec,
  vectors: ProjectionVectors,
): ReturnType<typeof planProjection> {
  try {
    return planProjection(method, { ...vectors, weight });
  } catch (error) {
    throw inContext((sentence) => l10n.t`Perspective "${perspective}": ${sentence}`, error);
  }
}

async function projectionInput(
  embedder: Embedder,
  { root, perspective, full }: ProjectedQuery,
  { direction }: ProjectionSpec,
  work: WorkOptions,
): Promise<ProjectionVectors> {
  const r = await embedder.embedQuery(root, work);
  const p = await embedder.embedQuery(perspective, work);
  const q = await embedder.embedQuery(full, work);
  return { query: q, root: r, perspective: direction === 'difference' ? differencePerspective(q, r) : p };
}

const STORE_FILE = 'store.sqlite';
/** Held by whoever brings the store up to date with the files. */
const UPDATE_LOCK = 'update.lock';
/** A store up to this size is looked at as a whole when it is opened; of a larger one, every passage that is read. */
const CHECKED_BYTES = 16 * 2 ** 20;

const storeFile = (ref: CorpusRef): string => path.join(ref.store, STORE_FILE);
const updateLock = (ref: CorpusRef): string => path.join(ref.store, UPDATE_LOCK);
/**
 * Opens the store of a corpus. One that is damaged is begun anew: the files are read again.
 *
 * @throws ParallaxError `store-unusable`
 */
async function openStore(ref: CorpusRef, log: CorpusIndexOptions['log']): Promise<Store> {
  try {
    return await openChecked(ref);
  } catch (error) {
    if (!(error instanceof DamagedDatabase)) throw error;
    log(`${error.message} It is begun anew.`);
    await removeStore(ref);
    return Store.open(storeFile(ref), splitKey(ref)).store;
  }
}

/** @throws DamagedDatabase */
async function openChecked(ref: CorpusRef): Promise<Store> {
  const { store } = Store.open(storeFile(ref), splitKey(ref));
  try {
    if ((await stat(storeFile(ref))).size <= CHECKED_BYTES) await store.check(new Pace({}));
    return store;
  } catch (error) {
    store.close();
    throw error;
  }
}

async function removeStore(ref: CorpusRef): Promise<void> {
  for (const suffix of ['', '-wal', '-shm']) await rm(storeFile(ref) + suffix, { force: true });
}

const FOREIGN_FILE = 'foreign.sqlite';

/** Beginning of a foreign text that is searched for, and how many passages are compared with all of it. */
const MATCHED_WORDS = 64;
const MATCHED_PASSAGES = 5;
const MATCHING: Bm25Retriever = {
  type: 'bm25',
  k1: 0.9,
  b: 0.4,
  analyzer: DEFAULT_ANALYZER,
  variant: 'lucene',
  epsilon: 0.25,
};

/** A document of several passages is not one of them. */
const onlyOne = (passages: readonly StoredPassage[]): StoredPassage | undefined =>
  passages.length === 1 ? passages[0] : undefined;

/** Everything that decides how documents become passages. */
function splitKey({ base, config }: CorpusRef): string {
  const { split, textField, idField } = config;
  return JSON.stringify({ base, split, textField, idField });
}
