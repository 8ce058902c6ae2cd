/**
 * Bounds the scores of passages that a search for a plan's direction does not return. A store ranks by cos(u, c) and
 * returns the m best. PAP+ scores c·u / √(‖c‖² − g (c·p̂)²) with g = w(2 − w), which is a different order.
 *
 * Vectors are [d]; a score does not change with the length of the passage c, so let ‖c‖ = 1, û = u/‖u‖, x = c·û, y =
 * c·p̂:
 *
 *     score(c) = ‖u‖ x / √(1 − g y²)
 *
 * A passage that was not returned has x ≤ s, the cosine of the last returned one. That bound alone is weak: for w = 1,
 * u is orthogonal to p̂, and c = x û + √(1 − x²) p̂ scores 1 for every x > 0, as only x û remains of it. PAP+ lifts
 * passages close to ±p̂, so the store is asked for those as well. Passages in neither answer have |y| ≤ t, and
 *
 *     score(c) ≤ ‖u‖ s / √(1 − g t²)    for s > 0 and g > 0,
 *
 * because the fraction grows with x, and with y² if x > 0. For s ≤ 0 or g < 0 (weights below 0 and above 2) it is
 * greatest at the other end of y² ∈ [0, t²]. As a cosine it is never above 1. PAP has g = 0: its order is the store's,
 * and the bound is ‖u‖ s, the score of the last passage returned.
 */
import { NORM_FLOOR, type ScoringPlan } from './project.ts';
import { length } from './vectors.ts';

/**
 * The highest score that a plan can give to a passage that the store did not return.
 *
 * @param nearest s: no such passage has a greater cosine with the plan's direction
 * @param along t: no such passage has a greater cosine with the perspective or its opposite; 1 if unknown
 * @returns `undefined` for methods whose score also depends on the passage's length
 */
export function mostBeyond(plan: ScoringPlan, nearest: number, along: number): number | undefined {
  const { direction, offset, norm } = plan;
  if (offset !== 0) return undefined;
  const greatest = length(direction) * nearest;
  if (!norm) return greatest;
  if (norm.linear !== 0 || norm.constant !== 0) return undefined;
  const reached = Math.min(Math.abs(along), 1);
  const furthest = Math.max(1 + norm.quadratic * reached * reached, NORM_FLOOR);
  const denominator = nearest > 0 ? Math.min(furthest, 1) : Math.max(furthest, 1);
  return Math.min(greatest / Math.sqrt(denominator), 1);
}

/**
 * @param scores best first
 * @param beyond the highest possible score of any other passage
 * @returns how many of the first are certain to keep their rank
 */
export function certainOf(scores: readonly number[], beyond: number): number {
  const doubtful = scores.findIndex((score) => score < beyond);
  return doubtful === -1 ? scores.length : doubtful;
}
