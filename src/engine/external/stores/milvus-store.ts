/** Milvus, and Zilliz Cloud, through version 2 of the documented HTTP interface. */
import * as l10n from '@vscode/l10n';
import { counted } from '../../../core/counted.ts';
import * as z from 'zod';
import type { Read } from '../../../core/read.ts';
import { ABOUT_FIELDS } from '../../../core/external/about-record.ts';
import type { MilvusRetriever } from '../../../core/external/stores/milvus.ts';
import { bothExpressions, bothFilters } from './both-filters.ts';
import {
  openHttpStore,
  StoreDialect,
  withoutSlash,
  type AskedOf,
  type CollectionFacts,
  type Near,
  type Results,
} from './dialect-store.ts';
import { askMilvus } from './milvus-requests.ts';
import { scoreOfDistance, type FindEmbedder } from './query-vectors.ts';
import type { RemoteStore, StoredRecord, VectorsByKey } from './remote-store.ts';
import { storedCount, storedRecord, vectorsByKey, distinctNames } from './stored-values.ts';
import { fullListOf, listOf } from '../../../core/formats/lists.ts';

const describedForm = z.object({
  fields: listOf(
    z.object({
      name: z.string(),
      type: z.string(),
      primaryKey: z.boolean().nullish(),
      params: listOf(z.object({ key: z.string(), value: z.coerce.string() })).nullish(),
    }),
  ),
  indexes: listOf(z.object({ fieldName: z.string(), metricType: z.string() })).nullish(),
  autoId: z.boolean().nullish(),
  enableDynamicField: z.boolean().nullish(),
});
const row = z.record(z.string(), z.unknown());
const rowsForm = listOf(row).nullish();
const foundRows = listOf(row.and(z.object({ distance: z.number() }))).nullish();
const countRows = fullListOf(z.object({ 'count(*)': z.coerce.number().pipe(storedCount) }));

/** Measures by which greater is nearer. */
const SIMILARITIES: readonly string[] = ['COSINE', 'IP'];

interface MilvusFacts extends CollectionFacts {
  readonly key: string;
  readonly makesKeys: boolean;
  /** By the names of the fields. */
  readonly types: ReadonlyMap<string, string>;
  /** Whether undeclared fields are allowed. */
  readonly takesAny: boolean;
  readonly metric: string | undefined;
}

/** @param token an API key, or `user:password` */
export function createStore(
  spec: MilvusRetriever,
  token: string | undefined,
  embedder: FindEmbedder,
): RemoteStore {
  const name = l10n.t`Milvus at ${spec.url}`;
  return openHttpStore<MilvusRetriever, MilvusFacts>(Milvus, spec, embedder, {
    name,
    base: `${withoutSlash(spec.url)}/v2/vectordb`,
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    says: ['message'],
    absent: (answer) =>
      l10n.t`${name} has no HTTP interface of version 2 (${answer}); Milvus 2.4 or later is needed.`,
    secret: token,
  });
}

class Milvus extends StoreDialect<MilvusRetriever, MilvusFacts> {
  readonly asksByVector = this.spec.mode !== 'bm25';

  override async search({ text, near }: AskedOf<MilvusFacts>, k: number, end: AbortSignal): Promise<Results> {
    if (!near) {
      const facts = await this.facts(end);
      const rows = await this.#found('/entities/search', this.#byWords(text, k), k, facts, end);
      return rows.map((entity) => ({ ...this.#record(entity, facts), score: entity.distance }));
    }
    if (this.spec.mode === 'vector') return this.nearest(near, k, end);
    const { vector, facts } = near;
    const request = {
      search: [this.#byVector(vector, k), this.#byWords(text, k)].map((part) => ({
        ...part,
        ...this.#filter(),
      })),
      rerank: { strategy: 'rrf', params: { k: this.spec.rrfK } },
    };
    const rows = await this.#found('/entities/hybrid_search', request, k, facts, end);
    return rows.map((entity) => ({ ...this.#record(entity, facts), score: entity.distance }));
  }

  async nearest({ vector, facts }: Near<MilvusFacts>, k: number, end: AbortSignal): Promise<Results> {
    const isSimilarity = SIMILARITIES.includes(this.#metricOf(facts));
    const rows = await this.#found('/entities/search', this.#byVector(vector, k), k, facts, end);
    return rows.map((entity) => ({
      ...this.#record(entity, facts),
      score: isSimilarity ? entity.distance : scoreOfDistance(entity.distance),
    }));
  }

  async count(end: AbortSignal): Promise<number> {
    const counted = await this.#query({ outputFields: ['count(*)'], ...this.#filter() }, end);
    return this.calls.checked(countRows, counted)[0]!['count(*)'];
  }

  async records(ids: readonly string[], end: AbortSignal): Promise<readonly StoredRecord[]> {
    const facts = await this.facts(end);
    const named = listed(this.spec.idField ?? facts.key, ids, facts);
    return named === undefined ? [] : this.#recordsOf(this.#filter(named), end);
  }

  async fetch(keys: readonly string[], end: AbortSignal): Promise<VectorsByKey> {
    const facts = await this.facts(end);
    const { vectorField } = this.spec;
    const filter = listed(facts.key, keys, facts);
    if (filter === undefined) return new Map();
    const answer = await this.#query({ filter, outputFields: [facts.key, vectorField] }, end);
    const rows = this.calls.checked(rowsForm, answer) ?? [];
    return vectorsByKey(rows.map((entity) => [String(entity[facts.key]), entity[vectorField]]));
  }

  wellness(store: string, count: number): string {
    const { collection } = this.spec;
    return counted(
      l10n.t('{1} answers; the collection "{2}" has {0} [0:entity|entities].'),
      count,
      store,
      collection,
    );
  }

  #byVector(vector: Float32Array, k: number): object {
    const { vectorField, ef } = this.spec;
    const params = ef === undefined ? {} : { ef: Math.max(ef, k) };
    // A part of a hybrid search uses `params` instead of `searchParams`.
    const breadth = this.spec.mode === 'hybrid' ? { params } : { searchParams: { params } };
    return { data: [[...vector]], annsField: vectorField, limit: k, ...(ef === undefined ? {} : breadth) };
  }

  #byWords(text: string, k: number): object {
    return { data: [text], annsField: this.spec.sparseField, limit: k };
  }

  async #found(
    path: string,
    request: object,
    k: number,
    facts: MilvusFacts,
    end: AbortSignal,
  ): Promise<readonly FoundRow[]> {
    const isPlain = path === '/entities/search';
    const search = {
      ...request,
      limit: k,
      outputFields: this.#fields(facts),
      ...(isPlain ? this.#filter() : {}),
    };
    return (
      this.calls.checked(foundRows, await this.#ask(path, { ...search, ...this.#partitions }, end)) ?? []
    );
  }

  #query(request: object, end: AbortSignal): Promise<unknown> {
    return this.#ask('/entities/query', { ...request, ...this.#partitions }, end);
  }

  async #recordsOf(request: object, end: AbortSignal): Promise<StoredRecord[]> {
    const facts = await this.facts(end);
    const answer = await this.#query({ ...request, outputFields: this.#fields(facts) }, end);
    return (this.calls.checked(rowsForm, answer) ?? []).map((entity) => this.#record(entity, facts));
  }

  #ask(path: string, request: object, end: AbortSignal): Promise<unknown> {
    return askMilvus(this, path, request, end);
  }

  protected async readFacts(end: AbortSignal): Promise<MilvusFacts> {
    const { vectorField } = this.spec;
    const described = this.calls.checked(describedForm, await this.#ask('/collections/describe', {}, end));
    const { fields, indexes, autoId, enableDynamicField } = described;
    const dimensions = fields
      .find(({ name }) => name === vectorField)
      ?.params?.find(({ key }) => key === 'dim')?.value;
    return {
      key: fields.find(({ primaryKey }) => primaryKey)?.name ?? 'id',
      makesKeys: autoId ?? false,
      types: new Map(fields.map(({ name, type }) => [name, type])),
      takesAny: enableDynamicField ?? false,
      metric: indexes?.find(({ fieldName }) => fieldName === vectorField)?.metricType,
      dimensions: dimensions === undefined ? undefined : Number(dimensions),
    };
  }

  #metricOf({ metric }: MilvusFacts): string {
    if (metric !== undefined) return metric;
    const { vectorField, collection } = this.spec;
    throw this.calls.failure(
      l10n.t`${this.calls.name} has no index on the field "${vectorField}" of "${collection}", which says how vectors are compared; name the field as "vectorField".`,
    );
  }

  #fields({ key, types, takesAny }: MilvusFacts): string[] {
    const { textField, idField } = this.spec;
    const known = ABOUT_FIELDS.filter((name) => takesAny || types.has(name));
    return distinctNames(key, textField, idField, ...known);
  }

  get #partitions(): object {
    const { partitions } = this.spec;
    return partitions === undefined ? {} : { partitionNames: partitions };
  }

  #filter(further?: string): { readonly filter?: string } {
    return bothFilters('filter', this.spec.filter, further, bothExpressions);
  }

  #record(entity: Read<typeof row>, { key }: MilvusFacts): StoredRecord {
    const { textField, idField } = this.spec;
    const keyValue = entity[key] ?? entity['id'];
    // The distance is not one of its fields.
    const fields = { ...entity, distance: undefined };
    return storedRecord(String(keyValue), entity[idField ?? key] ?? keyValue, entity[textField], fields);
  }
}

type FoundRow = NonNullable<Read<typeof foundRows>>[number];

/** @returns an expression for the records with one of these ids; undefined if none of them can be an id there */
function listed(field: string, ids: readonly string[], { types }: MilvusFacts): string | undefined {
  const isNumber = types.get(field)?.startsWith('Int') ?? false;
  const values = isNumber
    ? ids.filter((id) => /^-?\d{1,19}$/u.test(id))
    : ids.map((id) => JSON.stringify(id));
  return values.length === 0 ? undefined : `${field} in [${values.join(', ')}]`;
}
