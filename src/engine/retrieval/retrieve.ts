/** Runs the retriever of a pipeline over the indexes of a corpus. */
import { reciprocalRankFusion } from '../../core/fusion.ts';
import type { Bm25Retriever, DenseRetriever, HybridRetriever, RetrieverSpec } from '../../core/pipeline.ts';
import type { Hit, WorkOptions } from '../types.ts';

/** Whether every part of a search looked at all passages, or some part used an approximate index. */
export type SearchKind = 'exact' | 'approximate';

export interface Retrieval {
  /** Best first. */
  readonly hits: readonly Hit[];
  readonly search: SearchKind;
}

/** The indexes of a corpus, brought up to date before they answer. */
export interface RetrievalIndexes {
  bm25(query: string, spec: Bm25Retriever, depth: number, work: WorkOptions): Promise<Retrieval>;
  dense(query: string, spec: DenseRetriever, depth: number, work: WorkOptions): Promise<Retrieval>;
}

/**
 * @param depth how many passages to return at most; every part of a hybrid is asked for as many
 */
export function retrieve(
  indexes: RetrievalIndexes,
  spec: RetrieverSpec,
  query: string,
  depth: number,
  work: WorkOptions,
): Promise<Retrieval> {
  switch (spec.type) {
    case 'bm25':
      return indexes.bm25(query, spec, depth, work);
    case 'dense':
      return indexes.dense(query, spec, depth, work);
    case 'hybrid':
      return retrieveHybrid(indexes, spec, query, depth, work);
  }
}

async function retrieveHybrid(
  indexes: RetrievalIndexes,
  { retrievers, rrfK, weights }: HybridRetriever,
  query: string,
  depth: number,
  work: WorkOptions,
): Promise<Retrieval> {
  const parts: Retrieval[] = [];
  for (const spec of retrievers) parts.push(await retrieve(indexes, spec, query, depth, work));
  const lists = parts.map(({ hits }) => hits.map(({ item }) => item));
  return {
    hits: reciprocalRankFusion(lists, { rrfK, weights }).slice(0, depth),
    search: parts.some(({ search }) => search === 'approximate') ? 'approximate' : 'exact',
  };
}
