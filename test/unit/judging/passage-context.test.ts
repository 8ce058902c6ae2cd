import assert from 'node:assert/strict';
import { test } from 'node:test';
import { firstSentence, lastSentence } from '../../../src/core/judging/prompts/passage-context.ts';

test('the sentences next to a passage', () => {
  const text = 'Trams are quiet. Buses are cheap. Trains are fast.';
  assert.equal(firstSentence(text)?.trim(), 'Trams are quiet.');
  assert.equal(lastSentence(text)?.trim(), 'Trains are fast.');
  assert.deepEqual([firstSentence(''), lastSentence('')], [undefined, undefined]);
});

test('shortens a long sentence at the end away from the passage', () => {
  const long = `begin ${'tram '.repeat(80)}end.`;
  assert.equal(firstSentence(long), long.slice(0, 200));
  assert.equal(lastSentence(long), long.slice(-200));
});
