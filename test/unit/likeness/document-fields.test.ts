import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  foundFields,
  headFields,
  headLength,
  metaFields,
  varyingFields,
  type FoundField,
} from '../../../src/core/likeness/document-fields.ts';
import type { DocumentFields } from '../../../src/core/text/fields.ts';
import { fieldSpreads } from '../../../src/core/likeness/spread.ts';

const read = (text: string): DocumentFields => headFields(text) ?? {};

test('reads front matter with or without quotes; lists and nested keys are no values', () => {
  const text =
    '---\ntitle: "A: b"\nAuthor: Kim\ntags:\n  - one\nurl: x\n---\n\nNote: not this.\nAnd: not this.';
  assert.deepEqual(read(text), { title: 'A: b', author: 'Kim', url: 'x' });
  assert.deepEqual(read('---\r\ndate: 2019-01-14\r\n---\r\n'), { date: '2019-01-14' });
  assert.deepEqual(read('---\ntitle: "A"  \nnote: "B" and c\nauthor: Kim "K"\n---'), {
    title: 'A',
    note: '"B" and c',
    author: 'Kim "K"',
  });
});

test('reads header lines and lists of names up to the first other line', () => {
  assert.deepEqual(
    read('PEP: 484\nAuthor: Kim <k@x>,\n        Lee\nCreated: 29-Sep-2014\n\nAbstract\nNo: this'),
    {
      pep: '484',
      author: 'Kim <k@x>,',
      created: '29-Sep-2014',
    },
  );
  assert.deepEqual(read('- Feature Name: `x`\n- Start Date: 2016-08-22\n\n## Summary'), {
    'feature name': '`x`',
    'start date': '2016-08-22',
  });
  assert.deepEqual(read('Status: Final\nPost-History:\nRFC PR #: [8](x)\n\nText: this'), {
    status: 'Final',
    'rfc pr #': '[8](x)',
  });
  assert.deepEqual(read('* **Proposal**: SE-1\n* **Status:** Done'), { proposal: 'SE-1', status: 'Done' });
});

test('the length of a head includes the fence above it, not the one below', () => {
  assert.equal(headLength('PEP: 484\nAuthor: Kim\n\nAbstract'), 'PEP: 484\nAuthor: Kim\n'.length);
  assert.equal(headLength('---\nauthor: Kim\n---\nText'), '---\nauthor: Kim\n'.length);
  assert.equal(headLength('\uFEFFPEP: 484\r\nAuthor: Kim\r\n'), 1 + 'PEP: 484\r\nAuthor: Kim\r\n'.length);
  for (const text of ['', 'Note: one line.\n\nText', 'Text\nPEP: 484\nAuthor: Kim'])
    assert.equal(headLength(text), 0);
  assert.deepEqual(read('\uFEFF---\nauthor: Kim\n---'), { author: 'Kim' });
});

test('prose contains no fields', () => {
  for (const text of [
    '',
    'Note: this is a sentence.\n\nMore.',
    '# Title\nAuthor: Kim\nDate: now',
    'https://x.org/a\nb',
  ])
    assert.deepEqual(read(text), {}, text);
  assert.deepEqual(read(`One: ${'x'.repeat(300)}\nTwo: y`), {});
});

test('invalid or very long YAML gives only its readable lines', () => {
  assert.deepEqual(read('---\nauthor: Kim\n{ [ not: yaml\n: : :\ndate: 2019-01-14\n---\n'), {
    author: 'Kim',
    date: '2019-01-14',
  });
  const huge = Array.from({ length: 5_000 }, (_, n) => `name ${n}: ${n}`).join('\n');
  assert.equal(Object.keys(read(`---\n${huge}`)).length, 30);
  assert.deepEqual(read('---\nnever closed: x'), { 'never closed': 'x' });
  assert.deepEqual(read('---\nauthor (main): Kim\n__proto__: x\nconstructor: Lee\n---'), {
    constructor: 'Lee',
  });
});

test('reads meta elements of a page in any order and quotes, except in its text', () => {
  const page = `<html><head><META content='Kim &amp; Lee' name="Author"><meta name=keywords content="a, b"/>
    <meta property="og:title" content="T"><meta charset="utf-8"><meta name="empty" content=""></head>
    <body><meta name="date" content="2019"></body></html>`;
  assert.deepEqual(metaFields(page), { author: 'Kim &amp; Lee', keywords: 'a, b' });
  assert.equal(metaFields('<p>no head'), undefined);
  assert.equal(metaFields(`<meta ${'name='.repeat(100_000)}`), undefined);
});

test('finds fields of a fifth of the documents; counts those that vary without being names', () => {
  const documents = Array.from({ length: 20 }, (_, n): DocumentFields => ({
    ...(n < 19 ? { author: `A${n % 4}` } : {}),
    title: `T${n}`,
    status: 'final',
    ...(n < 4 ? { rare: 'x' } : {}),
  }));
  const found = foundFields([...documents, undefined]);
  assert.deepEqual(found, [
    { name: 'title', documents: 20, values: 20 },
    { name: 'status', documents: 20, values: 1 },
    { name: 'author', documents: 19, values: 4 },
  ]);
  assert.deepEqual(varyingFields(found), ['author']);
  assert.deepEqual(foundFields([]), []);
  const share = (documents: number): FoundField[] =>
    foundFields([
      ...Array.from({ length: documents }, () => ({ a: 'x' })),
      ...Array<undefined>(20 - documents),
    ]);
  assert.deepEqual([share(3).length, share(4).length], [0, 1]);
});

test('counts the first five varying fields, and none with mostly unique values', () => {
  const field = (values: number, name = 'a'): FoundField => ({ name, documents: 20, values });
  assert.deepEqual(
    [1, 2, 15, 16].map((values) => varyingFields([field(values)]).length),
    [0, 1, 1, 0],
  );
  const many = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => field(4, name));
  assert.deepEqual(varyingFields(many), ['a', 'b', 'c', 'd', 'e']);
});

test('does not count the position of a page in a menu', () => {
  const places = ['sidebar_position', 'nav-order', 'weight', 'priority'];
  const found = places.map((name) => ({ name, documents: 20, values: 4 }));
  assert.deepEqual(varyingFields(found), ['priority']);
});

test('a spread counts distinct values, and passages without one', () => {
  const [kim, lee] = [{ author: 'Kim' }, { author: 'Lee' }];
  assert.deepEqual(fieldSpreads(['author', 'toString'], [kim, kim, undefined], [kim, kim, undefined, lee]), [
    { name: 'author', top: 1, candidates: 2, without: 1 },
    { name: 'toString', top: 0, candidates: 0, without: 3 },
  ]);
});
