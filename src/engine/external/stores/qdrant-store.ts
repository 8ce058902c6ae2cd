/**
 * Qdrant through its documented HTTP interface. Its client follows redirects to other servers with the key, and does
 * not accept `outgoingFetch`.
 */
import * as l10n from '@vscode/l10n';
import { counted } from '../../../core/counted.ts';
import * as z from 'zod';
import { ABOUT_FIELDS } from '../../../core/external/about-record.ts';
import { valueAt } from '../../../core/external/results.ts';
import type { ExternalResult } from '../../../core/external/spec.ts';
import type { QdrantRetriever } from '../../../core/external/stores/qdrant.ts';
import {
  openHttpStore,
  StoreDialect,
  type AskedOf,
  type CollectionFacts,
  type Near,
  type Results,
} from './dialect-store.ts';
import { rawInteger } from './json-http.ts';
import { scoredByPlace, scoreOfDistance, type FindEmbedder } from './query-vectors.ts';
import type { RemoteStore, StoredRecord, VectorsByKey } from './remote-store.ts';
import { storedCount, storedRecord, vectorsByKey, distinctNames } from './stored-values.ts';
import { QdrantWriter } from './writers/qdrant-writer.ts';
import { listOf } from '../../../core/formats/lists.ts';

/** Parameters that all searches share. */
type SearchSettings = Readonly<Record<string, unknown>>;

/** Large integers are parsed as strings. */
const pointKey = z.union([z.string(), z.number()]).transform(String);
const recordPoint = z.object({ id: pointKey, payload: z.unknown() });
const foundAnswer = z.object({
  result: z.object({ points: listOf(recordPoint.extend({ score: z.number() })) }),
});
const scrolledAnswer = z.object({ result: z.object({ points: listOf(recordPoint) }) });
const fetchedAnswer = z.object({ result: listOf(z.object({ id: pointKey, vector: z.unknown() })) });
const recordsAnswer = z.object({ result: listOf(recordPoint) });
const countAnswer = z.object({ result: z.object({ count: storedCount }) });
const vectorParams = z
  .object({ size: z.number(), distance: z.string() })
  .transform(({ size, distance }) => ({ dimensions: size, distance }));

/** The default port. */
const PORT = 6333;

export function createStore(
  spec: QdrantRetriever,
  apiKey: string | undefined,
  embedder: FindEmbedder,
): RemoteStore {
  const name = l10n.t`Qdrant at ${spec.url}`;
  return openHttpStore(Qdrant, spec, embedder, {
    name,
    base: `${baseOf(spec.url)}/collections/${encodeURIComponent(spec.collection)}`,
    headers: apiKey === undefined ? {} : { 'api-key': apiKey },
    says: ['status.error'],
    absent: (answer) => l10n.t`${name} has no collection "${spec.collection}" (${answer}).`,
    secret: apiKey,
  });
}

interface QdrantFacts extends CollectionFacts {
  readonly distance: string;
}

class Qdrant extends StoreDialect<QdrantRetriever, QdrantFacts> {
  override readonly writer = new QdrantWriter(this);
  readonly asksByVector = true;

  override search({ near }: AskedOf<QdrantFacts>, k: number, end: AbortSignal): Promise<Results> {
    const { mmr } = this.spec;
    return mmr ? this.#diverse(near!, k, mmr, end) : this.nearest(near!, k, end);
  }

  nearest({ vector, facts }: Near<QdrantFacts>, k: number, end: AbortSignal): Promise<Results> {
    return this.#query({ query: [...vector], limit: k }, facts, end);
  }

  async count(end: AbortSignal): Promise<number> {
    const answer = await this.client.request('/points/count', { exact: true, ...this.#filter }, end);
    return this.calls.checked(countAnswer, answer).result.count;
  }

  override async first(limit: number, end: AbortSignal): Promise<readonly StoredRecord[]> {
    const request = { limit, with_payload: this.#payload, with_vector: false, ...this.#filter };
    const answer = await this.client.request('/points/scroll', request, end);
    const { points } = this.calls.checked(scrolledAnswer, answer).result;
    return points.map(({ id, payload }) => this.#record(id, payload));
  }

  async records(ids: readonly string[], end: AbortSignal): Promise<readonly StoredRecord[]> {
    const { idField, filter } = this.spec;
    const options = { with_payload: this.#payload, with_vector: false };
    if (idField === undefined) {
      // Qdrant refuses the whole request if one id has another form.
      const keys = ids.filter((id) => POINT_ID.test(id)).map(pointId);
      const answer = await this.client.request('/points', { ids: keys, ...options }, end);
      const points = this.calls.checked(recordsAnswer, answer).result;
      return points.map(({ id, payload }) => this.#record(id, payload));
    }
    const named = { key: idField, match: { any: [...ids] } };
    const must = filter === undefined ? [named] : [named, filter];
    const request = { limit: ids.length, filter: { must }, ...options };
    const answer = await this.client.request('/points/scroll', request, end);
    const { points } = this.calls.checked(scrolledAnswer, answer).result;
    return points.map(({ id, payload }) => this.#record(id, payload));
  }

  async fetch(keys: readonly string[], end: AbortSignal): Promise<VectorsByKey> {
    const { vector: name } = this.spec;
    const answer = await this.client.request(
      '/points',
      {
        ids: keys.map(pointId),
        with_payload: false,
        with_vector: name === undefined ? true : [name],
      },
      end,
    );
    const points = this.calls.checked(fetchedAnswer, answer).result;
    return vectorsByKey(
      points.map(({ id, vector }) => [id, name === undefined ? vector : valueOf(vector, name)]),
    );
  }

  wellness(store: string, count: number): string {
    const { collection } = this.spec;
    return counted(
      l10n.t('{1} answers; the collection "{2}" has {0} [0:point|points].'),
      count,
      store,
      collection,
    );
  }

  async #diverse(
    { vector, facts }: Near<QdrantFacts>,
    k: number,
    { diversity, candidates }: NonNullable<QdrantRetriever['mmr']>,
    end: AbortSignal,
  ): Promise<Results> {
    const query = { nearest: [...vector], mmr: { diversity, candidates_limit: candidates } };
    // Greedy selection: the first of many are the same as a few, if the pool is the same.
    const limit = Math.min(k, candidates);
    return scoredByPlace(await this.#query({ query, limit }, facts, end));
  }

  get #asked(): SearchSettings {
    const { vector, exact, ef } = this.spec;
    return {
      with_payload: this.#payload,
      with_vector: false,
      params: { exact, ...(ef === undefined ? {} : { hnsw_ef: ef }) },
      ...(vector === undefined ? {} : { using: vector }),
      ...this.#filter,
    };
  }

  get #payload(): string[] {
    const { textField, idField } = this.spec;
    return distinctNames(textField, idField, ...ABOUT_FIELDS);
  }

  get #filter(): { filter?: unknown } {
    const { filter } = this.spec;
    return filter === undefined ? {} : { filter };
  }

  async #query(
    request: { readonly query: unknown; readonly limit: number },
    { distance }: QdrantFacts,
    end: AbortSignal,
  ): Promise<ExternalResult[]> {
    const answer = await this.client.request('/points/query', { ...this.#asked, ...request }, end);
    const { points } = this.calls.checked(foundAnswer, answer).result;
    return points.map(({ id, payload, score }) => ({
      ...this.#record(id, payload),
      score: isLength(distance) ? scoreOfDistance(score) : score,
    }));
  }

  protected async readFacts(end: AbortSignal): Promise<QdrantFacts> {
    const { collection, vector } = this.spec;
    const answer = await this.client.request('', undefined, end);
    const vectors = valueAt(answer, 'result.config.params.vectors');
    const only = vectorParams.safeParse(vectors);
    if (only.success) return only.data;
    const named = vectorParams.safeParse(vector === undefined ? undefined : valueOf(vectors, vector));
    if (named.success) return named.data;
    const names = Object.keys(Object(vectors) as object).join(', ');
    const store = this.calls.name;
    throw this.calls.failure(
      vector === undefined
        ? l10n.t`${store} has several vectors in each point of "${collection}": name one of ${names} as "vector".`
        : names === ''
          ? l10n.t`${store} has no vector "${vector}" in the points of "${collection}"; there is none.`
          : l10n.t`${store} has no vector "${vector}" in the points of "${collection}"; there is ${names}.`,
    );
  }

  #record(key: string, payload: unknown): StoredRecord {
    const { textField, idField } = this.spec;
    const id = idField === undefined ? key : valueAt(payload, idField);
    return storedRecord(key, id, valueAt(payload, textField), payload);
  }
}

/** With Qdrant's default port, unless the URL names another. */
function baseOf(url: string): string {
  const base = new URL(url);
  if (base.port === '') base.port = String(PORT);
  return base.href.replace(/\/$/u, '');
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
