/** Deterministic groups of similar passages, from their cosines. */

/** Fewer passages are not grouped. */
const MIN_PASSAGES = 8;
/** The most groups that a reader can take in at a glance. */
const MAX_GROUPS = 10;
/** The least average size of a group, in passages. */
const PASSAGES_PER_GROUP = 4;
/** A group with a larger share is too unspecific. */
const LARGEST_SHARE = 0.5;

export interface Grouping {
  /** Indices of the passages, ascending, with groups in the order of their first passages. */
  readonly groups: readonly (readonly number[])[];
  /**
   * The separation of the groups: the mean silhouette of the passages, in [−1, 1]. 0 means that groups are no further
   * apart than the passages within them.
   */
  readonly apart: number;
}

/**
 * Ward's method on unit vectors: repeatedly merges the two groups whose union adds least to the squared distances
 * within groups, with ties to the earlier passages. Returns the cut into two to {@link MAX_GROUPS} groups with the
 * highest mean silhouette (Rousseeuw 1987), with ties to fewer groups.
 *
 * @param cosines `[n, n]`, symmetric
 * @returns one group if there are fewer than {@link MIN_PASSAGES} passages
 */
export function groupsOf(cosines: Float64Array, n: number): Grouping {
  const all = Array.from({ length: n }, (_, place) => [place]);
  if (n < MIN_PASSAGES) return { groups: n === 0 ? [] : [all.flat()], apart: 0 };
  const most = Math.min(MAX_GROUPS, Math.floor(n / PASSAGES_PER_GROUP));
  let best: Grouping | undefined;
  for (const groups of cuts(cosines, n)) {
    if (groups.length > most) continue;
    // If every cut has a large group, the first cut that is coarse enough counts.
    if (best && groups.some(({ length }) => length > LARGEST_SHARE * n)) break;
    const apart = silhouette(cosines, n, groups);
    if (best === undefined || apart >= best.apart) best = { groups, apart };
  }
  return best!;
}

/** Every cut, from single passages to one group. */
function* cuts(cosines: Float64Array, n: number): Generator<readonly (readonly number[])[]> {
  const distances = cosines.map((cosine) => 2 - 2 * cosine);
  const groups = new Map(Array.from({ length: n }, (_, place) => [place, [place]]));
  yield [...groups.values()];
  while (groups.size > 1) {
    const [survivor, gone] = nearestPair(distances, n, [...groups.keys()]);
    unite(distances, n, groups, survivor, gone);
    yield [...groups.values()];
  }
}

/** Groups are identified by their first passage. */
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

/** Computes the distances of a merged group from those of its parts (Lance and Williams 1967). */
function unite(
  distances: Float64Array,
  n: number,
  groups: Map<number, number[]>,
  survivor: number,
  gone: number,
): void {
  const first = groups.get(survivor)!;
  const second = groups.get(gone)!;
  groups.delete(gone);
  const between = distances[survivor * n + gone]!;
  for (const [neighbour, { length }] of groups) {
    if (neighbour === survivor) continue;
    const a = (first.length + length) * distances[survivor * n + neighbour]!;
    const b = (second.length + length) * distances[gone * n + neighbour]!;
    const united = (a + b - length * between) / (first.length + second.length + length);
    distances[survivor * n + neighbour] = distances[neighbour * n + survivor] = united;
  }
  groups.set(
    survivor,
    [...first, ...second].sort((a, b) => a - b),
  );
}

/** Mean over all passages. A passage that is alone in its group counts 0. */
function silhouette(cosines: Float64Array, n: number, groups: readonly (readonly number[])[]): number {
  let sum = 0;
  for (const members of groups) {
    if (members.length === 1) continue;
    for (const place of members) {
      const distanceTo = (group: readonly number[], size: number): number =>
        group.reduce(
          (total, member) => total + (member === place ? 0 : 1 - cosines[place * n + member]!),
          0,
        ) / size;
      const within = distanceTo(members, members.length - 1);
      const nearest = Math.min(
        ...groups.filter((group) => group !== members).map((group) => distanceTo(group, group.length)),
      );
      const larger = Math.max(within, nearest);
      if (larger > 0) sum += (nearest - within) / larger;
    }
  }
  return sum / n;
}
