/**
 * One corpus: its store, and the indexes derived from it. A derived index is opened or built when a
 * pipeline first needs it; whatever it lacks is added from the store before it answers.
 */
import { mkdir, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { createHash } from 'node:crypto';
import { messageOf, ParallaxError } from '../core/errors.ts';
import type {
  Bm25Retriever,
  CrossEncoderSpec,
  DenseRetriever,
  Pipeline,
  ProjectionSpec,
} from '../core/pipeline.ts';
import { differencePerspective, planProjection } from '../core/projection/project.ts';
import type { CorpusRef, CorpusStatus, IndexReport } from '../shared/rpc.ts';
import { Bm25Index } from './bm25/bm25-index.ts';
import { DenseIndex } from './dense/dense-index.ts';
import type { Embedder } from './embedders/embedder.ts';
import { updateStore } from './corpus/update-store.ts';
import { Pace } from './pace.ts';
import type { CrossEncoders } from './rerankers/cross-encoders.ts';
import type { Retrieval } from './retrieval/retrieve.ts';
import {
  runPipeline,
  type PipelineIndexes,
  type ProjectedQuery,
  type PipelineQuery,
  type PipelineResult,
  type PipelineServices,
} from './retrieval/run-pipeline.ts';
import { Store, type SkippedFile } from './store/store.ts';
import type { Slot, StoredPassage, WorkOptions } from './types.ts';

type Analyzer = Bm25Retriever['analyzer'];

export interface CorpusIndexOptions {
  /** @throws ParallaxError `bad-pipeline` for an unknown name */
  readonly embedder: (name: string) => Promise<Embedder>;
  readonly crossEncoders: Pick<CrossEncoders, 'score'>;
  readonly approximateAbove: number;
  readonly log: (message: string) => void;
}

/** Built with every update, so that the first question is answered at once. */
const DEFAULT_ANALYZER: Analyzer = 'english';
/** Passages read from the store at a time. */
const PORTION = 1_000;
/** Segments are sealed after this many passages, to bound memory. */
const FLUSH_EVERY = 100_000;
/** Passages that are embedded at a time; a model that costs money loses no more than this to a crash. */
const EMBEDDING_BATCH = 256;

/** A derived index that is as new as a version of the store. */
interface Derived<T> {
  readonly opened: Promise<T>;
  /** Version of the store that it reflects. */
  version: number;
  /** Updates wait for each other here. */
  turn: Promise<unknown>;
}

export class CorpusIndex implements PipelineIndexes {
  readonly ref: CorpusRef;
  readonly #options: CorpusIndexOptions;
  readonly #store: Store;
  readonly #bm25 = new Map<Analyzer, Derived<Bm25Index>>();
  readonly #dense = new Map<string, Derived<DenseIndex>>();
  /** Ends whatever is under way when the corpus is closed. */
  readonly #closing = new AbortController();
  readonly #running = new Set<Promise<unknown>>();
  /** Embedders whose graph is being built. */
  readonly #graphs = new Set<string>();
  readonly #notices = new Set<string>();

  private constructor(ref: CorpusRef, options: CorpusIndexOptions, store: Store) {
    this.ref = ref;
    this.#options = options;
    this.#store = store;
  }

  /**
   * Opens the index of a corpus, or begins it. Where the splitting changed it begins anew.
   *
   * @throws ParallaxError `store-unusable`
   */
  static async open(ref: CorpusRef, options: CorpusIndexOptions): Promise<CorpusIndex> {
    await mkdir(ref.store, { recursive: true });
    const { store } = Store.open(path.join(ref.store, STORE_FILE), splitKey(ref));
    await removeDerived(ref.store, store.epoch);
    return new CorpusIndex(ref, options, store);
  }

  /** Deletes the index of a corpus that is not open. */
  static async remove(ref: CorpusRef): Promise<void> {
    for (const suffix of ['', '-wal', '-shm'])
      await rm(path.join(ref.store, STORE_FILE + suffix), { force: true });
    await removeDerived(ref.store, undefined);
  }

  get isIndexed(): boolean {
    return this.#store.get('indexed') === 'yes';
  }

  get status(): CorpusStatus {
    return { indexed: this.isIndexed, ...this.#store.counts(), notices: [...this.#notices] };
  }

  get skipped(): SkippedFile[] {
    return this.#store.skipped();
  }

  /**
   * Brings the store up to date with the files, and the lexical index with the store.
   *
   * @throws ParallaxError `corpus-empty`, `cancelled` (what was read until then stays), `store-unusable`
   */
  update(work: WorkOptions): Promise<IndexReport> {
    return this.#during(work, async (during) => {
      const begun = performance.now();
      const changes = await updateStore(this.#store, this.ref, during);
      this.#store.set('indexed', 'yes');
      await this.#readyBm25(DEFAULT_ANALYZER, during);
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
      if (query.text.trim() === '') throw new ParallaxError('bad-argument', 'Type a question first.');
      return runPipeline(this, services, pipeline, query, depth, during);
    });
  }

  async bm25(query: string, spec: Bm25Retriever, depth: number, work: WorkOptions): Promise<Retrieval> {
    const index = await this.#readyBm25(spec.analyzer, work);
    return { hits: index.search(query, spec, depth, this.#store.live), search: 'exact' };
  }

  async dense(query: string, spec: DenseRetriever, depth: number, work: WorkOptions): Promise<Retrieval> {
    const embedder = await this.#options.embedder(spec.embedder);
    const index = await this.#readyDense(embedder, work);
    // Asked for by name, the graph is worth waiting for; otherwise it is built while scans serve.
    if (spec.search === 'approximate') await this.#prepareGraph(index, work);
    else if (spec.search === 'auto') this.#prepareGraphInBackground(embedder, index);
    const vector = await embedder.embedQuery(query, work);
    const { live } = this.#store;
    const { hits, exact } = await index.search(
      vector,
      { depth, live, search: spec.search, ef: spec.ef },
      work,
    );
    return { hits, search: exact ? 'exact' : 'approximate' };
  }

  async projected(
    { root, perspective, full }: ProjectedQuery,
    { method, weight, direction }: ProjectionSpec,
    spec: DenseRetriever,
    depth: number,
    work: WorkOptions,
  ): Promise<Retrieval> {
    const embedder = await this.#options.embedder(spec.embedder);
    const index = await this.#readyDense(embedder, work);
    const [r, p, q] = [
      await embedder.embedQuery(root, work),
      await embedder.embedQuery(perspective, work),
      await embedder.embedQuery(full, work),
    ];
    const axis = direction === 'difference' ? differencePerspective(q, r) : p;
    const plan = planProjection(method, { query: q, root: r, perspective: axis, weight });
    const { live } = this.#store;
    const { hits, exact } = await index.searchProjected(
      plan,
      { depth, live, search: spec.search, ef: spec.ef },
      work,
    );
    return { hits, search: exact ? 'exact' : 'approximate' };
  }

  async vectors(name: string, slots: readonly Slot[], work: WorkOptions): Promise<Float32Array> {
    const embedder = await this.#options.embedder(name);
    const derived = this.#derived(this.#dense, embedder.key, () => this.#openDense(embedder, work));
    const index = await derived.opened;
    // In turn with other updates, so that no passage is embedded twice.
    const turn = derived.turn.then(async () => {
      // Only these: a reranker must not make a whole corpus be embedded.
      const missing = index.missing(slots);
      if (missing.length === 0) return;
      await index.append(
        missing,
        await embedder.embedPassages(this.#store.textsOf(missing), { signal: work.signal }),
      );
      await index.flush();
    });
    derived.turn = turn.catch(() => undefined);
    await turn;
    return index.vectors(slots);
  }

  async relevance(
    spec: CrossEncoderSpec,
    query: string,
    slots: readonly Slot[],
    work: WorkOptions,
  ): Promise<Float64Array> {
    return this.#options.crossEncoders.score(spec, query, this.#store.textsOf(slots), work);
  }

  passageId(slot: Slot): string {
    const id = this.#store.idOf(slot);
    if (id === undefined)
      throw new ParallaxError('not-found', 'A retrieved passage was deleted meanwhile. Search again.');
    return id;
  }

  /** The passages in these slots; those that vanished meanwhile are left out. */
  passages(slots: readonly Slot[]): StoredPassage[] {
    return slots.flatMap((slot) => this.#store.passage(slot) ?? []);
  }

  passageById(id: string): StoredPassage | undefined {
    return this.#store.passageById(id);
  }

  /** Passages of a document in reading order. */
  passagesOf(documentId: string): StoredPassage[] {
    return this.#store.passagesOf(documentId);
  }

  /** Ends what is under way, and closes every file. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.allSettled(this.#running);
    for (const { opened } of this.#dense.values()) await (await opened).close();
    this.#store.close();
  }

  /** Runs work that must have ended before the files are closed. */
  async #during<T>(
    { signal, onProgress }: WorkOptions,
    work: (options: WorkOptions) => Promise<T>,
  ): Promise<T> {
    const closing = this.#closing.signal;
    const running = work({ signal: signal ? AbortSignal.any([signal, closing]) : closing, onProgress });
    this.#running.add(running);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
    }
  }

  /** Indexes that can be rebuilt from the store. */
  get #derivedFolder(): string {
    return path.join(this.ref.store, `${DERIVED}${this.#store.epoch}`);
  }

  #readyBm25(analyzer: Analyzer, work: WorkOptions): Promise<Bm25Index> {
    return this.#ready(
      this.#bm25,
      analyzer,
      () => this.#openBm25(analyzer, work),
      (index) => this.#feedBm25(index, work),
    );
  }

  async #openBm25(analyzer: Analyzer, work: WorkOptions): Promise<Bm25Index> {
    const folder = path.join(this.#derivedFolder, `bm25-${analyzer}`);
    const { index, damaged } = await Bm25Index.open(folder, analyzer, work);
    for (const { file, reason } of damaged)
      this.#options.log(`${file} is damaged (${reason}); it is built again.`);
    return index;
  }

  async #feedBm25(index: Bm25Index, work: WorkOptions): Promise<void> {
    const pace = new Pace(work);
    const { live } = this.#store;
    let pending = 0;
    for (let from = firstWhere(live, (slot) => !index.covers(slot)); from !== undefined;) {
      const { texts, next } = this.#store.texts(from, PORTION);
      for (const { slot, text } of texts) {
        index.add(slot, text);
        if (pace.due) await pace.rest();
      }
      pending += texts.length;
      if (pending >= FLUSH_EVERY) {
        await index.flush(work);
        pending = 0;
      }
      from = next;
    }
    await index.flush(work);
    await index.merge(live, work);
  }

  #readyDense(embedder: Embedder, work: WorkOptions): Promise<DenseIndex> {
    return this.#ready(
      this.#dense,
      embedder.key,
      () => this.#openDense(embedder, work),
      (index) => this.#embed(embedder, index, work),
    );
  }

  async #openDense(embedder: Embedder, work: WorkOptions): Promise<DenseIndex> {
    const folder = this.#derivedFolder;
    await mkdir(folder, { recursive: true });
    const file = path.join(folder, `vectors-${shortHash(embedder.key)}.f32`);
    const { key, dimensions } = embedder;
    const { approximateAbove, log } = this.#options;
    const index = await DenseIndex.open(file, { key, dimensions, approximateAbove }, work);
    if (index.loss) log(`${file} had lost vectors (${index.loss.kind}); those passages are embedded again.`);
    return index;
  }

  /** Embeds the passages that have no vector yet. What was embedded stays, also when it is cancelled. */
  async #embed(embedder: Embedder, index: DenseIndex, { signal, onProgress }: WorkOptions): Promise<void> {
    const missing = index.missing(this.#store.live);
    try {
      for (let from = 0; from < missing.length; from += EMBEDDING_BATCH) {
        const slots = missing.slice(from, from + EMBEDDING_BATCH);
        const vectors = await embedder.embedPassages(this.#store.textsOf(slots), { signal });
        await index.append(slots, vectors);
        onProgress?.({
          done: from + slots.length,
          total: missing.length,
          detail: `Embedding with ${embedder.label}`,
        });
      }
    } finally {
      if (missing.length > 0) await index.flush();
    }
    await index.compact(this.#store.live, { signal });
  }

  /** Opens a derived index once, and brings it up to the version of the store. */
  async #ready<K, T>(
    indexes: Map<K, Derived<T>>,
    key: K,
    open: () => Promise<T>,
    update: (index: T) => Promise<void>,
  ): Promise<T> {
    const current = this.#derived(indexes, key, open);
    const index = await current.opened;
    const turn = current.turn.then(async () => {
      const { version } = this.#store;
      if (current.version === version) return;
      await update(index);
      current.version = version;
    });
    current.turn = turn.catch(() => undefined);
    await turn;
    return index;
  }

  #derived<K, T>(indexes: Map<K, Derived<T>>, key: K, open: () => Promise<T>): Derived<T> {
    const known = indexes.get(key);
    if (known) return known;
    const derived = { opened: open(), version: -1, turn: Promise.resolve() };
    indexes.set(key, derived);
    // A failure must not be remembered: next time the model may be there, or the disk have room.
    derived.opened.catch(() => indexes.delete(key));
    return derived;
  }

  #prepareGraph(index: DenseIndex, work: WorkOptions): Promise<void> {
    return index.prepareGraph(this.#store.live, work);
  }

  #prepareGraphInBackground(embedder: Embedder, index: DenseIndex): void {
    const { key } = embedder;
    const isLarge = index.rows > this.#options.approximateAbove;
    if (!isLarge || index.graphRows === index.rows || this.#graphs.has(key)) return;
    this.#graphs.add(key);
    const built = this.#during({}, (work) => this.#prepareGraph(index, work));
    built
      .catch((error: unknown) => {
        if (ParallaxError.is(error, 'cancelled')) return;
        this.#options.log(`The approximate index could not be built: ${messageOf(error)}`);
        this.#notices.add(messageOf(error));
      })
      .finally(() => this.#graphs.delete(key));
  }
}

const STORE_FILE = 'store.sqlite';

/** Everything that decides how documents become passages. */
function splitKey({ base, config }: CorpusRef): string {
  const { split, textField, idField } = config;
  return JSON.stringify({ base, split, textField, idField });
}

const DERIVED = 'derived-';

/** Removes indexes that belong to another generation of the store, or all. */
async function removeDerived(folder: string, epoch: string | undefined): Promise<void> {
  for (const name of await readdir(folder).catch(() => []))
    if (name.startsWith(DERIVED) && name !== `${DERIVED}${epoch}`)
      await rm(path.join(folder, name), { recursive: true, force: true });
}

/** A file name for an embedder: its key may be long and hold any character. */
const shortHash = (key: string): string => createHash('sha256').update(key).digest('hex').slice(0, 16);

function firstWhere(slots: Iterable<Slot>, matches: (slot: Slot) => boolean): Slot | undefined {
  for (const slot of slots) if (matches(slot)) return slot;
  return undefined;
}
