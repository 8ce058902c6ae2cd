/** Numbers of the texts that belong to one id. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ForeignNumbers } from '../../../src/engine/external/foreign-passages.ts';

test('the latest text is found first, each text once', () => {
  const numbers = new ForeignNumbers();
  assert.deepEqual(numbers.of('a'), []);
  for (const number of [1, 2, 3, 2]) numbers.note('a', number);
  assert.deepEqual(numbers.of('a'), [2, 3, 1]);
  assert.deepEqual(numbers.of('b'), []);
});

test('numbers of another window come after those assigned here', () => {
  const numbers = new ForeignNumbers();
  numbers.note('a', 7);
  for (const number of [9, 7, 4]) numbers.noteBehind('a', number);
  numbers.noteBehind('b', 5);
  assert.deepEqual(numbers.of('a'), [7, 9, 4]);
  assert.deepEqual(numbers.of('b'), [5]);
  assert.equal(numbers.has('c'), false);
});
