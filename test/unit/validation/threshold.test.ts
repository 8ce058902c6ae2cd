import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { ParallaxError } from '../../../src/core/errors.ts';
import {
  calibrateThreshold,
  CALIBRATION_OBJECTIVES,
  figuresAt,
  heldOutFigures,
} from '../../../src/features/validation/core/threshold.ts';
import type { DecidedVerdict } from '../../../src/core/model.ts';

const LABELS: readonly DecidedVerdict[] = ['no', 'no', 'yes', 'no', 'yes', 'yes'];

test('separable classes are separated half-way between them', () => {
  for (const objective of CALIBRATION_OBJECTIVES) {
    const { threshold, figures, counts } = calibrateThreshold(
      [0.9, 0.1, 0.7, 0.3],
      ['yes', 'no', 'yes', 'no'],
      objective,
    );
    assert.equal(threshold, 0.5);
    assert.deepEqual([figures.balancedAccuracy, figures.f1, figures.accuracy], [1, 1, 1]);
    assert.deepEqual(counts, { yes: 2, no: 2 });
  }
});

test('the two objectives can differ', () => {
  const scores = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1, 0];
  const labels = scores.map((score): DecidedVerdict => (score === 0.9 || score === 0.5 ? 'yes' : 'no'));
  const f1 = calibrateThreshold(scores, labels, 'f1');
  assert.ok(f1.threshold > 0.8 && f1.threshold < 0.9);
  assert.equal(f1.figures.f1, 2 / 3);
  const balanced = calibrateThreshold(scores, labels);
  assert.equal(balanced.objective, 'balanced-accuracy');
  assert.ok(balanced.threshold > 0.4 && balanced.threshold < 0.5);
  assert.equal(balanced.figures.balancedAccuracy, (1 + 5 / 8) / 2);
});

const sets = fc
  .array(
    fc.record({ score: fc.integer({ min: 0, max: 8 }).map((eighth) => eighth / 8), yes: fc.boolean() }),
    {
      minLength: 2,
      maxLength: 40,
    },
  )
  .filter((pairs) => new Set(pairs.map(({ yes }) => yes)).size === 2)
  .map((pairs) => ({
    scores: pairs.map(({ score }) => score),
    labels: pairs.map(({ yes }): DecidedVerdict => (yes ? 'yes' : 'no')),
  }));

test('no other threshold is better, and no equally good one is higher', () => {
  fc.assert(
    fc.property(sets, fc.constantFrom(...CALIBRATION_OBJECTIVES), ({ scores, labels }, objective) => {
      const valueAt = (threshold: number): number => {
        const { balancedAccuracy, f1 } = figuresAt(threshold, scores, labels);
        return (objective === 'f1' ? f1 : balancedAccuracy)!;
      };
      const { threshold, figures } = calibrateThreshold(scores, labels, objective);
      assert.equal(
        scores.includes(threshold) && threshold !== Math.min(...scores),
        false,
        'a score is split',
      );
      assert.equal(objective === 'f1' ? figures.f1 : figures.balancedAccuracy, valueAt(threshold));
      for (let other = -1 / 16; other <= 17 / 16; other += 1 / 16) {
        const gain = valueAt(other) - valueAt(threshold);
        assert.ok(gain <= 1e-12, `${other} is better than ${threshold}`);
        // A higher threshold that decides differently, without answering "no" throughout, would have been taken.
        const decidesOtherwise = scores.some((score) => score >= threshold && score < other);
        if (decidesOtherwise && other <= Math.max(...scores)) assert.ok(gain < -1e-12, `${other} is as good`);
      }
    }),
  );
});

test('takes the highest of equally good thresholds', () => {
  const { threshold } = calibrateThreshold([0.8, 0.6, 0.4, 0.2], ['yes', 'no', 'yes', 'no']);
  assert.ok(Math.abs(threshold - 0.7) < 1e-12);
});

test('the order of the pairs does not matter', () => {
  fc.assert(
    fc.property(sets, ({ scores, labels }) => {
      const turned = calibrateThreshold(scores.toReversed(), labels.toReversed());
      assert.deepEqual(turned, calibrateThreshold(scores, labels));
    }),
  );
});

test('equal scores give that score', () => {
  const { threshold, figures } = calibrateThreshold([0.5, 0.5, 0.5], ['yes', 'no', 'yes']);
  assert.equal(threshold, 0.5);
  assert.equal(figures.balancedAccuracy, 0.5);
});

test('separates scores that are neighbouring numbers', () => {
  const low = 1;
  const high = low + Number.EPSILON;
  assert.equal(calibrateThreshold([low, high], ['no', 'yes']).threshold, high);
});

test('held-out figures judge each group at the threshold of the others', () => {
  const scores = [0.9, 0.1, 0.8, 0.2, 0.45, 0.4];
  const labels: DecidedVerdict[] = ['yes', 'no', 'yes', 'no', 'no', 'yes'];
  const groups = ['a', 'a', 'b', 'b', 'c', 'c'];
  const figures = heldOutFigures(scores, labels, groups)!;
  // Group c is judged at 0.5: its "yes" is missed; a and b are right at any threshold of the others.
  assert.equal(figures.pairs, 6);
  assert.equal(figures.accuracy, 5 / 6);
  assert.equal(heldOutFigures([0.1, 0.9], ['no', 'yes'], ['a', 'b']), undefined);
  // "yes" at the threshold of the others, 0.5.
  const at = heldOutFigures([0.75, 0.25, 0.5, 0.5], ['yes', 'no', 'yes', 'no'], ['a', 'a', 'b', 'b'])!;
  assert.deepEqual(at.recall, { yes: 1, no: 0.5 });
});

test('held-out figures do not flatter uninformative scores', () => {
  const scores = LABELS.map((_, i) => i / 10);
  const labels = LABELS.map((label, i): DecidedVerdict => (i % 2 === 0 ? label : 'no'));
  const { figures } = calibrateThreshold(scores, labels);
  const heldOut = heldOutFigures(scores, labels, scores.map(String))!;
  assert.ok(heldOut.balancedAccuracy! <= figures.balancedAccuracy!);
});

test('refuses labels of one class, missing numbers and lists of different lengths', () => {
  const refuses = (scores: number[], labels: DecidedVerdict[], message: RegExp): void =>
    assert.throws(
      () => calibrateThreshold(scores, labels),
      (error) => ParallaxError.is(error, 'bad-argument') && message.test(error.message),
    );
  refuses([0.1, 0.2], ['yes', 'yes'], /both kinds; there are 2 with "yes" and 0 with "no"/);
  refuses([], [], /0 with "yes" and 0 with "no"/);
  refuses([0.1], ['no'], /0 with "yes" and 1 with "no"/);
  refuses([0.1], ['yes', 'no'], /1 scores and 2 labels/);
  refuses([Number.NaN, 0], ['yes', 'no'], /not a number/);
});
