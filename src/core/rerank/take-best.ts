import type { Ranked } from '../model.ts';

/**
 * Takes one candidate at a time, always the one with the greatest score. Equal scores keep their order.
 *
 * @param candidates the number of candidates, which are identified by their index from 0
 * @param limit the number to take
 * @param round starts a rank and returns the scoring function for it
 * @param onTaken called for each candidate that was taken
 */
export function takeBest(
  candidates: number,
  limit: number,
  round: () => (candidate: number) => number,
  onTaken: (candidate: number) => void,
): Ranked<number>[] {
  const remaining = Array.from({ length: candidates }, (_, position) => position);
  const selection: Ranked<number>[] = [];
  while (selection.length < limit) {
    const scores = remaining.map(round());
    const best = scores.reduce((leader, score, i) => (score > scores[leader]! ? i : leader), 0);
    const [item] = remaining.splice(best, 1);
    selection.push({ item: item!, score: scores[best]! });
    onTaken(item!);
  }
  return selection;
}
