/** Runs the retriever of a pipeline over the indexes of a corpus. */
import type { SearchedText, TextsOfMean } from '../../core/expansion/rewrite.ts';
import { reciprocalRankFusion } from '../../core/fusion.ts';
import type { Certainty } from '../../core/external/certainty.ts';
import { worstShortfall, type Shortfall } from '../../core/external/shortfall.ts';
import type { ExternalRetrieverSpec } from '../../core/external/spec.ts';
import {
  fusionWeights,
  isExternal,
  leastSure,
  type Bm25Retriever,
  type DenseRetriever,
  type HybridRetriever,
  type RetrieverSpec,
  type SearchKind,
} from '../../core/pipeline.ts';
import type { ExternalQuery } from '../external/external-retriever.ts';
import type { MatchCounts } from '../external/match-passages.ts';
import type { MeaningSoFar } from '../../shared/requests/corpora.ts';
import { together } from '../concurrency/together.ts';
import type { Hit, WorkOptions } from '../types.ts';

export interface Retrieval {
  /** Best first. */
  readonly hits: readonly Hit[];
  readonly search: SearchKind;
  /** How the results of the user's own retrievers were recognised. `undefined` if none was asked. */
  readonly matches?: MatchCounts | undefined;
  /** `undefined` if as many results came back as were requested. */
  readonly short?: Shortfall | undefined;
  /** How many passages had a vector, if the search did not wait for all. */
  readonly meaning?: MeaningSoFar | undefined;
  /** Set for a projection over what a store returned. */
  readonly certainty?: Certainty | undefined;
}

/** A query for both word and vector searches. */
export type RetrievedQuery = ExternalQuery & SearchedText;

/** The indexes of a corpus, updated before they answer. */
export interface RetrievalIndexes {
  bm25(query: string, spec: Bm25Retriever, depth: number, work: WorkOptions): Promise<Retrieval>;
  /** @param query several texts are searched for by the mean of their vectors */
  dense(
    query: string | TextsOfMean,
    spec: DenseRetriever,
    depth: number,
    work: WorkOptions,
  ): Promise<Retrieval>;
  external(
    query: ExternalQuery,
    spec: ExternalRetrieverSpec,
    depth: number,
    work: WorkOptions,
  ): Promise<Retrieval>;
}

/** @param depth the most passages to return; every part of a hybrid is asked for the same number */
export function retrieve(
  indexes: RetrievalIndexes,
  spec: RetrieverSpec,
  query: RetrievedQuery,
  depth: number,
  work: WorkOptions,
): Promise<Retrieval> {
  const { id, text, mean } = query;
  if (isExternal(spec)) return indexes.external({ id, text }, spec, depth, work);
  switch (spec.type) {
    case 'bm25':
      return indexes.bm25(text, spec, depth, work);
    case 'dense':
      return indexes.dense(mean ?? text, spec, depth, work);
    case 'hybrid':
      return retrieveHybrid(indexes, spec, query, depth, work);
  }
}

async function retrieveHybrid(
  indexes: RetrievalIndexes,
  hybrid: HybridRetriever,
  query: RetrievedQuery,
  depth: number,
  work: WorkOptions,
): Promise<Retrieval> {
  // At the same time, since one may wait for a disk or another machine while another computes.
  const parts = await together(
    hybrid.retrievers,
    (spec, during) => retrieve(indexes, spec, query, depth, during),
    work,
  );
  const lists = parts.map(({ hits }) => hits.map(({ item }) => item));
  return {
    hits: reciprocalRankFusion(lists, { rrfK: hybrid.rrfK, weights: fusionWeights(hybrid) }).slice(0, depth),
    search: leastSure(parts.map(({ search }) => search)),
    matches: sumMatches(parts),
    short: worstShortfall(parts),
    meaning: parts.find(({ meaning }) => meaning)?.meaning,
  };
}

/** The summed counts of several searches. `undefined` if none of them asked a foreign retriever. */
export function sumMatches(parts: readonly Pick<Retrieval, 'matches'>[]): MatchCounts | undefined {
  const counted = parts.flatMap(({ matches }) => matches ?? []);
  if (counted.length === 0) return undefined;
  const total = (kind: keyof MatchCounts): number => counted.reduce((sum, counts) => sum + counts[kind], 0);
  return { id: total('id'), text: total('text'), fuzzy: total('fuzzy'), foreign: total('foreign') };
}
