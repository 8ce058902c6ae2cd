import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Budget } from '../../../src/engine/judgements/budget.ts';

test('a budget covers what is sure not to end it', () => {
  assert.ok(new Budget().covers(1_000_000));
  const requests = new Budget({ requests: 10 });
  assert.ok(requests.covers(9));
  assert.ok(!requests.covers(10));
  requests.spend({ cost: { requests: 3, milliseconds: 0 } });
  assert.ok(requests.covers(6));
  assert.ok(!requests.covers(7));
  assert.ok(!new Budget({ tokens: 1_000_000 }).covers(1), 'nobody knows how many tokens an answer takes');
});
