import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import fc from 'fast-check';
import { porterStem } from '../../../src/core/text/porter.ts';

/** The examples beside the rules in Porter's paper, each stemmed in all five steps. */
const PUBLISHED = `
  caresses caress, ponies poni, ties ti, caress caress, cats cat,
  feed feed, agreed agre, plastered plaster, bled bled, motoring motor, sing sing,
  conflated conflat, troubled troubl, sized size, hopping hop, tanned tan, falling fall, hissing hiss,
  fizzed fizz, failing fail, filing file, happy happi, sky sky,
  relational relat, conditional condit, rational ration, valenci valenc, hesitanci hesit, digitizer digit,
  conformabli conform, radicalli radic, differentli differ, vileli vile, analogousli analog,
  vietnamization vietnam, predication predic, operator oper, feudalism feudal, decisiveness decis,
  hopefulness hope, callousness callous, formaliti formal, sensitiviti sensit, sensibiliti sensibl,
  triplicate triplic, formative form, formalize formal, electriciti electr, electrical electr, hopeful hope,
  goodness good, revival reviv, allowance allow, inference infer, airliner airlin, gyroscopic gyroscop,
  adjustable adjust, defensible defens, irritant irrit, replacement replac, adjustment adjust,
  dependent depend, adoption adopt, homologou homolog, communism commun, activate activ,
  angulariti angular, homologous homolog, effective effect, bowdlerize bowdler,
  probate probat, rate rate, cease ceas, controll control, roll roll,
  generalizations gener, oscillators oscil,
  activated activ, formalized formal, slapped slap`;

test('stems the examples of the paper', () => {
  for (const pair of PUBLISHED.split(',')) {
    const [word, stem] = pair.trim().split(' ');
    assert.equal(porterStem(word!), stem, word);
  }
});

test('follows the three departures of the reference program', () => {
  assert.equal(porterStem('possibly'), 'possibl', 'bli → ble');
  assert.equal(porterStem('archaeology'), 'archaeolog', 'logi → log');
  assert.equal(porterStem('as'), 'as', 'two letters');
});

test('treats y as a vowel only after a consonant', () => {
  assert.deepEqual(['syzygy', 'toy', 'say', 'cry', 'yy'].map(porterStem), [
    'syzygi',
    'toi',
    'sai',
    'cry',
    'yy',
  ]);
});

test('leaves other alphabets and numbers unchanged', () => {
  for (const word of ['übung', 'привет', '東京', '1990', "don't"]) assert.equal(porterStem(word), word);
});

test('is linear in the length of a word', () => {
  for (const letter of ['y', 's', 'a', 'ly']) {
    const word = letter.repeat(500_000);
    assert.ok(porterStem(word).length >= word.length - 3);
  }
});

test('removes a suffix from a word that is only a suffix, as in the published steps', () => {
  assert.deepEqual(['ies', 'sses'].map(porterStem), ['i', 'ss']);
});

test('agrees with the Porter stemmer of SQLite FTS5', () => {
  const db = new DatabaseSync(':memory:');
  db.exec(`CREATE VIRTUAL TABLE t USING fts5(word, tokenize = 'porter ascii');
           CREATE VIRTUAL TABLE terms USING fts5vocab(t, 'row')`);
  const insert = db.prepare('INSERT INTO t VALUES (?)');
  const term = db.prepare('SELECT term FROM terms');
  const theirs = (word: string): unknown => {
    db.exec('DELETE FROM t');
    insert.run(word);
    return term.get()?.['term'];
  };
  const letters = (max: number): fc.Arbitrary<string> =>
    fc.string({ unit: fc.constantFrom(...'aeioubcdlnrstvwxyzy'), minLength: 1, maxLength: max });
  const suffix = fc.constantFrom(
    ...'s es ies sses ed eed ing y ational tional enci anci izer bli alli entli eli ousli ization ation ator'.split(
      ' ',
    ),
    ...'alism iveness fulness ousness aliti iviti biliti logi icate ative alize iciti ical ful ness al'.split(
      ' ',
    ),
    ...'ance ence er ic able ible ant ement ment ent ion sion tion ou ism ate iti ous ive ize e ll ly'.split(
      ' ',
    ),
  );
  fc.assert(
    fc.property(letters(6), fc.array(suffix, { maxLength: 3 }), (start, suffixes) => {
      const word = start + suffixes.join('');
      // FTS5 requires a letter before these suffixes and treats yy as a double consonant; Porter's program does
      // neither.
      fc.pre(!/^(ies|sses|eeds?)$|yy/.test(word));
      assert.equal(porterStem(word), theirs(word), word);
    }),
    { numRuns: 3000 },
  );
});
