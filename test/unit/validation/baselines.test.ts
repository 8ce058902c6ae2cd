import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ParallaxError } from '../../../src/core/errors.ts';
import { seededRandom } from '../../../src/core/statistics/random.ts';
import { guesser } from '../../../src/features/validation/core/baselines.ts';
import { countPairs, figuresOf } from '../../../src/features/validation/core/confusion.ts';

test('always no and always yes', () => {
  assert.deepEqual(guesser(46, 232, 0), { positiveShare: 0, accuracy: 232 / 278, f1: 0 });
  assert.deepEqual(guesser(46, 232, 1), { positiveShare: 1, accuracy: 46 / 278, f1: 92 / 324 });
});

test('BERDS Table 4, Random: 542 pairs, 16.8% positive, accuracy 72.1, F1 16.9', () => {
  const { accuracy, f1 } = guesser(91, 451, 0.168);
  assert.ok(Math.abs(accuracy! - 0.721) < 0.001, String(accuracy));
  assert.ok(Math.abs(f1! - 0.169) < 0.003, String(f1));
});

test('two pairs, worked out by hand', () => {
  // One yes, one no, a coin: F1 is 0, 2/3, 1 or 0 with a quarter each; accuracy is a half.
  const { accuracy, f1 } = guesser(1, 1, 0.5);
  assert.equal(accuracy, 0.5);
  assert.ok(Math.abs(f1! - (2 / 3 + 1) / 4) < 1e-12);
});

test('simulation converges to the exact expectation', () => {
  const random = seededRandom(11);
  const [yes, no, share] = [13, 27, 0.4];
  let sum = 0;
  const rounds = 20_000;
  for (let round = 0; round < rounds; round++) {
    const pairs = Array.from({ length: yes + no }, (_, i) => ({
      reference: i < yes ? ('yes' as const) : ('no' as const),
      answer: random() < share ? ('yes' as const) : ('no' as const),
    }));
    sum += figuresOf(countPairs(pairs)).f1!;
  }
  // Standard deviation of the mean below 0.001.
  assert.ok(Math.abs(sum / rounds - guesser(yes, no, share).f1!) < 0.004);
});

test('figures stay in [0, 1] for many pairs; without a positive pair there is no F1', () => {
  fc.assert(
    fc.property(fc.nat(3000), fc.nat(3000), fc.double({ min: 0, max: 1, noNaN: true }), (yes, no, share) => {
      const { accuracy, f1 } = guesser(yes, no, share);
      for (const figure of [accuracy, f1]) assert.ok(figure === null || (figure >= 0 && figure <= 1 + 1e-9));
      assert.equal(f1 === null, yes === 0);
    }),
    { numRuns: 50 },
  );
  assert.ok(Math.abs(guesser(50_000, 50_000, 0.5).f1! - 0.5) < 0.001);
});

test('refuses a share outside 0 to 1', () => {
  for (const share of [-0.1, 1.1, Number.NaN])
    assert.throws(
      () => guesser(1, 1, share),
      (error) => ParallaxError.is(error, 'bad-argument'),
    );
});
