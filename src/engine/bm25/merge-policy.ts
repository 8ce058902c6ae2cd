/**
 * Chooses the segments to merge. Segments belong to tiers of size that grow by {@link FAN_IN}; a full tier becomes
 * one segment of the next. So a passage is rewritten once per tier, O(log N) times in all, and there are never more
 * than a few segments per tier to search.
 */

const FAN_IN = 8;
/** Up to this many live passages, a segment is in the lowest tier. */
const LOWEST_TIER = 1000;
/** A segment with a larger share of dead passages is rewritten by itself. */
const MAX_DEAD_SHARE = 0.25;

export interface SegmentSize {
  /** Including dead ones. */
  readonly passages: number;
  readonly live: number;
}

/**
 * @param maxPassages the most passages of a segment
 * @returns positions in `sizes` of the segments to merge next; empty if there is nothing to do
 */
export function planMerge(sizes: readonly SegmentSize[], maxPassages: number): number[] {
  const tiers = Map.groupBy(sizes.keys(), (position) => tierOf(sizes[position]!.live));
  const full = [...tiers.entries()]
    .sort(([a], [b]) => a - b)
    .map(([, positions]) => positions.slice(0, FAN_IN))
    .find((positions) => positions.length === FAN_IN && fits(sizes, positions, maxPassages));
  if (full) return full;
  const stale = sizes.findIndex(({ passages, live }) => passages - live > MAX_DEAD_SHARE * passages);
  return stale < 0 ? [] : [stale];
}

function tierOf(live: number): number {
  return Math.max(0, Math.floor(Math.log(live / LOWEST_TIER) / Math.log(FAN_IN)));
}

function fits(sizes: readonly SegmentSize[], positions: readonly number[], maxPassages: number): boolean {
  return positions.reduce((sum, position) => sum + sizes[position]!.live, 0) <= maxPassages;
}
