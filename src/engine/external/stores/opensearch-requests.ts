/**
 * Search requests in the language of OpenSearch and Elasticsearch, and where the two differ. They are built as
 * values: the query is a string within them, never part of their text.
 */
import { ABOUT_FIELDS } from '../../../core/external/about-record.ts';
import type { OpenSearchRetriever } from '../../../core/external/stores/opensearch.ts';

type JsonObject = Readonly<Record<string, unknown>>;

/** The body of a search, and the parameters of its URL. */
export interface SearchRequest {
  readonly body: JsonObject;
  readonly parameters?: Readonly<Record<string, string>> | undefined;
}

/** A search by words only. */
export function bm25Request(spec: OpenSearchRetriever, query: string, k: number): SearchRequest {
  return { body: { ...sourceOf(spec), size: k, query: matching(spec, query) } };
}

/** The nearest neighbours of a vector, selected by the store's own MMR if `ownMmr` says so and the store has it. */
export function knnRequest(
  spec: OpenSearchRetriever,
  vector: Float32Array,
  k: number,
  { ownMmr }: { readonly ownMmr: boolean },
): SearchRequest {
  const mmr = ownMmr ? spec.mmr : undefined;
  const common = sourceOf(spec);
  if (spec.engine === 'opensearch') {
    const size = mmr ? Math.min(k, mmr.candidates) : k;
    const ext = mmr && { ext: { mmr: { diversity: mmr.diversity, candidates: mmr.candidates } } };
    return { body: { ...common, size, query: openSearchKnn(spec, vector, size), ...ext } };
  }
  if (!mmr) return { body: { ...common, size: k, knn: elasticKnn(spec, vector, k) } };
  const { lambda, candidates } = mmr;
  // Its MMR removes similar results and keeps the order of the rest, so the first of many are not the same as a few.
  const size = Math.min(k, mmr.size);
  const diversify = {
    type: 'mmr',
    field: spec.vectorField,
    lambda,
    query_vector: [...vector],
    size,
    rank_window_size: candidates,
    retriever: { knn: elasticKnn(spec, vector, candidates) },
  };
  return { body: { ...common, size, retriever: { diversify } } };
}

/** By words and by vector, merged by the search pipeline in OpenSearch, by reciprocal ranks in Elasticsearch. */
export function hybridRequest(
  spec: OpenSearchRetriever,
  query: string,
  vector: Float32Array,
  k: number,
): SearchRequest {
  const common = { ...sourceOf(spec), size: k };
  if (spec.engine === 'opensearch') {
    const hybrid = { queries: [matching(spec, query), openSearchKnn(spec, vector, k)] };
    return {
      body: { ...common, query: { hybrid } },
      ...(spec.pipeline === undefined ? {} : { parameters: { search_pipeline: spec.pipeline } }),
    };
  }
  const rrf = {
    retrievers: [{ standard: { query: matching(spec, query) } }, { knn: elasticKnn(spec, vector, k) }],
    rank_constant: spec.rrfK,
    rank_window_size: k,
  };
  return { body: { ...common, retriever: { rrf } } };
}

/** Counts the documents that a search covers. */
export function countRequest({ filter }: OpenSearchRetriever): SearchRequest {
  return { body: { query: filter ?? { match_all: {} } } };
}

/** The documents with these ids, among those that a search covers. */
export function recordsRequest(spec: OpenSearchRetriever, ids: readonly string[]): SearchRequest {
  const { idField, filter } = spec;
  const named = idField === undefined ? { ids: { values: ids } } : { terms: { [idField]: ids } };
  const query = { bool: { filter: filter === undefined ? [named] : [named, filter] } };
  return { body: { ...sourceOf(spec), size: ids.length, query } };
}

/**
 * The vectors of some documents. Elasticsearch omits them from the source by default, and OpenSearch from the fields.
 */
export function vectorsRequest(
  { engine, vectorField }: OpenSearchRetriever,
  ids: readonly string[],
): SearchRequest {
  const source =
    engine === 'opensearch' ? { _source: [vectorField] } : { _source: false, fields: [vectorField] };
  return { body: { ...source, size: ids.length, query: { ids: { values: ids } } } };
}

function sourceOf({ textField, idField }: OpenSearchRetriever): JsonObject {
  return { _source: [textField, ...(idField === undefined ? [] : [idField]), ...ABOUT_FIELDS] };
}

function matching({ textField, filter }: OpenSearchRetriever, query: string): JsonObject {
  const match = { match: { [textField]: { query } } };
  return filter === undefined ? match : { bool: { must: [match], filter: [filter] } };
}

function openSearchKnn(
  { vectorField = '', filter, ef }: OpenSearchRetriever,
  vector: Float32Array,
  k: number,
): JsonObject {
  return {
    knn: {
      [vectorField]: {
        vector: [...vector],
        k,
        ...(filter === undefined ? {} : { filter }),
        ...(ef === undefined ? {} : { method_parameters: { ef_search: ef } }),
      },
    },
  };
}

/** Elasticsearch considers `num_candidates` neighbours in each shard, never fewer than k. */
function elasticKnn(
  { vectorField, filter, ef }: OpenSearchRetriever,
  vector: Float32Array,
  k: number,
): JsonObject {
  return {
    field: vectorField,
    query_vector: [...vector],
    k,
    num_candidates: Math.max(k, ef ?? Math.min(MAX_CANDIDATES, Math.ceil(k * CANDIDATES_PER_RESULT))),
    ...(filter === undefined ? {} : { filter }),
  };
}

/** Elasticsearch's default, and its limit. */
const CANDIDATES_PER_RESULT = 1.5;
const MAX_CANDIDATES = 10_000;
