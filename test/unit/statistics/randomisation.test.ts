import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ParallaxError } from '../../../src/core/errors.ts';
import { mean } from '../../../src/core/statistics/mean.ts';
import { EXACT_UP_TO, randomisationTests } from '../../../src/core/statistics/randomisation.ts';
import { seededRandom } from '../../../src/core/statistics/random.ts';

const p = (differences: readonly number[], permutations?: number): number =>
  randomisationTests([differences], { random: seededRandom(1), permutations })[0]!;
/** Eighths add up without rounding, so that the definition applies exactly. */
const eighths = fc.integer({ min: -16, max: 16 }).map((value) => value / 8);

/** Enumerates all assignments of signs. */
function byDefinition(differences: readonly number[]): number {
  const all = 2 ** differences.length;
  const observed = Math.abs(mean(differences));
  const isExtreme = (signs: number): boolean =>
    Math.abs(mean(differences.map((value, i) => ((signs >> i) & 1 ? value : -value)))) >= observed;
  return Array.from({ length: all }, (_, signs) => signs).filter(isExtreme).length / all;
}

test('by hand: of eight assignments of signs to 1, 2, 3 two reach 6, four reach 2', () => {
  assert.equal(p([1, 2, 3]), 2 / 8);
  // ±6, ±4, ±2, 0, 0
  assert.equal(p([1, -2, 3]), 6 / 8);
  assert.equal(p([-1, -2, 3]), 1);
});

test('by hand: n wins without a loss have p = 2 / 2^n, and ties do not matter', () => {
  for (const n of [1, 5, 10, 16]) {
    const wins = new Array<number>(n).fill(0.2);
    assert.equal(p(wins), 2 / 2 ** n);
    assert.equal(p([0, ...wins, 0, 0]), 2 / 2 ** n);
  }
});

test('is exactly the definition up to the limit', () => {
  fc.assert(
    fc.property(fc.array(eighths, { minLength: 1, maxLength: 9 }), (differences) => {
      assert.equal(p(differences), byDefinition(differences));
    }),
  );
});

test('rounding does not affect ties of sums: tenths behave like whole numbers', () => {
  const whole = [3, -1, 2, 1, 1, -2, 3, 1];
  assert.equal(p(whole.map((value) => value / 10)), p(whole));
  assert.equal(p([0.1, 0.2, -0.3]), 1);
});

test('samples beyond the limit and approximates the exact binomial tail', () => {
  // 14 wins and 6 losses of equal size: P(at least 14 of 20 heads), both sides = 0.1153183.
  const differences = Array.from({ length: 20 }, (_, i) => (i < 14 ? 1 : -1));
  assert.ok(differences.length > EXACT_UP_TO);
  assert.ok(Math.abs(p(differences, 100_000) - 0.1153183) < 0.004, '4 standard errors');
  // 34 of 50, for which more than one group of signs is sampled: 0.0153461.
  const many = Array.from({ length: 50 }, (_, i) => (i < 34 ? 1 : -1));
  assert.ok(Math.abs(p(many, 100_000) - 0.0153461) < 0.0016);
});

test('a sampled p is (b + 1) / (m + 1), never 0', () => {
  assert.equal(p(new Array<number>(40).fill(1), 999), 1 / 1000);
});

test('p is in (0, 1], symmetric up to sampling, and 1 for no differences', () => {
  fc.assert(
    fc.property(fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { maxLength: 40 }), (differences) => {
      const own = p(differences, 500);
      assert.ok(own > 0 && own <= 1);
      const swapped = p(
        differences.map((value) => -value),
        500,
      );
      const exact = differences.filter((value) => value !== 0).length <= EXACT_UP_TO;
      if (exact) assert.equal(swapped, own);
      else assert.ok(Math.abs(swapped - own) < 0.15);
    }),
  );
  assert.equal(p([]), 1);
  assert.equal(p([0, 0, 0]), 1);
});

test('p is uniform without a difference: 5% are below 0.05', () => {
  const random = seededRandom(11);
  const small = Array.from({ length: 1000 }, () =>
    p(
      Array.from({ length: 30 }, () => random() - 0.5),
      400,
    ),
  );
  const share = small.filter((value) => value <= 0.05).length / small.length;
  assert.ok(Math.abs(share - 0.05) < 0.028, `4 standard errors: ${share}`);
});

test('the same seed gives the same p', () => {
  const random = seededRandom(2);
  const differences = Array.from({ length: 60 }, () => random() - 0.4);
  assert.equal(p(differences), p(differences));
});

test('refuses invalid numbers', () => {
  for (const bad of [() => p([1, Number.NaN]), () => p([Infinity]), () => p([1], 0)])
    assert.throws(bad, (error) => ParallaxError.is(error, 'bad-argument'));
});
