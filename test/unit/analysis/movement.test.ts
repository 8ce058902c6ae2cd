import assert from 'node:assert/strict';
import { test } from 'node:test';
import { movementBetween } from '../../../src/core/analysis/movement.ts';

test('movement: the union within the depth, by best rank, ties to the earlier ranking', () => {
  assert.deepEqual(movementBetween([[...'abcd'], [...'dbx'], []], 2), [
    { item: 'a', ranks: [1, null, null] },
    { item: 'd', ranks: [null, 1, null] },
    { item: 'b', ranks: [2, 2, null] },
  ]);
});

test('movement: ranks beyond the depth do not count, and without rankings nothing moves', () => {
  assert.deepEqual(movementBetween([[...'ab'], [...'ba']], 1), [
    { item: 'a', ranks: [1, null] },
    { item: 'b', ranks: [null, 1] },
  ]);
  assert.deepEqual(movementBetween([[], []], 5), []);
  assert.deepEqual(movementBetween([], 5), []);
});
