/** Fills an index of OpenSearch or Elasticsearch. Its documents have the ids of passages. */
import * as z from 'zod';
import type { OpenSearchRetriever } from '../../../../core/external/stores/opensearch.ts';
import { listOf } from '../../../../core/formats/lists.ts';
import { isThere } from '../json-http.ts';
import type { NewRecord } from '../remote-store.ts';
import { withField } from '../stored-values.ts';
import { DialectWriter, TOO_MANY } from './dialect-writer.ts';

const bulkAnswer = z.object({
  items: listOf(
    z.object({
      create: z.object({
        _id: z.string().nullish(),
        status: z.number(),
        error: z.object({ reason: z.string() }).optional(),
      }),
    }),
  ),
});

/** Another writer was faster, so the document exists. */
const CONFLICT = 409;

/** The action and its document, one line each. */
type Lines = readonly [action: object, document: object];

export class OpenSearchWriter<Facts> extends DialectWriter<OpenSearchRetriever, Facts, Lines> {
  exists(end: AbortSignal): Promise<boolean> {
    return isThere(this.store.client.request('', undefined, end));
  }

  async create(dimensions: number, end: AbortSignal): Promise<void> {
    // A repetition finds what the first attempt created.
    if (await this.exists(end)) return;
    await this.store.client.request('', indexOf(this.store.spec, dimensions), end, 'PUT');
  }

  protected itemOf(record: NewRecord): Lines {
    return [{ create: { _id: record.id } }, documentOf(this.store.spec, record)];
  }

  protected async send(items: readonly Lines[], end: AbortSignal): Promise<void> {
    const answer = await this.store.client.requestLines('/_bulk?refresh=wait_for', items.flat(), end);
    const { items: answered } = this.store.calls.checked(bulkAnswer, answer);
    this.requireNone(
      answered.flatMap(({ create: { _id, status, error } }) => {
        if (status < 300 || status === CONFLICT) return [];
        return [{ id: _id ?? '', reason: `${status}: ${error?.reason ?? ''}`, passing: status === TOO_MANY }];
      }),
    );
    this.requireEach(items, answered);
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
    // As texts: values of a field may look like dates in one document and not in another.
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
