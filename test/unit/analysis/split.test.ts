import assert from 'node:assert/strict';
import { test } from 'node:test';
import { splitQueries } from '../../../src/features/papers/core/query-split.ts';

const queries = ['q1', 'q2', 'q3', 'q4', 'q5', 'q6', 'q7', 'q8'].map((id) => ({ id }));

/** Ids by side, one line for each side. */
function sidesOf(some: readonly { readonly id: string }[], share?: number): string[] {
  const { development, test: rest } = splitQueries(some, share);
  return [development, rest].map((side) => side.map(({ id }) => id).join(' '));
}

test('the side of a query is the same in every build, whatever the other queries', () => {
  assert.deepEqual(sidesOf(queries), ['q2 q3 q4 q5 q7', 'q1 q6 q8']);
  assert.deepEqual(sidesOf(queries, 0.25), ['q4 q7', 'q1 q2 q3 q5 q6 q8']);
  assert.deepEqual(sidesOf(queries.slice(3).reverse()), ['q7 q5 q4', 'q8 q6']);
});

test('about the requested share is on the side for choosing', () => {
  const many = Array.from({ length: 4000 }, (_, index) => ({ id: `question ${index}` }));
  for (const share of [0.25, 0.5, 0.8]) {
    const found = splitQueries(many, share).development.length / many.length;
    assert.ok(Math.abs(found - share) < 0.025, `${share}: ${found}`);
  }
});
