import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ParallaxError } from '../../../src/core/errors.ts';
import { Budget } from '../../../src/engine/judgements/budget.ts';

test('a budget covers requests that are sure not to exceed it', () => {
  assert.ok(new Budget().covers(1_000_000));
  const requests = new Budget({ requests: 10 });
  assert.ok(requests.covers(9));
  assert.ok(!requests.covers(10));
  for (let sent = 0; sent < 3; sent++) requests.take();
  assert.ok(requests.covers(6));
  assert.ok(!requests.covers(7));
  assert.ok(!new Budget({ tokens: 1_000_000 }).covers(1), 'nobody knows how many tokens an answer takes');
});

test('a request is counted before it is sent, and none exceeds the limit', () => {
  const budget = new Budget({ requests: 2 });
  budget.take();
  assert.equal(budget.asking.isAnswered!(0), false);
  budget.asking.onRequest!();
  assert.ok(budget.isSpent);
  assert.throws(
    () => budget.take(),
    (error) => ParallaxError.is(error, 'cancelled'),
  );
  assert.equal(budget.spent.requests, 2);
});

test('thirds of tokens add up to whole ones, and use up a budget of whole ones', () => {
  const budget = new Budget({ tokens: 45 });
  const cost = { requests: 1 / 3, promptTokens: 1 / 3, milliseconds: 0 };
  for (let answer = 0; answer < 135; answer++) budget.spend({ cost });
  assert.deepEqual(budget.spent, { requests: 0, tokens: 45 });
  assert.ok(budget.isSpent);
});
