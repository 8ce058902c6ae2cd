/** Chroma through its documented HTTP interface. Its client refuses filters that its server accepts, and any `$and`. */
import * as l10n from '@vscode/l10n';
import { counted } from '../../../core/counted.ts';
import * as z from 'zod';
import type { Read } from '../../../core/read.ts';
import type { ChromaRetriever } from '../../../core/external/stores/chroma.ts';
import { valueAt } from '../../../core/external/results.ts';
import { bothFilters } from './both-filters.ts';
import {
  openHttpStore,
  StoreDialect,
  type CollectionFacts,
  type Near,
  type Results,
} from './dialect-store.ts';
import { ChromaWriter } from './writers/chroma-writer.ts';
import { scoreOfDistance, type FindEmbedder } from './query-vectors.ts';
import type { RemoteStore, StoredRecord, VectorsByKey } from './remote-store.ts';
import { idsOfBothKinds, storedCount, storedRecord, vectorsByKey } from './stored-values.ts';
import { listOf } from '../../../core/formats/lists.ts';

const foundCollection = z.object({
  /** Part of the URL of later requests. */
  id: z
    .string()
    .min(1)
    .refine((id) => id.isWellFormed()),
  /** The dimensions of its vectors. Missing while it is empty. */
  dimension: z.number().nullish(),
  configuration_json: z.unknown(),
  metadata: z.unknown(),
});
type Collection = Read<typeof foundCollection>;

/** Answers are in columns. */
const documents = listOf(z.string().nullable());
const metadatas = listOf(z.record(z.string(), z.unknown()).nullable());
const recordColumns = z.object({ ids: listOf(z.string()), documents, metadatas });
/** One row for each vector of the request. */
const foundColumns = z.object({
  ids: z.tuple([listOf(z.string())]),
  documents: z.tuple([documents]),
  metadatas: z.tuple([metadatas]),
  /** A vector of zeros has no cosine, and so no distance. */
  distances: z.tuple([listOf(z.number().nullable())]),
});
const vectorColumns = z.object({ ids: listOf(z.string()), embeddings: z.array(z.unknown()) });

/** A filter on metadata, in Chroma's own language. */
type Where = Readonly<Record<string, unknown>>;

/** @param apiKey sent as the x-chroma-token if the spec names a key */
export function createStore(
  spec: ChromaRetriever,
  apiKey: string | undefined,
  embedder: FindEmbedder,
): RemoteStore {
  const { collection, tenant, database } = spec;
  const name = l10n.t`Chroma at ${spec.url}`;
  return openHttpStore(Chroma, spec, embedder, {
    name,
    base: baseOf(spec),
    headers: apiKey === undefined ? {} : { 'x-chroma-token': apiKey },
    says: ['message'],
    absent: (answer) =>
      l10n.t`${name} has no collection "${collection}" in the database "${database}" of the tenant "${tenant}" (${answer}).`,
    messageFor: (status) =>
      status === 401 || status === 403
        ? l10n.t`${name} refuses access; check the stored key, the tenant and the database.`
        : undefined,
    secret: apiKey,
  });
}

interface ChromaFacts extends CollectionFacts {
  readonly collection: Collection;
}

class Chroma extends StoreDialect<ChromaRetriever, ChromaFacts> {
  override readonly writer = new ChromaWriter(this, ({ collection }: ChromaFacts) =>
    pathTo(collection.id, 'add'),
  );
  readonly asksByVector = true;

  /** Read with every call, since a rebuilt collection has another id. */
  override facts(end: AbortSignal): Promise<ChromaFacts> {
    return this.readFacts(end);
  }

  protected async readFacts(end: AbortSignal): Promise<ChromaFacts> {
    const answer = await this.client.request(`/${encodeURIComponent(this.spec.collection)}`, undefined, end);
    const collection = this.calls.checked(foundCollection, answer);
    return { collection, dimensions: collection.dimension ?? undefined };
  }

  async nearest(
    { vector, facts: { collection } }: Near<ChromaFacts>,
    k: number,
    end: AbortSignal,
  ): Promise<Results> {
    const request = {
      query_embeddings: [[...vector]],
      n_results: k,
      include: ['documents', 'metadatas', 'distances'],
      ...this.#filter(),
    };
    const answer = await this.client.request(pathTo(collection.id, 'query'), request, end);
    const columns = this.calls.checked(foundColumns, answer);
    const [ids, texts, metadata, distances] = [
      columns.ids[0],
      columns.documents[0],
      columns.metadatas[0],
      columns.distances[0],
    ];
    const scoreOf = scoring(collection);
    return ids.flatMap((id, index) => {
      const distance = distances[index] ?? undefined;
      if (distance === undefined) return [];
      return [{ ...this.#record(id, texts[index], metadata[index]), score: scoreOf(distance) }];
    });
  }

  async count(end: AbortSignal): Promise<number> {
    const { collection } = await this.facts(end);
    const answer = await this.client.request(pathTo(collection.id, 'count'), undefined, end);
    return this.calls.checked(storedCount, answer);
  }

  override first(limit: number, end: AbortSignal): Promise<readonly StoredRecord[]> {
    return this.#recordsOf({ limit, ...this.#filter() }, end);
  }

  records(ids: readonly string[], end: AbortSignal): Promise<readonly StoredRecord[]> {
    const { idField } = this.spec;
    return this.#recordsOf(
      idField === undefined ? { ids, ...this.#filter() } : this.#filter(idsOfBothKinds(idField, ids)),
      end,
    );
  }

  async fetch(keys: readonly string[], end: AbortSignal): Promise<VectorsByKey> {
    const answer = await this.#get({ ids: keys, include: ['embeddings'] }, end);
    const { ids, embeddings } = this.calls.checked(vectorColumns, answer);
    return vectorsByKey(ids.map((id, index) => [id, embeddings[index]]));
  }

  wellness(store: string, count: number): string {
    const { collection } = this.spec;
    return counted(
      l10n.t('{1} answers; the collection "{2}" has {0} [0:record|records].'),
      count,
      store,
      collection,
    );
  }

  async #get(request: object, end: AbortSignal): Promise<unknown> {
    const { collection } = await this.facts(end);
    return this.client.request(pathTo(collection.id, 'get'), request, end);
  }

  async #recordsOf(request: object, end: AbortSignal): Promise<StoredRecord[]> {
    const answer = await this.#get({ ...request, include: ['documents', 'metadatas'] }, end);
    const { ids, documents: texts, metadatas: metadata } = this.calls.checked(recordColumns, answer);
    return ids.map((id, index) => this.#record(id, texts[index], metadata[index]));
  }

  #filter(further?: Where): { readonly where?: Where } {
    return bothFilters('where', this.spec.where, further, (...both) => ({ $and: both }));
  }

  #record(
    key: string,
    document: string | null | undefined,
    metadata: Readonly<Record<string, unknown>> | null | undefined,
  ): StoredRecord {
    const { idField } = this.spec;
    return storedRecord(key, idField === undefined ? key : metadata?.[idField], document, metadata);
  }
}

/** The URL of the database's collections. */
function baseOf({ url, tenant, database }: ChromaRetriever): string {
  const [tenantPart, databasePart] = [encodeURIComponent(tenant), encodeURIComponent(database)];
  return `${url.replace(/\/$/u, '')}/api/v2/tenants/${tenantPart}/databases/${databasePart}/collections`;
}

function pathTo(collectionId: string, what: 'add' | 'count' | 'get' | 'query'): string {
  return `/${encodeURIComponent(collectionId)}/${what}`;
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
