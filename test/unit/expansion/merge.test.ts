import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ParallaxError } from '../../../src/core/errors.ts';
import { expandedQueries, mergeInTurns } from '../../../src/core/expansion/merge.ts';

const items = (lists: readonly (readonly string[])[], k: number): string =>
  mergeInTurns(lists, k)
    .map(({ item }) => item)
    .join('');

test('takes the lists in turn, rank by rank', () => {
  assert.equal(items([[...'abc'], [...'xyz']], 3), 'axb');
  assert.deepEqual(mergeInTurns([['a', 'b'], ['x']], 2), [
    { item: 'a', list: 0, rank: 1 },
    { item: 'x', list: 1, rank: 1 },
  ]);
});

test('a list whose turn is a duplicate loses that turn', () => {
  // If the second list continued with y, y would precede b.
  assert.equal(items([[...'abc'], [...'ayz'], [...'pqr']], 5), 'apbyq');
});

test('a repeated item belongs to the list that has it first', () => {
  assert.deepEqual(mergeInTurns([['a', 'x'], ['b', 'a'], ['a']], 3)[0], { item: 'a', list: 0, rank: 1 });
});

test('makes at most k rounds, even if duplicates leave fewer than k items', () => {
  assert.equal(items([['a'], [...'aaaaxyz']], 4), 'a');
});

test('lists of different length, empty lists, no lists', () => {
  assert.equal(items([['a'], [...'xyz'], []], 4), 'axyz');
  assert.equal(items([[], []], 4), '');
  assert.equal(items([], 4), '');
});

test('matches the paper: a list of n × k, without duplicates, cut to the top k', () => {
  const list = fc.uniqueArray(fc.constantFrom(...'abcdefghij'), { maxLength: 8 });
  fc.assert(
    fc.property(fc.array(list, { maxLength: 5 }), fc.integer({ min: 1, max: 10 }), (lists, k) => {
      const taken: string[] = [];
      for (let round = 0; round < k; round++)
        for (const one of lists) if (one[round] !== undefined) taken.push(one[round]!);
      assert.equal(items(lists, k), [...new Set(taken)].slice(0, k).join(''));
    }),
  );
});

test('k must be a whole number from 1', () => {
  for (const k of [0, -1, 1.5, NaN, Infinity])
    assert.throws(
      () => mergeInTurns([['a']], k),
      (error) => ParallaxError.is(error, 'bad-argument'),
    );
});

test('query texts: the question with each perspective, or each perspective alone', () => {
  const perspectives = ['Yes, it is. ', 'No.'];
  assert.deepEqual(expandedQueries(' Is it so? ', perspectives), ['Is it so? Yes, it is.', 'Is it so? No.']);
  assert.deepEqual(expandedQueries('Is it so?', perspectives, 'perspective'), ['Yes, it is.', 'No.']);
  assert.deepEqual(expandedQueries('Is it so?', []), []);
});
