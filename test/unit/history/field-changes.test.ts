/** The differences of two configurations. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fieldChanges } from '../../../src/features/history/core/compare-entries.ts';

test('lists added, removed and changed fields at any depth', () => {
  const then = { k: 5, retriever: { type: 'bm25', k1: 0.9 }, rerank: [{ type: 'mmr' }] };
  const now = { k: 5, retriever: { type: 'bm25', k1: 0, analyzer: 'whitespace' }, rerank: [] };
  assert.deepEqual(fieldChanges(then, now), [
    { field: 'retriever.k1', then: '0.9', now: '0' },
    { field: 'rerank.0.type', then: '"mmr"', now: undefined },
    { field: 'retriever.analyzer', then: undefined, now: '"whitespace"' },
    { field: 'rerank', then: undefined, now: '[]' },
  ]);
  assert.deepEqual(fieldChanges(then, structuredClone(then)), []);
});

test('distinguishes an empty object from a missing one; undefined is missing', () => {
  assert.deepEqual(fieldChanges({}, { a: {} }), [
    { field: '', then: '{}', now: undefined },
    { field: 'a', then: undefined, now: '{}' },
  ]);
  assert.deepEqual(fieldChanges({ a: undefined, b: 1 }, { b: 1 }), []);
});
