/** Fills an index of OpenSearch or Elasticsearch, whose documents bear the ids of passages. */
import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import type { OpenSearchRetriever } from '../../../core/external/stores.ts';
import type { DialectWriter } from './http-store.ts';
import { HttpStatusError, isThere, type JsonHttp } from './json-http.ts';
import type { NewRecord } from './remote-store.ts';
import type { StoreCalls } from './store-calls.ts';
import { withField } from './stored-values.ts';
import { listOf } from '../../network/answer-lists.ts';

const bulkAnswer = z.object({
  items: listOf(
    z.object({
      create: z.object({ status: z.number(), error: z.object({ reason: z.string() }).optional() }),
    }),
  ),
});

/** Somebody was faster: the document is there. */
const CONFLICT = 409;
const TOO_MANY = 429;

export class OpenSearchWriter implements DialectWriter {
  readonly #spec: OpenSearchRetriever;
  readonly #calls: StoreCalls;
  readonly #http: JsonHttp;

  constructor(spec: OpenSearchRetriever, calls: StoreCalls, http: JsonHttp) {
    this.#spec = spec;
    this.#calls = calls;
    this.#http = http;
  }

  exists(end: AbortSignal): Promise<boolean> {
    return isThere(this.#http.request('', undefined, end));
  }

  async create(dimensions: number, end: AbortSignal): Promise<void> {
    // A repetition finds what it made before.
    if (await this.exists(end)) return;
    await this.#http.request('', indexOf(this.#spec, dimensions), end, 'PUT');
  }

  async add(records: readonly NewRecord[], end: AbortSignal): Promise<void> {
    const lines = records.flatMap((record) => [
      { create: { _id: record.id } },
      documentOf(this.#spec, record),
    ]);
    const answer = await this.#http.requestLines('/_bulk?refresh=wait_for', lines, end);
    const refused = this.#calls
      .checked(bulkAnswer, answer)
      .items.map(({ create }) => create)
      .find(({ status }) => status >= 300 && status !== CONFLICT);
    if (!refused) return;
    // The whole may be sent again: what is there by then stays.
    if (refused.status === TOO_MANY) throw new HttpStatusError(TOO_MANY, { error: refused.error });
    throw this.#calls.failure(
      l10n.t`${this.#calls.name} refuses a passage (${refused.status}: ${refused.error?.reason ?? ''}).`,
    );
  }
}

function indexOf(spec: OpenSearchRetriever, dimensions: number): object {
  const { engine, textField, idField, vectorField = '' } = spec;
  const isOpenSearch = engine === 'opensearch';
  const vector = isOpenSearch
    ? {
        type: 'knn_vector',
        dimension: dimensions,
        method: { name: 'hnsw', engine: 'lucene', space_type: 'cosinesimil' },
      }
    : { type: 'dense_vector', dims: dimensions, index: true, similarity: 'cosine' };
  const properties = {
    [textField]: { type: 'text' },
    ...(idField === undefined ? {} : { [idField]: { type: 'keyword' } }),
    [vectorField]: vector,
    // As words: values of a field that look like dates in one document do not in another.
    metadata: { type: isOpenSearch ? 'flat_object' : 'flattened' },
  };
  return { ...(isOpenSearch ? { settings: { index: { knn: true } } } : {}), mappings: { properties } };
}

function documentOf(
  { textField, idField, vectorField = '' }: OpenSearchRetriever,
  { id, text, vector, metadata }: NewRecord,
): object {
  const filled = withField(withField({ metadata }, textField, text), vectorField, [...vector]);
  return idField === undefined ? filled : withField(filled, idField, id);
}
