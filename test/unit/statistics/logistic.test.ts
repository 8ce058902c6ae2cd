import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { ParallaxError } from '../../../src/core/errors.ts';
import {
  fitLogistic,
  logit,
  probabilityOf,
  sigmoid,
  type Example,
  type LogisticOptions,
} from '../../../src/core/statistics/logistic.ts';
import { seededRandom } from '../../../src/core/statistics/random.ts';

const OPTIONS: LogisticOptions = { prior: [0, 1], strengths: [1, 1] };

/** Evenly spread; arbitrary doubles are mostly tiny. */
const between = (min: number, max: number): fc.Arbitrary<number> =>
  fc.integer({ min: min * 100, max: max * 100 }).map((hundredths) => hundredths / 100);

const anyExample = (features = 1): fc.Arbitrary<Example> =>
  fc.record({
    features: fc.array(between(-14, 14), {
      minLength: features,
      maxLength: features,
    }),
    positive: fc.boolean(),
  });

/** Examples with outcomes drawn from the given weights. */
function drawn(weights: readonly number[], count: number): Example[] {
  const random = seededRandom(3);
  return Array.from({ length: count }, () => {
    const features = weights.slice(1).map(() => 6 * random() - 3);
    return { features, positive: random() < probabilityOf(weights, features) };
  });
}

/** The same minimum by plain gradient descent, independent of the code under test. */
function descend(examples: readonly Example[], { prior, strengths }: LogisticOptions): number[] {
  const weights = [...prior];
  for (let step = 0; step < 5_000; step++) {
    const gradient = weights.map((weight, i) => strengths[i]! * (weight - prior[i]!));
    for (const { features, positive } of examples) {
      const x = [1, ...features];
      const z = x.reduce((sum, value, i) => sum + value * weights[i]!, 0);
      x.forEach((value, i) => (gradient[i]! += (1 / (1 + Math.exp(-z)) - Number(positive)) * value));
    }
    gradient.forEach((slope, i) => (weights[i]! -= 0.01 * slope));
  }
  return weights;
}

const close = (actual: readonly number[], expected: readonly number[], tolerance: number): void => {
  assert.equal(actual.length, expected.length);
  actual.forEach((value, i) =>
    assert.ok(
      Math.abs(value - expected[i]!) <= tolerance,
      `${actual.join(' ')} is not ${expected.join(' ')}`,
    ),
  );
};

test('recovers the parameters that generated the examples', () => {
  close(fitLogistic(drawn([-0.7, 1.6], 20_000), OPTIONS), [-0.7, 1.6], 0.1);
  close(
    fitLogistic(drawn([0.4, -1, 2], 20_000), { prior: [0, 0, 0], strengths: [1, 1, 1] }),
    [0.4, -1, 2],
    0.1,
  );
});

test('finds the minimum of a plain gradient descent', () => {
  const examples = drawn([0.5, -0.8], 60);
  for (const strengths of [
    [1, 1],
    [0.5, 10],
  ]) {
    const options = { ...OPTIONS, strengths };
    close(fitLogistic(examples, options), descend(examples, options), 1e-6);
  }
});

test('without examples it returns the prior', () => {
  assert.deepEqual(fitLogistic([], { prior: [0.25, 1, -3], strengths: [2, 2, 2] }), [0.25, 1, -3]);
});

test('does not depend on the order of examples', () => {
  fc.assert(
    fc.property(fc.array(anyExample(2), { maxLength: 40 }), (examples) => {
      const options = { prior: [0, 1, 0], strengths: [0.5, 0.5, 0.5] };
      close(fitLogistic(examples.toReversed(), options), fitLogistic(examples, options), 1e-6);
    }),
  );
});

test('with a non-negative slope the probability never falls with the feature', () => {
  fc.assert(
    fc.property(
      fc.array(anyExample(), { maxLength: 30 }),
      between(-14, 14),
      between(0, 10),
      (examples, x, more) => {
        const weights = fitLogistic(examples, { ...OPTIONS, nonNegative: 1 });
        assert.ok(probabilityOf(weights, [x + more]) >= probabilityOf(weights, [x]));
      },
    ),
  );
});

test('examples against the feature leave only the intercept', () => {
  const against = [1, 2, 3, 4].map((x) => ({ features: [x], positive: false }));
  const inverted = [...against, ...against.map(() => ({ features: [-3], positive: true }))];
  const [intercept, slope] = fitLogistic(inverted, { ...OPTIONS, nonNegative: 1 });
  assert.equal(slope, 0);
  close([intercept!], [0], 1e-9);
  assert.ok(fitLogistic(inverted, OPTIONS)[1]! < 0);
});

test('weights stay finite for separable examples, and probabilities are never certain', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 300 }), fc.double({ min: 1e-3, max: 14, noNaN: true }), (n, x) => {
      const examples = Array.from({ length: n }, (_, i) => ({
        features: [i % 2 === 0 ? x : -x],
        positive: i % 2 === 0,
      }));
      const weights = fitLogistic(examples, OPTIONS);
      assert.ok(weights.every((weight) => Math.abs(weight) < 100));
      assert.ok(probabilityOf(weights, [x]) > 0.5);
    }),
  );
});

test('more labels of the same kind move the probability further', () => {
  const after = (labels: number): number =>
    probabilityOf(
      fitLogistic(
        Array.from({ length: labels }, () => ({ features: [2], positive: false })),
        OPTIONS,
      ),
      [2],
    );
  const course = [0, 1, 3, 10, 100].map(after);
  assert.deepEqual(
    course.toSorted((a, b) => b - a),
    course,
  );
  assert.ok(course.at(-1)! < 0.1);
});

test('refuses what cannot be fitted', () => {
  const refuses = (examples: Example[], options: LogisticOptions, message: RegExp): void =>
    assert.throws(
      () => fitLogistic(examples, options),
      (error) => ParallaxError.is(error, 'bad-argument') && message.test(error.message),
    );
  refuses([], { prior: [0, 1], strengths: [1, 0] }, /2 weights has as many strengths above 0, not \[1, 0\]/);
  refuses([], { prior: [0, 1], strengths: [1, Number.NaN] }, /not \[1, NaN\]/);
  refuses([], { prior: [0, 1], strengths: [1] }, /not \[1\]/);
  refuses([{ features: [Number.NaN], positive: true }], OPTIONS, /1 finite features, not \[NaN\]/);
  refuses([{ features: [1, 2], positive: true }], OPTIONS, /not \[1, 2\]/);
});

test('sigmoid and logit are inverse, without overflow', () => {
  fc.assert(fc.property(between(-14, 14), (x) => assert.ok(Math.abs(logit(sigmoid(x)) - x) < 1e-8)));
  assert.deepEqual([-2000, 2000].map(sigmoid), [0, 1]);
});
