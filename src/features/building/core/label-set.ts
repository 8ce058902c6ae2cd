/**
 * Selects the passages to label for measuring judges.
 *
 * Source: BERDS, appendix A.4: the top five passages of either of two retrievers, without near-duplicates.
 */
import { SAME_TEXT, textSimilarity } from '../../../core/external/match.ts';

export interface LabelPool<P> {
  readonly passages: readonly P[];
  /** The number of passages left out as near-duplicates. */
  readonly duplicates: number;
}

/**
 * Interleaves the first `k` of each list, so that neither retriever is preferred. A passage found by both is taken once
 * and is not a duplicate.
 *
 * @param lists ranked passages, best first
 * @param k at least 1
 */
export function labelPool<P extends { readonly hash: string; readonly text: string }>(
  lists: readonly (readonly P[])[],
  k: number,
): LabelPool<P> {
  const passages: P[] = [];
  const hashes = new Set<string>();
  let duplicates = 0;
  for (let rank = 0; rank < k; rank++)
    for (const list of lists) {
      const passage = list[rank];
      if (!passage || hashes.has(passage.hash)) continue;
      hashes.add(passage.hash);
      if (isNearDuplicate(passage.text, passages)) duplicates++;
      else passages.push(passage);
    }
  return { passages, duplicates };
}

/** Whether one of the passages is nearly the same text. */
export function isNearDuplicate(text: string, passages: readonly { readonly text: string }[]): boolean {
  return passages.some((other) => textSimilarity(text, other.text) >= SAME_TEXT);
}
