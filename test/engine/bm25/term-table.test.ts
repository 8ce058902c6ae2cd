import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TermTable, type Words } from '../../../src/engine/bm25/term-table.ts';
import { wordOf } from './support.ts';

const units = (word: string): Uint16Array => Uint16Array.from(word, (letter) => letter.charCodeAt(0));

test('distinguishes words of the same hash', () => {
  const table = new TermTable();
  const words = ['', 'a', 'b', 'ab', 'ac', 'bb', 'abc', 'abcd', 'abce'];
  for (const [id, word] of words.entries()) {
    assert.equal(table.find(units(word), word.length, 7), -1, word);
    assert.equal(table.add(units(word), word.length, 7), id);
  }
  for (const [id, word] of words.entries()) {
    assert.equal(table.find(units(word), word.length, 7), id);
    assert.equal(wordOf(table, id), word);
  }
  assert.equal(table.find(units('a'), 1, 8), -1, 'another hash');
});

test('a view of a word survives the growth of the table', () => {
  const table = new TermTable();
  table.add(units('first'), 5, 1);
  const view = table.units(0);
  for (let i = 0; i < 50_000; i++) table.add(units(`w${i}`), `w${i}`.length, i);
  assert.deepEqual(view, units('first'));
  assert.equal(table.find(units('w49999'), 6, 49_999), 50_000);
});

/** Distinct words, joined. */
function wordsOf(words: readonly string[], hash: (word: string) => number): Words {
  let end = 0;
  return {
    count: words.length,
    units: units(words.join('')),
    ends: Uint32Array.from(words, (word) => (end += word.length)),
    hashes: Int32Array.from(words, hash),
  };
}

/** From one hash for all words to one for each. */
for (const hashes of [1, 3, 1000, 2 ** 31])
  test(`many words at once get the ids of each alone, with ${hashes} hashes`, () => {
    const hashOf = (word: string): number =>
      ((Math.imul(Number(`0${word.slice(1)}`), 2_654_435_761) >>> 0) % hashes) | 0;
    const table = new TermTable();
    const known: string[] = [];
    for (const [from, to, step] of [
      [0, 900, 3],
      [0, 900, 2],
      [300, 1200, 1],
      [0, 1200, 1],
    ] as const) {
      const words: string[] = [];
      for (let n = from; n < to; n += step) words.push(n === 0 ? '' : `w${n}`);
      const ids = new Int32Array(words.length);
      table.idsOf(wordsOf(words, hashOf), ids);
      for (const word of words) if (!known.includes(word)) known.push(word);
      assert.deepEqual(
        [...ids],
        words.map((word) => known.indexOf(word)),
      );
    }
    assert.equal(table.size, 1200);
    known.forEach((word, id) => {
      assert.equal(wordOf(table, id), word);
      assert.equal(table.find(units(word), word.length, hashOf(word)), id);
    });
  });
