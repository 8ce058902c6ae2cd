import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isNoResult, unreadableText } from '../../../src/core/judging/unreadable.ts';

test('a run fails if more than a tenth of its answers are unreadable', () => {
  assert.ok(!isNoResult({ unreadable: 2, answers: 20 }));
  assert.ok(isNoResult({ unreadable: 3, answers: 20 }));
  assert.ok(!isNoResult({ unreadable: 0, answers: 0 }));
});

test('unreadable answers are reported with the first reason and their effect on figures', () => {
  assert.equal(unreadableText({ unreadable: 0, answers: 9, reason: 'It is empty.' }), undefined);
  const few = { unreadable: 1, answers: 30, reason: 'It is empty.' };
  const counted = '1 of 30 answers could not be read: its pair stays unjudged.';
  assert.equal(unreadableText(few), `${counted} The first: It is empty.`);
  assert.equal(unreadableText({ unreadable: 1, answers: 30 }), counted);
  assert.match(
    unreadableText({ unreadable: 9, answers: 30 })!,
    /^9 of 30 answers could not be read: these pairs stay unjudged\. That is more than a tenth, so the figures/u,
  );
  assert.match(
    unreadableText({ unreadable: 1, answers: 1 })!,
    /^1 of 1 answer could not be read: its pair stays unjudged\. That is more/u,
  );
});
