import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { calibrate, mostUncertain } from '../../../src/core/judging/lara.ts';

const probability = fc.integer({ min: 0, max: 1000 }).map((thousandths) => thousandths / 1000);
const labelled = fc.array(fc.record({ probability, positive: fc.boolean() }), { maxLength: 30 });

test("without labels the model's own probability counts, just below certain", () => {
  const { labels, probability: calibrated } = calibrate([]);
  assert.equal(labels, 0);
  for (const own of [0.001, 0.3, 0.5, 0.99]) assert.ok(Math.abs(calibrated(own) - own) < 1e-9);
  assert.ok(calibrated(1) < 1 && calibrated(1) > 0.9999);
  assert.ok(calibrated(0) > 0 && calibrated(0) < 0.0001);
});

test("the calibrated probability is in [0, 1] and never falls with the model's own", () => {
  fc.assert(
    fc.property(labelled, probability, probability, (labels, a, b) => {
      const { probability: calibrated } = calibrate(labels);
      const [low, high] = [Math.min(a, b), Math.max(a, b)];
      assert.ok(calibrated(low) > 0 && calibrated(high) < 1);
      assert.ok(calibrated(low) <= calibrated(high));
    }),
  );
});

test('a single surprising label does not change every verdict', () => {
  const { probability: calibrated } = calibrate([{ probability: 0.97, positive: false }]);
  assert.ok(calibrated(0.97) > 0.5 && calibrated(0.97) < 0.97);
  assert.ok(calibrated(0.9) > 0.5 && calibrated(0.05) < 0.2);
});

test('labels against an overconfident model lower its probability', () => {
  const wrong = Array.from({ length: 90 }, (_, i) => ({ probability: 0.97, positive: i % 3 === 0 }));
  const { labels, probability: calibrated } = calibrate(wrong);
  assert.equal(labels, 90);
  assert.ok(Math.abs(calibrated(0.97) - 1 / 3) < 0.05, String(calibrated(0.97)));
});

test('sends the most uncertain pairs to people, up to the share', () => {
  const batch = [0.9, 0.45, 0.1, 0.52, 0.7];
  const chosen = (share: number, answered: number, escalated: number): number[] =>
    mostUncertain(batch, { share, answered, escalated });
  assert.deepEqual(chosen(0.4, 5, 0), [3, 1]);
  assert.deepEqual(chosen(0.4, 10, 2), [3, 1]);
  assert.deepEqual(chosen(0.4, 10, 4), []);
  assert.deepEqual(chosen(0.4, 10, 9), []);
  assert.deepEqual(chosen(0, 5, 0), []);
  assert.deepEqual(chosen(1, 5, 0).toSorted(), [0, 1, 2, 3, 4]);
  assert.equal(
    mostUncertain(new Array<number>(100).fill(0.2), { share: 0.29, answered: 100, escalated: 0 }).length,
    29,
  );
});

test('batches never exceed the share, and use it up to one pair', () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(probability, { minLength: 1, maxLength: 8 }), { maxLength: 12 }),
      probability,
      (batches, share) => {
        let answered = 0;
        let escalated = 0;
        for (const batch of batches) {
          answered += batch.length;
          escalated += mostUncertain(batch, { share, answered, escalated }).length;
          assert.ok(escalated <= share * answered + 1e-6);
          assert.ok(escalated > share * answered - 1 - 1e-6);
        }
      },
    ),
  );
});

test('of equally uncertain pairs the earlier ones go first', () => {
  assert.deepEqual(mostUncertain([0.4, 0.6, 0.4], { share: 1, answered: 2, escalated: 0 }), [0, 1]);
});
