import type { Hit, LiveSlots, Slot } from '../../../src/engine/types.ts';

/** Numbers in [0, 1) that are the same on every run (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Unit vectors [n, d]. */
export function randomVectors(count: number, dimensions: number, seed = 1): Float32Array {
  const random = seededRandom(seed);
  const vectors = Float32Array.from({ length: count * dimensions }, () => random() - 0.5);
  for (let row = 0; row < count; row++) {
    const vector = vectors.subarray(row * dimensions, (row + 1) * dimensions);
    const norm = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
    vector.forEach((value, i) => (vector[i] = value / norm));
  }
  return vectors;
}

/** 0, 1, …, count − 1. */
export function slotsUpTo(count: number): Slot[] {
  return Array.from({ length: count }, (_, slot) => slot);
}

export function liveWithout(dead: Iterable<Slot> = [], total = Infinity): LiveSlots {
  const gone = new Set(dead);
  return { count: total - gone.size, has: (slot) => !gone.has(slot) };
}

/** Nearest slots by plain double-precision loops: the reference for every search. */
export function plainSearch(
  slots: readonly Slot[],
  vectors: Float32Array,
  query: Float32Array,
  depth: number,
  live: LiveSlots = liveWithout(),
): Hit[] {
  const dimensions = query.length;
  return slots
    .map((item, row) => ({
      item,
      score: query.reduce((sum, value, i) => sum + value * vectors[row * dimensions + i]!, 0),
    }))
    .filter((hit) => live.has(hit.item))
    .sort((a, b) => b.score - a.score || a.item - b.item)
    .slice(0, depth);
}
