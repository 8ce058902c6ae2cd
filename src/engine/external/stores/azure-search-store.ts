/** Azure AI Search through its documented HTTP interface, version 2024-07-01. */
import * as l10n from '@vscode/l10n';
import { counted } from '../../../core/counted.ts';
import * as z from 'zod';
import type { Read } from '../../../core/read.ts';
import type { AzureRetriever } from '../../../core/external/stores/azure-search.ts';
import { valueAt } from '../../../core/external/results.ts';
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
import { HttpStatusError } from './json-http.ts';
import { scoredByPlace, type FindEmbedder } from './query-vectors.ts';
import type { RemoteStore, StoredRecord, VectorsByKey } from './remote-store.ts';
import { groupsOf, storedCount, storedRecord, vectorsByKey, distinctNames } from './stored-values.ts';
import { listOf } from '../../../core/formats/lists.ts';

/** The version of the interface. */
const AZURE_VERSION = '2024-07-01';

/** Keys consist of letters, digits, _, - and =, with no _ at the beginning. */
const AZURE_KEY = /^[A-Za-z\d\-=][\w\-=]{0,1023}$/u;

/** The path of the index and its documents, below the service. */
const pathOfIndex = ({ index }: AzureRetriever): string => `/indexes('${index}')`;

/** The most documents in one answer. */
const MAX_AT_ONCE = 1000;
/** The most concurrent requests for single documents. */
const TOGETHER = 8;
const MAX_IDS = 100;

const document = z.record(z.string(), z.unknown());
type Document = Read<typeof document>;
const searchAnswer = z.object({ value: listOf(document), '@odata.count': storedCount.nullish() });
const scoreForm = z.number();

type SearchRequest = Readonly<Record<string, unknown>>;

export function createStore(
  spec: AzureRetriever,
  apiKey: string | undefined,
  embedder: FindEmbedder,
): RemoteStore {
  const name = l10n.t`Azure AI Search at ${spec.url}`;
  return openHttpStore(Azure, spec, embedder, {
    name,
    base: withoutSlash(spec.url),
    headers: apiKey === undefined ? {} : { 'api-key': apiKey },
    says: ['error.message'],
    absent: (answer) => l10n.t`${name} has no index "${spec.index}" (${answer}).`,
    secret: apiKey,
  });
}

class Azure extends StoreDialect<AzureRetriever, CollectionFacts> {
  readonly asksByVector = this.spec.mode !== 'text';

  /** The service tells only administrators the number of dimensions. It refuses other vectors with its own message. */
  protected readFacts(): Promise<CollectionFacts> {
    return Promise.resolve({});
  }

  override async search(
    { text, near }: AskedOf<CollectionFacts>,
    k: number,
    end: AbortSignal,
  ): Promise<Results> {
    const { mode, semanticConfiguration } = this.spec;
    if (near && mode === 'vector') return this.nearest(near, k, end);
    const semantic = { queryType: 'semantic', semanticConfiguration };
    const documents = await this.#found(
      {
        search: text,
        ...(near ? this.#byVector(near.vector, k) : {}),
        ...(semanticConfiguration === undefined ? {} : semantic),
      },
      k,
      end,
    );
    const results = documents.map((each, place) => ({
      ...this.#record(each),
      score: scoreForm.safeParse(each['@search.score']).data ?? 1 / (place + 1),
    }));
    // The language model then decides the order, while the score is the one from before.
    return semanticConfiguration === undefined ? results : scoredByPlace(results);
  }

  async nearest({ vector }: Near<CollectionFacts>, k: number, end: AbortSignal): Promise<Results> {
    const documents = await this.#found(this.#byVector(vector, k), k, end);
    return documents.map((each) => {
      const score = this.calls.checked(scoreForm, each['@search.score']);
      return { ...this.#record(each), score: this.spec.metric === 'cosine' ? cosineOf(score) : score };
    });
  }

  async count(end: AbortSignal): Promise<number> {
    const answer = await this.#post({ search: '*', top: 0, count: true, ...this.#filter() }, end);
    return this.calls.checked(storedCount, answer['@odata.count']);
  }

  async records(ids: readonly string[], end: AbortSignal): Promise<readonly StoredRecord[]> {
    const { idField } = this.spec;
    if (idField === undefined)
      return (await this.#documents(ids, this.#fields, end)).map((each) => this.#record(each));
    const records: StoredRecord[] = [];
    for (const group of groupsOf(ids, MAX_IDS)) {
      const named = group.map((id) => `${idField} eq ${quoted(id)}`).join(' or ');
      const request = { search: '*', top: MAX_AT_ONCE, select: this.#fields, ...this.#filter(`(${named})`) };
      records.push(...(await this.#post(request, end)).value.map((each) => this.#record(each)));
    }
    return records;
  }

  async fetch(keys: readonly string[], end: AbortSignal): Promise<VectorsByKey> {
    const { keyField, vectorField } = this.spec;
    const documents = await this.#documents(keys, `${keyField},${vectorField}`, end);
    return vectorsByKey(documents.map((each) => [String(each[keyField]), each[vectorField]]));
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

  #byVector(vector: Float32Array, k: number): SearchRequest {
    const { vectorField, exact } = this.spec;
    const query = { kind: 'vector', vector: [...vector], fields: vectorField, k };
    return { vectorQueries: [{ ...query, ...(exact ? { exhaustive: true } : {}) }] };
  }

  /** Requests further pages until there are enough, or no more. */
  async #found(request: SearchRequest, k: number, end: AbortSignal): Promise<Document[]> {
    const documents: Document[] = [];
    for (;;) {
      const top = Math.min(MAX_AT_ONCE, k - documents.length);
      const skip = documents.length === 0 ? {} : { skip: documents.length };
      const body = { ...request, top, ...skip, select: this.#fields, ...this.#filter() };
      const { value } = await this.#post(body, end);
      documents.push(...value);
      if (value.length < top || documents.length >= k) return documents;
    }
  }

  async #documents(keys: readonly string[], select: string, end: AbortSignal): Promise<Document[]> {
    const documents: Document[] = [];
    for (const group of groupsOf(
      keys.filter((key) => AZURE_KEY.test(key)),
      TOGETHER,
    ))
      for (const each of await Promise.all(group.map((key) => this.#document(key, select, end))))
        if (each) documents.push(each);
    return documents;
  }

  async #document(key: string, select: string, end: AbortSignal): Promise<Document | undefined> {
    const parameters = new URLSearchParams({ 'api-version': AZURE_VERSION, $select: select }).toString();
    try {
      const answer = await this.client.request(
        `${pathOfIndex(this.spec)}/docs('${encodeURIComponent(key)}')?${parameters}`,
        undefined,
        end,
      );
      return this.calls.checked(document, answer);
    } catch (error) {
      // The document is missing. A missing index is reported as such.
      if (error instanceof HttpStatusError && error.status === 404 && !isAboutIndex(error)) return undefined;
      throw error;
    }
  }

  async #post(request: SearchRequest, end: AbortSignal): Promise<Read<typeof searchAnswer>> {
    const path = `${pathOfIndex(this.spec)}/docs/search.post.search?api-version=${AZURE_VERSION}`;
    return this.calls.checked(searchAnswer, await this.client.request(path, request, end));
  }

  get #fields(): string {
    const { keyField, textField, idField, aboutFields } = this.spec;
    return distinctNames(keyField, textField, idField, ...aboutFields).join(',');
  }

  #filter(further?: string): { readonly filter?: string } {
    return bothFilters('filter', this.spec.filter, further, bothExpressions);
  }

  #record(hit: Document): StoredRecord {
    const { keyField, textField, idField } = this.spec;
    const key = String(hit[keyField]);
    const fields = Object.fromEntries(Object.entries(hit).filter(([name]) => !name.startsWith('@')));
    return storedRecord(key, hit[idField ?? keyField], hit[textField], fields);
  }
}

/** The service returns 1 / (2 − cosine), which is between a third and 1. */
const cosineOf = (score: number): number => 2 - 1 / Math.max(MIN_SCORE, score);
const MIN_SCORE = 1 / 3;

/** A string literal of OData. */
const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

function isAboutIndex({ data }: HttpStatusError): boolean {
  const reason = valueAt(data, 'error.message');
  return typeof reason === 'string' && /index/iu.test(reason);
}
