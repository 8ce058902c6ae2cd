/**
 * The share of judged pairs behind an analysis. Unjudged pairs count as "no", so if many are unjudged, the result
 * depends more on which passages were judged than on retrieval.
 */
import type { Qrels, Run } from '../model.ts';

export interface JudgedPairs {
  /** Pairs of a passage and a perspective that a figure reads. */
  readonly pairs: number;
  readonly judged: number;
}

/** In [0, 1]. 1 if there are no pairs. */
export function judgedShare({ pairs, judged }: JudgedPairs): number {
  return pairs === 0 ? 1 : judged / pairs;
}

/** The part of a query that an analysis reads. */
export interface ReadOfQuery {
  /** Id of the query in the qrels. */
  readonly query: string;
  /** Id of the query in the run. Defaults to `query`. */
  readonly id?: string;
  readonly perspectives: readonly string[];
}

/** Counts every pair of a passage in the top k and a given perspective. */
export function judgedInTop(run: Run, read: readonly ReadOfQuery[], qrels: Qrels, k: number): JudgedPairs {
  const counts = { pairs: 0, judged: 0 };
  for (const { query, id = query, perspectives } of read)
    for (const { item } of run.get(id)?.slice(0, k) ?? [])
      for (const perspective of perspectives) {
        counts.pairs++;
        if (qrels.get(query)?.get(perspective)?.has(item)) counts.judged++;
      }
  return counts;
}

/**
 * Counts, for every perspective, the passages down to the first known to support it, or all within the depth if there
 * is none.
 */
export function judgedToFirst(run: Run, qrels: Qrels, depth: number): JudgedPairs {
  const counts = { pairs: 0, judged: 0 };
  for (const [query, topic] of qrels)
    for (const passages of topic.values())
      for (const { item } of run.get(query)?.slice(0, depth) ?? []) {
        counts.pairs++;
        const relevance = passages.get(item);
        if (relevance !== undefined) counts.judged++;
        if (relevance !== undefined && relevance > 0) break;
      }
  return counts;
}

export function sumOfJudged(all: readonly JudgedPairs[]): JudgedPairs {
  return {
    pairs: all.reduce((sum, { pairs }) => sum + pairs, 0),
    judged: all.reduce((sum, { judged }) => sum + judged, 0),
  };
}
