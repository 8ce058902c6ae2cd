import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RanDataset } from '../../../src/engine/experiment/experiments.ts';
import { unreachedBy } from '../../../src/engine/experiment/unreached.ts';
import '../../fixtures/built.ts';

/** More passages than are read at a time, of three documents. */
const PASSAGES = 2_500;
const index = {
  slots: () => Array.from({ length: PASSAGES }, (_, slot) => slot),
  passages: (slots: readonly number[]) => {
    assert.ok(slots.length <= 1_000, 'a large corpus does not come at a time');
    return slots.map((slot) => ({ slot, documentId: `${'abc'[slot % 3]!}.md` }));
  },
};

const unreached = (
  ...rankings: readonly (readonly (readonly [string, readonly number[]])[])[]
): ReturnType<typeof unreachedBy> => {
  const runs = rankings.map((questions) => ({ questions: new Map(questions) }));
  return unreachedBy({ index, runs } as unknown as RanDataset, 2, {});
};

test('the top k of any question of any pipeline is reached, out of all passages of the corpus', async () => {
  const found = await unreached(
    [['q', [0, 3, 1]]],
    [
      ['q', [3, 2_499]],
      ['r', [1_503]],
    ],
  );
  assert.deepEqual([found.passages, found.reachedPassages], [PASSAGES, 4]);
  assert.deepEqual([found.documents, found.reachedDocuments], [3, 1]);
  assert.deepEqual(found.unreached, [
    { path: 'b.md', documents: 1, passages: 833 },
    { path: 'c.md', documents: 1, passages: 833 },
  ]);
});

test('nothing is reached without results', async () => {
  const found = await unreached([['q', []]]);
  assert.deepEqual([found.documents, found.reachedDocuments, found.reachedPassages], [3, 0, 0]);
});
