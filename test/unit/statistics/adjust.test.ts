import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ParallaxError } from '../../../src/core/errors.ts';
import { holm } from '../../../src/core/statistics/adjust.ts';

test('by hand: 0.01, 0.04, 0.03, 0.005 become 0.03, 0.06, 0.06, 0.02', () => {
  const adjusted = holm([0.01, 0.04, 0.03, 0.005]);
  [0.03, 0.06, 0.06, 0.02].forEach((expected, i) => assert.ok(Math.abs(adjusted[i]! - expected) < 1e-12));
});

test('one value is unchanged; no values give none', () => {
  assert.deepEqual(holm([0.2]), [0.2]);
  assert.deepEqual(holm([]), []);
});

test('values are between the raw one and Bonferroni, at most 1, in the same order', () => {
  const values = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 12 });
  fc.assert(
    fc.property(values, (family) => {
      const adjusted = holm(family);
      family.forEach((p, i) => {
        assert.ok(adjusted[i]! >= p && adjusted[i]! <= Math.min(1, p * family.length) + 1e-15);
        family.forEach((other, j) => {
          if (p < other) assert.ok(adjusted[i]! <= adjusted[j]!);
          if (p === other) assert.equal(adjusted[i], adjusted[j]);
        });
      });
      assert.deepEqual(holm(family.toReversed()), adjusted.toReversed());
    }),
  );
});

test('a larger family never lowers a value', () => {
  const value = fc.double({ min: 0, max: 1, noNaN: true });
  fc.assert(
    fc.property(fc.array(value, { minLength: 1, maxLength: 8 }), value, (family, another) => {
      const wider = holm([...family, another]);
      holm(family).forEach((p, i) => assert.ok(wider[i]! >= p - 1e-15));
    }),
  );
});

test('refuses invalid p-values', () => {
  for (const bad of [Number.NaN, -0.1, 1.1])
    assert.throws(
      () => holm([0.5, bad]),
      (error) => ParallaxError.is(error, 'bad-argument'),
    );
});
