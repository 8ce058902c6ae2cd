/** Chroma through its official client. */
import * as l10n from '@vscode/l10n';
import type { ChromaClient, Collection, EmbeddingFunction } from 'chromadb';
import * as z from 'zod';
import type { ExternalResult } from '../../../core/external/spec.ts';
import type { ChromaRetriever } from '../../../core/external/stores.ts';
import { messageOf } from '../../../core/errors.ts';
import { valueAt } from '../../../core/external/results.ts';
import type { ExternalQuery, RetrieverHealth } from '../external-retriever.ts';
import { QueryVectors, scoreOfDistance, type FindEmbedder } from './query-vectors.ts';
import type { RecordPage, RemoteStore, StoredRecord, StoredVectors, VectorsByKey } from './remote-store.ts';
import { StoreCalls, type StoreTrouble } from './store-calls.ts';
import { storedCount, storedRecord, storedVector } from './stored-values.ts';

/** The client would otherwise look for the embedding function that the collection names. Vectors are always given. */
const GIVEN_VECTORS: EmbeddingFunction = {
  generate: () => Promise.reject(new Error('Vectors are made by the embedder of the pipeline.')),
};

type Where = NonNullable<Parameters<Collection['query']>[0]['where']>;

/** Answers come in columns, and the client hands on whatever comes: only what is read is checked. */
const documents = z.array(z.string().nullable());
const metadatas = z.array(z.record(z.string(), z.unknown()).nullable());
const recordColumns = z.object({ ids: z.array(z.string()), documents, metadatas });
const keyColumn = z.object({ ids: z.array(z.string()) });
/** One row for each vector that was asked with. */
const foundColumns = z.object({
  ids: z.tuple([z.array(z.string())]),
  documents: z.tuple([documents]),
  metadatas: z.tuple([metadatas]),
  /** A vector of zeros has no cosine, and so no distance. */
  distances: z.tuple([z.array(z.number().nullable())]),
});
const vectorColumns = z.object({ ids: z.array(z.string()), embeddings: z.array(z.unknown()) });
const firstVector = z.object({ embeddings: z.array(storedVector) });

/** @param apiKey sent as the x-chroma-token where the spec names a key */
export function createChromaStore(
  spec: ChromaRetriever,
  apiKey: string | undefined,
  embedder: FindEmbedder,
): RemoteStore {
  return new ChromaStore(spec, apiKey, embedder);
}

class ChromaStore implements RemoteStore {
  readonly vectors: StoredVectors;
  readonly #spec: ChromaRetriever;
  readonly #apiKey: string | undefined;
  readonly #calls: StoreCalls;
  readonly #queries: QueryVectors;
  /** Of the vectors of the collection with this id. */
  #dimensions: { readonly collection: string; readonly value: number } | undefined;

  constructor(spec: ChromaRetriever, apiKey: string | undefined, embedder: FindEmbedder) {
    this.#spec = spec;
    this.#apiKey = apiKey;
    this.#calls = new StoreCalls({
      name: l10n.t`Chroma at ${spec.url}`,
      timeoutMs: spec.timeoutMs,
      explain: (error, store) => chromaTrouble(error, store, spec),
      secret: apiKey,
    });
    this.#queries = new QueryVectors(spec.embedder, embedder, this.#calls);
    this.vectors = {
      embedder: spec.embedder,
      fetch: (keys, signal) => this.#fetch(keys, signal),
      nearest: (vector, k, signal) => this.#nearest(vector, k, signal),
    };
  }

  async search({ text }: ExternalQuery, k: number, signal?: AbortSignal): Promise<readonly ExternalResult[]> {
    return this.#nearest(await this.#queries.of(text, signal), k, signal);
  }

  count(signal?: AbortSignal): Promise<number> {
    return this.#calls.run(
      async (end) => this.#calls.checked(storedCount, await (await this.#collection(end)).count()),
      signal,
    );
  }

  async check(signal?: AbortSignal): Promise<RetrieverHealth> {
    const count = await this.count(signal);
    const vector = await this.#queries.of('test', signal);
    await this.#calls.run(
      async (end) => this.#queries.requireSame(vector, await this.#dimensionsOf(await this.#collection(end))),
      signal,
    );
    const { collection } = this.#spec;
    return {
      message:
        count === 1
          ? l10n.t`${this.#calls.name} answers; the collection "${collection}" holds 1 record.`
          : l10n.t`${this.#calls.name} answers; the collection "${collection}" holds ${count} records.`,
      count,
    };
  }

  async page(from: string | undefined, limit: number, signal?: AbortSignal): Promise<RecordPage> {
    const offset = Number(from ?? 0);
    const answer = await this.#calls.run(
      async (end) =>
        (await this.#collection(end)).get({
          limit,
          offset,
          include: ['documents', 'metadatas'],
          ...this.#where,
        }),
      signal,
    );
    const records = this.#recordsOf(answer);
    return { records, ...(records.length === limit ? { next: String(offset + limit) } : {}) };
  }

  async records(ids: readonly string[], signal?: AbortSignal): Promise<readonly StoredRecord[]> {
    const { idField } = this.#spec;
    return this.#calls.run(async (end) => {
      const collection = await this.#collection(end);
      const keys = idField === undefined ? ids : await this.#keysOf(collection, idField, ids);
      // Without ids Chroma would send all it has.
      if (keys.length === 0) return [];
      return this.#recordsOf(
        await collection.get({ ids: [...keys], include: ['documents', 'metadatas'], ...this.#where }),
      );
    }, signal);
  }

  close(): Promise<void> {
    this.#calls.close();
    return Promise.resolve();
  }

  #nearest(
    vector: Float32Array,
    k: number,
    signal: AbortSignal | undefined,
  ): Promise<readonly ExternalResult[]> {
    return this.#calls.run(async (end) => {
      const collection = await this.#collection(end);
      this.#queries.requireSame(vector, await this.#dimensionsOf(collection));
      const answer = await collection.query({
        queryEmbeddings: [[...vector]],
        nResults: k,
        include: ['documents', 'metadatas', 'distances'],
        ...this.#where,
      });
      const columns = this.#calls.checked(foundColumns, answer);
      const [ids, texts, metadata, distances] = [
        columns.ids[0],
        columns.documents[0],
        columns.metadatas[0],
        columns.distances[0],
      ];
      const scoreOf = scoring(collection);
      return ids.slice(0, k).flatMap((id, index) => {
        const distance = distances[index] ?? undefined;
        if (distance === undefined) return [];
        return [{ ...this.#record(id, texts[index], metadata[index]), score: scoreOf(distance) }];
      });
    }, signal);
  }

  async #fetch(keys: readonly string[], signal: AbortSignal | undefined): Promise<VectorsByKey> {
    // Without ids Chroma would send all it has.
    if (keys.length === 0) return new Map();
    const answer = await this.#calls.run(
      async (end) => (await this.#collection(end)).get({ ids: [...keys], include: ['embeddings'] }),
      signal,
    );
    const { ids, embeddings } = this.#calls.checked(vectorColumns, answer);
    return new Map(
      ids.flatMap((id, index): [string, Float32Array][] => {
        const { data: vector } = storedVector.safeParse(embeddings[index]);
        return vector ? [[id, vector]] : [];
      }),
    );
  }

  /** Found anew with every call: a collection that was built again has another id. */
  async #collection(signal: AbortSignal): Promise<Collection> {
    const client = await this.#client(signal);
    return client.getCollection({ name: this.#spec.collection, embeddingFunction: GIVEN_VECTORS });
  }

  /** A client takes one signal for all its requests, so there is one client for each call. It holds no connection. */
  async #client(signal: AbortSignal): Promise<ChromaClient> {
    const { ChromaClient: Client } = await import('chromadb');
    const { url, tenant, database } = this.#spec;
    const { protocol, hostname, port } = new URL(url);
    const ssl = protocol === 'https:';
    return new Client({
      host: hostname,
      port: Number(port || (ssl ? 443 : 80)),
      ssl,
      tenant,
      database,
      // The token is in a header that would follow a redirect anywhere.
      fetchOptions: { signal, redirect: 'error' },
      ...(this.#apiKey === undefined ? {} : { headers: { 'x-chroma-token': this.#apiKey } }),
    });
  }

  /** Chroma says no more than "bad request" to a vector of other dimensions. Undefined while it holds none. */
  async #dimensionsOf(collection: Collection): Promise<number | undefined> {
    if (this.#dimensions?.collection !== collection.id) {
      const answer = await collection.get({ limit: 1, include: ['embeddings'] });
      const value = this.#calls.checked(firstVector, answer).embeddings[0]?.length;
      this.#dimensions = value === undefined ? undefined : { collection: collection.id, value };
    }
    return this.#dimensions?.value;
  }

  /** The client refuses lists of values and conditions joined by `$and`: one field is asked for one value at a time. */
  async #keysOf(collection: Collection, field: string, values: readonly string[]): Promise<string[]> {
    const keys: string[] = [];
    for (const value of values) {
      const answer = await collection.get({ include: [], where: { [field]: value } });
      keys.push(...this.#calls.checked(keyColumn, answer).ids);
    }
    return keys;
  }

  #recordsOf(answer: unknown): StoredRecord[] {
    const { ids, documents: texts, metadatas: metadata } = this.#calls.checked(recordColumns, answer);
    return ids.map((id, index) => this.#record(id, texts[index], metadata[index]));
  }

  get #where(): { where?: Where } {
    const { where } = this.#spec;
    return where === undefined ? {} : { where: where as Where };
  }

  #record(
    key: string,
    document: string | null | undefined,
    metadata: Readonly<Record<string, unknown>> | null | undefined,
  ): StoredRecord {
    const { idField } = this.#spec;
    return storedRecord(key, idField === undefined ? key : metadata?.[idField], document, metadata);
  }
}

/** Chroma's distances: 1 − cosine, 1 − inner product, or the squared Euclidean distance, its default. */
function scoring({ configuration, metadata }: Collection): (distance: number) => number {
  const space =
    valueAt(configuration, 'hnsw.space') ??
    valueAt(configuration, 'spann.space') ??
    valueAt(metadata, "['hnsw:space']") ??
    'l2';
  return space === 'l2' ? scoreOfDistance : (distance) => 1 - distance;
}

/** The client replaces what the server says by sentences of its own; its errors are told apart by their names. */
function chromaTrouble(
  error: unknown,
  store: string,
  { collection, tenant, database }: ChromaRetriever,
): StoreTrouble {
  const name = error instanceof Error ? error.name : '';
  switch (name) {
    case 'ChromaAuthError':
    case 'ChromaForbiddenError':
      return {
        sentence: l10n.t`${store} refuses access; check the stored key, the tenant and the database.`,
      };
    case 'ChromaNotFoundError':
      return {
        sentence: l10n.t`${store} has no collection "${collection}" in the database "${database}" of the tenant "${tenant}".`,
      };
    case 'ChromaClientError':
      return { sentence: l10n.t`${store} refuses the request as wrong; check the filter "where".` };
    case 'ChromaConnectionError':
      return messageOf(error).startsWith('Failed to connect')
        ? { sentence: l10n.t`${store} could not be reached; is it running?`, passing: true }
        : { sentence: l10n.t`${store} failed to answer.`, passing: true };
    default:
      return { sentence: l10n.t`${store} failed: ${messageOf(error).replace(/\.$/, '')}.` };
  }
}
