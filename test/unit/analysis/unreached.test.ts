import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { folderText, partText } from '../../../src/core/analysis/unreached-text.ts';
import {
  unreachedParts,
  unreachedSchema,
  type ReachedDocument,
} from '../../../src/core/analysis/unreached.ts';

const document = (id: string, reached = 0, passages = 2): ReachedDocument => ({ id, reached, passages });

test('a folder represents its documents if none of them is reached', () => {
  const found = unreachedParts([
    document('a.md', 1),
    document('legal/one.md'),
    document('legal/old/two.md'),
    document('team/three.md', 2),
    document('team/four.md'),
    document('data/rows.jsonl#1'),
    document('data/rows.jsonl#2'),
    document('mixed.jsonl#1', 1),
    document('mixed.jsonl#2'),
  ]);
  assert.deepEqual(found.unreached, [
    { path: 'data/rows.jsonl#…', documents: 2, passages: 4 },
    { path: 'legal/', documents: 2, passages: 4 },
    { path: 'mixed.jsonl#2', documents: 1, passages: 2 },
    { path: 'team/four.md', documents: 1, passages: 2 },
  ]);
  assert.deepEqual(found.folders, [
    { folder: '', documents: 1, reached: 1 },
    { folder: 'data/rows.jsonl#', documents: 2, reached: 0 },
    { folder: 'legal/', documents: 1, reached: 0 },
    { folder: 'legal/old/', documents: 1, reached: 0 },
    { folder: 'mixed.jsonl#', documents: 2, reached: 1 },
    { folder: 'team/', documents: 2, reached: 1 },
  ]);
  const { documents, reachedDocuments, passages, reachedPassages } = found;
  assert.deepEqual([documents, reachedDocuments, passages, reachedPassages], [9, 3, 18, 4]);
  assert.deepEqual(unreachedSchema.parse(found), found, 'kept with all it says');
});

test('a # in a name is part of it; only a number after the last # is a record', () => {
  const found = unreachedParts([
    document('notes/C#.md', 1),
    document('notes/#2 draft.md'),
    document('F#/rows#1.jsonl#1'),
    document('F#/rows#1.jsonl#2'),
    document('F#/b.md', 1),
  ]);
  assert.deepEqual(
    found.unreached.map(({ path }) => path),
    ['F#/rows#1.jsonl#…', 'notes/#2 draft.md'],
  );
  assert.deepEqual(
    found.folders.map(({ folder }) => folder),
    ['F#/', 'F#/rows#1.jsonl#', 'notes/'],
  );
});

test('the number of a record has any number of digits and needs a name', () => {
  const found = unreachedParts([document('rows.jsonl#10'), document('rows.jsonl#9', 1), document('#3')]);
  assert.deepEqual(
    found.unreached.map(({ path }) => path),
    ['#3', 'rows.jsonl#10'],
  );
  assert.deepEqual(found.folders, [
    { folder: '', documents: 1, reached: 0 },
    { folder: 'rows.jsonl#', documents: 2, reached: 1 },
  ]);
});

test('an id that ends in a slash, as pages of a store have, is a document', () => {
  const found = unreachedParts([document('https://a.org/b/'), document('https://a.org/b/c', 1)]);
  assert.deepEqual(found.unreached, [{ path: 'https://a.org/b/', documents: 1, passages: 2 }]);
});

test('parts and folders have readable names', () => {
  const parts = {
    './': 'the whole corpus',
    'a.jsonl#…': 'a.jsonl, all records',
    'a.jsonl#12': 'a.jsonl, record 12',
  };
  for (const [path, text] of Object.entries(parts)) assert.equal(partText(path), text);
  const folders = { '': '(in no folder)', 'a/b.jsonl#': 'a/b.jsonl (records)', 'a/': 'a/' };
  for (const [folder, text] of Object.entries(folders)) assert.equal(folderText(folder), text);
  for (const path of ['C#/a.md', 'a/#…b', 'a#12b.md', '#…', '#12']) assert.equal(partText(path), path);
  for (const folder of ['C#/', '#']) assert.equal(folderText(folder), folder);
});

test('none reached, all reached, no documents', () => {
  assert.deepEqual(unreachedParts([document('a/b.md'), document('c.md')]).unreached, [
    { path: './', documents: 2, passages: 4 },
  ]);
  assert.deepEqual(unreachedParts([document('a/b.md', 1)]).unreached, []);
  assert.deepEqual(unreachedParts([]).unreached, []);
});

test('every unreached document is in exactly one part', () => {
  const id = fc
    .array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 4 })
    .map((steps) => steps.join('/'));
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.record({ id, reached: fc.nat(1), passages: fc.constant(1) }), {
        selector: (each) => each.id,
        maxLength: 12,
      }),
      (documents) => {
        const { unreached } = unreachedParts(documents);
        const counted = unreached.reduce((sum, part) => sum + part.documents, 0);
        assert.equal(counted, documents.filter(({ reached }) => reached === 0).length);
      },
    ),
  );
});
