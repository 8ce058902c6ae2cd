/** Qdrant through its official client. */
import * as l10n from '@vscode/l10n';
import type { QdrantClient, Schemas } from '@qdrant/js-client-rest';
import * as z from 'zod';
import { messageOf } from '../../../core/errors.ts';
import { valueAt } from '../../../core/external/results.ts';
import type { ExternalResult } from '../../../core/external/spec.ts';
import type { QdrantRetriever } from '../../../core/external/stores.ts';
import type { ExternalQuery, RetrieverHealth } from '../external-retriever.ts';
import { Once } from './once.ts';
import { QueryVectors, scoredByPlace, scoreOfDistance, type FindEmbedder } from './query-vectors.ts';
import type { RecordPage, RemoteStore, StoredRecord, StoredVectors, VectorsByKey } from './remote-store.ts';
import { connectionTrouble, httpTrouble, StoreCalls, type StoreTrouble } from './store-calls.ts';
import { storedCount, storedRecord, storedVector } from './stored-values.ts';

type PointId = Schemas['ExtendedPointId'];
type QueryRequest = Schemas['QueryRequest'];

/** What is read of its answers: the client hands on whatever comes, large integers as `bigint`. */
const pointKey = z.union([z.string(), z.number(), z.bigint()]).transform(String);
const recordPoint = z.object({ id: pointKey, payload: z.unknown() });
const foundAnswer = z.object({
  result: z.object({ points: z.array(recordPoint.extend({ score: z.number() })) }),
});
const scrolledAnswer = z.object({
  result: z.object({ points: z.array(recordPoint), next_page_offset: pointKey.nullish() }),
});
const fetchedAnswer = z.object({ result: z.array(z.object({ id: pointKey, vector: z.unknown() })) });
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
  readonly vectors: StoredVectors;
  readonly #spec: QdrantRetriever;
  readonly #calls: StoreCalls;
  readonly #queries: QueryVectors;
  readonly #client: Once<QdrantClient>;
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
    this.#client = new Once(() => createClient(spec, apiKey));
    this.vectors = {
      embedder: spec.embedder,
      fetch: (keys, signal) => this.#fetch(keys, signal),
      nearest: (vector, k, signal) =>
        this.#query(vector, { ...this.#asked, query: [...vector], limit: k }, signal),
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
    return scoredByPlace(await this.#query(vector, { ...this.#asked, query, limit }, signal));
  }

  async count(signal?: AbortSignal): Promise<number> {
    const { collection: collection_name } = this.#spec;
    const { data } = await this.#calls.run(
      async (end) =>
        (await this.#api()).countPoints({ collection_name, exact: true, ...this.#filter }, { signal: end }),
      signal,
    );
    return this.#calls.checked(countAnswer, data).result.count;
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
    const { collection: collection_name } = this.#spec;
    const { data } = await this.#calls.run(
      async (end) =>
        (await this.#api()).scrollPoints(
          {
            collection_name,
            limit,
            with_payload: this.#payload,
            with_vector: false,
            ...(from === undefined ? {} : { offset: pointId(from) }),
            ...this.#filter,
          },
          { signal: end },
        ),
      signal,
    );
    const { points, next_page_offset: next } = this.#calls.checked(scrolledAnswer, data).result;
    return {
      records: points.map(({ id, payload }) => this.#record(id, payload)),
      ...(next === null || next === undefined ? {} : { next }),
    };
  }

  close(): Promise<void> {
    this.#calls.close();
    return Promise.resolve();
  }

  /** What all searches have in common. */
  get #asked(): QueryRequest {
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
    return idField === undefined ? [textField] : [textField, idField];
  }

  get #filter(): { filter?: Schemas['Filter'] } {
    const { filter } = this.#spec;
    return filter === undefined ? {} : { filter: filter as Schemas['Filter'] };
  }

  #query(
    vector: Float32Array,
    request: QueryRequest,
    signal: AbortSignal | undefined,
  ): Promise<ExternalResult[]> {
    return this.#calls.run(async (end) => {
      const { size, distance } = await this.#paramsOfVectors(end);
      this.#queries.requireSame(vector, size);
      const { data } = await (
        await this.#api()
      ).queryPoints({ collection_name: this.#spec.collection, ...request }, { signal: end });
      const { points } = this.#calls.checked(foundAnswer, data).result;
      return points.slice(0, request.limit ?? undefined).map(({ id, payload, score }) => ({
        ...this.#record(id, payload),
        score: isLength(distance) ? scoreOfDistance(score) : score,
      }));
    }, signal);
  }

  async #fetch(keys: readonly string[], signal: AbortSignal | undefined): Promise<VectorsByKey> {
    const { collection: collection_name, vector: name } = this.#spec;
    const { data } = await this.#calls.run(
      async (end) =>
        (await this.#api()).getPoints(
          {
            collection_name,
            ids: keys.map(pointId),
            with_payload: false,
            with_vector: name === undefined ? true : [name],
          },
          { signal: end },
        ),
      signal,
    );
    return new Map(
      this.#calls.checked(fetchedAnswer, data).result.flatMap(({ id, vector }): [string, Float32Array][] => {
        const { data: values } = storedVector.safeParse(name === undefined ? vector : valueOf(vector, name));
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
    const { data } = await (await this.#api()).getCollection({ collection_name: collection }, { signal });
    const vectors = valueAt(data, 'result.config.params.vectors');
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

  async #api(): Promise<ReturnType<QdrantClient['api']>> {
    return (await this.#client.get()).api();
  }

  #record(key: string, payload: unknown): StoredRecord {
    const { textField, idField } = this.#spec;
    const id = idField === undefined ? key : valueAt(payload, idField);
    return storedRecord(key, id, valueAt(payload, textField));
  }
}

async function createClient({ url }: QdrantRetriever, apiKey: string | undefined): Promise<QdrantClient> {
  const { QdrantClient: Client } = await import('@qdrant/js-client-rest');
  const { origin, pathname, port } = new URL(url);
  return new Client({
    url: origin,
    port: Number(port || PORT),
    ...(pathname === '/' ? {} : { prefix: pathname.replace(/\/$/, '') }),
    ...(apiKey === undefined ? {} : { apiKey }),
    // Calls end by their own signals, which the client's timeout would replace.
    timeout: Number.POSITIVE_INFINITY,
    // It would ask the server before anybody asks for anything.
    checkCompatibility: false,
  });
}

/** Point ids are unsigned integers of 64 bits, or UUIDs. The client sends large ones as they are, whatever its types say. */
function pointId(key: string): PointId {
  if (!/^\d+$/.test(key)) return key;
  const number = Number(key);
  return Number.isSafeInteger(number) ? number : (BigInt(key) as unknown as PointId);
}

const isLength = (distance: string): boolean => distance === 'Euclid' || distance === 'Manhattan';

function valueOf(object: unknown, name: string): unknown {
  return typeof object === 'object' && object !== null && Object.hasOwn(object, name)
    ? (object as Record<string, unknown>)[name]
    : undefined;
}

function qdrantTrouble(error: unknown, store: string, { collection }: QdrantRetriever): StoreTrouble {
  if (!(error instanceof Error) || !('status' in error) || typeof error.status !== 'number')
    return connectionTrouble(store, error);
  const data = 'data' in error ? error.data : undefined;
  const said = valueAt(data, 'status.error');
  return httpTrouble(
    store,
    error.status,
    typeof said === 'string' ? said : typeof data === 'string' ? data : messageOf(error),
    (answer) => l10n.t`${store} has no collection "${collection}" (${answer}).`,
  );
}
