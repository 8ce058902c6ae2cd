import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  correlation,
  gradedRagAlign,
  ragAlign,
} from '../../../src/features/papers/core/answers/alignment.ts';

test('RAGAlign is the share of queries on which both succeed or both fail', () => {
  assert.equal(ragAlign([true, true, false, false], [true, false, true, false]), 0.5);
  assert.equal(ragAlign([false], [false]), 1);
  assert.throws(() => ragAlign([], []), { id: 'bad-argument' });
  assert.throws(() => ragAlign([true], [true, false]), { id: 'bad-argument' });
});

test('the graded form equals Pearson’s correlation', () => {
  const queries = fc.array(fc.tuple(fc.integer({ min: 0, max: 100 }), fc.boolean()), { minLength: 2 });
  fc.assert(
    fc.property(queries, (pairs) => {
      const retrieval = pairs.map(([value]) => value / 100);
      const generation = pairs.map(([, success]) => success);
      const graded = gradedRagAlign(retrieval, generation);
      const pearson = correlation(retrieval, generation.map(Number));
      assert.equal(graded === undefined, pearson === undefined);
      if (graded !== undefined) assert.ok(Math.abs(graded - pearson!) < 1e-9 && Math.abs(graded) < 1 + 1e-9);
    }),
  );
});

test('the graded form, computed by hand', () => {
  // Means 0.8 and 0.3; the sample deviation of 0.9, 0.7, 0.4, 0.2 is 0.31091; √(4/12) = 0.57735.
  const graded = gradedRagAlign([0.9, 0.7, 0.4, 0.2], [true, true, false, false]);
  assert.ok(Math.abs(graded! - (0.5 / 0.310912635) * 0.577350269) < 1e-8);
});

test('it is undefined, not infinite, without variance', () => {
  assert.equal(gradedRagAlign([0.1, 0.2], [true, true]), undefined);
  assert.equal(gradedRagAlign([0.1, 0.2], [false, false]), undefined);
  assert.equal(gradedRagAlign([0.1, 0.1, 0.1], [true, false, true]), undefined);
  assert.equal(gradedRagAlign([0.4], [true]), undefined);
  assert.equal(correlation([1, 2], [3, 3]), undefined);
  assert.equal(correlation([1], [3]), undefined);
});

test('every form refuses sides with different queries', () => {
  for (const values of [[], [0.1, 0.2, 0.3]]) {
    assert.throws(() => gradedRagAlign(values, values.length === 0 ? [] : [true]), { id: 'bad-argument' });
    assert.throws(() => correlation(values, values.slice(1)), { id: 'bad-argument' });
  }
  assert.throws(() => correlation([], []), { id: 'bad-argument' });
});
