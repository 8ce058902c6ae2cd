import assert from 'node:assert/strict';
import { test } from 'node:test';
import { holdsLongText, isCutOf, namesDocument, namesOfSource } from '../../../src/core/external/cut.ts';

const DOCUMENT =
  'Cats purr when they are content. Some purr when they are hurt, which calms them. Dogs bark at night, mostly at strangers.';

test('a result names its document by source or id', () => {
  assert.deepEqual(namesOfSource({ id: 'x1', about: { source: './docs/cats.md' } }), ['docs/cats.md', 'x1']);
  assert.deepEqual(namesOfSource({ id: undefined, about: { fields: { path: 'C:\\docs\\cats.md' } } }), [
    'C:/docs/cats.md',
  ]);
});

test('one path may be a suffix of the other, in whole names', () => {
  assert.equal(namesDocument('home/me/docs/cats.md', 'docs/cats.md'), true);
  assert.equal(namesDocument('cats.md', 'docs/cats.md'), true);
  assert.equal(namesDocument('cats.md', 'docs/bobcats.md'), false);
});

test('a text within a document is a cut of it, up to case and punctuation', () => {
  assert.equal(isCutOf('some PURR, when they are hurt', DOCUMENT), true);
});

test('a text is a cut if nearly all of it is found in the document', () => {
  const [most, half] = [
    `${DOCUMENT} And more.`,
    `${DOCUMENT} Birds sing in the morning to mark their territory, and fish are silent to most of our ears.`,
  ];
  assert.deepEqual(
    [isCutOf(most, DOCUMENT), isCutOf(half, DOCUMENT), isCutOf('', DOCUMENT)],
    [true, false, false],
  );
});

test('a long text matches its document by its words in order, even with cut ends', () => {
  const cut = DOCUMENT.slice(2, -6);
  assert.deepEqual(
    [
      holdsLongText(DOCUMENT, cut),
      holdsLongText(DOCUMENT, `${cut} and more`),
      holdsLongText(DOCUMENT, 'Dogs bark at night'),
    ],
    [true, false, false],
  );
});
