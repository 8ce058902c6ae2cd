/**
 * One corpus: its store, and the indexes derived from it. A derived index is opened or built when a
 * pipeline first needs it; whatever it lacks is added from the store before it answers.
 */
import { createHash } from 'node:crypto';
import * as l10n from '@vscode/l10n';
import { ParallaxError, throwIfCancelled } from '../../core/errors.ts';
import type { ExternalResult, ExternalRetrieverSpec } from '../../core/external/spec.ts';
import {
  isStore,
  searchesApproximately,
  type StoreRetriever,
  type VectorStoreRetriever,
} from '../../core/external/stores.ts';
import { foundFields, varyingFields, type FoundField } from '../../core/likeness/document-fields.ts';
import type { TermFrequencies } from '../../core/likeness/terms.ts';
import {
  DEFAULT_BM25,
  type Bm25Retriever,
  type CrossEncoderSpec,
  type DenseRetriever,
  type Pipeline,
  type ProjectionSpec,
  searchesByVector,
  type SearchKind,
} from '../../core/pipeline.ts';
import { projected, type ProjectionMethod } from '../../core/projection/project.ts';
import { reduceProjection, type ReducedProjection } from '../../core/projection/what-if.ts';
import type { CorpusRef } from '../../shared/requests/configuration.ts';
import type { CorpusStatus, FileChanges, IndexReport } from '../../shared/requests/corpora.ts';
import type { Embedder } from '../embedders/embedder.ts';
import type { ExternalQuery } from '../external/external-retriever.ts';
import type { ExternalRetrievers } from '../external/external-retrievers.ts';
import { isForeign } from '../external/foreign-passages.ts';
import { matchPassages, type MatchCounts } from '../external/match-passages.ts';
import { projectedInStore } from '../external/project-in-store.ts';
import { matchCorpus } from '../external/recognise.ts';
import { RetrievedRecords, rowsOf } from '../external/retrieved-records.ts';
import { CorpusPassages } from './corpus-passages.ts';
import { emptyStore, openStore, storeFile, updateLock } from './corpus-store.ts';
import { fileChanges } from '../corpus/file-changes.ts';
import { updateStore } from '../corpus/update-store.ts';
import { derivedFolder, removeDerived } from '../derivation/derived-folder.ts';
import { LexicalIndexes } from '../derivation/lexical-indexes.ts';
import { VectorIndexes } from '../derivation/vector-indexes.ts';
import type { CrossEncoders } from '../rerankers/cross-encoders.ts';
import { planFor, projectionVectors } from '../retrieval/projection-vectors.ts';
import { queryParts, type ProjectedQuery } from '../retrieval/query-parts.ts';
import type { Retrieval } from '../retrieval/retrieve.ts';
import { runPipeline, type PipelineIndexes, type PipelineResult } from '../retrieval/run-pipeline.ts';
import type { PipelineQuery, PipelineServices } from '../retrieval/pipeline-services.ts';
import type { Neighbours } from '../judges/judge.ts';
import type { SkippedFile, Store } from '../store/store.ts';
import { asOnlyWriter, ifOnlyWriter } from '../store/writer-lock.ts';
import type { Hit, Slot, StoredPassage, WorkOptions } from '../types.ts';

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
const DEFAULT_ANALYZER = DEFAULT_BM25.analyzer;
/** Methods that take the perspective out of the query's vector. */
const LEAVES_QUERY: ReadonlySet<ProjectionMethod> = new Set(['pap', 'pap+']);
/** Enough to know which fields are common, and few enough to be read at once. */
const SAMPLED_DOCUMENTS = 2_000;
/** Fewer passages are indexed before a thread has started. */
const THREADS_FROM = 20_000;

export class CorpusIndex implements PipelineIndexes {
  readonly ref: CorpusRef;
  readonly #options: CorpusIndexOptions;
  readonly #store: Store;
  readonly #passages: CorpusPassages;
  readonly #records: RetrievedRecords;
  readonly #lexical: LexicalIndexes;
  readonly #vectors: VectorIndexes;
  /** Ends whatever is under way when the corpus is closed. */
  readonly #closing = new AbortController();
  readonly #running = new Set<Promise<unknown>>();
  readonly #notices = new Set<string>();
  #fields: { readonly version: number; readonly found: readonly FoundField[] } | undefined;
  #fingerprint: { readonly version: number; readonly text: string } | undefined;

  private constructor(ref: CorpusRef, options: CorpusIndexOptions, store: Store) {
    this.ref = ref;
    this.#options = options;
    this.#store = store;
    this.#passages = new CorpusPassages(store, ref.store);
    const {
      externals,
      embedder,
      threadsFrom = THREADS_FROM,
      log,
      approximateAbove,
      segmentPassages,
    } = options;
    this.#records = new RetrievedRecords({ store: (spec) => externals.store(spec), embedder });
    const folder = derivedFolder(ref.store, store.epoch);
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
    const store = await openStore(ref, options.log);
    // Under the lock no other generation is begun. Whoever holds it now removes what is old, or the next to open.
    await ifOnlyWriter(updateLock(ref), async () => {
      if (!store.isSuperseded) await removeDerived(ref.store, store.epoch);
    });
    return new CorpusIndex(ref, options, store);
  }

  /**
   * Empties the index of a corpus that is not open here. Other windows that have it open take note.
   *
   * @throws ParallaxError `store-unusable`, `cancelled`
   */
  static remove(ref: CorpusRef, work: WorkOptions = {}): Promise<void> {
    return emptyStore(ref, work);
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
    return { indexed: this.isIndexed, ...this.#store.counts(), notices: this.notices };
  }

  /** Parts missing on this machine, as far as something has asked for them since the corpus was opened. */
  get notices(): string[] {
    return [...this.#notices];
  }

  get skipped(): SkippedFile[] {
    return this.#store.skipped();
  }

  /**
   * Names what can be found: another text whenever the set of passages is another, the same after a restart.
   * A slot keeps its text, but copies of a store may give the same slot to different ones.
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
   * Another text once the index was built anew; see `Store.epoch`.
   *
   * @throws ParallaxError `cancelled` once the corpus is closed
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
   * What became of the files since the last update, told by their sizes and times: in seconds, and nothing is read.
   *
   * @throws ParallaxError `cancelled`
   */
  fileChanges(work: WorkOptions): Promise<FileChanges> {
    return this.#during(work, (during) => fileChanges(this.#store, this.ref, during));
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

  /** How frequent terms are in the corpus. */
  async termFrequencies(work: WorkOptions): Promise<TermFrequencies> {
    const index = await this.#lexical.ready(DEFAULT_ANALYZER, work);
    return index.frequencies(this.#store.live);
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
   * Matches the results a program retrieved to passages of this corpus.
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
    const input = await projectionVectors(embedder, query, projection, work);
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
   * Everything needed to order some passages under any weight of a projection, one entry per perspective.
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
        const input = await projectionVectors(embedder, { root, perspective, full }, projection, during);
        reduced.push(reduceProjection(input, vectors));
      }
      return reduced;
    });
  }

  /**
   * What PAP or PAP+ leaves of the query, [d] each, for every perspective, by the embedder that the pipeline searches with;
   * nothing for methods that leave no such vector.
   *
   * @throws ParallaxError as a search with that projection
   */
  projectedQueries(
    { projection, retriever }: Pipeline,
    query: PipelineQuery,
    services: PipelineServices,
    work: WorkOptions = {},
  ): Promise<{ perspective: string; vector: Float64Array }[]> {
    return this.#during(work, async (during) => {
      if (!projection || !searchesByVector(retriever) || !LEAVES_QUERY.has(projection.method)) return [];
      const embedder = await this.#options.embedder(retriever.embedder);
      const left: { perspective: string; vector: Float64Array }[] = [];
      for (const { root, perspective, full } of await queryParts(query, projection, services, during)) {
        if (perspective === undefined) continue;
        const vectors = await projectionVectors(embedder, { root, perspective, full }, projection, during);
        left.push({ perspective, vector: projected(vectors.query, vectors.perspective, projection.weight) });
      }
      return left;
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

  /** Vectors of texts as questions, one of `[d]` each. */
  async queryVectors(name: string, texts: readonly string[], work: WorkOptions): Promise<Float32Array[]> {
    const embedder = await this.#options.embedder(name);
    const vectors: Float32Array[] = [];
    for (const text of texts) vectors.push(await embedder.embedQuery(text, work));
    return vectors;
  }

  /** From the dense index, embedded now where they are missing there. */
  async #ownVectors(embedder: Embedder, slots: readonly Slot[], work: WorkOptions): Promise<Float32Array> {
    return slots.some(isForeign)
      ? embedder.embedPassages(this.#passages.textsOf(slots), { signal: work.signal })
      : this.#vectors.vectors(embedder, slots, work);
  }

  async relevance(
    spec: CrossEncoderSpec,
    query: string,
    slots: readonly Slot[],
    work: WorkOptions,
  ): Promise<Float64Array> {
    return this.#options.crossEncoders.score(spec, query, this.#passages.textsOf(slots), work);
  }

  passageId(slot: Slot): string {
    return this.#readable.idOf(slot);
  }

  /** All passages of the corpus by their slots, in ascending order. */
  slots(): Slot[] {
    throwIfCancelled(this.#closing.signal);
    return [...this.#store.live];
  }

  /** The passages in these slots; those that vanished meanwhile are left out. */
  passages(slots: readonly Slot[]): StoredPassage[] {
    return slots.flatMap((slot) => this.#readable.bySlot(slot) ?? []);
  }

  passageById(id: string): StoredPassage | undefined {
    return this.#readable.byId(id);
  }

  /**
   * One passage for each of these hashes of texts that stands anywhere in the corpus. Reads all hashes.
   *
   * @throws ParallaxError `cancelled`
   */
  passagesByHash(wanted: ReadonlySet<string>, work: WorkOptions = {}): Promise<Map<string, StoredPassage>> {
    return this.#during(work, (during) => this.#passages.byHash(wanted, during));
  }

  /** Passages of a document in reading order. */
  passagesOf(documentId: string): StoredPassage[] {
    return this.#readable.ofDocument(documentId);
  }

  /** The sentences right before and after a passage in its document. */
  neighbours(passage: StoredPassage): Neighbours {
    return this.#readable.neighbours(passage);
  }

  /**
   * The fields that documents have, most common first, as far as a sample of them tells, and those of which values are
   * counted: the ones that the corpus names, else those that vary.
   */
  get fields(): { readonly found: readonly FoundField[]; readonly counted: readonly string[] } {
    throwIfCancelled(this.#closing.signal);
    const { version } = this.#store.live;
    if (this.#fields?.version !== version)
      this.#fields = { version, found: foundFields(this.#store.someFields(SAMPLED_DOCUMENTS)) };
    const { found } = this.#fields;
    const chosen = this.ref.config.fields?.map((name) => name.toLowerCase());
    return { found, counted: chosen ?? varyingFields(found) };
  }

  /** Ends what is under way, and closes every file. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.allSettled(this.#running);
    await this.#vectors.close();
    this.#passages.close();
    this.#store.close();
  }

  /** @throws ParallaxError `cancelled` once the corpus is closed: what went on with it is over */
  get #readable(): CorpusPassages {
    throwIfCancelled(this.#closing.signal);
    return this.#passages;
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

  /** Results of an external retriever, matched to passages of this corpus where they can be recognised. */
  async #matched(
    results: readonly ExternalResult[],
    spec: ExternalRetrieverSpec | undefined,
    work: WorkOptions,
  ): Promise<{ hits: readonly Hit[]; matches: MatchCounts }> {
    const corpus = matchCorpus(this.#store, (text, matching, depth) =>
      this.bm25(text, matching, depth, work),
    );
    const { foreign } = this.#passages;
    const { hits, counts, keys } = await matchPassages(results, corpus, foreign, work.signal);
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
    const plan = planFor(query, projection, await projectionVectors(embedder, query, projection, work));
    const results = await projectedInStore(vectors, plan, depth, work.signal);
    const isExact = plan.norm === undefined && !searchesApproximately(spec);
    return { ...(await this.#matched(results, spec, work)), search: isExact ? 'exact' : 'approximate' };
  }
}

/** How a dense index searched that did not score every passage exactly. */
const inexactKind = ({ search }: DenseRetriever): SearchKind => (search === 'int8' ? 'int8' : 'approximate');
