/**
 * The parts that all stores share that are asked in single calls, over HTTP or through their makers' own client: only
 * how each of them is spoken to is its own.
 */
import * as l10n from '@vscode/l10n';
import type { TlsFiles } from '../../../core/external/store-fields.ts';
import { valueAt } from '../../../core/external/results.ts';
import type { ExternalResult } from '../../../core/external/spec.ts';
import type { ExternalQuery, RetrieverHealth } from '../external-retriever.ts';
import { HttpStatusError, JsonHttp } from './json-http.ts';
import { QueryVectors, type FindEmbedder } from './query-vectors.ts';
import type {
  NewRecord,
  RemoteStore,
  StoredRecord,
  StoredVectors,
  StoreWriter,
  VectorsByKey,
} from './remote-store.ts';
import {
  connectionTrouble,
  httpTrouble,
  StoreCalls,
  type StoreCallsOptions,
  type StoreTrouble,
} from './store-calls.ts';
import { namesTlsFiles, readTlsFiles } from './tls-files.ts';
import type { StoreFiller } from './writers/dialect-writer.ts';

/** Facts that a store tells about the collection that is searched. */
export interface CollectionFacts {
  /** Of its vectors; undefined where it does not say. */
  readonly dimensions?: number | undefined;
}

/** A vector whose neighbours are wanted, with what the store tells of its own. */
export interface Near<Facts> {
  readonly vector: Float32Array;
  readonly facts: Facts;
}

/** A question: its words, and its vector where the store ranks by vectors. */
export interface AskedOf<Facts> {
  readonly text: string;
  readonly near?: Near<Facts> | undefined;
}

export type Results = readonly ExternalResult[];

/**
 * How one type of store is spoken to. Each call may be repeated, and throws what the client throws: what is made
 * of that, when it is given up, and what is checked beforehand is said in {@link DialectStore}.
 */
export abstract class StoreDialect<
  Spec extends DialectSpec,
  Facts extends CollectionFacts = CollectionFacts,
  Client = JsonHttp,
> {
  /** Whether a search takes the vector of the question. */
  abstract readonly asksByVector: boolean;
  readonly spec: Spec;
  readonly calls: StoreCalls;
  readonly client: Client;
  #facts: Facts | undefined;
  /** `undefined` for a store that is searched only. */
  readonly writer?: StoreFiller<Facts>;

  constructor(spec: Spec, calls: StoreCalls, client: Client) {
    this.spec = spec;
    this.calls = calls;
    this.client = client;
  }

  /** Read once, unless that failed. */
  async facts(end: AbortSignal): Promise<Facts> {
    this.#facts ??= await this.readFacts(end);
    return this.#facts;
  }

  protected abstract readFacts(end: AbortSignal): Promise<Facts>;
  /** The neighbours alone, best first; more than k are cut off. */
  abstract nearest(near: Near<Facts>, k: number, end: AbortSignal): Promise<Results>;
  /** Where a search is more, or something else, than the neighbours; best first, more than k are cut off. */
  search?(query: AskedOf<Facts>, k: number, end: AbortSignal): Promise<Results>;
  abstract count(end: AbortSignal): Promise<number>;
  /** See {@link RemoteStore.first}. */
  first?(limit: number, end: AbortSignal): Promise<readonly StoredRecord[]>;
  /** @param ids at least one */
  abstract records(ids: readonly string[], end: AbortSignal): Promise<readonly StoredRecord[]>;
  /** @param keys at least one */
  abstract fetch(keys: readonly string[], end: AbortSignal): Promise<VectorsByKey>;
  /** Says that the store is well. @param store its name, at the beginning of the sentence */
  abstract wellness(store: string, count: number): string;

  /** Ends what the client holds open. */
  close(): Promise<void> {
    return Promise.resolve();
  }
}

/** Settings that all these stores share. */
interface DialectSpec {
  readonly timeoutMs: number;
  readonly embedder?: string | undefined;
}

/** How a store is reached. */
export interface StoreAccess extends Omit<StoreCallsOptions, 'timeoutMs'> {
  /** False where its settings do not say where in a record the vector stands. */
  readonly findsVectors?: boolean;
}

interface HttpAccess extends Omit<StoreAccess, 'explain'> {
  /** Paths of requests are added to this. */
  readonly base: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Where in the answer to a request that failed the store says why: the first text counts. */
  readonly says: readonly string[];
  /** The sentence for what is not there, given the status and the reason that came with it. */
  readonly absent: (answer: string) => string;
  /** The sentence for an error that is to be told otherwise than those of all stores. */
  readonly told?: ((status: number, reason: string) => string | undefined) | undefined;
}

type Dialect<Spec extends DialectSpec, Facts extends CollectionFacts, Client> = new (
  spec: Spec,
  calls: StoreCalls,
  client: Client,
) => StoreDialect<Spec, Facts, Client>;

/** As {@link openStore}, for one that is asked over HTTP. */
export function openHttpStore<Spec extends DialectSpec & TlsFiles, Facts extends CollectionFacts>(
  Spoken: Dialect<Spec, Facts, JsonHttp>,
  spec: Spec,
  embedder: FindEmbedder,
  { base, headers, says, absent, told, ...access }: HttpAccess,
): RemoteStore {
  const client = (calls: StoreCalls): JsonHttp =>
    new JsonHttp(base, headers, async () => {
      if (!namesTlsFiles(spec)) return undefined;
      if (base.startsWith('https:')) return readTlsFiles(spec);
      throw calls.failure(
        l10n.t`${calls.name} is asked without encryption: write https:// in its URL where certificates are to count.`,
      );
    });
  const explain = (error: unknown): StoreTrouble => {
    if (!(error instanceof HttpStatusError)) return connectionTrouble(access.name, error);
    const { status, data } = error;
    const reason = [...says.map((path) => valueAt(data, path)), data].find(
      (each) => typeof each === 'string',
    );
    const sentence = told?.(status, reason ?? error.message);
    if (sentence !== undefined) return { sentence };
    return httpTrouble(access.name, status, reason ?? error.message, absent);
  };
  return openStore(Spoken, spec, embedder, { ...access, explain }, client);
}

/**
 * A store of a type that {@link Spoken} speaks to. It has vectors where its settings name an embedder.
 *
 * @param client connects to nothing before it is first asked
 */
export function openStore<Spec extends DialectSpec, Facts extends CollectionFacts, Client>(
  Spoken: Dialect<Spec, Facts, Client>,
  spec: Spec,
  embedder: FindEmbedder,
  { findsVectors = true, ...access }: StoreAccess,
  client: (calls: StoreCalls) => Client,
): RemoteStore {
  const calls = new StoreCalls({ ...access, timeoutMs: spec.timeoutMs });
  const queries =
    findsVectors && spec.embedder !== undefined
      ? new QueryVectors(spec.embedder, embedder, calls)
      : undefined;
  return new DialectStore(new Spoken(spec, calls, client(calls)), calls, queries);
}

/** An address that paths are added to. */
export const withoutSlash = (url: string): string => url.replace(/\/$/u, '');

/** Adding goes on for seconds where a store has too much to do: whoever fills one waits for minutes anyway. */
const REPEATS_OF_WRITING = 6;

class DialectStore<Spec extends DialectSpec, Facts extends CollectionFacts, Client> implements RemoteStore {
  readonly first: RemoteStore['first'];
  readonly vectors: StoredVectors | undefined;
  readonly writer: StoreWriter | undefined;
  readonly #dialect: StoreDialect<Spec, Facts, Client>;
  readonly #calls: StoreCalls;
  readonly #queries: QueryVectors | undefined;

  /** @param queries absent where the pipeline names no embedder, and the store is not asked by vectors */
  constructor(
    dialect: StoreDialect<Spec, Facts, Client>,
    calls: StoreCalls,
    queries: QueryVectors | undefined,
  ) {
    if (dialect.first)
      this.first = (limit, signal) => this.#calls.run((end) => dialect.first!(limit, end), signal);
    this.#dialect = dialect;
    this.#calls = calls;
    this.#queries = queries;
    if (!queries) return;
    this.vectors = {
      embedder: queries.embedder,
      fetch: (keys, signal) => this.#fetch(keys, signal),
      nearest: (vector, k, signal) => this.#nearest(vector, k, queries, signal),
    };
    const { writer } = dialect;
    if (!writer) return;
    this.writer = {
      requireIds: writer.requireIds,
      exists: (signal) => calls.run((end) => writer.exists(end), signal),
      create: (dimensions, _manner, signal) => calls.run((end) => writer.create(dimensions, end), signal),
      add: (records, signal) => this.#add(writer, records, queries, signal),
    };
  }

  async search({ text }: ExternalQuery, k: number, signal?: AbortSignal): Promise<readonly ExternalResult[]> {
    const queries = this.#dialect.asksByVector ? this.#queries : undefined;
    const vector = await queries?.of(text, signal);
    const { search } = this.#dialect;
    if (queries && vector && !search) return this.#nearest(vector, k, queries, signal);
    return this.#calls.run(async (end) => {
      const near = vector && (await this.#near(vector, queries!, end));
      const found = await this.#dialect.search!({ text, near }, k, end);
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

  async records(ids: readonly string[], signal?: AbortSignal): Promise<readonly StoredRecord[]> {
    // Without ids some stores would send all they have.
    if (ids.length === 0) return [];
    return this.#calls.run((end) => this.#dialect.records(ids, end), signal);
  }

  close(): Promise<void> {
    this.#calls.close();
    return this.#dialect.close();
  }

  async #add(
    writer: StoreFiller<Facts>,
    records: readonly NewRecord[],
    queries: QueryVectors,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const [first] = records;
    if (!first) return;
    const { facts } = await this.#calls.run((end) => this.#near(first.vector, queries, end), signal);
    for (const request of writer.requests(records, facts))
      await this.#calls.run(request, signal, REPEATS_OF_WRITING);
  }

  #nearest(
    vector: Float32Array,
    k: number,
    queries: QueryVectors,
    signal: AbortSignal | undefined,
  ): Promise<readonly ExternalResult[]> {
    return this.#calls.run(async (end) => {
      const found = await this.#dialect.nearest(await this.#near(vector, queries, end), k, end);
      return found.slice(0, k);
    }, signal);
  }

  async #fetch(keys: readonly string[], signal: AbortSignal | undefined): Promise<VectorsByKey> {
    if (keys.length === 0) return new Map();
    return this.#calls.run((end) => this.#dialect.fetch(keys, end), signal);
  }

  async #near(vector: Float32Array, queries: QueryVectors, end: AbortSignal): Promise<Near<Facts>> {
    const facts = await this.#dialect.facts(end);
    queries.requireSame(vector, facts.dimensions);
    return { vector, facts };
  }
}
