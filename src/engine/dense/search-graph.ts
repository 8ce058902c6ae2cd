/**
 * The graph over the rows of a dense index. Work on it runs in the background, and ends before rows are renumbered,
 * because a graph refers to rows by number.
 */
import { throwIfCancelled } from '../../core/errors.ts';
import type { DenseRetriever } from '../../core/pipeline.ts';
import type { LiveSlots, WorkOptions } from '../types.ts';
import { HnswIndex } from './hnsw-index.ts';
import type { VectorTable } from './vector-table.ts';

export class SearchGraph {
  readonly #path: string;
  readonly #key: string;
  readonly #approximateAbove: number;
  #graph: HnswIndex | undefined;
  #preparing: Promise<unknown> = Promise.resolve();
  #ends = new AbortController();

  /**
   * @param vectors the file of the vectors; the graph is saved beside it
   * @param key of their embedder
   * @param approximateAbove the most rows that `auto` searches exactly
   */
  constructor(vectors: string, key: string, approximateAbove: number) {
    this.#path = `${vectors}.hnsw`;
    this.#key = key;
    this.#approximateAbove = approximateAbove;
  }

  get rows(): number {
    return this.#graph?.rows ?? 0;
  }

  /** Rows outside the graph are scanned, so it is worth using if it saves half of the scan. */
  worthAsking(search: DenseRetriever['search'], table: VectorTable): HnswIndex | undefined {
    const mayApproximate =
      search === 'approximate' || (search === 'auto' && table.rows > this.#approximateAbove);
    return mayApproximate && 2 * this.rows >= table.rows ? this.#graph : undefined;
  }

  /**
   * Loads the saved graph if it still fits, adds what is missing, and saves it.
   *
   * @param table as it is when its turn comes; nothing happens while there are no vectors
   * @throws ParallaxError `native-missing` if `hnswlib-node` does not load, `cancelled`
   */
  async prepare(table: () => VectorTable | undefined, live: LiveSlots, work: WorkOptions): Promise<void> {
    const ends = this.#ends.signal;
    const signal = work.signal ? AbortSignal.any([work.signal, ends]) : ends;
    const turn = this.#preparing.then(async () => {
      const rows = table();
      throwIfCancelled(signal);
      if (!rows) return;
      this.#graph ??= await HnswIndex.open(this.#path, rows, this.#key);
      await this.#graph.extend(live, this.#path, { ...work, signal });
    });
    this.#preparing = turn.catch(() => undefined);
    await turn;
  }

  /** Ends all work on the graph, and prevents more until it is allowed again. */
  async end(): Promise<void> {
    this.#ends.abort();
    await this.#preparing;
    this.#graph = undefined;
  }

  allow(): void {
    this.#ends = new AbortController();
  }

  /** Removes the saved graph. */
  async remove(): Promise<void> {
    await HnswIndex.remove(this.#path);
  }
}
