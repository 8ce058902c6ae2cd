import * as l10n from '@vscode/l10n';
import { ParallaxError } from './errors.ts';
import type { Ranked } from './model.ts';

export interface FusionOptions {
  /** Flattens the advantage of the first ranks; 60 in the paper. At least 0. */
  readonly rrfK?: number | undefined;
  /** One weight ≥ 0 per list, 1 by default. Lists with weight 0 are ignored. */
  readonly weights?: readonly number[] | undefined;
}

/**
 * Weighted reciprocal rank fusion: an item scores the sum of weight / (rrfK + rank) over the lists that contain it,
 * with ranks from 1. Equal scores keep the order of first appearance, list by list. An item repeated within a list
 * counts once, at its best rank.
 *
 * Source: Cormack, Clarke and Büttcher 2009, section 2 (without weights there).
 *
 * @param lists rankings, best first; items are compared like `Map` keys
 * @returns every item once, best first
 * @throws ParallaxError `bad-argument` for invalid weights or an invalid rrfK.
 */
export function reciprocalRankFusion<T>(
  lists: readonly (readonly T[])[],
  { rrfK = 60, weights = lists.map(() => 1) }: FusionOptions = {},
): Ranked<T>[] {
  checkOptions(lists.length, rrfK, weights);
  const scores = new Map<T, number>();
  lists.forEach((list, index) => {
    const weight = weights[index]!;
    if (weight > 0) addReciprocalRanks(scores, list, weight, rrfK);
  });
  return [...scores].map(([item, score]) => ({ item, score })).sort((a, b) => b.score - a.score);
}

function addReciprocalRanks<T>(
  scores: Map<T, number>,
  list: readonly T[],
  weight: number,
  rrfK: number,
): void {
  const countedItems = new Set<T>();
  list.forEach((item, position) => {
    if (countedItems.has(item)) return;
    countedItems.add(item);
    scores.set(item, (scores.get(item) ?? 0) + weight / (rrfK + position + 1));
  });
}

function checkOptions(lists: number, rrfK: number, weights: readonly number[]): void {
  if (!Number.isFinite(rrfK) || rrfK < 0)
    throw new ParallaxError('bad-argument', l10n.t`The fusion constant rrfK must be 0 or more, not ${rrfK}.`);
  if (weights.length !== lists)
    throw new ParallaxError(
      'bad-argument',
      l10n.t`Fusion got ${weights.length} weights for ${lists} rankings.`,
    );
  const bad = weights.find((weight) => !Number.isFinite(weight) || weight < 0);
  if (bad !== undefined)
    throw new ParallaxError('bad-argument', l10n.t`A fusion weight must be 0 or more, not ${bad}.`);
}
