/** The dense indexes of a corpus, one per embedder, derived from its store. */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import path from 'node:path';
import * as l10n from '@vscode/l10n';
import { messageOf, ParallaxError } from '../../core/errors.ts';
import { DenseIndex } from '../dense/dense-index.ts';
import type { Embedder } from '../embedders/embedder.ts';
import { HashingEmbedder } from '../embedders/hashing-embedder.ts';
import type { Store } from '../store/store.ts';
import { makeFolder } from '../store/usable-folder.ts';
import { asOnlyWriter } from '../store/writer-lock.ts';
import { textChecksum } from '../text-sums.ts';
import type { Slot, WorkOptions } from '../types.ts';
import { EMBEDDING_BATCH } from '../../shared/config.ts';
import type { MeaningSoFar } from '../../shared/requests/corpora.ts';
import { BackgroundEmbedding } from './background-embedding.ts';
import { DerivedIndexes } from './derived-indexes.ts';
import type { HashingJob } from './jobs.ts';
import { embedOnce, type EmbeddedTexts } from './embed-once.ts';
import { portions } from './portions.ts';
import { deriveInThreads } from './threads.ts';

/** Passages that a thread embeds at once. Their vectors take a few megabytes. */
const HASHED_AT_A_TIME = 2_048;
/** Passages that a question waits for: as many as a pipeline considers. */
const MAX_WAIT_PASSAGES = 100;
/** The share of passages that may lack a vector if a search counts as ready. */
const MAX_MISSING_SHARE = 0.02;

export interface VectorIndexOptions {
  readonly store: Store;
  readonly storeFile: string;
  /** The folder of all indexes derived from the store. */
  readonly folder: string;
  /** The number of new passages from which several threads embed them, if the embedder is not a model. */
  readonly threadsFrom: number;
  readonly approximateAbove: number;
  readonly log: (message: string) => void;
  /** Receives notes for the user about searches. */
  readonly notice: (text: string) => void;
  /** Runs work that has to end before the files are closed. */
  readonly inBackground: (work: (options: WorkOptions) => Promise<void>) => Promise<void>;
}

export class VectorIndexes {
  readonly #options: VectorIndexOptions;
  readonly #indexes: DerivedIndexes<string, DenseIndex>;
  /** Embedders whose graph is being built. */
  readonly #graphs = new Set<string>();
  readonly #background: BackgroundEmbedding;

  constructor(options: VectorIndexOptions) {
    this.#options = options;
    this.#indexes = new DerivedIndexes(() => options.store.version);
    this.#background = new BackgroundEmbedding({
      inBackground: options.inBackground,
      log: options.log,
      notice: options.notice,
      live: () => options.store.live,
      embed: (embedder, slots, work) => this.#withSome(embedder, slots, work),
    });
  }

  /**
   * The index with all live passages.
   *
   * @throws ParallaxError `store-unusable`, `cancelled`; what the embedder throws
   */
  ready(embedder: Embedder, work: WorkOptions): Promise<DenseIndex> {
    return this.#indexes.ready(
      embedder.key,
      () => this.#open(embedder, work),
      (index) =>
        asOnlyWriter(`${this.#file(embedder)}.lock`, work, async () => {
          this.#options.store.refresh();
          await index.refresh(work);
          await this.#embed(embedder, index, work);
        }),
    );
  }

  /**
   * The index after embedding at most {@link MAX_WAIT_PASSAGES} passages, which may be all. The others are embedded in the
   * background, the given ones first.
   *
   * @param first by priority
   * @throws as {@link ready}
   */
  async begun(embedder: Embedder, first: readonly Slot[], work: WorkOptions): Promise<DenseIndex> {
    const opened = await this.#withSome(embedder, [], work);
    const otherSlots = first.length < MAX_WAIT_PASSAGES ? this.#options.store.live.without(opened.held) : [];
    const atOnce = [...new Set([...first, ...otherSlots.slice(0, MAX_WAIT_PASSAGES)])].slice(
      0,
      MAX_WAIT_PASSAGES,
    );
    const index = await this.#withSome(embedder, atOnce, work);
    this.#background.begin(embedder, index, first.slice(MAX_WAIT_PASSAGES));
    return index;
  }

  /** Progress of embedding in the background. `undefined` if nothing is left to do, or nothing was started. */
  get background(): MeaningSoFar | undefined {
    return this.#background.soFar;
  }

  /** Waits for the background, and reports progress. The signal stops it; finished vectors stay. */
  backgroundEnd(signal: AbortSignal | undefined, listen: (soFar: MeaningSoFar) => void): Promise<void> {
    return this.#background.end(signal, listen);
  }

  /** Whether {@link ready} would embed nothing, or little. */
  async isReady(embedder: Embedder): Promise<boolean> {
    if (!existsSync(this.#file(embedder))) return false;
    const { live } = this.#options.store;
    const { held } = await this.#indexes.worked(
      embedder.key,
      () => this.#open(embedder, {}),
      () => Promise.resolve(),
    );
    return live.without(held).length <= live.count * MAX_MISSING_SHARE;
  }

  /**
   * Vectors of some passages, [n, d]. Embeds only missing ones of these, so that a reranker does not embed a whole
   * corpus.
   *
   * @throws as {@link ready}
   */
  async vectors(embedder: Embedder, slots: readonly Slot[], work: WorkOptions): Promise<Float32Array> {
    return (await this.#withSome(embedder, slots, work)).vectors(slots);
  }

  #withSome(embedder: Embedder, slots: readonly Slot[], work: WorkOptions): Promise<DenseIndex> {
    const { store } = this.#options;
    return this.#indexes.worked(
      embedder.key,
      () => this.#open(embedder, work),
      async (opened) => {
        if (opened.missing(slots).length === 0) return;
        await asOnlyWriter(`${this.#file(embedder)}.lock`, work, async () => {
          await opened.refresh(work);
          const missing = opened.missing(slots);
          const texts = store.passages.textsOf(missing);
          const vectors = await embedOnce(embedder, texts, work);
          await opened.append(missing, vectors, Uint32Array.from(texts, textChecksum));
          await opened.flush();
        });
      },
    );
  }

  /** Without a graph, the search is exact: slower, and never worse. */
  async prepareGraphIfPossible(embedder: Embedder, index: DenseIndex, work: WorkOptions): Promise<void> {
    try {
      await this.#prepareGraph(embedder, index, work);
    } catch (error) {
      if (!ParallaxError.is(error, 'native-missing')) throw error;
      this.#options.notice(error.message);
    }
  }

  /** Builds the graph of a large index while scans answer. */
  prepareGraphInBackground(embedder: Embedder, index: DenseIndex): void {
    const { key } = embedder;
    const { approximateAbove, inBackground, log, notice } = this.#options;
    const isLarge = index.rows > approximateAbove;
    if (!isLarge || index.graphRows === index.rows || this.#graphs.has(key)) return;
    this.#graphs.add(key);
    inBackground((work) => this.#prepareGraph(embedder, index, work))
      .catch((error: unknown) => {
        if (ParallaxError.is(error, 'cancelled')) return;
        log(`The approximate index could not be built: ${messageOf(error)}`);
        notice(messageOf(error));
      })
      .finally(() => this.#graphs.delete(key));
  }

  async close(): Promise<void> {
    for (const index of await this.#indexes.all()) await index.close();
  }

  #file({ key }: Embedder): string {
    return path.join(this.#options.folder, `vectors-${shortHash(key)}.f32`);
  }

  async #open(embedder: Embedder, work: WorkOptions): Promise<DenseIndex> {
    const { folder, approximateAbove, log, store } = this.#options;
    await makeFolder(folder);
    const file = this.#file(embedder);
    const { key, dimensions } = embedder;
    const index = await asOnlyWriter(`${file}.lock`, work, () =>
      DenseIndex.open(
        file,
        { key, dimensions, approximateAbove, texts: () => store.textSums() },
        { signal: work.signal },
      ),
    );
    if (index.loss) log(`${file} had lost vectors (${index.loss.kind}); those passages are embedded again.`);
    return index;
  }

  /** Embeds the passages without a vector. Finished vectors stay, even if it is cancelled. */
  async #embed(embedder: Embedder, index: DenseIndex, work: WorkOptions): Promise<void> {
    const { live } = this.#options.store;
    const missing = live.without(index.held);
    try {
      if (embedder instanceof HashingEmbedder && missing.length >= this.#options.threadsFrom)
        await this.#embedInThreads(embedder, index, missing, work);
      else await this.#embedHere(embedder, index, missing, work);
    } finally {
      if (missing.length > 0) await index.flush();
    }
    // All live passages have a vector now, so any further rows belong to deleted ones.
    if (index.rows > live.count) await index.compact(live, { signal: work.signal });
  }

  async #embedHere(
    embedder: Embedder,
    index: DenseIndex,
    missing: Uint32Array,
    { signal, onProgress, onRequest }: WorkOptions,
  ): Promise<void> {
    const { store } = this.#options;
    let done = 0;
    const memory: EmbeddedTexts = new Map();
    for (const slots of portions(missing, EMBEDDING_BATCH)) {
      const texts = store.passages.textsOf(slots);
      const vectors = await embedOnce(embedder, texts, { signal, onRequest }, memory);
      await index.append(slots, vectors, Uint32Array.from(texts, textChecksum));
      done += slots.length;
      onProgress?.({ done, total: missing.length, detail: l10n.t`Embedding with ${embedder.label}` });
    }
  }

  async #embedInThreads(
    { dimensions, label }: HashingEmbedder,
    index: DenseIndex,
    missing: Uint32Array,
    { signal, onProgress }: WorkOptions,
  ): Promise<void> {
    const { storeFile } = this.#options;
    const jobs = portions(missing, HASHED_AT_A_TIME).map((slots): HashingJob => ({
      type: 'hashing',
      store: storeFile,
      slots,
      dimensions,
    }));
    let done = 0;
    for await (const { slots, texts, vectors } of deriveInThreads(jobs, signal)) {
      await index.append(slots, vectors, texts);
      done += slots.length;
      onProgress?.({ done, total: missing.length, detail: l10n.t`Embedding with ${label}` });
    }
  }

  /** Another window that needs the graph waits for it, and then uses it. */
  #prepareGraph(embedder: Embedder, index: DenseIndex, work: WorkOptions): Promise<void> {
    return asOnlyWriter(`${this.#file(embedder)}.hnsw.lock`, work, () =>
      index.prepareGraph(this.#options.store.live, work),
    );
  }
}

/** A file name for an embedder, whose key may be long and contain any character. */
const shortHash = (key: string): string => createHash('sha256').update(key).digest('hex').slice(0, 16);
