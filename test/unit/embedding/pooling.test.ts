import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { batchesByLength } from '../../../src/core/embedding/batches.ts';
import { clsPool, meanPool, normalizeRows } from '../../../src/core/embedding/pooling.ts';

// Two texts of up to three tokens in two dimensions; 9 is padding.
const STATES = Float32Array.of(1, 2, 3, 4, 5, 9, /**/ 7, 8, 9, 9, 9, 9);
const MASK = [1, 1, 1, 1, 0, 0];

test('mean pooling ignores padding', () => {
  assert.deepEqual(meanPool(STATES, MASK, 2, 2), Float32Array.of(3, 5, 7, 8));
});

test('mean pooling of no tokens is zero, not NaN', () => {
  assert.deepEqual(meanPool(STATES, [0, 0, 0, 0, 0, 1], 2, 2), Float32Array.of(0, 0, 9, 9));
});

test('cls pooling uses the first token of each text', () => {
  assert.deepEqual(clsPool(STATES, 2, 2), Float32Array.of(1, 2, 7, 8));
});

test('scales rows to length 1 and keeps zero rows', () => {
  const rows = Float32Array.of(3, 4, 0, 0, -2, 0);
  normalizeRows(rows, 2);
  rows.forEach((value, i) => assert.ok(Math.abs(value - [0.6, 0.8, 0, 0, -1, 0][i]!) < 1e-6));
});

test('batches contain every text once, keep the limits and waste little', () => {
  const lengths = fc.array(fc.integer({ min: 0, max: 400 }), { maxLength: 100 });
  fc.assert(
    fc.property(
      lengths,
      fc.integer({ min: 1, max: 8 }),
      fc.integer({ min: 1, max: 300 }),
      (tokens, maxTexts, maxTokens) => {
        const batches = batchesByLength(tokens, maxTexts, maxTokens);
        assert.deepEqual(
          batches.flat().sort((a, b) => a - b),
          tokens.map((_, i) => i),
        );
        for (const batch of batches) {
          const longest = Math.max(...batch.map((i) => tokens[i]!));
          assert.ok(batch.length === 1 || (batch.length <= maxTexts && batch.length * longest <= maxTokens));
        }
        assert.deepEqual(
          batches.flat().map((i) => tokens[i]),
          tokens.toSorted((a, b) => a - b),
        );
      },
    ),
  );
  assert.deepEqual(batchesByLength([30, 10, 20, 100], 2, 40), [[1, 2], [0], [3]]);
  assert.deepEqual(batchesByLength([5, 5, 5], 2, 10), [[0, 1], [2]]);
});
