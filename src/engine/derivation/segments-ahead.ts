import { rm } from 'node:fs/promises';
import path from 'node:path';
import type { AnalyzerName } from '../../core/text/analyzer.ts';
import { makeFolder } from '../store/usable-folder.ts';
import type { Slot } from '../types.ts';
import type { Derived } from './jobs.ts';
import { DerivationThreads, THREADS } from './threads.ts';

/** The file of a segment, when it is whole. */
export interface SegmentAhead {
  readonly file: string;
  readonly passages: number;
}

export interface AheadOptions {
  /** The store's file. */
  readonly store: string;
  readonly analyzer: AnalyzerName;
  /** For the segments, on the disk that holds the index; nobody else uses it, and it is gone at the end. */
  readonly folder: string;
  /** Passages of a segment; no thread is started before there are as many. */
  readonly size: number;
}

/**
 * Builds BM25 segments of passages while others are still being read from the files of a corpus, so that both
 * cores of a small machine have work. The segments hold what was stored, whether or not it is live in the end.
 */
export class SegmentsAhead {
  readonly #options: AheadOptions;
  #threads: DerivationThreads | undefined;
  #stored: Slot[] = [];
  readonly #segments: { readonly file: string; readonly derived: Promise<Derived> }[] = [];

  constructor(options: AheadOptions) {
    this.#options = options;
  }

  /**
   * Takes note of passages that were stored.
   *
   * @param slots ascending, above those that came before
   * @throws ParallaxError `store-unusable`
   */
  async add(slots: readonly Slot[]): Promise<void> {
    for (const slot of slots) this.#stored.push(slot);
    if (this.#stored.length >= this.#options.size) this.#build(await this.#started());
  }

  /**
   * The segments in the order of their slots; their files are the caller's then.
   *
   * @throws ParallaxError `store-unusable`
   */
  async *segments(): AsyncGenerator<SegmentAhead> {
    // Reading is over: its core is free.
    this.#threads?.growTo(THREADS);
    if (this.#threads && this.#stored.length > 0) this.#build(this.#threads);
    for (const { file, derived } of this.#segments) yield { file, passages: (await derived).slots.length };
  }

  /** Ends what is under way, and removes what was not taken. */
  async end(): Promise<void> {
    await this.#threads?.end();
    // Also where nothing was built: a process that was killed may have left some.
    await rm(this.#options.folder, { recursive: true, force: true });
  }

  async #started(): Promise<DerivationThreads> {
    if (this.#threads) return this.#threads;
    const { folder } = this.#options;
    // What a crash left there is of no use.
    await rm(folder, { recursive: true, force: true });
    await makeFolder(folder);
    return (this.#threads = new DerivationThreads(Math.max(1, THREADS - 1)));
  }

  #build(threads: DerivationThreads): void {
    const { store, analyzer, folder } = this.#options;
    const slots = Uint32Array.from(this.#stored);
    this.#stored = [];
    const file = path.join(folder, String(this.#segments.length));
    const derived = threads.derive({ type: 'segment', store, slots, analyzer, file });
    this.#segments.push({ file, derived });
  }
}
