/**
 * OpenSearch and Elasticsearch through the common part of their documented HTTP interfaces. OpenSearch's client reads
 * answers of any size, and does not accept `outgoingFetch`.
 */
import * as l10n from '@vscode/l10n';
import { counted } from '../../../core/counted.ts';
import * as z from 'zod';
import type { Read } from '../../../core/read.ts';
import { valueAt } from '../../../core/external/results.ts';
import type { ExternalResult } from '../../../core/external/spec.ts';
import type { OpenSearchRetriever } from '../../../core/external/stores/opensearch.ts';
import {
  openHttpStore,
  StoreDialect,
  withoutSlash,
  type AskedOf,
  type CollectionFacts,
  type Near,
  type Results,
} from './dialect-store.ts';
import { OpenSearchWriter } from './writers/opensearch-writer.ts';
import {
  bm25Request,
  countRequest,
  hybridRequest,
  knnRequest,
  recordsRequest,
  vectorsRequest,
  type SearchRequest,
} from './opensearch-requests.ts';
import { scoredByPlace, type FindEmbedder } from './query-vectors.ts';
import type { RemoteStore, StoredRecord, VectorsByKey } from './remote-store.ts';
import { storedCount, storedRecord, vectorsByKey } from './stored-values.ts';
import { listOf, recordOf } from '../../../core/formats/lists.ts';

const hitSchema = z.object({
  _id: z.string(),
  _score: z.number().nullish(),
  _source: z.unknown().optional(),
  fields: z.unknown().optional(),
});
type Hit = Read<typeof hitSchema>;
const searchAnswer = z.object({ hits: z.object({ hits: listOf(hitSchema) }) });
const countAnswer = z.object({ count: storedCount });
/** By the name of each index behind the name. */
const mappingAnswer = recordOf(z.object({ mappings: z.object({ properties: z.unknown() }) }));

/** @param secret an API key, or the password if the spec names a user */
export function createStore(
  spec: OpenSearchRetriever,
  secret: string | undefined,
  embedder: FindEmbedder,
): RemoteStore {
  const name =
    spec.engine === 'opensearch' ? l10n.t`OpenSearch at ${spec.url}` : l10n.t`Elasticsearch at ${spec.url}`;
  return openHttpStore(OpenSearch, spec, embedder, {
    name,
    base: `${withoutSlash(spec.url)}/${encodeURIComponent(spec.index)}`,
    headers: access(spec, secret),
    // The cause contains the reason. The error itself often only says that a phase failed.
    says: ['error.root_cause[0].reason', 'error.reason', 'error'],
    absent: (answer) => l10n.t`${name} has no index "${spec.index}" (${answer}).`,
    secret,
    user: spec.user,
    findsVectors: spec.vectorField !== undefined,
  });
}

class OpenSearch extends StoreDialect<OpenSearchRetriever, CollectionFacts> {
  /** Copies of a shard have their documents in different orders. */
  readonly asksByVector = this.spec.mode !== 'bm25';
  override readonly writer = new OpenSearchWriter(this);

  override async search(
    { text, near }: AskedOf<CollectionFacts>,
    k: number,
    end: AbortSignal,
  ): Promise<Results> {
    const { mode, mmr } = this.spec;
    if (!near || mode === 'bm25') return this.#search(bm25Request(this.spec, text, k), end);
    if (mode === 'hybrid') return this.#search(hybridRequest(this.spec, text, near.vector, k), end);
    const results = await this.#search(knnRequest(this.spec, near.vector, k, { ownMmr: true }), end);
    return mmr ? scoredByPlace(results) : results;
  }

  nearest({ vector }: Near<CollectionFacts>, k: number, end: AbortSignal): Promise<Results> {
    return this.#search(knnRequest(this.spec, vector, k, { ownMmr: false }), end);
  }

  async count(end: AbortSignal): Promise<number> {
    return (await this.#request(countAnswer, '_count', countRequest(this.spec), end)).count;
  }

  async records(ids: readonly string[], end: AbortSignal): Promise<readonly StoredRecord[]> {
    const hits = await this.#hits(recordsRequest(this.spec, ids), end);
    return hits.map((hit) => this.#record(hit));
  }

  async fetch(keys: readonly string[], end: AbortSignal): Promise<VectorsByKey> {
    const { vectorField = '' } = this.spec;
    const hits = await this.#hits(vectorsRequest(this.spec, keys), end);
    // Fields are named by their whole path, while the source is nested.
    return vectorsByKey(
      hits.map(({ _id, _source, fields }) => [
        _id,
        valueAt(fields, `['${vectorField}']`) ?? valueAt(_source, vectorField),
      ]),
    );
  }

  wellness(store: string, count: number): string {
    const { index } = this.spec;
    return counted(
      l10n.t('{1} answers; the index "{2}" has {0} [0:document|documents].'),
      count,
      store,
      index,
    );
  }

  async #search(request: SearchRequest, end: AbortSignal): Promise<readonly ExternalResult[]> {
    const hits = await this.#hits(request, end);
    return hits.map((hit, place) => ({ ...this.#record(hit), score: hit._score ?? 1 / (place + 1) }));
  }

  async #hits(request: SearchRequest, end: AbortSignal): Promise<readonly Hit[]> {
    return (await this.#request(searchAnswer, '_search', request, end)).hits.hits;
  }

  protected async readFacts(end: AbortSignal): Promise<CollectionFacts> {
    const { index, vectorField = '' } = this.spec;
    const path = vectorField.replaceAll('.', '.properties.');
    const indices = Object.values(await this.#request(mappingAnswer, '_mapping', {}, end));
    const fields = indices.map(({ mappings }) => valueAt(mappings.properties, path));
    const field = fields.find((candidate) => candidate !== undefined);
    if (field === undefined)
      throw this.calls.failure(
        l10n.t`${this.calls.name} has no field "${vectorField}" in the index "${index}".`,
      );
    const dimensions = z.number().safeParse(valueAt(field, 'dimension') ?? valueAt(field, 'dims'));
    return { dimensions: dimensions.data };
  }

  async #request<T>(
    answer: z.ZodType<T>,
    endpoint: string,
    { body, parameters }: Partial<SearchRequest>,
    end: AbortSignal,
  ): Promise<T> {
    const query = parameters === undefined ? '' : `?${new URLSearchParams(parameters).toString()}`;
    const parsed = answer.safeParse(await this.client.request(`/${endpoint}${query}`, body, end));
    if (parsed.success) return parsed.data;
    throw this.calls.failure(l10n.t`${this.calls.name} did not answer as OpenSearch does to ${endpoint}.`);
  }

  #record({ _id: key, _source }: Hit): StoredRecord {
    const { textField, idField } = this.spec;
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
