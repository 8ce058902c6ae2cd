import assert from 'node:assert/strict';
import { test } from 'node:test';
import { repeatsOf } from '../../../src/core/likeness/repeats.ts';
import { folderOf, spreadOf } from '../../../src/core/likeness/spread.ts';

const LONG =
  'One two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen.';

test('a passage repeats the first one above with nearly the same text', () => {
  const nearly = LONG.replace('sixteen', 'twenty');
  assert.deepEqual(repeatsOf([LONG, 'Something else', nearly, LONG.toUpperCase(), 'Something else']), [
    undefined,
    undefined,
    0,
    0,
    1,
  ]);
});

test('passages without a text or common words repeat nothing', () => {
  assert.deepEqual(repeatsOf(['', ' ', ' ', '—', '…', '—']), [
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
    3,
  ]);
  assert.deepEqual(repeatsOf([]), []);
});

test('counts distinct places once, and passages without one separately', () => {
  assert.deepEqual(spreadOf(['a', 'b', 'a', undefined], ['a', 'b', 'c', 'a', undefined]), {
    top: 2,
    candidates: 3,
    without: 1,
  });
});

test('the folder of a document is the folder of its file', () => {
  assert.equal(folderOf('docs/school/a.md'), 'docs/school');
  assert.equal(folderOf('docs/rows.jsonl#17'), 'docs');
  assert.equal(folderOf('readme.md'), '');
  assert.equal(folderOf('q17'), '');
});
