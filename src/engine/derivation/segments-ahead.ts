import { rm } from 'node:fs/promises';
import path from 'node:path';
import type { AnalyzerName } from '../../core/text/analyzer.ts';
import { makeFolder } from '../store/usable-folder.ts';
import type { Slot } from '../types.ts';
import type { Derived, SegmentJob } from './jobs.ts';
import { DerivationThreads, THREADS, type JobSeries } from './threads.ts';

/** A thread is told of the passages of a segment in so many portions, as they are stored. */
const PORTIONS = 32;

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
  /** No thread is started before there are so many passages. */
  readonly threadsFrom: number;
  /** Passages of a segment. */
  readonly size: number;
}

/**
 * Builds BM25 segments of passages while others are still being read from the files of a corpus, so that both
 * cores of a small machine have work. The segments hold what was stored, whether or not it is live in the end.
 */
export class SegmentsAhead {
  readonly #options: AheadOptions;
  readonly #portion: number;
  #threads: DerivationThreads | undefined;
  /** Passages that no thread was told of. */
  #stored: Slot[] = [];
  /** The last one may want more passages. */
  readonly #segments: UnfinishedSegment[] = [];

  constructor(options: AheadOptions) {
    this.#options = options;
    this.#portion = Math.ceil(options.size / PORTIONS);
  }

  /**
   * Takes note of passages that were stored.
   *
   * @param slots ascending, above those that came before
   * @throws ParallaxError `store-unusable`
   */
  async add(slots: readonly Slot[]): Promise<void> {
    for (const slot of slots) this.#stored.push(slot);
    if (!this.#threads && this.#stored.length < this.#options.threadsFrom) return;
    const threads = await this.#started();
    while (this.#stored.length >= this.#portion) this.#handOn(threads);
  }

  /**
   * The segments in the order of their slots; their files are the caller's then.
   *
   * @throws ParallaxError `store-unusable`
   */
  async *segments(): AsyncGenerator<SegmentAhead> {
    if (!this.#threads) return;
    // Reading is over: its core is free.
    this.#threads.growTo(THREADS);
    while (this.#stored.length > 0) this.#handOn(this.#threads);
    this.#segments.at(-1)?.finish();
    for (const segment of this.#segments) yield { file: segment.file, passages: await segment.whole() };
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
    // Leftovers of a crash are of no use.
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

  /** @param room how many passages it takes */
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

  /** No more passages will come: the file is written. Does nothing when that was said before. */
  finish(): void {
    if (this.#series.hasEnded) return;
    this.#portions.push(this.#series.derive({ ...this.#job, slots: new Uint32Array() }));
    this.#series.end();
  }

  /**
   * How many passages it holds, once it is whole.
   *
   * @throws ParallaxError `store-unusable`
   */
  async whole(): Promise<number> {
    const derived = await Promise.all(this.#portions);
    return derived.reduce((sum, { slots }) => sum + slots.length, 0);
  }
}
