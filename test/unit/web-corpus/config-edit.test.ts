/** Adds a snapshot as a corpus of parallax.json. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { withSnapshotCorpus } from '../../../src/features/web-corpus/core/config-edit.ts';
import { configSchema } from '../../../src/shared/config.ts';
import {
  skippedByReason,
  snapshotNameFor,
  snapshotNameSchema,
} from '../../../src/features/web-corpus/contract/web.ts';
import { startingConfig } from '../../../src/shared/defaults/starting-config.ts';
import { defaultConfig } from '../../../src/shared/defaults/default-config.ts';
import { parseConfig } from '../../../src/extension/workspace/workspace-model.ts';

test('adds the corpus and keeps every other character', () => {
  const json = '{\n  // All of it.\n  "corpora": { "mine": { "roots": ["."] } },\n  "judge": "labels",\n}\n';
  const edited = withSnapshotCorpus(json, 'wind', 'wind', true);
  assert.ok(edited.startsWith('{\n  // All of it.\n  "corpora": {\n    "mine": {\n'));
  assert.ok(edited.endsWith(',\n  "judge": "labels",\n}\n'));
  const { corpora } = parseConfig(edited);
  assert.deepEqual(corpora['wind']?.roots, ['.parallax/web/wind']);
  assert.deepEqual(corpora['wind']?.split, { type: 'words', size: 100, overlap: 0 });
  assert.deepEqual(corpora['mine']?.roots, ['.']);
  assert.deepEqual([corpora['wind']?.perQuery, corpora['mine']?.perQuery], [true, undefined]);
});

test('adds corpora to a file without any, starting with the defaults', () => {
  assert.deepEqual(
    Object.keys(configSchema.parse(JSON.parse(withSnapshotCorpus('{}', 'a', 'a', false))).corpora),
    ['a'],
  );
  const begun = startingConfig(defaultConfig('/home/me/notes'), 'labels');
  const started = parseConfig(withSnapshotCorpus(begun, 'a', 'a', false));
  assert.deepEqual(Object.keys(started.corpora), ['notes', 'a']);
});

test('names snapshots after eval sets and questions', () => {
  assert.equal(snapshotNameFor('eval/Night trains.parallax.jsonl'), 'night-trains');
  assert.equal(snapshotNameFor('Is düsseldorf a café?'), 'is-dusseldorf-a-cafe');
  assert.equal(snapshotNameFor('为什么?'), 'web');
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      assert.ok(snapshotNameSchema.safeParse(snapshotNameFor(text)).success);
    }),
  );
});

test('no name leaves the folder of snapshots', () => {
  for (const name of ['', '.', '..', '../x', 'a/b', 'a\\b', '/x', '.hidden', 'a\0b', 'x'.repeat(81)])
    assert.equal(snapshotNameSchema.safeParse(name).success, false, name);
});

test('lists skipped pages by reason, most frequent first', () => {
  const skipped = (['robots', 'url', 'url'] as const).map((reason) => ({ url: 'u', reason, message: '' }));
  assert.deepEqual(skippedByReason({ skipped }), [
    ['url', 2],
    ['robots', 1],
  ]);
});
