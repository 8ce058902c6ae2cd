import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { unjudgedText } from '../../../src/extension/platform/unjudged-text.ts';

const DOWN = 'The model "m" did not answer within 60 s.';

describe('describes unanswered pairs in singular and plural, with advice', () => {
  for (const [failed, asked, error, said] of [
    [1, 1, DOWN, `No unjudged pair could be judged: ${DOWN} Fix this, then judge again.`],
    [4, 4, DOWN, `No unjudged pair could be judged: ${DOWN} Fix this, then judge again.`],
    [
      1,
      4,
      DOWN,
      `1 of 4 pairs could not be judged: ${DOWN} Judge again for the rest: the answers so far are kept.`,
    ],
    [
      ...([3, 4, undefined] as const),
      '3 of 4 pairs could not be judged: the model did not answer. Judge again for the rest: the answers so far are kept.',
    ],
  ] as const)
    test(`${failed} of ${asked}`, () => assert.equal(unjudgedText(failed, asked, error), said));
});
