/** Small functions that read foreign texts and JSON. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { analyzer } from '../../../src/core/text/analyzer.ts';
import { allOf, oneOf } from '../../../src/core/text/enumeration.ts';
import { fieldsOf, fieldValue } from '../../../src/core/text/fields.ts';
import { withoutFullStop, withoutTrailing } from '../../../src/core/text/trim.ts';
import { hasWords, holdsWords } from '../../../src/core/text/words.ts';
import { isRecord, unpacked } from '../../../src/core/text/json.ts';
import { questionKey } from '../../../src/core/text/question.ts';
import { withoutLinks } from '../../../src/core/text/without-links.ts';

test('a text contains words if they occur in it whole and in order, apart from articles', () => {
  for (const [text, wanted] of [
    ['It is: The CAT, sat!', 'cat sat'],
    ['a cat on the mat', 'the cat on a mat'],
    ['The answer is A.', 'a'],
  ] as const)
    assert.equal(holdsWords(text, wanted), true, wanted);
  for (const [text, wanted] of [
    ['concat sat', 'cat sat'],
    ['cat saturn', 'cat sat'],
    ['sat cat', 'cat sat'],
    ['catsat', 'cat sat'],
    ['cat', 'a'],
    ['anything', ''],
    ['…', '…'],
  ] as const)
    assert.equal(holdsWords(text, wanted), false, wanted);
  assert.deepEqual([hasWords('a'), hasWords(' … ')], [true, false]);
});

test('foreign JSON is a record if it has names', () => {
  for (const value of [undefined, null, 'a', 1, [], () => 1]) assert.equal(isRecord(value), false);
  assert.equal(isRecord({}), true);
});

test('unpacks JSON in a string and keeps other texts', () => {
  assert.deepEqual([' \n{"a": [1]}', '[1]'].map(unpacked), [{ a: [1] }, [1]]);
  for (const value of ['[1] says', 'a [1]', '12', '"a"', 7, undefined, ['[1]']])
    assert.equal(unpacked(value), value);
  const nested = (levels: number): string => `${'['.repeat(levels)}"\\"]"${']'.repeat(levels)}`;
  assert.ok(Array.isArray(unpacked(nested(100))));
  assert.equal(unpacked(nested(101)), null);
});

test('joins names in a sentence with a conjunction', () => {
  assert.deepEqual([[], ['a'], ['a', 2, 'c']].map(oneOf), ['', 'a', 'a, 2 or c']);
  assert.deepEqual([[], ['a'], ['a', 2, 'c']].map(allOf), ['', 'a', 'a, 2 and c']);
});

test('compares questions without case and spaces', () => {
  assert.equal(questionKey(' What  IS\n it?'), 'what is it?');
});

test('a sentence within another loses only its full stop', () => {
  for (const [sentence, within] of [
    ['It rains.', 'It rains'],
    ['It rains. ', 'It rains'],
    ['雨です。', '雨です'],
    ['And so on...', 'And so on...'],
    ['Since v1.2 it rains', 'Since v1.2 it rains'],
  ] as const)
    assert.equal(withoutFullStop(sentence), within);
});

test('trims characters at the end of a text only', () => {
  assert.deepEqual(
    ['a. b. .', 'a', '. .', ''].map((text) => withoutTrailing(text, /[.\s]/u)),
    ['a. b', 'a', '', ''],
  );
});

test('text shown as Markdown has no links', () => {
  assert.equal(withoutLinks('[a](b) ![c](d)'), '[a] (b) ![c] (d)');
});

test('fields have short values and valid names', () => {
  const [name, value] = ['n'.repeat(60), 'v'.repeat(200)];
  const found: [string, string][] = [
    [' Author ', ' Kim\n'],
    [name, value],
    [`${name}n`, 'x'],
    ['long', `${value}v`],
  ];
  assert.deepEqual(fieldsOf(found), { author: 'Kim', [name]: value });
  assert.equal(
    fieldsOf([
      [' ', 'x'],
      ['a', ' '],
    ]),
    undefined,
  );
  const many = Array.from({ length: 40 }, (_, place): [string, string] => [`n${place}`, 'x']);
  const kept = fieldsOf([...many, ['n0', 'last'], ['n39', 'y']])!;
  assert.deepEqual([Object.keys(kept).length, kept['n0'], kept['n30']], [30, 'last', undefined]);
  assert.deepEqual(
    ['n0', 'toString'].map((each) => fieldValue(kept, each)),
    ['last', undefined],
  );
  assert.equal(fieldValue(undefined, 'n0'), undefined);
});

test('an analyzer splits a text into words and returns the term of each', () => {
  const { words, term } = analyzer('english');
  assert.deepEqual(words('The Dogs').map(term), [undefined, 'dog']);
});
