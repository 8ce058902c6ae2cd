/** Pinecone through its documented HTTP interface, version 2025-10. */
import * as l10n from '@vscode/l10n';
import { counted } from '../../../core/counted.ts';
import * as z from 'zod';
import type { Read } from '../../../core/read.ts';
import type { PineconeRetriever } from '../../../core/external/stores/pinecone.ts';
import { bothFilters } from './both-filters.ts';
import {
  openHttpStore,
  StoreDialect,
  type CollectionFacts,
  type Near,
  type Results,
} from './dialect-store.ts';
import { scoreOfDistance, type FindEmbedder } from './query-vectors.ts';
import type { RemoteStore, StoredRecord, VectorsByKey } from './remote-store.ts';
import { groupsOf, idsOfBothKinds, storedCount, storedRecord, vectorsByKey } from './stored-values.ts';
import { listOf, recordOf } from '../../../core/formats/lists.ts';

const metadata = z.record(z.string(), z.unknown()).nullish();
const foundAnswer = z.object({
  matches: listOf(z.object({ id: z.string(), score: z.number(), metadata })),
});
const fetchedAnswer = z.object({
  vectors: recordOf(z.object({ id: z.string(), values: z.unknown().optional(), metadata })),
});
const listedAnswer = z.object({
  vectors: listOf(z.object({ id: z.string() })).nullish(),
  pagination: z.object({ next: z.string() }).nullish(),
});
const statsAnswer = z.object({
  namespaces: recordOf(z.object({ vectorCount: storedCount.nullish() })).nullish(),
  dimension: z.number().nullish(),
  metric: z.string().nullish(),
});

const VERSION = '2025-10';
/** The most ids in one URL. Each may have 512 characters. */
const MAX_IDS = 20;
/** The most ids in one answer. */
const MAX_LISTED = 100;

export function createStore(
  spec: PineconeRetriever,
  apiKey: string | undefined,
  embedder: FindEmbedder,
): RemoteStore {
  const name = l10n.t`Pinecone at ${spec.url}`;
  return openHttpStore(Pinecone, spec, embedder, {
    name,
    base: spec.url,
    headers: {
      'x-pinecone-api-version': VERSION,
      ...(apiKey === undefined ? {} : { 'api-key': apiKey }),
    },
    says: ['message', 'error.message'],
    absent: (answer) => l10n.t`${name} is not an index (${answer}); the URL has to be the host of the index.`,
    secret: apiKey,
  });
}

/** A filter on metadata, in Pinecone's own language. */
type Condition = Readonly<Record<string, unknown>>;

interface PineconeFacts extends CollectionFacts {
  readonly metric: string | undefined;
  readonly count: number;
}

class Pinecone extends StoreDialect<PineconeRetriever, PineconeFacts> {
  /** Ids are listed in their own order. */
  readonly asksByVector = true;

  async nearest(
    { vector, facts: { metric } }: Near<PineconeFacts>,
    k: number,
    end: AbortSignal,
  ): Promise<Results> {
    const request = {
      vector: [...vector],
      topK: k,
      includeMetadata: true,
      includeValues: false,
      ...this.#namespace,
      ...this.#filter(),
    };
    const answer = await this.client.request('/query', request, end);
    return this.calls.checked(foundAnswer, answer).matches.map(({ id, score, metadata: fields }) => ({
      ...this.#record(id, fields),
      score: metric === 'euclidean' ? scoreOfDistance(score) : score,
    }));
  }

  async count(end: AbortSignal): Promise<number> {
    return (await this.readFacts(end)).count;
  }

  override async first(limit: number, end: AbortSignal): Promise<readonly StoredRecord[]> {
    const ids: string[] = [];
    let next: string | undefined;
    do {
      const pageSize = String(Math.min(MAX_LISTED, limit - ids.length));
      const token = next === undefined ? {} : { paginationToken: next };
      const address = this.#address('/vectors/list', { limit: pageSize, ...token });
      const answer = this.calls.checked(listedAnswer, await this.client.request(address, undefined, end));
      const listed = answer.vectors ?? [];
      ids.push(...listed.map(({ id }) => id));
      // An empty page that is not the last one would be requested forever.
      next = listed.length === 0 ? undefined : answer.pagination?.next;
    } while (next !== undefined && ids.length < limit);
    const fetched = await this.#fetched(ids, end);
    return ids
      .flatMap((id) => fetched.get(id) ?? [])
      .map(({ id, metadata: fields }) => this.#record(id, fields));
  }

  async records(ids: readonly string[], end: AbortSignal): Promise<readonly StoredRecord[]> {
    const { idField } = this.spec;
    if (idField === undefined)
      return [...(await this.#fetched(ids, end)).values()].map(({ id, metadata: fields }) =>
        this.#record(id, fields),
      );
    const request = {
      ...this.#filter(idsOfBothKinds(idField, ids)),
      limit: ids.length,
      ...this.#namespace,
    };
    const answer = await this.client.request('/vectors/fetch_by_metadata', request, end);
    const { vectors } = this.calls.checked(fetchedAnswer, answer);
    return Object.values(vectors).map(({ id, metadata: fields }) => this.#record(id, fields));
  }

  async fetch(keys: readonly string[], end: AbortSignal): Promise<VectorsByKey> {
    const fetched = await this.#fetched(keys, end);
    return vectorsByKey([...fetched].map(([id, { values }]) => [id, values]));
  }

  wellness(store: string, count: number): string {
    return counted(l10n.t('{1} answers; its namespace has {0} [0:record|records].'), count, store);
  }

  protected async readFacts(end: AbortSignal): Promise<PineconeFacts> {
    const answer = await this.client.request('/describe_index_stats', {}, end);
    const { namespaces, dimension, metric } = this.calls.checked(statsAnswer, answer);
    // Records without a namespace are in a default one, which has two names.
    const { namespace = '' } = this.spec;
    const statistics =
      namespaces?.[namespace] ?? (namespace === '' ? namespaces?.['__default__'] : undefined);
    return {
      dimensions: dimension ?? undefined,
      metric: metric ?? undefined,
      count: statistics?.vectorCount ?? 0,
    };
  }

  async #fetched(
    ids: readonly string[],
    end: AbortSignal,
  ): Promise<ReadonlyMap<string, Read<typeof fetchedAnswer>['vectors'][string]>> {
    const recordsById = new Map<string, Read<typeof fetchedAnswer>['vectors'][string]>();
    for (const group of groupsOf(ids, MAX_IDS)) {
      const address = this.#address('/vectors/fetch', { ids: group });
      const answer = await this.client.request(address, undefined, end);
      for (const record of Object.values(this.calls.checked(fetchedAnswer, answer).vectors))
        recordsById.set(record.id, record);
    }
    return recordsById;
  }

  #address(path: string, parameters: Readonly<Record<string, string | readonly string[]>>): string {
    const all = Object.entries({ ...parameters, ...this.#namespace }).flatMap(([name, values]) =>
      [values].flat().map((value) => [name, value as string]),
    );
    return `${path}?${new URLSearchParams(all).toString()}`;
  }

  get #namespace(): { readonly namespace?: string } {
    const { namespace } = this.spec;
    return namespace === undefined ? {} : { namespace };
  }

  #filter(further?: Condition): { readonly filter?: Condition } {
    return bothFilters('filter', this.spec.filter, further, (...both) => ({ $and: both }));
  }

  #record(key: string, fields: Read<typeof metadata>): StoredRecord {
    const { textField, idField } = this.spec;
    return storedRecord(key, idField === undefined ? key : fields?.[idField], fields?.[textField], fields);
  }
}
