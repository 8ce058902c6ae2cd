import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { topicOf, type TopicJudgements } from '../../../src/core/metrics/judgements.ts';
import {
  alphaNdcg,
  errIntentAware,
  nErrIntentAware,
  precisionIntentAware,
  stRecall,
} from '../../../src/core/metrics/diversity-measures.ts';
import { MEASURES as MEASURES_TABLE } from '../../../src/core/metrics/measures.ts';
import { cutoffs, judgementsOf, rankings, topics } from './arbitraries.ts';

const MEASURES = { alphaNdcg, errIntentAware, nErrIntentAware };

function close(actual: number, expected: number, message?: string): void {
  assert.ok(Math.abs(actual - expected) < 1e-12, message ?? `${actual} instead of ${expected}`);
}

test('alpha-nDCG by hand', () => {
  const judgements = judgementsOf({ pro: 'a b', con: 'c' });
  // Gains 1, 1/2 (pro again), 1; the ideal takes c (larger id), then b, then a: 1, 1, 1/2.
  const dcg = 1 + 0.5 / Math.log2(3) + 1 / Math.log2(4);
  const ideal = 1 + 1 / Math.log2(3) + 0.5 / Math.log2(4);
  close(alphaNdcg(['a', 'b', 'c'], judgements, 3), dcg / ideal);
});

test('ERR-IA by hand', () => {
  const judgements = judgementsOf({ pro: 'a b', con: 'c' });
  const sum = 1 + 0.5 / 2 + 1 / 3;
  close(errIntentAware(['a', 'b', 'c'], judgements, 3), sum / (2 * (1 + 0.5 / 2 + 0.25 / 3)));
  close(nErrIntentAware(['a', 'b', 'c'], judgements, 3), sum / (1 + 1 / 2 + 0.5 / 3));
});

test('the first rank is normalised like all others', () => {
  const judgements = judgementsOf({ pro: 'a', con: 'b' });
  assert.equal(errIntentAware(['a'], judgements, 1), 1 / 2, 'one of two perspectives');
  assert.equal(nErrIntentAware(['a'], judgements, 1), 1, 'no passage supports more than one');
  assert.equal(alphaNdcg(['a'], judgements, 1), 1);
});

test('ties in the ideal go to the larger passage id, even if another choice is better', () => {
  // All three gain 2 at first. Taking z leaves 1.5 twice; taking a or b would leave 2 and 1.
  const judgements = judgementsOf({ p: 'a', q: 'a z', r: 'b z', s: 'b' });
  const ideal = 2 + 1.5 / Math.log2(3) + 1.5 / Math.log2(4);
  const better = 2 + 2 / Math.log2(3) + 1 / Math.log2(4);
  close(alphaNdcg(['a', 'b', 'z'], judgements, 3), better / ideal);
  close(nErrIntentAware(['a', 'b', 'z'], judgements, 3), (2 + 2 / 2 + 1 / 3) / (2 + 1.5 / 2 + 1.5 / 3));
  assert.ok(better > ideal, 'so that the measure exceeds 1');
});

test('the ideal takes each passage once', () => {
  // e and c come first. Then a, b and d tie at 1, and d precedes better passages.
  const judgements = judgementsOf({ p: 'a e', q: 'b c', r: 'a d e', s: 'b c d' });
  const discount = (rank: number) => 1 / Math.log2(1 + rank);
  const ideal = [2, 2, 1, 0.75, 0.75].reduce((sum, gain, index) => sum + gain * discount(index + 1), 0);
  close(alphaNdcg(['e'], judgements, 5), 2 / ideal);
});

test('perspectives without support do not count', () => {
  const with_ = judgementsOf({ pro: 'a', con: 'b', unheard: '-a -b', unjudged: '' });
  const without = judgementsOf({ pro: 'a', con: 'b' });
  for (const measure of Object.values(MEASURES))
    assert.equal(measure(['a', 'x', 'b'], with_, 3), measure(['a', 'x', 'b'], without, 3));
});

test('relevance is binary', () => {
  const graded: TopicJudgements = new Map([
    [
      'pro',
      new Map([
        ['a', 3],
        ['b', 1],
      ]),
    ],
  ]);
  const binary = judgementsOf({ pro: 'a b' });
  for (const measure of Object.values(MEASURES))
    assert.equal(measure(['b', 'a'], graded, 2), measure(['b', 'a'], binary, 2));
});

test('all measures are 0 without support or without passages', () => {
  for (const measure of Object.values(MEASURES)) {
    assert.equal(measure(['a'], judgementsOf({ pro: '-a' }), 5), 0);
    assert.equal(measure([], judgementsOf({ pro: 'a' }), 5), 0);
  }
});

test('a cutoff far beyond the list is fast and changes little', () => {
  const judgements = judgementsOf({ pro: 'a' });
  close(errIntentAware(['a'], judgements, 999_999_999), 1 / (2 * Math.LN2));
});

test('ERR-IA is in [0, 1] and never above nERR-IA', () => {
  fc.assert(
    fc.property(rankings, topics, cutoffs, (ranking, topic, k) => {
      const absolute = errIntentAware(ranking, topic, k);
      assert.ok(absolute >= 0 && absolute <= 1);
      assert.ok(absolute <= nErrIntentAware(ranking, topic, k) + 1e-12);
    }),
  );
});

test('passages below k do not matter', () => {
  fc.assert(
    fc.property(rankings, topics, cutoffs, (ranking, topic, k) => {
      const reordered = [...ranking.slice(0, k), ...ranking.slice(k).reverse()];
      for (const measure of Object.values(MEASURES))
        assert.equal(measure(reordered, topic, k), measure(ranking, topic, k));
    }),
  );
});

test('the greedy ideal scores 1', () => {
  fc.assert(
    fc.property(topics, cutoffs, (topic, k) => {
      const ideal = greedyIdeal(topic, k);
      const expected = ideal.length > 0 ? 1 : 0;
      close(alphaNdcg(ideal, topic, k), expected);
      close(nErrIntentAware(ideal, topic, k), expected);
    }),
  );
});

/** The definition applied passage by passage: the largest gain, ties to the larger id. */
function greedyIdeal(topic: TopicJudgements, k: number): string[] {
  const remaining = new Set(
    [...topic.values()].flatMap((judged) =>
      [...judged].filter(([, value]) => value > 0).map(([passage]) => passage),
    ),
  );
  const seen = new Map<string, number>();
  const supported = (passage: string) =>
    [...topic.keys()].filter((id) => (topic.get(id)!.get(passage) ?? 0) > 0);
  const gain = (passage: string) =>
    supported(passage).reduce((sum, id) => sum + 0.5 ** (seen.get(id) ?? 0), 0);
  const ranking: string[] = [];
  while (ranking.length < k && remaining.size > 0) {
    const best = [...remaining].sort((a, b) => gain(b) - gain(a) || (a < b ? 1 : -1))[0]!;
    for (const id of supported(best)) seen.set(id, (seen.get(id) ?? 0) + 1);
    remaining.delete(best);
    ranking.push(best);
  }
  return ranking;
}

test('given perspectives count even if no passage is known to support them', () => {
  const judgements = judgementsOf({ pro: 'a', con: '-a', unheard: '' });
  assert.equal(stRecall(['a'], judgements, 5), 1, 'of a pool, as in ndeval');
  for (const basis of ['given', 'open'] as const) {
    assert.equal(stRecall(['a'], judgements, 5, basis), 1 / 3, 'of three');
    // Five passages that each support all three.
    const dcg = (discount: (rank: number) => number): number =>
      [1, 1 / 2, 1 / 4, 1 / 8, 1 / 16].reduce((sum, gain, place) => sum + gain * discount(place + 1), 0);
    // In qrels, unlisted passages do not support. Passages judged on demand may.
    const ideal = basis === 'open' ? 3 * dcg((rank) => 1 / Math.log2(1 + rank)) : 1;
    close(alphaNdcg(['a'], judgements, 5, basis), 1 / ideal);
    close(errIntentAware(['a'], judgements, 5, basis), 1 / (3 * dcg((rank) => 1 / rank)));
    close(precisionIntentAware(['a'], judgements, 5, basis), 1 / 15);
  }
});

test('the best α-nDCG is 1 if no passage in the qrels supports two sides', () => {
  const judgements = judgementsOf({ pro: 'a b', con: 'c d' });
  assert.equal(alphaNdcg(['a', 'c', 'b', 'd'], judgements, 4, 'given'), 1);
  assert.equal(alphaNdcg(['x'], judgementsOf({ pro: '', con: '' }), 4, 'given'), 0);
});

test('with given perspectives, judgements of other passages change no figure', () => {
  fc.assert(
    fc.property(rankings, topics, cutoffs, (ranking, judgements, k) => {
      const own = new Set(ranking);
      const binary = new Map(
        [...judgements].map(([id, judged]) => [
          id,
          new Map([...judged].map(([passage, value]) => [passage, Math.min(1, value)])),
        ]),
      );
      const alone = new Map(
        [...binary].map(([id, judged]) => [id, new Map([...judged].filter(([passage]) => own.has(passage)))]),
      );
      for (const { family, dependsOnBasis, compute } of MEASURES_TABLE)
        if (dependsOnBasis)
          assert.equal(
            compute(ranking, topicOf(alone, 'open'), k),
            compute(ranking, topicOf(binary, 'open'), k),
            family,
          );
    }),
  );
});
