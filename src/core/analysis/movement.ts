/** Where one passage stands in several rankings. */
export interface Moved<T> {
  readonly item: T;
  /** Per ranking, from 1; null where it is not within the depth. */
  readonly ranks: readonly (number | null)[];
}

/**
 * Everything that any of several rankings of one query has within a depth, by its best rank; on equal best
 * ranks the item of the earlier ranking comes first.
 *
 * @param rankings distinct items each, best first
 * @param depth 1 or more
 */
export function movementBetween<T>(rankings: readonly (readonly T[])[], depth: number): Moved<T>[] {
  const ranks = new Map<T, (number | null)[]>();
  rankings.forEach((ranking, place) => {
    for (const [index, item] of ranking.slice(0, depth).entries()) {
      const own = ranks.get(item) ?? new Array<number | null>(rankings.length).fill(null);
      own[place] = index + 1;
      ranks.set(item, own);
    }
  });
  const best = (own: readonly (number | null)[]): number => Math.min(...own.map((rank) => rank ?? Infinity));
  // Sorting is stable, and items were met ranking by ranking.
  return [...ranks]
    .map(([item, own]) => ({ item, ranks: own }))
    .sort((a, b) => best(a.ranks) - best(b.ranks));
}
