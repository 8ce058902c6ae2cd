/**
 * Qdrant through its documented HTTP interface. Its client follows redirects to other servers with the key, and takes no
 * `fetch` of ours.
 */
import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import { messageOf } from '../../../core/errors.ts';
import { ABOUT_FIELDS } from '../../../core/external/about-record.ts';
import { valueAt } from '../../../core/external/results.ts';
import type { ExternalResult } from '../../../core/external/spec.ts';
import type { QdrantRetriever } from '../../../core/external/stores.ts';
import type { ExternalQuery, RetrieverHealth } from '../external-retriever.ts';
import { HttpStatusError, JsonHttp, rawInteger } from './json-http.ts';
import { QueryVectors, scoredByPlace, scoreOfDistance, type FindEmbedder } from './query-vectors.ts';
import type { RecordPage, RemoteStore, StoredRecord, StoredVectors, VectorsByKey } from './remote-store.ts';
import { connectionTrouble, httpTrouble, StoreCalls, type StoreTrouble } from './store-calls.ts';
import { storedCount, storedRecord, storedVector } from './stored-values.ts';

/** Common to all searches. */
type Asked = Readonly<Record<string, unknown>>;

/** Large integers come as strings. */
const pointKey = z.union([z.string(), z.number()]).transform(String);
const recordPoint = z.object({ id: pointKey, payload: z.unknown() });
const foundAnswer = z.object({
  result: z.object({ points: z.array(recordPoint.extend({ score: z.number() })) }),
});
const scrolledAnswer = z.object({
  result: z.object({ points: z.array(recordPoint), next_page_offset: pointKey.nullish() }),
});
const fetchedAnswer = z.object({ result: z.array(z.object({ id: pointKey, vector: z.unknown() })) });
const recordsAnswer = z.object({ result: z.array(recordPoint) });
const countAnswer = z.object({ result: z.object({ count: storedCount }) });
const vectorParams = z.object({ size: z.number(), distance: z.string() });
type VectorParams = z.output<typeof vectorParams>;

/** Unless the URL names another. */
const PORT = 6333;

export function createQdrantStore(
  spec: QdrantRetriever,
  apiKey: string | undefined,
  embedder: FindEmbedder,
): RemoteStore {
  return new QdrantStore(spec, apiKey, embedder);
}

class QdrantStore implements RemoteStore {
  readonly keepsOrder = true;
  readonly vectors: StoredVectors;
  readonly #spec: QdrantRetriever;
  readonly #calls: StoreCalls;
  readonly #queries: QueryVectors;
  readonly #http: JsonHttp;
  readonly #collection: string;
  #vectorParams: VectorParams | undefined;

  constructor(spec: QdrantRetriever, apiKey: string | undefined, embedder: FindEmbedder) {
    this.#spec = spec;
    this.#calls = new StoreCalls({
      name: l10n.t`Qdrant at ${spec.url}`,
      timeoutMs: spec.timeoutMs,
      explain: (error, store) => qdrantTrouble(error, store, spec),
      secret: apiKey,
    });
    this.#queries = new QueryVectors(spec.embedder, embedder, this.#calls);
    this.#http = new JsonHttp(baseOf(spec.url), apiKey === undefined ? {} : { 'api-key': apiKey });
    this.#collection = `/collections/${encodeURIComponent(spec.collection)}`;
    this.vectors = {
      embedder: spec.embedder,
      fetch: (keys, signal) => this.#fetch(keys, signal),
      nearest: (vector, k, signal) => this.#query(vector, { query: [...vector], limit: k }, signal),
    };
  }

  async search({ text }: ExternalQuery, k: number, signal?: AbortSignal): Promise<readonly ExternalResult[]> {
    const vector = await this.#queries.of(text, signal);
    const { mmr } = this.#spec;
    if (!mmr) return this.vectors.nearest(vector, k, signal);
    const { diversity, candidates } = mmr;
    const query = { nearest: [...vector], mmr: { diversity, candidates_limit: candidates } };
    // Greedy selection: the first of many are the same as those of few, as long as the pool is the same.
    const limit = Math.min(k, candidates);
    return scoredByPlace(await this.#query(vector, { query, limit }, signal));
  }

  async count(signal?: AbortSignal): Promise<number> {
    const answer = await this.#ask('/points/count', { exact: true, ...this.#filter }, signal);
    return this.#calls.checked(countAnswer, answer).result.count;
  }

  async check(signal?: AbortSignal): Promise<RetrieverHealth> {
    const count = await this.count(signal);
    const vector = await this.#queries.of('test', signal);
    const { size } = await this.#calls.run((end) => this.#paramsOfVectors(end), signal);
    this.#queries.requireSame(vector, size);
    const { collection } = this.#spec;
    return {
      message:
        count === 1
          ? l10n.t`${this.#calls.name} answers; the collection "${collection}" holds 1 point.`
          : l10n.t`${this.#calls.name} answers; the collection "${collection}" holds ${count} points.`,
      count,
    };
  }

  async page(from: string | undefined, limit: number, signal?: AbortSignal): Promise<RecordPage> {
    const answer = await this.#ask(
      '/points/scroll',
      {
        limit,
        with_payload: this.#payload,
        with_vector: false,
        ...(from === undefined ? {} : { offset: pointId(from) }),
        ...this.#filter,
      },
      signal,
    );
    const { points, next_page_offset: next } = this.#calls.checked(scrolledAnswer, answer).result;
    return {
      records: points.map(({ id, payload }) => this.#record(id, payload)),
      ...(next === null || next === undefined ? {} : { next }),
    };
  }

  async records(ids: readonly string[], signal?: AbortSignal): Promise<readonly StoredRecord[]> {
    const { idField, filter } = this.#spec;
    const wanted = { with_payload: this.#payload, with_vector: false };
    if (idField === undefined) {
      // Qdrant refuses the whole request for one id of another form.
      const keys = ids.filter((id) => POINT_ID.test(id)).map(pointId);
      const answer = await this.#ask('/points', { ids: keys, ...wanted }, signal);
      const points = this.#calls.checked(recordsAnswer, answer).result;
      return points.map(({ id, payload }) => this.#record(id, payload));
    }
    const named = { key: idField, match: { any: [...ids] } };
    const must = filter === undefined ? [named] : [named, filter];
    const request = { limit: ids.length, filter: { must }, ...wanted };
    const answer = await this.#ask('/points/scroll', request, signal);
    const { points } = this.#calls.checked(scrolledAnswer, answer).result;
    return points.map(({ id, payload }) => this.#record(id, payload));
  }

  close(): Promise<void> {
    this.#calls.close();
    return Promise.resolve();
  }

  get #asked(): Asked {
    const { vector, exact, ef } = this.#spec;
    return {
      with_payload: this.#payload,
      with_vector: false,
      params: { exact, ...(ef === undefined ? {} : { hnsw_ef: ef }) },
      ...(vector === undefined ? {} : { using: vector }),
      ...this.#filter,
    };
  }

  get #payload(): string[] {
    const { textField, idField } = this.#spec;
    return [textField, ...(idField === undefined ? [] : [idField]), ...ABOUT_FIELDS];
  }

  get #filter(): { filter?: unknown } {
    const { filter } = this.#spec;
    return filter === undefined ? {} : { filter };
  }

  #query(
    vector: Float32Array,
    request: { readonly query: unknown; readonly limit: number },
    signal: AbortSignal | undefined,
  ): Promise<ExternalResult[]> {
    return this.#calls.run(async (end) => {
      const { size, distance } = await this.#paramsOfVectors(end);
      this.#queries.requireSame(vector, size);
      const answer = await this.#post('/points/query', { ...this.#asked, ...request }, end);
      const { points } = this.#calls.checked(foundAnswer, answer).result;
      return points.slice(0, request.limit).map(({ id, payload, score }) => ({
        ...this.#record(id, payload),
        score: isLength(distance) ? scoreOfDistance(score) : score,
      }));
    }, signal);
  }

  async #fetch(keys: readonly string[], signal: AbortSignal | undefined): Promise<VectorsByKey> {
    const { vector: name } = this.#spec;
    const answer = await this.#ask(
      '/points',
      {
        ids: keys.map(pointId),
        with_payload: false,
        with_vector: name === undefined ? true : [name],
      },
      signal,
    );
    return new Map(
      this.#calls
        .checked(fetchedAnswer, answer)
        .result.flatMap(({ id, vector }): [string, Float32Array][] => {
          const { data: values } = storedVector.safeParse(
            name === undefined ? vector : valueOf(vector, name),
          );
          return values ? [[id, values]] : [];
        }),
    );
  }

  async #paramsOfVectors(signal: AbortSignal): Promise<VectorParams> {
    this.#vectorParams ??= await this.#readVectorParams(signal);
    return this.#vectorParams;
  }

  async #readVectorParams(signal: AbortSignal): Promise<VectorParams> {
    const { collection, vector } = this.#spec;
    const answer = await this.#http.request(this.#collection, undefined, signal);
    const vectors = valueAt(answer, 'result.config.params.vectors');
    const only = vectorParams.safeParse(vectors);
    if (only.success) return only.data;
    const named = vectorParams.safeParse(vector === undefined ? undefined : valueOf(vectors, vector));
    if (named.success) return named.data;
    const names = Object.keys(Object(vectors) as object).join(', ');
    const store = this.#calls.name;
    throw this.#calls.failure(
      vector === undefined
        ? l10n.t`${store} has several vectors in each point of "${collection}": name one of ${names} as "vector".`
        : names === ''
          ? l10n.t`${store} has no vector "${vector}" in the points of "${collection}"; there is none.`
          : l10n.t`${store} has no vector "${vector}" in the points of "${collection}"; there is ${names}.`,
    );
  }

  #ask(path: string, body: object, signal: AbortSignal | undefined): Promise<unknown> {
    return this.#calls.run((end) => this.#post(path, body, end), signal);
  }

  #post(path: string, body: object, end: AbortSignal): Promise<unknown> {
    return this.#http.request(`${this.#collection}${path}`, body, end);
  }

  #record(key: string, payload: unknown): StoredRecord {
    const { textField, idField } = this.#spec;
    const id = idField === undefined ? key : valueAt(payload, idField);
    return storedRecord(key, id, valueAt(payload, textField), payload);
  }
}

/** With the port that Qdrant listens on, unless the URL names another. */
function baseOf(url: string): string {
  const base = new URL(url);
  if (base.port === '') base.port = String(PORT);
  return base.href;
}

const POINT_ID = /^(?:\d{1,20}|[\da-f]{8}-?[\da-f]{4}-?[\da-f]{4}-?[\da-f]{4}-?[\da-f]{12})$/iu;

/** Point ids are unsigned integers of 64 bits, or UUIDs. */
function pointId(key: string): unknown {
  return /^\d+$/u.test(key) ? rawInteger(key) : key;
}

const isLength = (distance: string): boolean => distance === 'Euclid' || distance === 'Manhattan';

function valueOf(object: unknown, name: string): unknown {
  return typeof object === 'object' && object !== null && Object.hasOwn(object, name)
    ? (object as Record<string, unknown>)[name]
    : undefined;
}

function qdrantTrouble(error: unknown, store: string, { collection }: QdrantRetriever): StoreTrouble {
  if (!(error instanceof HttpStatusError)) return connectionTrouble(store, error);
  const { data } = error;
  const said = valueAt(data, 'status.error');
  return httpTrouble(
    store,
    error.status,
    typeof said === 'string' ? said : typeof data === 'string' ? data : messageOf(error),
    (answer) => l10n.t`${store} has no collection "${collection}" (${answer}).`,
  );
}
