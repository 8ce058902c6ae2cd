/** Why the coverage reranker moved candidates up. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { coverageReasons } from '../../../src/core/rerank/coverage-reasons.ts';

test('a moved candidate names the perspective that it is the most likely to support', () => {
  const posterior = [
    [0.9, 0.1],
    [0.8, 0],
    [0.8, 0.8],
  ];
  const [reason, ...others] = coverageReasons({ order: [0, 2, 1], posterior }, 2);
  assert.deepEqual(others, []);
  assert.deepEqual([reason!.candidate, reason!.perspective, reason!.supports], [2, 1, 0.8]);
  assert.ok(Math.abs(reason!.only - 0.72) < 1e-12, 'the first may support it, too');
});

test('a less certain perspective is no better reason; of equal ones the first counts', () => {
  const reasonOf = (supports: readonly number[]) =>
    coverageReasons({ order: [1, 0], posterior: [[0, 0], supports] }, 1)[0]!.perspective;
  assert.deepEqual(
    [
      [0.9, 0.1],
      [0.1, 0.9],
      [0.5, 0.5],
    ].map(reasonOf),
    [0, 1, 0],
  );
});

test('passages that did not move up or are below k have no reason', () => {
  const posterior = [[0.1], [0.2], [0.9]];
  assert.deepEqual(coverageReasons({ order: [0, 1, 2], posterior }, 3), []);
  assert.deepEqual(
    coverageReasons({ order: [2, 0, 1], posterior }, 2).map(({ candidate }) => candidate),
    [2],
  );
  assert.deepEqual(coverageReasons({ order: [1, 2, 0], posterior }, 0), []);
});
