import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TermTable } from '../../../src/engine/bm25/term-table.ts';

const units = (word: string): Uint16Array => Uint16Array.from(word, (letter) => letter.charCodeAt(0));

test('tells words of the same hash apart', () => {
  const table = new TermTable();
  const words = ['', 'a', 'b', 'ab', 'ac', 'bb', 'abc', 'abcd', 'abce'];
  for (const [id, word] of words.entries()) {
    assert.equal(table.find(units(word), word.length, 7), -1, word);
    assert.equal(table.add(units(word), word.length, 7), id);
  }
  for (const [id, word] of words.entries()) {
    assert.equal(table.find(units(word), word.length, 7), id);
    assert.equal(table.text(id), word);
  }
  assert.equal(table.find(units('a'), 1, 8), -1, 'another hash');
});

test('a view of a word outlives the growth of the table', () => {
  const table = new TermTable();
  table.add(units('first'), 5, 1);
  const view = table.units(0);
  for (let i = 0; i < 50_000; i++) table.add(units(`w${i}`), `w${i}`.length, i);
  assert.deepEqual(view, units('first'));
  assert.equal(table.find(units('w49999'), 6, 49_999), 50_000);
});
