/**
 * Measures of a set: how many perspectives do the top k passages cover, in whatever order?
 *
 * All functions take the ranking of one query as distinct passage ids, best first, and a cutoff k ≥ 1.
 */
import type { TopicJudgements } from './judgements.ts';
import { supports } from './judgements.ts';

/** Ids of the perspectives that at least one of the top k passages supports. */
export function coveredPerspectives(
  ranking: readonly string[],
  judgements: TopicJudgements,
  k: number,
): string[] {
  const top = ranking.slice(0, k);
  const covered: string[] = [];
  for (const [perspective, passages] of judgements)
    if (top.some((passage) => supports(passages.get(passage)))) covered.push(perspective);
  return covered;
}

/**
 * MRecall@k: 1 when the top k cover at least min(k, m) of the m perspectives of the query, else 0.
 * Every perspective counts, also one that no judged passage supports. Without perspectives there is
 * nothing to cover: 0.
 *
 * Source: Min et al. 2021, with perspectives in place of answers as in BERDS, section 3.
 */
export function mRecall(ranking: readonly string[], judgements: TopicJudgements, k: number): number {
  if (judgements.size === 0) return 0;
  return coveredPerspectives(ranking, judgements, k).length >= Math.min(k, judgements.size) ? 1 : 0;
}

/**
 * Subtopic recall, in [0, 1]: the share of perspectives that the top k cover, among those that at least
 * one judged passage supports; 0 when there are none of these.
 *
 * Source: Zhai, Cohen and Lafferty 2003, S-recall; `strec` of ndeval.
 */
export function stRecall(ranking: readonly string[], judgements: TopicJudgements, k: number): number {
  const supportable = supportablePerspectives(judgements).length;
  return supportable === 0 ? 0 : coveredPerspectives(ranking, judgements, k).length / supportable;
}

/**
 * P-IA@k with equal intents, in [0, 1]: precision per perspective, averaged over the N perspectives
 * that some judged passage supports. Divides by k·N, also when fewer than k passages came back.
 *
 * Source: Agrawal et al. 2009, section 5; `P-IA` of ndeval.
 */
export function precisionIntentAware(
  ranking: readonly string[],
  judgements: TopicJudgements,
  k: number,
): number {
  const supportable = supportablePerspectives(judgements);
  if (supportable.length === 0) return 0;
  const top = ranking.slice(0, k);
  let supporting = 0;
  for (const passages of supportable)
    for (const passage of top) if (supports(passages.get(passage))) supporting++;
  return supporting / (k * supportable.length);
}

/** The judgements of each perspective that at least one judged passage supports; ndeval's N is their number. */
export function supportablePerspectives(judgements: TopicJudgements): ReadonlyMap<string, number>[] {
  return [...judgements.values()].filter((passages) => [...passages.values()].some(supports));
}
