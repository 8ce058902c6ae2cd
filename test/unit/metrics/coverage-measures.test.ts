import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { coveredPerspectives, mRecall } from '../../../src/core/metrics/coverage-measures.ts';
import { precisionIntentAware, stRecall } from '../../../src/core/metrics/diversity-measures.ts';
import { cutoffs, judgementsOf, rankings, topics } from './arbitraries.ts';

test('MRecall requires min(k, m) perspectives', () => {
  const three = judgementsOf({ pro: 'a', con: 'b', other: 'c' });
  assert.equal(mRecall(['a', 'b', 'x'], three, 1), 1, 'k = 1 of 3 needs one');
  assert.equal(mRecall(['a', 'b', 'x'], three, 2), 1, 'k = 2 of 3 needs two');
  assert.equal(mRecall(['a', 'b', 'x'], three, 3), 0, 'k = 3 of 3 needs all');
  assert.equal(mRecall(['a', 'x', 'b', 'c'], three, 3), 0);
  assert.equal(mRecall(['a', 'x', 'b', 'c'], three, 4), 1);
  assert.equal(mRecall(['a', 'b', 'c'], three, 10), 1, 'a short list may cover everything');
});

test('one passage may cover several perspectives', () => {
  const both = judgementsOf({ pro: 'a', con: 'a' });
  assert.equal(mRecall(['a'], both, 1), 1);
  assert.equal(mRecall(['a'], both, 2), 1);
});

test('MRecall counts perspectives without support, subtopic recall does not', () => {
  const judgements = judgementsOf({ pro: 'a', con: '-b', unheard: '' });
  assert.equal(mRecall(['a', 'b'], judgements, 5), 0);
  assert.equal(stRecall(['a', 'b'], judgements, 5), 1);
  assert.equal(precisionIntentAware(['a', 'b'], judgements, 5), 1 / 5);
});

test('a passage judged not to support covers nothing', () => {
  const judgements = judgementsOf({ pro: '-a b', con: 'c' });
  assert.deepEqual(coveredPerspectives(['a', 'c'], judgements, 2), ['con']);
});

test('P-IA divides by k and the number of supportable perspectives', () => {
  const judgements = judgementsOf({ pro: 'a b', con: 'b', unheard: '-a' });
  assert.equal(precisionIntentAware(['a', 'b'], judgements, 2), 3 / 4);
  assert.equal(precisionIntentAware(['a', 'b'], judgements, 4), 3 / 8, 'also when fewer came back');
});

test('topics without perspectives score 0, not NaN', () => {
  for (const measure of [mRecall, stRecall, precisionIntentAware]) {
    assert.equal(measure(['a'], new Map(), 5), 0);
    assert.equal(measure([], judgementsOf({ pro: '-a' }), 5), 0);
  }
});

test('all measures are in [0, 1], and a deeper cutoff never covers less', () => {
  fc.assert(
    fc.property(rankings, topics, cutoffs, (ranking, topic, k) => {
      for (const measure of [mRecall, stRecall, precisionIntentAware]) {
        const value = measure(ranking, topic, k);
        assert.ok(value >= 0 && value <= 1);
      }
      assert.ok(stRecall(ranking, topic, k) <= stRecall(ranking, topic, k + 1));
      // MRecall asks for more as k grows, until k reaches the number of perspectives.
      if (k >= topic.size) assert.ok(mRecall(ranking, topic, k) <= mRecall(ranking, topic, k + 1));
    }),
  );
});

test('the order within the top k does not matter', () => {
  fc.assert(
    fc.property(rankings, topics, cutoffs, (ranking, topic, k) => {
      const reordered = [...ranking.slice(0, k).reverse(), ...ranking.slice(k).reverse()];
      for (const measure of [mRecall, stRecall, precisionIntentAware])
        assert.equal(measure(reordered, topic, k), measure(ranking, topic, k));
    }),
  );
});

test('MRecall agrees with a direct count of its definition', () => {
  fc.assert(
    fc.property(rankings, topics, cutoffs, (ranking, topic, k) => {
      let covered = 0;
      for (const perspective of topic.keys()) {
        let found = false;
        for (let rank = 0; rank < Math.min(k, ranking.length); rank++)
          if ((topic.get(perspective)!.get(ranking[rank]!) ?? 0) > 0) found = true;
        if (found) covered++;
      }
      const expected = topic.size > k ? covered >= k : covered === topic.size;
      assert.equal(mRecall(ranking, topic, k), expected ? 1 : 0);
    }),
  );
});
