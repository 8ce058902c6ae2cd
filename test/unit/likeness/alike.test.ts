import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { cosinesOf, meanCosine, vendiScore } from '../../../src/core/likeness/alike.ts';
import { symmetricEigenvalues } from '../../../src/core/likeness/eigenvalues.ts';
import { similarityMatrix } from '../../../src/core/rerank/similarity.ts';

const near = (actual: number, expected: number, what?: string): void =>
  assert.ok(Math.abs(actual - expected) < 1e-11, `${what ?? ''} ${actual} is not ${expected}`);

const filled = (n: number, value: number): Float64Array =>
  Float64Array.from({ length: n * n }, (_, place) => (place % (n + 1) === 0 ? 1 : value));

/** Jacobi's method, independent of the tested one: eliminates one value after the other. */
function jacobi(matrix: Float64Array, n: number): number[] {
  const a = matrix.slice();
  const at = (row: number, column: number): number => a[row * n + column]!;
  for (let sweep = 0; sweep < 60; sweep++)
    for (let p = 0; p < n; p++)
      for (let q = p + 1; q < n; q++) {
        if (Math.abs(at(p, q)) < 1e-300) continue;
        const angle = 0.5 * Math.atan2(2 * at(p, q), at(q, q) - at(p, p));
        const [c, s] = [Math.cos(angle), Math.sin(angle)];
        for (let k = 0; k < n; k++) {
          const [x, y] = [at(k, p), at(k, q)];
          a[k * n + p] = c * x - s * y;
          a[k * n + q] = s * x + c * y;
        }
        for (let k = 0; k < n; k++) {
          const [x, y] = [at(p, k), at(q, k)];
          a[p * n + k] = c * x - s * y;
          a[q * n + k] = s * x + c * y;
        }
      }
  return Array.from({ length: n }, (_, row) => at(row, row)).sort((x, y) => x - y);
}

const symmetric = fc.integer({ min: 1, max: 9 }).chain((n) =>
  fc
    .array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: n * n, maxLength: n * n })
    .map((values) => ({
      n,
      matrix: Float64Array.from(values, (value, place) => {
        const [row, column] = [Math.floor(place / n), place % n];
        return row <= column ? value : values[column * n + row]!;
      }),
    })),
);

/** Cosines of n vectors, some of them zero. */
const cosines = fc
  .integer({ min: 1, max: 8 })
  .chain((n) =>
    fc
      .array(fc.integer({ min: -3, max: 3 }), { minLength: n * 4, maxLength: n * 4 })
      .map((values) => ({ n, matrix: similarityMatrix(Float32Array.from(values), n) })),
  );

test('eigenvalues match another method', () => {
  fc.assert(
    fc.property(symmetric, ({ n, matrix }) => {
      const expected = jacobi(matrix, n);
      const given = matrix.slice();
      symmetricEigenvalues(given, n).forEach((value, place) => near(value, expected[place]!));
      assert.deepEqual(given, matrix, 'what is given stays as it is');
    }),
  );
});

test('eigenvalues match values by hand', () => {
  assert.deepEqual([...symmetricEigenvalues(new Float64Array(), 0)], []);
  for (const [values, expected] of [
    [[4], [4]],
    [
      [2, 1, 1, 2],
      [1, 3],
    ],
    [
      [2, -1, 0, -1, 2, -1, 0, -1, 2],
      [2 - Math.SQRT2, 2, 2 + Math.SQRT2],
    ],
    [
      [0, 0, 0, 0],
      [0, 0],
    ],
    [
      [0, 0, 0, 0, 1, 0, 0, 0, -1],
      [-1, 0, 1],
    ],
  ] as const) {
    const found = symmetricEigenvalues(Float64Array.from(values), expected.length);
    expected.forEach((value, place) => near(found[place]!, value));
  }
});

test('identical passages are as varied as one, orthogonal ones as their number', () => {
  for (const n of [1, 2, 5, 40]) {
    near(vendiScore(filled(n, 1), n), 1);
    near(vendiScore(filled(n, 0), n), n);
  }
  assert.equal(vendiScore(new Float64Array(), 0), 0);
});

test('two pairs of identical passages are as varied as two; a zero vector is like nothing', () => {
  const pairs = Float64Array.from([1, 1, 0, 0, 1, 1, 0, 0, 0, 0, 1, 1, 0, 0, 1, 1]);
  near(vendiScore(pairs, 4), 2);
  near(vendiScore(similarityMatrix(Float32Array.from([1, 0, 0, 0]), 2), 2), 2);
  // Eigenvalues of K/2 are 0.75 and 0.25.
  near(
    vendiScore(Float64Array.from([1, 0.5, 0.5, 1]), 2),
    Math.exp(-0.75 * Math.log(0.75) - 0.25 * Math.log(0.25)),
  );
});

test('the Vendi score is between 1 and n, for any signs and any order', () => {
  fc.assert(
    fc.property(cosines, ({ n, matrix }) => {
      const score = vendiScore(matrix, n);
      assert.ok(score >= 1 && score <= n);
      const backwards = Array.from({ length: n }, (_, place) => n - 1 - place);
      near(vendiScore(cosinesOf(matrix, n, backwards), n), score);
    }),
  );
});

test('the Vendi score matches the eigenvalues of another method', () => {
  fc.assert(
    fc.property(cosines, ({ n, matrix }) => {
      const kernel = matrix.map((value, place) => (place % (n + 1) === 0 ? 1 : value) / n);
      const entropy = jacobi(kernel, n).reduce(
        (sum, share) => (share > 1e-12 ? sum - share * Math.log(share) : sum),
        0,
      );
      assert.ok(Math.abs(vendiScore(matrix, n) - Math.exp(entropy)) < 1e-7);
    }),
  );
});

test('the mean cosine is over pairs and undefined for a single passage', () => {
  assert.equal(meanCosine(filled(1, 1), 1), undefined);
  assert.equal(meanCosine(new Float64Array(), 0), undefined);
  near(meanCosine(filled(2, 0.3), 2)!, 0.3);
  near(meanCosine(filled(4, 0.3), 4)!, 0.3);
  near(meanCosine(Float64Array.from([1, 0.2, 0.4, 0.2, 1, -0.3, 0.4, -0.3, 1]), 3)!, 0.1);
});
