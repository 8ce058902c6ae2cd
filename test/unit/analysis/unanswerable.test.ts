import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aurocOf, unanswerableReport } from '../../../src/core/analysis/unanswerable.ts';
import { aurocText, thresholdText } from '../../../src/core/analysis/unanswerable-text.ts';
import { seededRandom } from '../../../src/core/statistics/random.ts';

/** Questions with one perspective each, covered by the best passage. */
const answered = (scores: readonly number[]) =>
  scores.map((score) => ({ scores: [score], covered: [score] }));

test('AUROC is the share of ordered pairs; ties count half', () => {
  const positives = [3, 2, 2, 5];
  const negatives = [1, 2, 4];
  let pairs = 0;
  for (const one of positives)
    for (const other of negatives) pairs += one > other ? 1 : one === other ? 0.5 : 0;
  const { value, low, high } = aurocOf(positives, negatives);
  assert.ok(Math.abs(value - pairs / 12) < 1e-12);
  assert.ok(low < value && value < high);
});

test('separable scores have a threshold without loss', () => {
  const found = unanswerableReport(answered([9, 8, 7, 9, 8, 7, 9, 8]), [[1], [2], [3], [1], [2], [3]], 5);
  assert.equal(found.falseRetrieval, 1);
  assert.equal(found.auroc!.value, 1);
  assert.deepEqual(found.threshold, { score: 7, falseRetrieval: 0, lost: 0 });
  assert.match(
    thresholdText(found),
    /^With a threshold of 7 on the score, passages are found for 0\.0% of them, and 0\.0% of/u,
  );
  assert.equal(aurocText(found), '1.00 [1.00, 1.00]');
});

test('the cost of a threshold is the share of covered perspectives that it loses', () => {
  // One in four supporting passages scores below every question without an answer.
  const mixed = Array.from({ length: 16 }, () => ({ scores: [9, 1], covered: [9, 9, 9, 1] }));
  const found = unanswerableReport(
    mixed,
    Array.from({ length: 10 }, () => [2]),
    5,
  );
  assert.deepEqual(found.threshold, { score: 9, falseRetrieval: 0, lost: 0.25 });
});

test('equal scores have no useful threshold', () => {
  const random = seededRandom(3);
  const some = (n: number): number[] => Array.from({ length: n }, () => random());
  const found = unanswerableReport(
    answered(some(40)),
    some(40).map((score) => [score]),
    5,
  );
  assert.equal(found.none, 'same');
  assert.equal(found.threshold, undefined);
  assert.equal(
    thresholdText(found),
    'No threshold helps: these questions do not score differently from others.',
  );
});

test('low scores of supporting passages have no useful threshold', () => {
  // The best passages separate the questions, but the supporting passages are far below them.
  const low = Array.from({ length: 20 }, (_, n) => ({ scores: [9, 1 + n / 100], covered: [1 + n / 100] }));
  const found = unanswerableReport(
    low,
    Array.from({ length: 20 }, (_, n) => [5 + n / 100]),
    5,
  );
  assert.equal(found.none, 'price');
});

test('few questions give no threshold, and no result is no false retrieval', () => {
  const few = unanswerableReport(answered([3, 4]), [[1], []], 5);
  assert.equal(few.none, 'few');
  assert.equal(few.falseRetrieval, 0.5);
  assert.equal(unanswerableReport([], [[1]], 5).auroc, undefined);
});
