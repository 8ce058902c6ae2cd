/**
 * Search by inner product over the embeddings of a corpus: exactly, by scanning every row, or approximately, by a
 * graph. Each embedder has one file of vectors (vector-file.ts).
 */
import { rename, rm } from 'node:fs/promises';
import * as l10n from '@vscode/l10n';
import { ParallaxError, throwIfCancelled } from '../../core/errors.ts';
import type { DenseRetriever } from '../../core/pipeline.ts';
import type { ScoringPlan } from '../../core/projection/project.ts';
import type { TextSums } from '../text-sums.ts';
import type { Hit, LiveSlots, Slot, WorkOptions } from '../types.ts';
import { SlotSet } from '../slot-set.ts';
import { BestHits } from './best-hits.ts';
import { Quantizing } from './quantizing.ts';
import { SearchGraph } from './search-graph.ts';
import { boundedScan, boundsHold, quantizedScan, scan, scoreOf, type RowScorer } from './scans.ts';
import { assertPlan, assertRows, assertVector } from './vector-checks.ts';
import { VectorFile } from './vector-file.ts';
import type { VectorLoss } from './vector-reading.ts';
import { VectorTable } from './vector-table.ts';

const DEFAULT_EF = 100;
const COMPACTION_ROWS = 4096;
const NOTHING = new SlotSet();
export interface DenseIndexOptions {
  /** `Embedder.key`. Vectors of another key are not used. */
  readonly key: string;
  /** d. `undefined` if only the file or the first vectors determine it. */
  readonly dimensions?: number | undefined;
  /** Up to this many rows, `auto` searches exactly. */
  readonly approximateAbove?: number | undefined;
  /** Checksums of the store that the passages come from. Vectors of other passages are not used. */
  readonly texts?: (() => TextSums) | undefined;
  /** The number of rows from which an exact search uses vectors in 8 bits (`boundedScan`). */
  readonly boundedFrom?: number | undefined;
}

export interface DenseSearch {
  /** The most hits to return. */
  readonly depth: number;
  readonly live: LiveSlots;
  readonly search?: DenseRetriever['search'] | undefined;
  /** Breadth of an approximate search. */
  readonly ef?: number | undefined;
  /** How many times `depth` passages an `int8` search scores again, exactly. */
  readonly rescore?: number | undefined;
}

export interface DenseHits {
  /** Best first; ties go to the smaller slot. Scores are inner products. */
  readonly hits: Hit[];
  /** False if the graph or vectors in 8 bits were used, which may have missed some. */
  readonly exact: boolean;
}

export class DenseIndex {
  readonly #path: string;
  readonly #key: string;
  readonly #texts: (() => TextSums) | undefined;
  readonly #quantizing: Quantizing;
  readonly #graph: SearchGraph;
  #file: VectorFile | undefined;
  #table: VectorTable | undefined;
  /** Writers wait for each other here. Searches never wait. */
  #writing: Promise<unknown> = Promise.resolve();
  #closed = false;

  private constructor(
    path: string,
    { key, texts, approximateAbove = Infinity, boundedFrom }: DenseIndexOptions,
  ) {
    this.#path = path;
    this.#key = key;
    this.#texts = texts;
    this.#quantizing = new Quantizing(boundedFrom);
    this.#graph = new SearchGraph(path, key, approximateAbove);
  }

  /**
   * Opens or creates the index whose vectors are in the file `path`. Check {@link loss} afterwards.
   *
   * @throws ParallaxError `store-unusable`, `cancelled`
   */
  static async open(path: string, options: DenseIndexOptions, work: WorkOptions = {}): Promise<DenseIndex> {
    const index = new DenseIndex(path, options);
    await index.#load(options.dimensions, work);
    return index;
  }

  /**
   * Reads the file again if another process has written to it. Each of several writers has to call this
   * first.
   *
   * @throws ParallaxError as {@link open}
   */
  async refresh(work: WorkOptions = {}): Promise<void> {
    await this.#inTurn(async () => {
      this.#openTable();
      if (await this.#file?.isCurrent()) return;
      const dimensions = this.#table?.dimensions;
      await this.#graph.end();
      await this.#file?.close();
      this.#file = undefined;
      try {
        await this.#load(dimensions, work);
      } finally {
        this.#graph.allow();
      }
    });
  }

  /** Rows, including dead ones. */
  get rows(): number {
    return this.#table?.rows ?? 0;
  }

  /** d. `undefined` until it is known. */
  get dimensions(): number | undefined {
    return this.#table?.dimensions;
  }

  /** Vectors lost when the file was opened. Their slots are among the {@link missing} ones. */
  get loss(): VectorLoss | undefined {
    return this.#file?.loss;
  }

  /** Bytes on disk, without the graph. */
  get bytes(): number {
    return this.#file?.bytes ?? 0;
  }

  /**
   * Rows in the graph. An approximate search scans the others, and all rows while the graph has less than
   * half of them.
   */
  get graphRows(): number {
    return this.#graph.rows;
  }

  has(slot: Slot): boolean {
    return this.held.has(slot);
  }

  /** The slots that have a vector. */
  get held(): Pick<SlotSet, 'has' | 'word'> {
    return this.#table?.held ?? NOTHING;
  }

  /** The slots without a vector, in the given order. */
  missing(slots: Iterable<Slot>): Slot[] {
    return Array.from(slots).filter((slot) => !this.has(slot));
  }

  /**
   * Adds vectors. Searches find them at once; they survive a power cut after {@link flush}.
   *
   * @param slots [n], none of which has a vector
   * @param vectors [n, d], finite and not zero
   * @param texts [n], checksums of the texts in the slots; unknown ones match no store
   * @throws ParallaxError `bad-argument` (nothing is added), `store-unusable`
   */
  async append(
    slots: ArrayLike<Slot>,
    vectors: Float32Array,
    texts: Uint32Array = new Uint32Array(slots.length),
  ): Promise<void> {
    if (slots.length === 0) return;
    await this.#inTurn(async () => {
      const dimensions = this.#openTable()?.dimensions ?? vectors.length / slots.length;
      assertRows(slots, vectors, dimensions);
      const numbers = Uint32Array.from(slots);
      if (!this.#table) await this.#load(dimensions, {});
      this.#table?.assertNew(numbers);
      await this.#file?.append(numbers, vectors, texts);
      this.#table?.append(numbers, vectors, dimensions, texts);
    });
  }

  async flush(): Promise<void> {
    await this.#inTurn(async () => this.#file?.flush());
  }

  /**
   * The nearest live passages. A scan yields to other work every few milliseconds.
   *
   * @param query [d]
   * @throws ParallaxError `bad-argument` for a query that is not finite, zero or of another dimension; `cancelled`
   */
  async search(query: Float32Array, search: DenseSearch, work: WorkOptions = {}): Promise<DenseHits> {
    const table = this.#openTable();
    if (!table) return { hits: [], exact: true };
    assertVector(query, table.dimensions, l10n.t('The query'));
    if (search.search === 'int8')
      return { hits: await quantizedScan(table, query, search, search.rescore, work), exact: false };
    const best = new BestHits(search.depth, search.live.compare);
    const graph = this.#graph.worthAsking(search.search ?? 'auto', table);
    if (graph)
      for (const slot of graph.search(query, search.depth, search.ef ?? DEFAULT_EF, search.live))
        best.offer(slot, scoreOf(table, query, table.rowOf(slot)!));
    const isBounded = !graph && boundsHold(table, query) && this.#quantizing.isWorth(table, search.depth);
    const bounded = isBounded ? table.quantized.rows : 0;
    if (bounded > 0) await boundedScan(table, query, bounded, search, best, work);
    const scoreRows: RowScorer = (from, to) => table.memory.scoreRows(query, from, to);
    await scan(table, scoreRows, graph?.rows ?? bounded, search.live, best, work);
    // Started after the first search, which need not wait for it.
    if (isBounded) this.#quantizing.begin(table, () => this.#table === table);
    return { hits: best.sorted(), exact: graph === undefined };
  }

  /**
   * The live passages that score best by a projection. A plan whose denominator is ‖c‖ is a {@link search} for its
   * direction if all vectors have length 1, and may use the graph. Any other plan is an exact scan, whatever
   * `search.search` says, since a graph of the vectors does not fit the scores of such a plan.
   *
   * @throws ParallaxError `bad-argument` for a plan of another dimension, whose direction is zero, or with numbers
   *   too large for single precision; `cancelled`
   */
  async searchProjected(plan: ScoringPlan, search: DenseSearch, work: WorkOptions = {}): Promise<DenseHits> {
    const table = this.#openTable();
    if (!table) return { hits: [], exact: true };
    assertPlan(plan, table.dimensions);
    if (!plan.norm && table.memory.unitLength)
      return this.search(Float32Array.from(plan.direction), search, work);
    const best = new BestHits(search.depth, search.live.compare);
    const scoreRows: RowScorer = (from, to) => table.memory.projectRows(plan, from, to);
    await scan(table, scoreRows, 0, search.live, best, work);
    return { hits: best.sorted(), exact: true };
  }

  /**
   * Inner products of the query with given passages.
   *
   * @param query [d]
   * @param slots [n]
   * @returns [n], in the order of the slots
   * @throws ParallaxError `not-indexed` if one of them has no vector (see {@link missing})
   */
  scores(query: Float32Array, slots: readonly Slot[]): Float32Array {
    const table = this.#openTable();
    const rows = this.#rowsOf(slots);
    if (!table) return new Float32Array(0);
    assertVector(query, table.dimensions, l10n.t('The query'));
    return Float32Array.from(rows, (row) => scoreOf(table, query, row));
  }

  /**
   * The vectors of given passages.
   *
   * @param slots [n]
   * @returns [n, d], a copy
   * @throws ParallaxError `not-indexed` if one of them has no vector (see {@link missing})
   */
  vectors(slots: readonly Slot[]): Float32Array {
    const table = this.#openTable();
    const rows = this.#rowsOf(slots);
    if (!table) return new Float32Array(0);
    const result = new Float32Array(rows.length * table.dimensions);
    rows.forEach((row, i) => result.set(table.memory.row(row), i * table.dimensions));
    return result;
  }

  /**
   * Rewrites the file without the dead rows if their share is more than `deadShare`. While it runs, the live rows are
   * in memory twice. Removes the graph and cancels work on it; call {@link prepareGraph} again.
   *
   * @returns whether the file was rewritten
   * @throws ParallaxError `store-unusable`, `cancelled`; the index is then unchanged
   */
  async compact(live: LiveSlots, work: WorkOptions = {}, deadShare = 0.25): Promise<boolean> {
    return await this.#inTurn(async () => {
      const table = this.#openTable();
      if (!table) return false;
      const liveSlots = table.slots.filter((slot) => live.has(slot));
      if (table.rows - liveSlots.length <= table.rows * deadShare) return false;
      const texts = table.texts.filter((_, row) => live.has(table.slotOf(row)));
      await this.#writeCompacted({ slots: liveSlots, texts }, table.dimensions, work);
      await this.#swapInCompacted(table.dimensions);
      return true;
    });
  }

  /**
   * Prepares the graph: loads the saved one if it still fits, adds what is missing, and saves it. Runs in short
   * turns, with searches in between. Work done before a cancellation is kept.
   *
   * @throws ParallaxError `native-missing` if `hnswlib-node` does not load, `cancelled`
   */
  async prepareGraph(live: LiveSlots, work: WorkOptions = {}): Promise<void> {
    await this.#graph.prepare(() => this.#table, live, work);
  }

  /** Ends background work, waits for writers, and closes the file. */
  async close(): Promise<void> {
    await this.#graph.end();
    await this.#inTurn(async () => {
      this.#closed = true;
      await this.#file?.close();
      this.#file = undefined;
      this.#table = undefined;
    });
  }

  async #load(dimensions: number | undefined, work: WorkOptions): Promise<void> {
    let table: VectorTable | undefined;
    const requirements = { key: this.#key, dimensions, texts: this.#texts?.() };
    this.#file = await VectorFile.open(
      this.#path,
      requirements,
      (identity) => (table = new VectorTable(identity.dimensions)),
      work,
    );
    this.#table = table;
  }

  /** @returns undefined if there are no vectors yet */
  #openTable(): VectorTable | undefined {
    if (this.#closed) throw new ParallaxError('internal', l10n.t('The index of vectors is closed.'));
    return this.#table;
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#writing.then(work);
    this.#writing = turn.catch(() => undefined);
    return turn;
  }

  #rowsOf(slots: readonly Slot[]): number[] {
    return slots.map((slot) => {
      const row = this.#table?.rowOf(slot);
      if (row === undefined)
        throw new ParallaxError('not-indexed', l10n.t`Passage ${slot} has not been embedded yet.`);
      return row;
    });
  }

  async #writeCompacted(
    rows: Pick<VectorTable, 'slots' | 'texts'>,
    dimensions: number,
    { signal, onProgress }: WorkOptions,
  ): Promise<void> {
    const path = compactedFile(this.#path);
    await rm(path, { force: true });
    const identity = { key: this.#key, dimensions };
    const file = await VectorFile.open(path, identity, ({ dimensions: d }) => new VectorTable(d));
    try {
      for (let from = 0; from < rows.slots.length; from += COMPACTION_ROWS) {
        throwIfCancelled(signal);
        const slots = rows.slots.subarray(from, from + COMPACTION_ROWS);
        const texts = rows.texts.subarray(from, from + COMPACTION_ROWS);
        await file?.append(slots, this.vectors(Array.from(slots)), texts);
        onProgress?.({ done: from + slots.length, total: rows.slots.length });
      }
      await file?.flush();
    } finally {
      await file?.close();
    }
  }

  /** Renumbers rows, so no graph may use the old numbers, and none may start before the end. */
  async #swapInCompacted(dimensions: number): Promise<void> {
    await this.#graph.end();
    await this.#graph.remove();
    await this.#file?.close();
    try {
      await rename(compactedFile(this.#path), this.#path);
    } finally {
      await this.#load(dimensions, {});
      this.#graph.allow();
    }
  }
}

function compactedFile(path: string): string {
  return `${path}.compacted`;
}
