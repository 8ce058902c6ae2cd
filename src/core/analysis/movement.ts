/** The ranks of passages in several rankings. */
export interface Moved<T> {
  readonly item: T;
  /** One per ranking, from 1. `null` if not within the depth. */
  readonly ranks: readonly (number | null)[];
}

/**
 * All items within the depth of any ranking of one query, by their best rank. Ties go to the item of the earlier
 * ranking.
 *
 * @param rankings distinct items each, best first
 * @param depth at least 1
 */
export function movementBetween<T>(rankings: readonly (readonly T[])[], depth: number): Moved<T>[] {
  const ranks = new Map<T, (number | null)[]>();
  rankings.forEach((ranking, place) => {
    for (const [index, item] of ranking.slice(0, depth).entries()) {
      const itemRanks = ranks.get(item) ?? new Array<number | null>(rankings.length).fill(null);
      itemRanks[place] = index + 1;
      ranks.set(item, itemRanks);
    }
  });
  const best = (itemRanks: readonly (number | null)[]): number =>
    Math.min(...itemRanks.map((rank) => rank ?? Infinity));
  // Sorting is stable, and the map has the items in the order of the rankings.
  return [...ranks]
    .map(([item, itemRanks]) => ({ item, ranks: itemRanks }))
    .sort((a, b) => best(a.ranks) - best(b.ranks));
}
