import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { ParallaxError } from '../../../src/core/errors.ts';
import { mmr } from '../../../src/core/rerank/mmr.ts';
import { candidateProducts } from '../../../src/engine/kernels/products.ts';
import { fastMmr } from '../../../src/engine/retrieval/fast-mmr.ts';
import { randomVectors, seededRandom } from './support.ts';
import '../../fixtures/built.ts';

/** Scores from `least` to 1, best first. */
function relevanceOf(count: number, least: number): number[] {
  const random = seededRandom(count);
  return Array.from({ length: count }, () => least + (1 - least) * random()).sort((a, b) => b - a);
}

test('the same selections and scores as the core, to the last bit', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 40 }),
      fc.integer({ min: 1, max: 70 }),
      fc.constantFrom(0, 0.5, 0.75, 0.99, 1),
      fc.constantFrom(0.1, 0.95, 1),
      fc.integer(),
      (count, dimensions, lambda, least, seed) => {
        const vectors = randomVectors(count, dimensions, seed).map((value) => value * 3);
        const relevance = relevanceOf(count, least);
        assert.deepEqual(fastMmr(relevance, vectors, { lambda }), mmr(relevance, vectors, { lambda }));
      },
    ),
    { numRuns: 300 },
  );
});

for (const dimensions of [384, 1024, 1027])
  test(`100 → 10 at ${dimensions} dimensions, with falling and nearly equal relevance`, () => {
    const vectors = randomVectors(100, dimensions);
    for (const least of [0.4, 0.95])
      for (const normalisation of ['per-query', { datasetMaximum: 3 }] as const) {
        const options = { lambda: 0.75, k: 10, normalisation };
        const relevance = relevanceOf(100, least);
        assert.deepEqual(fastMmr(relevance, vectors, options), mmr(relevance, vectors, options));
      }
  });

test('a list does not depend on the list before it, of any size', () => {
  for (const [count, dimensions] of [
    [100, 1024],
    [3, 5],
    [50, 7],
    [300, 1024],
    [2, 1],
  ] as const) {
    const vectors = randomVectors(count, dimensions);
    const relevance = relevanceOf(count, 0.9);
    assert.deepEqual(
      fastMmr(relevance, vectors, { lambda: 0.3 }),
      mmr(relevance, vectors, { lambda: 0.3 }),
      `${count} × ${dimensions}`,
    );
  }
});

test('inner products equal those of double precision', () => {
  const vectors = Float32Array.of(1, 2, 3, 4, 5, -1, 0.5, 0, 1, 1e30);
  const product = candidateProducts(vectors, 5);
  assert.equal(product(0, 0), 55);
  assert.equal(product(0, 1), -1 + 1 + 0 + 4 + 5 * Math.fround(1e30));
});

test('no candidates give no order, and a zero vector is similar to none', () => {
  assert.deepEqual(fastMmr([], new Float32Array(0), { lambda: 0.5 }), []);
  const order = fastMmr([1, 0.9, 0.9], Float32Array.of(1, 0, 1, 0, 0, 0), { lambda: 0.5 });
  assert.deepEqual(
    order.map(({ item }) => item),
    [0, 2, 1],
  );
});

test('the same inputs are refused as in the core, with the same messages', () => {
  const cases: [number[], number[], number, RegExp][] = [
    [[1, 1], [1, 0, 0, 1], 1.5, /lambda must be between 0 and 1, not 1.5/],
    [[1, NaN], [1, 0, 0, 1], 0.5, /score of candidate 2 .* NaN/],
    [[1, 1], [1, 0, NaN, 1], 0.5, /vector of candidate 2 .* not a finite number/],
    [[1, 1], [1, 0, 0, Infinity], 0.5, /vector of candidate 2 .* not a finite number/],
    [[1, 1], [1, 0, 0], 0.5, /3 numbers cannot be 2 vectors of equal length/],
  ];
  for (const [relevance, vectors, lambda, why] of cases)
    assert.throws(
      () => fastMmr(relevance, Float32Array.from(vectors), { lambda }),
      (error) => ParallaxError.is(error, 'bad-argument') && why.test(error.message),
    );
});
