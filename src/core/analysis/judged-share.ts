/**
 * How much of what an analysis reads was judged. An analysis counts an unjudged pair as "no": where much of it is
 * unjudged, it says more about who was asked than about retrieval.
 */
import type { Qrels, Run } from '../model.ts';

export interface JudgedPairs {
  /** Pairs of a passage and a perspective that a figure reads. */
  readonly pairs: number;
  readonly judged: number;
}

/** In [0, 1]; 1 where nothing is read. */
export function judgedShare({ pairs, judged }: JudgedPairs): number {
  return pairs === 0 ? 1 : judged / pairs;
}

/** The part of a query that is read. */
export interface ReadOfQuery {
  /** Under which the qrels judge it. */
  readonly query: string;
  /** Under which the run answers it; the query where it is left out. */
  readonly id?: string;
  readonly perspectives: readonly string[];
}

/** Every passage of the top k with every perspective that is named. */
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
 * Every passage down to the first that is known to support a perspective, for every perspective; all of the depth
 * where none is known to.
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
