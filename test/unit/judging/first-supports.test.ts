import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FirstSupports } from '../../../src/core/judging/first-supports.ts';

const pairs = (perspectiveId: string, passages: string) =>
  [...passages].map((passageId) => ({ passageId, perspectiveId }));

test('every ranking is gone down for every perspective, a few passages at a time, each pair once', () => {
  const wanted = new FirstSupports({ perspectives: ['p', 'o'], rankings: [[...'abcdefg'], [...'ga']] });
  const inOrder = [...pairs('p', 'abcde'), ...pairs('o', 'abcde'), ...pairs('p', 'g'), ...pairs('o', 'g')];
  assert.deepEqual(wanted.next(), inOrder);
});

test('nothing below the first "yes" is asked, and what is known is not asked again', () => {
  const wanted = new FirstSupports({ perspectives: ['p'], rankings: [[...'abcdefg']] });
  const learn = (passageId: string, supports: boolean) =>
    wanted.learn({ passageId, perspectiveId: 'p' }, supports);
  learn('c', true);
  assert.deepEqual(wanted.next(), pairs('p', 'ab'));
  learn('a', false);
  assert.deepEqual(wanted.next(), pairs('p', 'b'));
  learn('b', false);
  assert.deepEqual(wanted.next(), []);
});

test('where none supports it, the whole ranking is asked, and then nothing more', () => {
  const wanted = new FirstSupports({ perspectives: ['p'], rankings: [[...'abcdefg']] });
  for (const pair of wanted.next()) wanted.learn(pair, false);
  assert.deepEqual(wanted.next(), pairs('p', 'fg'));
  for (const pair of wanted.next()) wanted.learn(pair, false);
  assert.deepEqual(wanted.next(), []);
});

test('a "yes" for one perspective says nothing of another', () => {
  const wanted = new FirstSupports({ perspectives: ['p', 'o'], rankings: [['a']] });
  wanted.learn({ passageId: 'a', perspectiveId: 'p' }, true);
  assert.deepEqual(wanted.next(), pairs('o', 'a'));
});
