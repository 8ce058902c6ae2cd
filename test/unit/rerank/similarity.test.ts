import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { CandidateVectors, similarityMatrix } from '../../../src/core/rerank/similarity.ts';
import { candidateLists } from './arbitraries.ts';

function cosine(a: readonly number[], b: readonly number[]): number {
  const dot = (x: readonly number[], y: readonly number[]): number =>
    x.reduce((sum, value, i) => sum + value * y[i]!, 0);
  const lengths = Math.sqrt(dot(a, a)) * Math.sqrt(dot(b, b));
  return lengths === 0 ? 0 : dot(a, b) / lengths;
}

test('cosines of any number of dimensions equal those of the matrix, to the last bit', () => {
  fc.assert(
    fc.property(candidateLists, ({ n, d, vectors }) => {
      const candidates = new CandidateVectors(vectors, n);
      const matrix = similarityMatrix(vectors, n);
      const row = (i: number): number[] => [...vectors.subarray(i * d, (i + 1) * d)];
      for (let a = 0; a < n; a++)
        for (let b = 0; b < n; b++) {
          assert.ok(Math.abs(candidates.similarity(a, b) - cosine(row(a), row(b))) < 1e-9);
          assert.equal(matrix[a * n + b], candidates.similarity(a, b));
        }
    }),
  );
});

test('rounding never leaves [−1, 1]', () => {
  fc.assert(
    fc.property(
      fc.array(fc.float({ min: -1, max: 1, noNaN: true }), { minLength: 3, maxLength: 12 }),
      (vector) => {
        const opposite = vector.map((value) => -value);
        const candidates = new CandidateVectors(Float32Array.from([...vector, ...vector, ...opposite]), 3);
        assert.ok(candidates.similarity(0, 1) <= 1);
        assert.ok(candidates.similarity(0, 2) >= -1);
      },
    ),
    { numRuns: 1000 },
  );
});
