/**
 * Which passages to have labelled, to measure judges on.
 *
 * Source: BERDS, appendix A.4: the top five passages of either of two retrievers, without near-duplicates.
 */
import { SAME_TEXT, textSimilarity } from '../external/match.ts';

export interface LabelPool<P> {
  readonly passages: readonly P[];
  /** Passages left out because one that is nearly the same is in. */
  readonly duplicates: number;
}

/**
 * The first `k` of each list in turns, so that neither retriever is preferred. A passage that both found counts
 * once, and is no duplicate.
 *
 * @param lists ranked passages, best first
 * @param k at least 1
 */
export function labelPool<P extends { readonly hash: string; readonly text: string }>(
  lists: readonly (readonly P[])[],
  k: number,
): LabelPool<P> {
  const passages: P[] = [];
  const seen = new Set<string>();
  let duplicates = 0;
  for (let rank = 0; rank < k; rank++)
    for (const list of lists) {
      const passage = list[rank];
      if (!passage || seen.has(passage.hash)) continue;
      seen.add(passage.hash);
      if (isNearDuplicate(passage.text, passages)) duplicates++;
      else passages.push(passage);
    }
  return { passages, duplicates };
}

/** Whether one of the passages is nearly the same text. */
export function isNearDuplicate(text: string, passages: readonly { readonly text: string }[]): boolean {
  return passages.some((other) => textSimilarity(text, other.text) >= SAME_TEXT);
}
