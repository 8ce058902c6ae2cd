import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planMerge, type SegmentSize } from '../../../src/engine/bm25/merge-policy.ts';

const MAX = 1 << 24;
const alive = (...sizes: number[]): SegmentSize[] => sizes.map((size) => ({ passages: size, live: size }));

test('keeps few segments of a size', () => {
  assert.deepEqual(planMerge([], MAX), []);
  const small = Array<number>(7).fill(10);
  const medium = Array<number>(7).fill(10_000);
  assert.deepEqual(planMerge(alive(...small, ...medium, 100_000), MAX), []);
});

test('merges eight segments of a size, the smallest size first', () => {
  const large = [90_000, 80_000, 70_000, 66_000, 90_000, 80_000, 70_000, 66_000];
  const small = [7, 1, 2, 3, 7, 1, 2, 3];
  const turns = large.flatMap((size, i) => [size, small[i]!]);
  assert.deepEqual(planMerge(alive(...turns), MAX), [1, 3, 5, 7, 9, 11, 13, 15]);
  assert.deepEqual(planMerge(alive(...large, 7), MAX), [0, 1, 2, 3, 4, 5, 6, 7]);
});

test('rewrites a segment if more than a quarter is dead', () => {
  const healthy = { passages: 100, live: 75 };
  assert.deepEqual(planMerge([healthy, { passages: 100, live: 74 }], MAX), [1]);
  assert.deepEqual(planMerge([healthy], MAX), []);
  assert.deepEqual(planMerge([{ passages: 3, live: 0 }], MAX), [0]);
});

test('never plans a segment that is too large', () => {
  assert.deepEqual(planMerge(alive(...Array<number>(8).fill(300)), 2399), []);
});

test('rewrites a passage a logarithmic number of times, with few segments', () => {
  const flush = 500;
  let segments: number[] = [];
  let rewritten = 0;
  let most = 0;
  for (let i = 0; i < 2000; i++) {
    segments.push(flush);
    for (
      let plan = planMerge(alive(...segments), MAX);
      plan.length > 0;
      plan = planMerge(alive(...segments), MAX)
    ) {
      const merged = plan.reduce((sum, position) => sum + segments[position]!, 0);
      segments = [...segments.filter((_, position) => !plan.includes(position)), merged];
      rewritten += merged;
    }
    most = Math.max(most, segments.length);
  }
  assert.ok(rewritten / (2000 * flush) < 4, `${rewritten / (2000 * flush)} times`);
  assert.ok(most <= 28, `${most} segments`);
});
