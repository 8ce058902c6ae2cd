/** The BM25 indexes of a corpus, one per analyzer, derived from its store. */
import { rm } from 'node:fs/promises';
import path from 'node:path';
import type { Bm25Retriever } from '../../core/pipeline.ts';
import { Bm25Index } from '../bm25/bm25-index.ts';
import type { Damage } from '../bm25/segment-file.ts';
import { Pace } from '../concurrency/pace.ts';
import type { Store } from '../store/store.ts';
import { makeFolder } from '../store/usable-folder.ts';
import { asOnlyWriter } from '../store/writer-lock.ts';
import type { Slot, WorkOptions } from '../types.ts';
import { DerivedIndexes } from './derived-indexes.ts';
import type { SegmentJob } from './jobs.ts';
import { portions } from './portions.ts';
import { SegmentsAhead } from './segments-ahead.ts';
import { deriveInThreads, THREADS } from './threads.ts';

export type AnalyzerName = Bm25Retriever['analyzer'];

/** Passages read from the store at once. */
const PORTION = 1_000;
/** Segments that are built without threads are sealed after this many passages, to bound memory. */
const FLUSH_EVERY = 100_000;
/** Passages of a segment that a thread builds: as many as its memory allows, so that they are not merged soon. */
const SEGMENT_PASSAGES = 150_000;

export interface LexicalIndexOptions {
  readonly store: Store;
  readonly storeFile: string;
  /** The folder of all indexes derived from the store. */
  readonly folder: string;
  /** The number of new passages from which several threads index them. */
  readonly threadsFrom: number;
  /** Defaults to {@link SEGMENT_PASSAGES}. */
  readonly segmentPassages?: number | undefined;
  readonly log: (message: string) => void;
}

export class LexicalIndexes {
  readonly #options: LexicalIndexOptions;
  readonly #indexes: DerivedIndexes<AnalyzerName, Bm25Index>;

  constructor(options: LexicalIndexOptions) {
    this.#options = options;
    this.#indexes = new DerivedIndexes(() => options.store.version);
  }

  /**
   * The index with all live passages.
   *
   * @param ahead segments of the passages that were just stored; used unless another process has indexed these since
   * @throws ParallaxError `store-unusable`, `cancelled`
   */
  ready(analyzer: AnalyzerName, work: WorkOptions, ahead?: SegmentsAhead): Promise<Bm25Index> {
    return this.#indexes.ready(
      analyzer,
      () => this.#open(analyzer, work),
      (index) =>
        asOnlyWriter(`${this.#folder(analyzer)}.lock`, work, async () => {
          this.#options.store.refresh();
          this.#logDamage(await index.refresh(work));
          if (ahead) await this.#adopt(ahead, index, work);
          await this.#feed(index, work);
        }),
    );
  }

  /** Receives what an update stores, and ends after it. Only the process with the update lock may have one. */
  segmentsAhead(analyzer: AnalyzerName): SegmentsAhead {
    const { storeFile, threadsFrom, segmentPassages = SEGMENT_PASSAGES } = this.#options;
    return new SegmentsAhead({
      store: storeFile,
      analyzer,
      folder: `${this.#folder(analyzer)}.ahead`,
      threadsFrom,
      size: segmentPassages,
    });
  }

  #folder(analyzer: AnalyzerName): string {
    return path.join(this.#options.folder, `bm25-${analyzer}`);
  }

  #logDamage(damaged: readonly Damage[]): void {
    for (const { file, reason } of damaged)
      this.#options.log(`${file} cannot be used (${reason}); it is built again.`);
  }

  async #open(analyzer: AnalyzerName, work: WorkOptions): Promise<Bm25Index> {
    await makeFolder(this.#options.folder);
    const folder = this.#folder(analyzer);
    const { index, damaged } = await asOnlyWriter(`${folder}.lock`, work, async () => {
      // Left by a killed process, since the process that builds holds the lock.
      await rm(buildingFolder(folder), { recursive: true, force: true });
      return Bm25Index.open(folder, analyzer, { ...work, texts: () => this.#options.store.textSums() });
    });
    this.#logDamage(damaged);
    return index;
  }

  async #adopt(ahead: SegmentsAhead, index: Bm25Index, work: WorkOptions): Promise<void> {
    let done = 0;
    for await (const { file, passages } of ahead.segments()) {
      await index.adopt(file, work);
      done += passages;
      work.onProgress?.({ done, total: this.#options.store.live.count });
    }
  }

  async #feed(index: Bm25Index, work: WorkOptions): Promise<void> {
    const { live } = this.#options.store;
    const missing = live.without(index.covered);
    const [first] = missing;
    if (first !== undefined && missing.length >= this.#options.threadsFrom)
      await this.#feedInThreads(index, missing, work);
    else if (first !== undefined) await this.#feedHere(index, first, work);
    await index.merge(live, work);
  }

  /** Each thread writes whole segments, which the index adopts. */
  async #feedInThreads(index: Bm25Index, missing: Uint32Array, work: WorkOptions): Promise<void> {
    const { analyzer } = index;
    const { storeFile, segmentPassages = SEGMENT_PASSAGES } = this.#options;
    const folder = buildingFolder(this.#folder(analyzer));
    // The remains of a crash are useless.
    await rm(folder, { recursive: true, force: true });
    await makeFolder(folder);
    try {
      const size = Math.min(segmentPassages, Math.ceil(missing.length / THREADS));
      const jobs = portions(missing, size).map((slots, number): SegmentJob => {
        const file = path.join(folder, String(number));
        return { type: 'segment', store: storeFile, slots, analyzer, file };
      });
      let position = 0;
      let done = 0;
      for await (const { slots } of deriveInThreads(jobs, work.signal)) {
        await index.adopt(jobs[position++]!.file, work);
        done += slots.length;
        work.onProgress?.({ done, total: missing.length });
      }
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  async #feedHere(index: Bm25Index, first: Slot, work: WorkOptions): Promise<void> {
    const { store } = this.#options;
    const pace = new Pace(work);
    let pending = 0;
    for (let from: Slot | undefined = first; from !== undefined;) {
      const { texts, next } = store.passages.texts(from, PORTION);
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
  }
}

/** The folder in which threads write the segments that an index adopts. */
const buildingFolder = (folder: string): string => `${folder}.building`;
