import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { precision } from '../../../src/core/metrics/coverage-measures.ts';
import { relevanceOf } from '../../../src/core/metrics/judgements.ts';
import {
  averagePrecision,
  judged,
  ndcg,
  recall,
  reciprocalRank,
  success,
} from '../../../src/core/metrics/relevance-measures.ts';
import { cutoffs, judgementsOf, rankings, topics } from './arbitraries.ts';

const MEASURES = { averagePrecision, judged, ndcg, precision, recall, reciprocalRank, success };
const relevance = new Map([
  ['a', 2],
  ['b', 1],
  ['c', 1],
  ['n', 0],
]);

test('precision divides by k even if fewer passages are retrieved', () => {
  assert.equal(precision(['a', 'x'], relevance, 5), 1 / 5);
  assert.equal(precision(['a', 'b', 'n', 'x', 'c'], relevance, 4), 2 / 4);
  assert.equal(precision([], relevance, 5), 0);
});

test('recall divides by all relevant passages', () => {
  assert.equal(recall(['a', 'x', 'b'], relevance, 3), 2 / 3);
  assert.equal(recall(['a', 'x', 'b'], relevance, 1), 1 / 3);
});

test('success and reciprocal rank use the first relevant passage', () => {
  assert.equal(success(['x', 'n', 'b'], relevance, 2), 0);
  assert.equal(success(['x', 'n', 'b'], relevance, 3), 1);
  assert.equal(reciprocalRank(['x', 'n', 'b'], relevance), 1 / 3);
  assert.equal(reciprocalRank(['x', 'n', 'b'], relevance, 2), 0);
  assert.equal(reciprocalRank(['x'], relevance), 0);
});

test('average precision by hand', () => {
  assert.equal(averagePrecision(['a', 'x', 'b'], relevance), (1 / 1 + 2 / 3) / 3);
  assert.equal(averagePrecision(['a', 'x', 'b'], relevance, 2), 1 / 3);
});

test("nDCG's ideal holds min(k, number of relevant), retrieved or not", () => {
  assert.equal(ndcg(['a'], relevance, 1), 1);
  const ideal = 2 + 1 / Math.log2(3) + 1 / Math.log2(4);
  assert.equal(ndcg(['b', 'a'], relevance, 10), (1 + 2 / Math.log2(3)) / ideal);
  assert.equal(ndcg(['b'], relevance, 1), 1 / 2);
});

test('judged share counts every judgement of the query among the retrieved passages', () => {
  assert.equal(judged(['a', 'n', 'x', 'y'], relevance, 4), 2 / 4);
  assert.equal(judged(['a', 'n', 'x'], relevance, 10), 2 / 3, 'divides by the length of a short list');
  assert.equal(judged([], relevance, 10), 0);
});

test('the union takes the highest relevance of any perspective', () => {
  const topic = new Map([
    [
      'pro',
      new Map([
        ['a', 0],
        ['b', 3],
      ]),
    ],
    [
      'con',
      new Map([
        ['a', 1],
        ['b', 2],
        ['c', 0],
      ]),
    ],
  ]);
  assert.deepEqual(Object.fromEntries(relevanceOf(topic)), { a: 1, b: 3, c: 0 });
});

test('precision counts a passage that supports two perspectives once', () => {
  assert.equal(precision(['a', 'x'], relevanceOf(judgementsOf({ pro: 'a', con: 'a' })), 2), 1 / 2);
});

test('all measures are in [0, 1] and ignore passages below k', () => {
  fc.assert(
    fc.property(rankings, topics, cutoffs, (ranking, topic, k) => {
      const union = relevanceOf(topic);
      const reordered = [...ranking.slice(0, k), ...ranking.slice(k).reverse()];
      for (const [name, measure] of Object.entries(MEASURES)) {
        const value = measure(ranking, union, k);
        assert.ok(value >= 0 && value <= 1 + 1e-12, `${name} is ${value}`);
        assert.equal(measure(reordered, union, k), value, name);
      }
      for (const measure of [recall, success, reciprocalRank, averagePrecision])
        assert.ok(measure(ranking, union, k) <= measure(ranking, union, k + 1) + 1e-12);
    }),
  );
});

test('a ranking by relevance is ideal', () => {
  fc.assert(
    fc.property(topics, cutoffs, (topic, k) => {
      const union = relevanceOf(topic);
      const ideal = [...union].sort((a, b) => b[1] - a[1]).map(([passage]) => passage);
      const expected = [...union.values()].some((value) => value > 0) ? 1 : 0;
      assert.ok(Math.abs(ndcg(ideal, union, k) - expected) < 1e-12);
      assert.ok(Math.abs(averagePrecision(ideal, union) - expected) < 1e-12);
    }),
  );
});
