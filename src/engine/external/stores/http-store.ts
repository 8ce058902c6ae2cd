/** What all stores have in common that are asked over HTTP: only how each of them is spoken to is its own. */
import type { ExternalResult } from '../../../core/external/spec.ts';
import type { ExternalQuery, RetrieverHealth } from '../external-retriever.ts';
import type { QueryVectors } from './query-vectors.ts';
import type { RecordPage, RemoteStore, StoredRecord, StoredVectors, VectorsByKey } from './remote-store.ts';
import type { StoreCalls } from './store-calls.ts';

/** What a store tells about the collection that is searched. */
export interface CollectionFacts {
  /** Of its vectors; undefined where it does not say. */
  readonly dimensions?: number | undefined;
}

/** A question: its words, and its vector with what the store tells, where the store ranks by vectors. */
export interface AskedOf<Facts> {
  readonly text: string;
  readonly near?: { readonly vector: Float32Array; readonly facts: Facts } | undefined;
}

/**
 * How one type of store is spoken to. Each call may be repeated, and throws what the HTTP client throws: what is made
 * of that, when it is given up, and what is checked beforehand is said in {@link HttpStore}.
 */
export interface StoreDialect<Facts extends CollectionFacts = CollectionFacts> {
  /** See {@link RemoteStore.keepsOrder}. */
  readonly keepsOrder: boolean;
  /** Whether a search takes the vector of the question. */
  readonly asksByVector: boolean;
  facts(end: AbortSignal): Promise<Facts>;
  /** The neighbours alone, best first; more than k are cut off. */
  nearest(
    vector: Float32Array,
    k: number,
    facts: Facts,
    end: AbortSignal,
  ): Promise<readonly ExternalResult[]>;
  /** Where a search is more, or something else, than the neighbours; best first, more than k are cut off. */
  search?(query: AskedOf<Facts>, k: number, end: AbortSignal): Promise<readonly ExternalResult[]>;
  count(end: AbortSignal): Promise<number>;
  /** See {@link RemoteStore.page}. */
  page(from: string | undefined, limit: number, end: AbortSignal): Promise<RecordPage>;
  /** @param ids at least one */
  records(ids: readonly string[], end: AbortSignal): Promise<readonly StoredRecord[]>;
  /** @param keys at least one */
  fetch(keys: readonly string[], end: AbortSignal): Promise<VectorsByKey>;
  /** Says that the store is well. @param store its name, at the beginning of the sentence */
  wellness(store: string, count: number): string;
}

export class HttpStore<Facts extends CollectionFacts> implements RemoteStore {
  readonly keepsOrder: boolean;
  readonly vectors: StoredVectors | undefined;
  readonly #dialect: StoreDialect<Facts>;
  readonly #calls: StoreCalls;
  readonly #queries: QueryVectors | undefined;

  /** @param queries absent where the pipeline names no embedder, and the store is not asked by vectors */
  constructor(dialect: StoreDialect<Facts>, calls: StoreCalls, queries: QueryVectors | undefined) {
    this.keepsOrder = dialect.keepsOrder;
    this.#dialect = dialect;
    this.#calls = calls;
    this.#queries = queries;
    if (queries)
      this.vectors = {
        embedder: queries.embedder,
        fetch: (keys, signal) => this.#fetch(keys, signal),
        nearest: (vector, k, signal) => this.#nearest(vector, k, queries, signal),
      };
  }

  async search({ text }: ExternalQuery, k: number, signal?: AbortSignal): Promise<readonly ExternalResult[]> {
    const queries = this.#dialect.asksByVector ? this.#queries : undefined;
    const vector = await queries?.of(text, signal);
    const { search } = this.#dialect;
    if (queries && vector && !search) return this.#nearest(vector, k, queries, signal);
    return this.#calls.run(async (end) => {
      const facts = vector && (await this.#factsFor(vector, queries!, end));
      const near = vector && facts && { vector, facts };
      const found = await this.#dialect.search!({ text, ...(near ? { near } : {}) }, k, end);
      return found.slice(0, k);
    }, signal);
  }

  count(signal?: AbortSignal): Promise<number> {
    return this.#calls.run((end) => this.#dialect.count(end), signal);
  }

  async check(signal?: AbortSignal): Promise<RetrieverHealth> {
    const count = await this.count(signal);
    await this.search({ text: 'test' }, 1, signal);
    return { message: this.#dialect.wellness(this.#calls.name, count), count };
  }

  page(from: string | undefined, limit: number, signal?: AbortSignal): Promise<RecordPage> {
    return this.#calls.run((end) => this.#dialect.page(from, limit, end), signal);
  }

  async records(ids: readonly string[], signal?: AbortSignal): Promise<readonly StoredRecord[]> {
    // Without ids some stores would send all they have.
    if (ids.length === 0) return [];
    return this.#calls.run((end) => this.#dialect.records(ids, end), signal);
  }

  close(): Promise<void> {
    this.#calls.close();
    return Promise.resolve();
  }

  #nearest(
    vector: Float32Array,
    k: number,
    queries: QueryVectors,
    signal: AbortSignal | undefined,
  ): Promise<readonly ExternalResult[]> {
    return this.#calls.run(async (end) => {
      const facts = await this.#factsFor(vector, queries, end);
      const found = await this.#dialect.nearest(vector, k, facts, end);
      return found.slice(0, k);
    }, signal);
  }

  async #fetch(keys: readonly string[], signal: AbortSignal | undefined): Promise<VectorsByKey> {
    if (keys.length === 0) return new Map();
    return this.#calls.run((end) => this.#dialect.fetch(keys, end), signal);
  }

  async #factsFor(vector: Float32Array, queries: QueryVectors, end: AbortSignal): Promise<Facts> {
    const facts = await this.#dialect.facts(end);
    queries.requireSame(vector, facts.dimensions);
    return facts;
  }
}
