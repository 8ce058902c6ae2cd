import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { BestHits } from '../../../src/engine/dense/best-hits.ts';

test('keeps the same hits as sorting everything, ties by the smaller slot', () => {
  const stream = fc.array(fc.integer({ min: -3, max: 3 }), { maxLength: 60 });
  fc.assert(
    fc.property(stream, fc.integer({ min: 0, max: 20 }), fc.boolean(), (scores, depth, backwards) => {
      const hits = scores.map((score, item) => ({ item, score }));
      if (backwards) hits.reverse();
      const best = new BestHits(depth);
      for (const { item, score } of hits) best.offer(item, score);
      assert.deepEqual(
        best.sorted(),
        hits.toSorted((a, b) => (a.score === b.score ? a.item - b.item : b.score - a.score)).slice(0, depth),
      );
    }),
  );
});

test('the threshold is the worst kept score, once there are enough', () => {
  const best = new BestHits(2);
  best.offer(0, 5);
  assert.equal(best.threshold, -Infinity);
  best.offer(1, 3);
  assert.equal(best.threshold, 3);
  best.offer(2, 4);
  assert.equal(best.threshold, 4);
});
