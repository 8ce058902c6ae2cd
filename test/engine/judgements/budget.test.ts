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

test('thirds of requests add up to whole ones, and end a budget of whole ones', () => {
  const budget = new Budget({ requests: 45 });
  for (let answer = 0; answer < 135; answer++) budget.spend({ cost: { requests: 1 / 3, milliseconds: 0 } });
  assert.equal(budget.spent.requests, 45);
  assert.ok(budget.isSpent);
  budget.spend({ cost: { requests: 1 / 2, milliseconds: 0 } });
  assert.equal(budget.spent.requests, 45.5);
});
