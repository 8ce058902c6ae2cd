/** The splitters tried so that a document is retrieved. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { otherSplits, splitLabel } from '../../../src/features/explain/core/other-splits.ts';
import { splitSchema, type SplitSpec } from '../../../src/core/split/spec.ts';

const PRESENT: SplitSpec[] = [
  { type: 'none' },
  { type: 'words', size: 100, overlap: 0 },
  { type: 'words', size: 1, overlap: 0 },
  { type: 'tokens', size: 100_000, overlap: 50_000 },
  { type: 'sentences', size: 5, overlap: 1 },
  { type: 'headings', maxWords: 300 },
  { type: 'sections', size: 120 },
];

test('other splitters are valid, distinct and different from the present one', () => {
  for (const present of PRESENT) {
    const labels = otherSplits(present).map((split) => {
      assert.deepEqual(splitSchema.parse(split), split);
      return splitLabel(split);
    });
    assert.ok(labels.length >= 2, splitLabel(present));
    assert.equal(new Set([splitLabel(present), ...labels]).size, labels.length + 1);
  }
});

test('overlaps come first, and splitters with too short passages are omitted', () => {
  const words: SplitSpec = { type: 'words', size: 40, overlap: 0 };
  assert.deepEqual(otherSplits(words).slice(0, 2).map(splitLabel), [
    'words 40 (overlap 10)',
    'words 40 (overlap 20)',
  ]);
  assert.deepEqual(otherSplits(words, 100).map(splitLabel), ['sections 120', 'words 200 (overlap 100)']);
});
