/** Groups of passages that are alike, found from their cosines alone; the same passages always give the same groups. */

/** Too few passages to speak of groups. */
const LEAST_PASSAGES = 8;
/** More groups are more than a reader takes in at a glance. */
const MOST_GROUPS = 10;
/** The least average size of a group, in passages. */
const PASSAGES_PER_GROUP = 4;
/** A group with a larger share than this says little about what is in it. */
const LARGEST_SHARE = 0.5;

export interface Grouping {
  /** Places of the passages, ascending; groups in the order of their first passages. */
  readonly groups: readonly (readonly number[])[];
  /**
   * How far the groups lie apart: the mean silhouette of the passages, in [−1, 1]. 0: no further than a passage from
   * those of its own group.
   */
  readonly apart: number;
}

/**
 * Ward's method on unit vectors: the two groups whose union adds least to the squared distances within groups become
 * one, ties going to the earlier passages. Of the cuts into two to {@link MOST_GROUPS} groups the one with the highest
 * mean silhouette counts (Rousseeuw 1987), ties going to fewer groups.
 *
 * @param cosines `[n, n]`, symmetric
 * @returns one group where there are fewer than {@link LEAST_PASSAGES} passages
 */
export function groupsOf(cosines: Float64Array, n: number): Grouping {
  const all = Array.from({ length: n }, (_, place) => [place]);
  if (n < LEAST_PASSAGES) return { groups: n === 0 ? [] : [all.flat()], apart: 0 };
  const most = Math.min(MOST_GROUPS, Math.floor(n / PASSAGES_PER_GROUP));
  let best: Grouping | undefined;
  for (const groups of cuts(cosines, n)) {
    if (groups.length > most) continue;
    // The first cut that is coarse enough counts where all have a large group.
    if (best && groups.some(({ length }) => length > LARGEST_SHARE * n)) break;
    const apart = silhouette(cosines, n, groups);
    if (best === undefined || apart >= best.apart) best = { groups, apart };
  }
  return best!;
}

/** Every cut, from each passage alone to one group of all. */
function* cuts(cosines: Float64Array, n: number): Generator<readonly (readonly number[])[]> {
  const distances = cosines.map((cosine) => 2 - 2 * cosine);
  const groups = new Map(Array.from({ length: n }, (_, place) => [place, [place]]));
  yield [...groups.values()];
  while (groups.size > 1) {
    const [kept, gone] = nearestPair(distances, n, [...groups.keys()]);
    unite(distances, n, groups, kept, gone);
    yield [...groups.values()];
  }
}

/** Groups go by their first passage, the earlier one first. */
function nearestPair(distances: Float64Array, n: number, names: readonly number[]): [number, number] {
  let pair: [number, number] = [names[0]!, names[1]!];
  let least = Infinity;
  for (const [place, a] of names.entries())
    for (let next = place + 1; next < names.length; next++) {
      const b = names[next]!;
      if (distances[a * n + b]! < least) {
        least = distances[a * n + b]!;
        pair = [a, b];
      }
    }
  return pair;
}

/** The distances of a united group follow from those of its parts (Lance and Williams 1967). */
function unite(
  distances: Float64Array,
  n: number,
  groups: Map<number, number[]>,
  kept: number,
  gone: number,
): void {
  const first = groups.get(kept)!;
  const second = groups.get(gone)!;
  groups.delete(gone);
  const between = distances[kept * n + gone]!;
  for (const [other, { length }] of groups) {
    if (other === kept) continue;
    const a = (first.length + length) * distances[kept * n + other]!;
    const b = (second.length + length) * distances[gone * n + other]!;
    const united = (a + b - length * between) / (first.length + second.length + length);
    distances[kept * n + other] = distances[other * n + kept] = united;
  }
  groups.set(
    kept,
    [...first, ...second].sort((a, b) => a - b),
  );
}

/** Mean over all passages; one that is alone in its group counts 0. */
function silhouette(cosines: Float64Array, n: number, groups: readonly (readonly number[])[]): number {
  let sum = 0;
  for (const own of groups) {
    if (own.length === 1) continue;
    for (const place of own) {
      const distanceTo = (group: readonly number[], others: number): number =>
        group.reduce((total, other) => total + (other === place ? 0 : 1 - cosines[place * n + other]!), 0) /
        others;
      const within = distanceTo(own, own.length - 1);
      const nearest = Math.min(
        ...groups.filter((group) => group !== own).map((group) => distanceTo(group, group.length)),
      );
      const larger = Math.max(within, nearest);
      if (larger > 0) sum += (nearest - within) / larger;
    }
  }
  return sum / n;
}
