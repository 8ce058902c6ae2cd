/** Chroma through its documented HTTP interface. Its client refuses filters that its server takes, and any `$and`. */
import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import { messageOf } from '../../../core/errors.ts';
import type { ExternalResult } from '../../../core/external/spec.ts';
import type { ChromaRetriever } from '../../../core/external/stores.ts';
import { valueAt } from '../../../core/external/results.ts';
import type { ExternalQuery, RetrieverHealth } from '../external-retriever.ts';
import { HttpStatusError, JsonHttp } from './json-http.ts';
import { QueryVectors, scoreOfDistance, type FindEmbedder } from './query-vectors.ts';
import type { RecordPage, RemoteStore, StoredRecord, StoredVectors, VectorsByKey } from './remote-store.ts';
import { connectionTrouble, httpTrouble, StoreCalls, type StoreTrouble } from './store-calls.ts';
import { storedCount, storedRecord, storedVector } from './stored-values.ts';

const foundCollection = z.object({
  /** It stands in the address of what is asked next. */
  id: z
    .string()
    .min(1)
    .refine((id) => id.isWellFormed()),
  /** Of its vectors; absent while it holds none. */
  dimension: z.number().nullish(),
  configuration_json: z.unknown(),
  metadata: z.unknown(),
});
type Collection = z.output<typeof foundCollection>;

/** Answers come in columns. */
const documents = z.array(z.string().nullable());
const metadatas = z.array(z.record(z.string(), z.unknown()).nullable());
const recordColumns = z.object({ ids: z.array(z.string()), documents, metadatas });
/** One row for each vector that was asked with. */
const foundColumns = z.object({
  ids: z.tuple([z.array(z.string())]),
  documents: z.tuple([documents]),
  metadatas: z.tuple([metadatas]),
  /** A vector of zeros has no cosine, and so no distance. */
  distances: z.tuple([z.array(z.number().nullable())]),
});
const vectorColumns = z.object({ ids: z.array(z.string()), embeddings: z.array(z.unknown()) });

/** A filter on metadata, in Chroma's own language. */
type Where = Readonly<Record<string, unknown>>;

/** @param apiKey sent as the x-chroma-token where the spec names a key */
export function createChromaStore(
  spec: ChromaRetriever,
  apiKey: string | undefined,
  embedder: FindEmbedder,
): RemoteStore {
  return new ChromaStore(spec, apiKey, embedder);
}

class ChromaStore implements RemoteStore {
  readonly keepsOrder = true;
  readonly vectors: StoredVectors;
  readonly #spec: ChromaRetriever;
  readonly #calls: StoreCalls;
  readonly #queries: QueryVectors;
  readonly #http: JsonHttp;

  constructor(spec: ChromaRetriever, apiKey: string | undefined, embedder: FindEmbedder) {
    this.#spec = spec;
    this.#calls = new StoreCalls({
      name: l10n.t`Chroma at ${spec.url}`,
      timeoutMs: spec.timeoutMs,
      explain: (error, store) => chromaTrouble(error, store, spec),
      secret: apiKey,
    });
    this.#queries = new QueryVectors(spec.embedder, embedder, this.#calls);
    this.#http = new JsonHttp(baseOf(spec), apiKey === undefined ? {} : { 'x-chroma-token': apiKey });
    this.vectors = {
      embedder: spec.embedder,
      fetch: (keys, signal) => this.#fetch(keys, signal),
      nearest: (vector, k, signal) => this.#nearest(vector, k, signal),
    };
  }

  async search({ text }: ExternalQuery, k: number, signal?: AbortSignal): Promise<readonly ExternalResult[]> {
    return this.#nearest(await this.#queries.of(text, signal), k, signal);
  }

  async count(signal?: AbortSignal): Promise<number> {
    const answer = await this.#calls.run(async (end) => {
      const { id } = await this.#collection(end);
      return this.#http.request(pathTo(id, 'count'), undefined, end);
    }, signal);
    return this.#calls.checked(storedCount, answer);
  }

  async check(signal?: AbortSignal): Promise<RetrieverHealth> {
    const count = await this.count(signal);
    const vector = await this.#queries.of('test', signal);
    const { dimension } = await this.#calls.run((end) => this.#collection(end), signal);
    this.#queries.requireSame(vector, dimension ?? undefined);
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
    const records = await this.#recordsOf({ limit, offset, ...this.#filter() }, signal);
    return { records, ...(records.length === limit ? { next: String(offset + limit) } : {}) };
  }

  async records(ids: readonly string[], signal?: AbortSignal): Promise<readonly StoredRecord[]> {
    // Without ids Chroma would send all it has.
    if (ids.length === 0) return [];
    const { idField } = this.#spec;
    return this.#recordsOf(
      idField === undefined ? { ids, ...this.#filter() } : this.#filter(naming(idField, ids)),
      signal,
    );
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
      this.#queries.requireSame(vector, collection.dimension ?? undefined);
      const request = {
        query_embeddings: [[...vector]],
        n_results: k,
        include: ['documents', 'metadatas', 'distances'],
        ...this.#filter(),
      };
      const answer = await this.#http.request(pathTo(collection.id, 'query'), request, end);
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
    const answer = await this.#get({ ids: keys, include: ['embeddings'] }, signal);
    const { ids, embeddings } = this.#calls.checked(vectorColumns, answer);
    return new Map(
      ids.flatMap((id, index): [string, Float32Array][] => {
        const { data: vector } = storedVector.safeParse(embeddings[index]);
        return vector ? [[id, vector]] : [];
      }),
    );
  }

  /** Found anew with every call: a collection that was built again has another id. */
  async #collection(end: AbortSignal): Promise<Collection> {
    const answer = await this.#http.request(`/${encodeURIComponent(this.#spec.collection)}`, undefined, end);
    return this.#calls.checked(foundCollection, answer);
  }

  #get(wanted: object, signal: AbortSignal | undefined): Promise<unknown> {
    return this.#calls.run(async (end) => {
      const { id } = await this.#collection(end);
      return this.#http.request(pathTo(id, 'get'), wanted, end);
    }, signal);
  }

  async #recordsOf(wanted: object, signal: AbortSignal | undefined): Promise<StoredRecord[]> {
    const answer = await this.#get({ ...wanted, include: ['documents', 'metadatas'] }, signal);
    const { ids, documents: texts, metadatas: metadata } = this.#calls.checked(recordColumns, answer);
    return ids.map((id, index) => this.#record(id, texts[index], metadata[index]));
  }

  /** The filter of the pipeline, and what is asked for beside it. */
  #filter(further?: Where): { readonly where?: Where } {
    const { where } = this.#spec;
    if (where === undefined) return further ? { where: further } : {};
    return { where: further ? { $and: [where, further] } : where };
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

/** The collections of the database. */
function baseOf({ url, tenant, database }: ChromaRetriever): string {
  const [tenantPart, databasePart] = [encodeURIComponent(tenant), encodeURIComponent(database)];
  return `${url.replace(/\/$/u, '')}/api/v2/tenants/${tenantPart}/databases/${databasePart}/collections`;
}

function pathTo(collectionId: string, what: 'count' | 'get' | 'query'): string {
  return `/${encodeURIComponent(collectionId)}/${what}`;
}

/** Ids are words here. In metadata they may be whole numbers, and Chroma takes no list of both kinds. */
function naming(field: string, ids: readonly string[]): Where {
  const words = { [field]: { $in: ids } };
  const numbers = ids
    .map(Number)
    .filter((id, index) => Number.isSafeInteger(id) && String(id) === ids[index]);
  return numbers.length === 0 ? words : { $or: [words, { [field]: { $in: numbers } }] };
}

/** Chroma's distances: 1 − cosine, 1 − inner product, or the squared Euclidean distance, its default. */
function scoring({ configuration_json: configuration, metadata }: Collection): (distance: number) => number {
  const space =
    valueAt(configuration, 'hnsw.space') ??
    valueAt(configuration, 'spann.space') ??
    valueAt(metadata, "['hnsw:space']") ??
    'l2';
  return space === 'l2' ? scoreOfDistance : (distance) => 1 - distance;
}

function chromaTrouble(error: unknown, store: string, spec: ChromaRetriever): StoreTrouble {
  if (!(error instanceof HttpStatusError)) return connectionTrouble(store, error);
  const { collection, tenant, database } = spec;
  const { status, data } = error;
  if (status === 401 || status === 403)
    return { sentence: l10n.t`${store} refuses access; check the stored key, the tenant and the database.` };
  const message = valueAt(data, 'message');
  const said = typeof message === 'string' ? message : typeof data === 'string' ? data : messageOf(error);
  return httpTrouble(
    store,
    status,
    said,
    (answer) =>
      l10n.t`${store} has no collection "${collection}" in the database "${database}" of the tenant "${tenant}" (${answer}).`,
  );
}
