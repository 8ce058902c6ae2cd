import assert from 'node:assert/strict';
import { test } from 'node:test';
import { documentFields } from '../../../src/core/likeness/document-fields.ts';
import { fieldSpreads } from '../../../src/core/likeness/spread.ts';

const read = (text: string): Record<string, string> => Object.fromEntries(documentFields(text));

test('front matter is read, with or without quotes; lists and nested keys are not values', () => {
  const text =
    '---\ntitle: "A: b"\nAuthor: Kim\ntags:\n  - one\nurl: x\n---\n\nNote: not this.\nAnd: not this.';
  assert.deepEqual(read(text), { title: 'A: b', author: 'Kim', url: 'x' });
  assert.deepEqual(read('---\r\ndate: 2019-01-14\r\n---\r\n'), { date: '2019-01-14' });
});

test('header lines and lists of names are read, up to the first other line', () => {
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
  assert.deepEqual(read('* **Proposal**: SE-1\n* **Status:** Done'), { proposal: 'SE-1', status: 'Done' });
});

test('prose is no field', () => {
  for (const text of [
    '',
    'Note: this is a sentence.\n\nMore.',
    '# Title\nAuthor: Kim\nDate: now',
    'https://x.org/a\nb',
  ])
    assert.deepEqual(read(text), {}, text);
  assert.deepEqual(read(`One: ${'x'.repeat(300)}\nTwo: y`), {});
});

test('a field counts that most candidates have and some share', () => {
  const of = (author: string, title: string, rare?: string): ReadonlyMap<string, string> =>
    new Map([['author', author], ['title', title], ...(rare ? ([['rare', rare]] as const) : [])]);
  const candidates = [of('a', '1', 'r'), of('a', '2'), of('b', '3'), new Map<string, string>()];
  assert.deepEqual(fieldSpreads([candidates[0]!, candidates[1]!, candidates[3]!], candidates, 3), [
    { name: 'author', top: 1, candidates: 2, without: 1 },
  ]);
  assert.deepEqual(fieldSpreads([], [], 0), []);
});
