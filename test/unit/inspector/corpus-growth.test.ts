import assert from 'node:assert/strict';
import { test } from 'node:test';
import { growsByHalf } from '../../../src/features/inspector/host/indexing.ts';

const changes = {
  added: 0,
  changed: 0,
  deleted: 0,
  indexed: { files: 100, bytes: 10_000_000 },
  addedBytes: 0,
};

test('a corpus grows if it gets more than half as many files or bytes again', () => {
  assert.equal(growsByHalf({ ...changes, added: 50 }), false);
  assert.equal(growsByHalf({ ...changes, added: 51 }), true);
  assert.equal(growsByHalf({ ...changes, added: 1, addedBytes: 5_000_000 }), false);
  assert.equal(growsByHalf({ ...changes, added: 1, addedBytes: 5_000_001 }), true);
});

test('ignores small growth', () => {
  const indexed = { files: 2, bytes: 1_000 };
  assert.equal(growsByHalf({ ...changes, indexed, added: 19, addedBytes: 900_000 }), false);
});
