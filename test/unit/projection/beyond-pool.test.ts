import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { certainOf, mostBeyond } from '../../../src/core/projection/beyond-pool.ts';
import { planProjection, scoreRows } from '../../../src/core/projection/project.ts';
import { dot, length } from '../../../src/core/projection/vectors.ts';

const vector = (d: number): fc.Arbitrary<number[]> =>
  fc
    .array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: d, maxLength: d })
    .filter((v) => length(v) > 0.1);
const cases = fc
  .integer({ min: 2, max: 20 })
  .chain((d) => fc.record({ query: vector(d), perspective: vector(d), passage: vector(d) }));
const more = fc.double({ min: 0, max: 0.3, noNaN: true });

test('no passage exceeds the bound from its cosines with question and perspective', () => {
  let reached = 0;
  fc.assert(
    fc.property(
      cases,
      fc.constantFrom('pap', 'pap+'),
      fc.double({ min: -1, max: 3, noNaN: true }),
      more,
      more,
      ({ query, perspective, passage }, method, weight, beyondS, beyondT) => {
        const plan = planProjection(method, { query, perspective, weight });
        const cosine = (to: ArrayLike<number>): number => dot(passage, to) / length(passage) / length(to);
        const [x, y] = [cosine(plan.direction), Math.abs(cosine(perspective))];
        const score = scoreRows(plan, Float64Array.from(passage))[0]!;
        const tight = mostBeyond(plan, x, y)!;
        assert.ok(score <= tight + 1e-9, `${score} is above ${tight}`);
        assert.ok(score <= mostBeyond(plan, x + beyondS, y + beyondT)! + 1e-9);
        if (method === 'pap+' && x > 0 && weight > 0 && weight < 2 && score > tight - 1e-9) reached++;
      },
    ),
    { numRuns: 2_000, seed: 1 },
  );
  // The bound is reached by a passage with these cosines.
  assert.ok(reached > 100, `${reached}`);
});

test('is undefined for methods that depend on the length of passages', () => {
  const input = { query: [1, 0], root: [1, 0], perspective: [0, 1] };
  for (const method of ['add+', 'cast+', 'concat', 'concat+'] as const)
    assert.equal(mostBeyond(planProjection(method, input), 0.1, 0.1), undefined);
});

test('by hand: at most 0.3 along the direction and 0.6 along the perspective leave 0.3 / √(1 − 0.36)', () => {
  const norm = { axis: Float64Array.of(0, 1), linear: 0, quadratic: -1, constant: 0 };
  const plan = { direction: Float64Array.of(1, 0), offset: 0, norm };
  for (const along of [0.6, -0.6]) assert.ok(Math.abs(mostBeyond(plan, 0.3, along)! - 0.375) < 1e-12);
  const raised = { ...plan, norm: { ...norm, quadratic: 0.4 } };
  const most = mostBeyond(raised, -0.3, 5)!;
  assert.ok(Math.abs(most - -0.3 / Math.sqrt(1.4)) < 1e-12, 'no cosine is above 1');
  assert.equal(mostBeyond({ ...plan, offset: 0.1 }, 0.3, 0.6), undefined);
  assert.equal(mostBeyond({ ...plan, norm: { ...norm, linear: 0.1 } }, 0.3, 0.6), undefined);
  assert.equal(mostBeyond({ ...plan, norm: { ...norm, constant: 0.1 } }, 0.3, 0.6), undefined);
});

test('certainty ends at the first score below the bound', () => {
  assert.equal(certainOf([0.9, 0.5, 0.5, 0.2], 0.5), 3);
  assert.equal(certainOf([0.9, 0.5], -1), 2);
  assert.equal(certainOf([], 0), 0);
});
