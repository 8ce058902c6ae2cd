import type { Ranked } from '../model.ts';

/**
 * Takes one candidate after the other, each time the one with the greatest score; equal scores keep their
 * order.
 *
 * @param candidates how many there are; they are called by their positions from 0
 * @param limit how many to take
 * @param round begins a rank and returns the score of a candidate at it
 * @param onTaken told of each candidate that was taken
 */
export function takeBest(
  candidates: number,
  limit: number,
  round: () => (candidate: number) => number,
  onTaken: (candidate: number) => void,
): Ranked<number>[] {
  const remaining = Array.from({ length: candidates }, (_, position) => position);
  const taken: Ranked<number>[] = [];
  while (taken.length < limit) {
    const scores = remaining.map(round());
    const best = scores.reduce((leader, score, i) => (score > scores[leader]! ? i : leader), 0);
    const [item] = remaining.splice(best, 1);
    taken.push({ item: item!, score: scores[best]! });
    onTaken(item!);
  }
  return taken;
}
