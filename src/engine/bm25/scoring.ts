/**
 * The weights of BM25. A term of idf `idf` that occurs `tf` times in a passage of `length` terms adds
 * `weight · tf / (tf + k1 (1 − b + b · length / averageLength))`.
 */
import type { Bm25Retriever } from '../../core/pipeline.ts';

export type Bm25Params = Pick<Bm25Retriever, 'k1' | 'b' | 'variant' | 'epsilon'>;

/** Over the live passages. */
export interface CollectionStatistics {
  readonly passages: number;
  /** Mean number of terms per passage. */
  readonly averageLength: number;
}

/** Lucene's idf, above 0 for every term: ln(1 + (N − df + 0.5) / (df + 0.5)). */
function luceneIdf(passages: number, df: number): number {
  return Math.log(1 + (passages - df + 0.5) / (df + 0.5));
}

/** The idf of Robertson and Spärck Jones, below 0 for terms in more than half of the passages. */
function okapiIdf(passages: number, df: number): number {
  return Math.log(passages - df + 0.5) - Math.log(df + 0.5);
}

/**
 * Mean of {@link okapiIdf} over all terms of the collection, from which rank_bm25 derives its floor.
 *
 * @param termsByDf how many terms have each df; summed in order of df, so that the mean does not depend on how the
 *   index was built
 */
export function meanOkapiIdf(passages: number, termsByDf: ReadonlyMap<number, number>): number {
  let sum = 0;
  let terms = 0;
  for (const [df, count] of [...termsByDf].sort(([a], [b]) => a - b)) {
    sum += count * okapiIdf(passages, df);
    terms += count;
  }
  return terms === 0 ? 0 : sum / terms;
}

/**
 * The idf of a term as the variant defines it.
 *
 * @param meanIdf called only if `okapi` replaces an idf below 0 by epsilon × mean
 */
export function idf(params: Bm25Params, passages: number, df: number, meanIdf: () => number): number {
  if (params.variant === 'lucene') return luceneIdf(passages, df);
  const plain = okapiIdf(passages, df);
  return plain >= 0 ? plain : params.epsilon * meanIdf();
}

/** A constant factor on top of a term's idf and saturated frequency. */
export function variantFactor(params: Bm25Params): number {
  return params.variant === 'okapi' ? params.k1 + 1 : 1;
}

/** The part of the denominator that depends only on the passage. */
export function lengthNorm({ k1, b }: Bm25Params, length: number, averageLength: number): number {
  return k1 * (1 - b + (b * length) / averageLength);
}
