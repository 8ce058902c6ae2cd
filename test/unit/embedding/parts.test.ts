import assert from 'node:assert/strict';
import test from 'node:test';
import { partsOf } from '../../../src/core/embedding/parts.ts';

const numbers = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

test('a text within the limit is one part', () => {
  assert.deepEqual(partsOf([], 4), []);
  assert.deepEqual(partsOf(numbers(4), 4), [{ ids: [0, 1, 2, 3], added: 4 }]);
});

test('parts of a longer text have the full length and their own weight', () => {
  assert.deepEqual(partsOf(numbers(5), 4), [
    { ids: [0, 1, 2, 3], added: 4 },
    { ids: [1, 2, 3, 4], added: 1 },
  ]);
  assert.deepEqual(partsOf(numbers(8), 4), [
    { ids: [0, 1, 2, 3], added: 4 },
    { ids: [4, 5, 6, 7], added: 4 },
  ]);
});

test('parts contain every id once', () => {
  for (let length = 1; length < 40; length++) {
    const parts = partsOf(numbers(length), 7);
    assert.deepEqual(
      parts.flatMap(({ ids, added }) => ids.slice(ids.length - added)),
      numbers(length),
    );
  }
});
