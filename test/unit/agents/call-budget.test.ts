import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CallBudget } from '../../../src/features/agents/tools/call-budget.ts';
import { ParallaxError } from '../../../src/core/errors.ts';

const budgetOf = (limit?: number): CallBudget =>
  new CallBudget({ ...(limit === undefined ? {} : { limit }), setBy: '--budget', beyond: 'refuse' });

test('reserved calls are unavailable to others, and unused ones return', () => {
  const budget = budgetOf(10);
  const first = budget.reserve(7);
  assert.equal(budget.left, 3);
  assert.equal(budget.reserve(4), undefined);
  first!.settle(2);
  assert.equal(budget.left, 8);
});

test('a budget of 0 allows tasks without calls', () => {
  assert.ok(budgetOf(0).reserve(0));
  assert.equal(budgetOf(0).reserve(1), undefined);
});

test('without a limit everything is allowed', () => {
  const budget = budgetOf();
  budget.require(Number.POSITIVE_INFINITY, 'x').settle(1e6);
  assert.equal(budget.left, Number.POSITIVE_INFINITY);
});

test('a refusal gives the requested calls, the rest of the budget, and the setting', () => {
  assert.throws(
    () => budgetOf(5).require(11.2, '"hyde"'),
    (error) =>
      ParallaxError.is(error, 'bad-argument') &&
      error.message ===
        '"hyde" may ask a model up to 12 times; 5 of the 5 requests that --budget allows are left.',
  );
  assert.throws(() => budgetOf(5).require(Number.POSITIVE_INFINITY, 'x'), /any number of times/u);
});
