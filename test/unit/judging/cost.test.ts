import assert from 'node:assert/strict';
import { test } from 'node:test';
import { atOnce, inTurn, sharedBy } from '../../../src/core/judging/cost.ts';

const first = { requests: 1, promptTokens: 100, completionTokens: 20, milliseconds: 400 };
const second = { requests: 2, promptTokens: 50, completionTokens: 6, milliseconds: 300 };
const both = { requests: 3, promptTokens: 150, completionTokens: 26 };

test('answers add up; concurrent ones take the time of the slowest', () => {
  assert.deepEqual(inTurn([first, second]), { ...both, milliseconds: 700 });
  assert.deepEqual(atOnce([first, second]), { ...both, milliseconds: 400 });
  const nothing = { requests: 0, promptTokens: 0, completionTokens: 0, milliseconds: 0 };
  assert.deepEqual(inTurn([]), nothing);
  assert.deepEqual(atOnce([]), nothing);
});

test('a figure missing in one answer is missing in the sum', () => {
  const silent = { requests: 1, promptTokens: undefined, completionTokens: 4, milliseconds: 1 };
  for (const costs of [
    [first, silent],
    [silent, first],
  ]) {
    const sum = inTurn(costs);
    assert.deepEqual([sum.promptTokens, sum.completionTokens], [undefined, 24]);
  }
});

test('pairs share the cost of their request, and each has its whole duration', () => {
  const shared = { requests: 0.5, promptTokens: 12.5, completionTokens: 1.5, milliseconds: 300 };
  assert.deepEqual(sharedBy(4, second), shared);
  const silent = { ...second, promptTokens: undefined, completionTokens: undefined };
  assert.deepEqual(sharedBy(4, silent), { ...shared, promptTokens: undefined, completionTokens: undefined });
});
