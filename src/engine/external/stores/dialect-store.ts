/**
 * What all stores share that are asked in single calls, over HTTP or through their makers' own client. Each type adds
 * only its dialect.
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

/** Facts about the searched collection, as the store reports them. */
export interface CollectionFacts {
  /** The dimensions of its vectors. `undefined` if unknown. */
  readonly dimensions?: number | undefined;
}

/** A vector to find neighbours of, with the store's facts. */
export interface Near<Facts> {
  readonly vector: Float32Array;
  readonly facts: Facts;
}

/** A question: its words, and its vector if the store ranks by vectors. */
export interface AskedOf<Facts> {
  readonly text: string;
  readonly near?: Near<Facts> | undefined;
}

export type Results = readonly ExternalResult[];

/**
 * The dialect of one type of store. Each call may be repeated, and throws what the client throws.
 * {@link DialectStore} handles errors and timeouts, and checks arguments beforehand.
 */
export abstract class StoreDialect<
  Spec extends DialectSpec,
  Facts extends CollectionFacts = CollectionFacts,
  Client = JsonHttp,
> {
  /** Whether a search needs the vector of the question. */
  abstract readonly asksByVector: boolean;
  readonly spec: Spec;
  readonly calls: StoreCalls;
  readonly client: Client;
  #facts: Facts | undefined;
  /** `undefined` for a store that can only be searched. */
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
  /** Only the neighbours, best first. The caller drops results beyond k. */
  abstract nearest(near: Near<Facts>, k: number, end: AbortSignal): Promise<Results>;
  /** Set if a search is not just for neighbours. Best first; the caller drops results beyond k. */
  search?(query: AskedOf<Facts>, k: number, end: AbortSignal): Promise<Results>;
  abstract count(end: AbortSignal): Promise<number>;
  /** See {@link RemoteStore.first}. */
  first?(limit: number, end: AbortSignal): Promise<readonly StoredRecord[]>;
  /** @param ids at least one */
  abstract records(ids: readonly string[], end: AbortSignal): Promise<readonly StoredRecord[]>;
  /** @param keys at least one */
  abstract fetch(keys: readonly string[], end: AbortSignal): Promise<VectorsByKey>;
  /** The message that the store works. @param store its name, at the beginning of the sentence */
  abstract wellness(store: string, count: number): string;

  /** Closes the client's connections. */
  close(): Promise<void> {
    return Promise.resolve();
  }
}

/** Settings that all these stores share. */
interface DialectSpec {
  readonly timeoutMs: number;
  readonly embedder?: string | undefined;
}

/** How to reach a store. */
export interface StoreAccess extends Omit<StoreCallsOptions, 'timeoutMs'> {
  /** False if its settings do not name the field of vectors. */
  readonly findsVectors?: boolean;
}

interface HttpAccess extends Omit<StoreAccess, 'explain'> {
  /** The base of the paths of requests. */
  readonly base: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The paths of the store's reason in the answer to a failed request. The first text counts. */
  readonly says: readonly string[];
  /** The message for a missing collection, given the status and the store's reason. */
  readonly absent: (answer: string) => string;
  /** The message for an error that this store explains differently from the others. */
  readonly messageFor?: ((status: number, reason: string) => string | undefined) | undefined;
}

type Dialect<Spec extends DialectSpec, Facts extends CollectionFacts, Client> = new (
  spec: Spec,
  calls: StoreCalls,
  client: Client,
) => StoreDialect<Spec, Facts, Client>;

/** As {@link openStore}, for a store that is asked over HTTP. */
export function openHttpStore<Spec extends DialectSpec & TlsFiles, Facts extends CollectionFacts>(
  Spoken: Dialect<Spec, Facts, JsonHttp>,
  spec: Spec,
  embedder: FindEmbedder,
  { base, headers, says, absent, messageFor, ...access }: HttpAccess,
): RemoteStore {
  const client = (calls: StoreCalls): JsonHttp =>
    new JsonHttp(base, headers, async () => {
      if (!namesTlsFiles(spec)) return undefined;
      if (base.startsWith('https:')) return readTlsFiles(spec);
      throw calls.failure(
        l10n.t`${calls.name} is asked without encryption: write https:// in its URL to check certificates.`,
      );
    });
  const explain = (error: unknown): StoreTrouble => {
    if (!(error instanceof HttpStatusError)) return connectionTrouble(access.name, error);
    const { status, data } = error;
    const reason = [...says.map((path) => valueAt(data, path)), data].find(
      (each) => typeof each === 'string',
    );
    const sentence = messageFor?.(status, reason ?? error.message);
    if (sentence !== undefined) return { sentence };
    return httpTrouble(access.name, status, reason ?? error.message, absent);
  };
  return openStore(Spoken, spec, embedder, { ...access, explain }, client);
}

/**
 * A store of the type with dialect {@link Spoken}. It has vectors if its settings name an embedder.
 *
 * @param client connects at the first request
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

/** A URL to which paths are appended. */
export const withoutSlash = (url: string): string => url.replace(/\/$/u, '');

/** Repeats adding for some seconds if a store is overloaded: filling a store takes minutes anyway. */
const REPEATS_OF_WRITING = 6;

class DialectStore<Spec extends DialectSpec, Facts extends CollectionFacts, Client> implements RemoteStore {
  readonly first: RemoteStore['first'];
  readonly vectors: StoredVectors | undefined;
  readonly writer: StoreWriter | undefined;
  readonly #dialect: StoreDialect<Spec, Facts, Client>;
  readonly #calls: StoreCalls;
  readonly #queries: QueryVectors | undefined;

  /** @param queries undefined if the pipeline names no embedder and the store is not asked by vectors */
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
      const results = await this.#dialect.search!({ text, near }, k, end);
      return results.slice(0, k);
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
    // Without ids, some stores would send all their records.
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
      const results = await this.#dialect.nearest(await this.#near(vector, queries, end), k, end);
      return results.slice(0, k);
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
