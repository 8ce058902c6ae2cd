import { rm } from 'node:fs/promises';
import path from 'node:path';
import type { AnalyzerName } from '../../core/text/analyzer.ts';
import { makeFolder } from '../store/usable-folder.ts';
import type { Slot } from '../types.ts';
import type { Derived, SegmentJob } from './jobs.ts';
import { DerivationThreads, THREADS, type JobSeries } from './threads.ts';

/** The number of portions in which a thread receives the passages of a segment as they are stored. */
const PORTIONS = 32;

/** The complete file of a segment. */
export interface SegmentAhead {
  readonly file: string;
  readonly passages: number;
}

export interface AheadOptions {
  /** The store's file. */
  readonly store: string;
  readonly analyzer: AnalyzerName;
  /** For the segments, on the disk of the index. Used only here, and removed at the end. */
  readonly folder: string;
  /** The number of passages from which threads are started. */
  readonly threadsFrom: number;
  /** Passages of a segment. */
  readonly size: number;
}

/**
 * Builds BM25 segments while other passages are still being read from the files of a corpus, so that both cores of a
 * small machine have work. The segments contain what was stored, whether or not it is live in the end.
 */
export class SegmentsAhead {
  readonly #options: AheadOptions;
  readonly #portion: number;
  #threads: DerivationThreads | undefined;
  /** Passages that no thread has received yet. */
  #stored: Slot[] = [];
  /** The last one may accept more passages. */
  readonly #segments: UnfinishedSegment[] = [];

  constructor(options: AheadOptions) {
    this.#options = options;
    this.#portion = Math.ceil(options.size / PORTIONS);
  }

  /**
   * Adds passages that were stored.
   *
   * @param slots ascending, above the earlier ones
   * @throws ParallaxError `store-unusable`
   */
  async add(slots: readonly Slot[]): Promise<void> {
    for (const slot of slots) this.#stored.push(slot);
    if (!this.#threads && this.#stored.length < this.#options.threadsFrom) return;
    const threads = await this.#started();
    while (this.#stored.length >= this.#portion) this.#handOn(threads);
  }

  /**
   * The segments in the order of their slots. The caller owns their files.
   *
   * @throws ParallaxError `store-unusable`
   */
  async *segments(): AsyncGenerator<SegmentAhead> {
    if (!this.#threads) return;
    // Reading is over, so its core is free.
    this.#threads.growTo(THREADS);
    while (this.#stored.length > 0) this.#handOn(this.#threads);
    this.#segments.at(-1)?.finish();
    for (const segment of this.#segments) yield { file: segment.file, passages: await segment.whole() };
  }

  /** Ends running work, and removes what was not taken. */
  async end(): Promise<void> {
    await this.#threads?.end();
    // Also if nothing was built: a killed process may have left some.
    await rm(this.#options.folder, { recursive: true, force: true });
  }

  async #started(): Promise<DerivationThreads> {
    if (this.#threads) return this.#threads;
    const { folder } = this.#options;
    // The remains of a crash are useless.
    await rm(folder, { recursive: true, force: true });
    await makeFolder(folder);
    return (this.#threads = new DerivationThreads(Math.max(1, THREADS - 1)));
  }

  #handOn(threads: DerivationThreads): void {
    const segment = this.#segmentWithRoom(threads);
    segment.add(Uint32Array.from(this.#stored.splice(0, Math.min(this.#portion, segment.room))));
    if (segment.room === 0) segment.finish();
  }

  #segmentWithRoom(threads: DerivationThreads): UnfinishedSegment {
    const last = this.#segments.at(-1);
    if (last && last.room > 0) return last;
    const { store, analyzer, folder, size } = this.#options;
    const file = path.join(folder, String(this.#segments.length));
    const segment = new UnfinishedSegment(threads.begin(), { type: 'segment', store, analyzer, file }, size);
    this.#segments.push(segment);
    return segment;
  }
}

/** A segment that one thread builds, portion by portion. */
class UnfinishedSegment {
  readonly #series: JobSeries;
  readonly #job: Omit<SegmentJob, 'slots'>;
  #room: number;
  readonly #portions: Promise<Derived>[] = [];

  /** @param room the most passages it accepts */
  constructor(series: JobSeries, job: Omit<SegmentJob, 'slots'>, room: number) {
    this.#series = series;
    this.#job = job;
    this.#room = room;
  }

  get file(): string {
    return this.#job.file;
  }

  get room(): number {
    return this.#room;
  }

  add(slots: Uint32Array): void {
    this.#portions.push(this.#series.derive({ ...this.#job, slots, unfinished: true }));
    this.#room -= slots.length;
  }

  /** Ends the segment, so that its file is written. Does nothing the second time. */
  finish(): void {
    if (this.#series.hasEnded) return;
    this.#portions.push(this.#series.derive({ ...this.#job, slots: new Uint32Array() }));
    this.#series.end();
  }

  /**
   * The number of its passages, once it is complete.
   *
   * @throws ParallaxError `store-unusable`
   */
  async whole(): Promise<number> {
    const derived = await Promise.all(this.#portions);
    return derived.reduce((sum, { slots }) => sum + slots.length, 0);
  }
}
