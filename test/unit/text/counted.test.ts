import assert from 'node:assert/strict';
import { test } from 'node:test';
import { counted, countIn, counts, setLanguage } from '../../../src/core/counted.ts';

test('a sentence has one form for one thing and one for several', () => {
  const sentence = '{0} [0:question|questions] of {1} [1:is|are] shown in {2}';
  assert.equal(counted(sentence, 1, 20, 'a.jsonl'), '1 question of 20 are shown in a.jsonl');
  assert.equal(counted(sentence, 0, 1, 'a.jsonl'), '0 questions of 1 is shown in a.jsonl');
  assert.equal(counted('{0} [0:passage|passages]', 12_345), '12,345 passages');
});

test('inserted values are not changed', () => {
  assert.equal(counted('{0} [0:run|runs] of {1}', 1, '{0} [0:a|b]'), '1 run of {0} [0:a|b]');
  assert.equal(counted('{0} of {1}', 1), '1 of {1}');
});

test('a translation has the plural forms of its language', () => {
  const polish = (n: number): string => countIn('pl')('{0} [0:zapytanie|zapytania|zapytań|zapytania]', n);
  assert.deepEqual([1, 3, 5, 1.5].map(polish), ['1 zapytanie', '3 zapytania', '5 zapytań', '1,5 zapytania']);
  assert.equal(countIn('ja')('{0} [0:件]', 2), '2 件');
  assert.equal(countIn('pl')('{0} [0:one|more]', 5), '5 more', 'forms that lack: the last one');
});

test('later counts are in the language of the process', (t) => {
  t.after(() => setLanguage('en'));
  setLanguage('de');
  assert.equal(counted('{0} [0:Passage|Passagen]', 12_345), '12.345 Passagen');
});

test('a range of one number is that number', () => {
  assert.equal(counts.requestsIn({ least: 1, most: 1 }), '1 request');
  assert.equal(counts.requestsIn({ least: 3, most: 1200 }), '3 to 1,200 requests');
});
