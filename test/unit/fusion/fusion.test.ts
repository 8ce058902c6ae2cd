import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ParallaxError } from '../../../src/core/errors.ts';
import { reciprocalRankFusion } from '../../../src/core/fusion.ts';

test('scores by hand', () => {
  assert.deepEqual(
    reciprocalRankFusion([
      ['a', 'b'],
      ['b', 'c'],
    ]),
    [
      { item: 'b', score: 1 / 62 + 1 / 61 },
      { item: 'a', score: 1 / 61 },
      { item: 'c', score: 1 / 62 },
    ],
  );
  assert.deepEqual(reciprocalRankFusion([['a'], ['b']], { rrfK: 1, weights: [1, 3] }), [
    { item: 'b', score: 1.5 },
    { item: 'a', score: 0.5 },
  ]);
});

test('equal scores keep the order of first appearance', () => {
  const items = reciprocalRankFusion([
    ['b', 'y'],
    ['a', 'x'],
    ['c', 'z'],
  ]).map(({ item }) => item);
  assert.deepEqual(items, ['b', 'a', 'c', 'y', 'x', 'z']);
});

test('a repeated item counts once in a list, at its best rank', () => {
  assert.deepEqual(reciprocalRankFusion([['a', 'b', 'a']], { rrfK: 0 }), [
    { item: 'a', score: 1 },
    { item: 'b', score: 1 / 2 },
  ]);
});

test('ignores a list of weight 0; returns nothing for no lists', () => {
  assert.deepEqual(reciprocalRankFusion([[1], [2]], { rrfK: 0, weights: [0, 1] }), [{ item: 2, score: 1 }]);
  assert.deepEqual(reciprocalRankFusion([]), []);
  assert.deepEqual(reciprocalRankFusion([[], []]), []);
});

test('refuses invalid options', () => {
  for (const options of [
    { rrfK: -1 },
    { rrfK: NaN },
    { weights: [1] },
    { weights: [1, -1] },
    { weights: [1, Infinity] },
  ])
    assert.throws(
      () => reciprocalRankFusion([['a'], ['b']], options),
      (error) => ParallaxError.is(error, 'bad-argument'),
    );
});

test('keeps the order of one list and returns every item once', () => {
  const lists = fc.array(fc.uniqueArray(fc.integer({ min: 0, max: 30 })), { maxLength: 4 });
  fc.assert(
    fc.property(lists, (rankings) => {
      const fused = reciprocalRankFusion(rankings);
      assert.deepEqual(new Set(fused.map(({ item }) => item)), new Set(rankings.flat()));
      assert.equal(fused.length, new Set(rankings.flat()).size);
      assert.ok(fused.every(({ score }, index) => index === 0 || score <= fused[index - 1]!.score));
      const [first = []] = rankings;
      assert.deepEqual(
        reciprocalRankFusion([first]).map(({ item }) => item),
        first,
      );
    }),
  );
});
