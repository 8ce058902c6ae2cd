/**
 * OpenSearch and Elasticsearch through what their documented HTTP interfaces have in common. The client of the former
 * reads answers of any size, and takes no `fetch` of ours.
 */
import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import { messageOf } from '../../../core/errors.ts';
import { valueAt } from '../../../core/external/results.ts';
import type { ExternalResult } from '../../../core/external/spec.ts';
import type { OpenSearchRetriever } from '../../../core/external/stores.ts';
import type { ExternalQuery, RetrieverHealth } from '../external-retriever.ts';
import { HttpStatusError, JsonHttp } from './json-http.ts';
import {
  bm25Request,
  countRequest,
  hybridRequest,
  knnRequest,
  pageRequest,
  recordsRequest,
  vectorsRequest,
  type SearchRequest,
} from './opensearch-requests.ts';
import { QueryVectors, scoredByPlace, type FindEmbedder } from './query-vectors.ts';
import type { RecordPage, RemoteStore, StoredRecord, StoredVectors, VectorsByKey } from './remote-store.ts';
import { connectionTrouble, httpTrouble, StoreCalls, type StoreTrouble } from './store-calls.ts';
import { storedCount, storedRecord, storedVector } from './stored-values.ts';

const hitSchema = z.object({
  _id: z.string(),
  _score: z.number().nullish(),
  _source: z.unknown().optional(),
  fields: z.unknown().optional(),
});
type Hit = z.output<typeof hitSchema>;
const searchAnswer = z.object({ hits: z.object({ hits: z.array(hitSchema) }) });
const countAnswer = z.object({ count: storedCount });
/** By the name of each index that the name stands for. */
const mappingAnswer = z.record(z.string(), z.object({ mappings: z.object({ properties: z.unknown() }) }));

/** Nothing beyond can be reached by paging, unless the index was told otherwise (`index.max_result_window`). */
const PAGEABLE = 10_000;

/** @param secret an API key, or the password where the spec names a user */
export function createOpenSearchStore(
  spec: OpenSearchRetriever,
  secret: string | undefined,
  embedder: FindEmbedder,
): RemoteStore {
  return new OpenSearchStore(spec, secret, embedder);
}

class OpenSearchStore implements RemoteStore {
  /** Copies of a shard keep their documents in orders of their own. */
  readonly keepsOrder = false;
  readonly vectors: StoredVectors | undefined;
  readonly #spec: OpenSearchRetriever;
  readonly #calls: StoreCalls;
  readonly #queries: QueryVectors | undefined;
  readonly #http: JsonHttp;
  /** Of the vector field, once it was looked up; the mapping need not say. */
  #field: { readonly dimensions: number | undefined } | undefined;

  constructor(spec: OpenSearchRetriever, secret: string | undefined, embedder: FindEmbedder) {
    this.#spec = spec;
    this.#calls = new StoreCalls({
      name:
        spec.engine === 'opensearch'
          ? l10n.t`OpenSearch at ${spec.url}`
          : l10n.t`Elasticsearch at ${spec.url}`,
      timeoutMs: spec.timeoutMs,
      explain: (error, store) => openSearchTrouble(error, store, spec),
      secret,
      user: spec.user,
    });
    this.#http = new JsonHttp(
      `${spec.url.replace(/\/$/u, '')}/${encodeURIComponent(spec.index)}`,
      access(spec, secret),
    );
    if (spec.embedder === undefined) return;
    this.#queries = new QueryVectors(spec.embedder, embedder, this.#calls);
    if (spec.vectorField === undefined) return;
    this.vectors = {
      embedder: spec.embedder,
      fetch: (keys, signal) => this.#fetch(keys, signal),
      nearest: (vector, k, signal) =>
        this.#byVector(vector, knnRequest(spec, vector, k, { ownMmr: false }), k, signal),
    };
  }

  async search({ text }: ExternalQuery, k: number, signal?: AbortSignal): Promise<readonly ExternalResult[]> {
    const { mode, mmr } = this.#spec;
    if (mode === 'bm25') return this.#search(bm25Request(this.#spec, text, k), k, signal);
    const vector = await this.#queryVectors.of(text, signal);
    if (mode === 'hybrid')
      return this.#byVector(vector, hybridRequest(this.#spec, text, vector, k), k, signal);
    const request = knnRequest(this.#spec, vector, k, { ownMmr: true });
    const results = await this.#byVector(vector, request, k, signal);
    return mmr ? scoredByPlace(results) : results;
  }

  async count(signal?: AbortSignal): Promise<number> {
    const answer = await this.#calls.run(
      (end) => this.#post(countAnswer, '_count', countRequest(this.#spec), end),
      signal,
    );
    return answer.count;
  }

  async check(signal?: AbortSignal): Promise<RetrieverHealth> {
    const count = await this.count(signal);
    await this.search({ text: 'test' }, 1, signal);
    return {
      message:
        count === 1
          ? l10n.t`${this.#calls.name} answers; the index "${this.#spec.index}" holds 1 document.`
          : l10n.t`${this.#calls.name} answers; the index "${this.#spec.index}" holds ${count} documents.`,
      count,
    };
  }

  async page(from: string | undefined, limit: number, signal?: AbortSignal): Promise<RecordPage> {
    const begin = Number(from ?? 0);
    const size = Math.max(0, Math.min(limit, PAGEABLE - begin));
    if (size === 0) return { records: [] };
    const hits = await this.#hits(pageRequest(this.#spec, begin, size), signal);
    return {
      records: hits.map((hit) => this.#record(hit)),
      ...(hits.length === limit ? { next: String(begin + limit) } : {}),
    };
  }

  async records(ids: readonly string[], signal?: AbortSignal): Promise<readonly StoredRecord[]> {
    const hits = await this.#hits(recordsRequest(this.#spec, ids), signal);
    return hits.map((hit) => this.#record(hit));
  }

  close(): Promise<void> {
    this.#calls.close();
    return Promise.resolve();
  }

  get #queryVectors(): QueryVectors {
    if (this.#queries) return this.#queries;
    throw this.#calls.failure(
      l10n.t`${this.#calls.name} is to be searched by vectors, but the pipeline names no embedder.`,
    );
  }

  async #byVector(
    vector: Float32Array,
    request: SearchRequest,
    k: number,
    signal: AbortSignal | undefined,
  ): Promise<readonly ExternalResult[]> {
    this.#field ??= await this.#calls.run((end) => this.#readField(end), signal);
    this.#queryVectors.requireSame(vector, this.#field.dimensions);
    return this.#search(request, k, signal);
  }

  async #search(
    request: SearchRequest,
    k: number,
    signal: AbortSignal | undefined,
  ): Promise<readonly ExternalResult[]> {
    const hits = await this.#hits(request, signal);
    return hits
      .slice(0, k)
      .map((hit, place) => ({ ...this.#record(hit), score: hit._score ?? 1 / (place + 1) }));
  }

  async #hits(request: SearchRequest, signal: AbortSignal | undefined): Promise<readonly Hit[]> {
    const { hits } = await this.#calls.run(
      (end) => this.#post(searchAnswer, '_search', request, end),
      signal,
    );
    return hits.hits;
  }

  async #fetch(keys: readonly string[], signal: AbortSignal | undefined): Promise<VectorsByKey> {
    const { vectorField = '' } = this.#spec;
    const hits = await this.#hits(vectorsRequest(this.#spec, keys), signal);
    return new Map(
      hits.flatMap(({ _id, _source, fields }): [string, Float32Array][] => {
        // Fields are named by their whole path, the source is nested along it.
        const listed = valueAt(fields, `['${vectorField}']`);
        const { data: vector } = storedVector.safeParse(listed ?? valueAt(_source, vectorField));
        return vector ? [[_id, vector]] : [];
      }),
    );
  }

  async #readField(end: AbortSignal): Promise<{ dimensions: number | undefined }> {
    const { index, vectorField = '' } = this.#spec;
    const path = vectorField.replaceAll('.', '.properties.');
    const indices = Object.values(await this.#request(mappingAnswer, '_mapping', {}, end));
    const fields = indices.map(({ mappings }) => valueAt(mappings.properties, path));
    const field = fields.find((found) => found !== undefined);
    if (field === undefined)
      throw this.#calls.failure(
        l10n.t`${this.#calls.name} has no field "${vectorField}" in the index "${index}".`,
      );
    const found = z.number().safeParse(valueAt(field, 'dimension') ?? valueAt(field, 'dims'));
    return { dimensions: found.data };
  }

  #post<T>(answer: z.ZodType<T>, endpoint: string, request: SearchRequest, end: AbortSignal): Promise<T> {
    return this.#request(answer, endpoint, request, end);
  }

  async #request<T>(
    answer: z.ZodType<T>,
    endpoint: string,
    { body, parameters }: Partial<SearchRequest>,
    end: AbortSignal,
  ): Promise<T> {
    const query = parameters === undefined ? '' : `?${new URLSearchParams(parameters).toString()}`;
    const parsed = answer.safeParse(await this.#http.request(`/${endpoint}${query}`, body, end));
    if (parsed.success) return parsed.data;
    throw this.#calls.failure(l10n.t`${this.#calls.name} did not answer as OpenSearch does to ${endpoint}.`);
  }

  #record({ _id: key, _source }: Hit): StoredRecord {
    const { textField, idField } = this.#spec;
    const id = idField === undefined ? key : valueAt(_source, idField);
    return storedRecord(key, id, valueAt(_source, textField), _source);
  }
}

function access(
  { engine, user }: OpenSearchRetriever,
  secret: string | undefined,
): Readonly<Record<string, string>> {
  if (secret === undefined) return {};
  const scheme = engine === 'elasticsearch' ? 'ApiKey' : 'Bearer';
  const authorization =
    user === undefined
      ? `${scheme} ${secret}`
      : `Basic ${Buffer.from(`${user}:${secret}`).toString('base64')}`;
  return { authorization };
}

function openSearchTrouble(error: unknown, store: string, { index }: OpenSearchRetriever): StoreTrouble {
  if (!(error instanceof HttpStatusError)) return connectionTrouble(store, error);
  const { status, data } = error;
  // The cause is what the store could not do; the error itself often says only that a phase failed.
  const reason =
    valueAt(data, 'error.root_cause[0].reason') ??
    valueAt(data, 'error.reason') ??
    valueAt(data, 'error') ??
    data;
  return httpTrouble(
    store,
    status,
    typeof reason === 'string' ? reason : messageOf(error),
    (answer) => l10n.t`${store} has no index "${index}" (${answer}).`,
  );
}
