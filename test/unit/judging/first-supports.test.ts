import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FirstSupports } from '../../../src/core/judging/first-supports.ts';

const pairs = (perspectiveId: string, passages: string) =>
  [...passages].map((passageId) => ({ passageId, perspectiveId }));

test('goes down every ranking for every perspective in small batches, each pair once', () => {
  const wanted = new FirstSupports({ perspectives: ['p', 'o'], rankings: [[...'abcdefg'], [...'ga']] });
  const inOrder = [...pairs('p', 'abcde'), ...pairs('o', 'abcde'), ...pairs('p', 'g'), ...pairs('o', 'g')];
  assert.deepEqual(wanted.next(), inOrder);
});

test('asks nothing below the first "yes", and no known pair', () => {
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

test('without support it asks the whole ranking once', () => {
  const wanted = new FirstSupports({ perspectives: ['p'], rankings: [[...'abcdefg']] });
  for (const pair of wanted.next()) wanted.learn(pair, false);
  assert.deepEqual(wanted.next(), pairs('p', 'fg'));
  for (const pair of wanted.next()) wanted.learn(pair, false);
  assert.deepEqual(wanted.next(), []);
});

test('a "yes" for one perspective does not affect another', () => {
  const wanted = new FirstSupports({ perspectives: ['p', 'o'], rankings: [['a']] });
  wanted.learn({ passageId: 'a', perspectiveId: 'p' }, true);
  assert.deepEqual(wanted.next(), pairs('o', 'a'));
});
