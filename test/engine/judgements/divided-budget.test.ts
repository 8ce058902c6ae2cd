import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { DividedBudget } from '../../../src/engine/judgements/divided-budget.ts';
import { Budget } from '../../../src/engine/judgements/budget.ts';

/** Asks until a query has what it wants or no requests, and keeps answers for the next round. */
async function divide(wanted: readonly number[], requests: number, kept = 0) {
  const budget = new Budget({ requests });
  const divided = new DividedBudget(budget, { pipelines: 1, kept });
  divided.begin();
  const answered = wanted.map(() => 0);
  const short = await divided.divide(wanted.length, async (place) => {
    while (answered[place]! < wanted[place]! && divided.left > 0) {
      budget.take();
      answered[place]!++;
    }
    if (answered[place]! < wanted[place]!) divided.refuse();
  });
  return { answered, short, spent: budget.spent.requests };
}

test('what some queries do not need goes to those that want more', async () => {
  assert.deepEqual(await divide([1, 9, 2, 9], 16), { answered: [1, 7, 2, 6], short: [1, 3], spent: 16 });
  assert.deepEqual(await divide([3, 3], 10), { answered: [3, 3], short: [], spent: 6 });
  assert.deepEqual(await divide([3, 3], 0), { answered: [0, 0], short: [0, 1], spent: 0 });
});

test('requests are left for what comes later', async () => {
  const { answered, spent } = await divide([9, 9], 10, 4);
  assert.deepEqual([answered, spent], [[3, 3], 6]);
});

test('two pipelines get the same, and the second one what the first does not need', async () => {
  const budget = new Budget({ requests: 10 });
  const divided = new DividedBudget(budget, { pipelines: 2, kept: 0 });
  const spentOn = async (most: number): Promise<number> => {
    const before = budget.spent.requests;
    divided.begin();
    await divided.divide(1, async () => {
      for (let sent = 0; sent < most && divided.left > 0; sent++) budget.take();
    });
    return budget.spent.requests - before;
  };
  assert.deepEqual([await spentOn(2), await spentOn(20)], [2, 8]);
});

test('further searches of a pipeline share its part', async () => {
  const budget = new Budget({ requests: 4 });
  const divided = new DividedBudget(budget, { pipelines: 2, kept: 0 });
  divided.begin();
  const search = (): Promise<number[]> =>
    divided.divide(1, async () => {
      while (divided.left > 0) budget.take();
      divided.refuse();
    });
  assert.deepEqual([await search(), await search(), budget.spent.requests], [[0], [0], 2]);
});

test('no budget is exceeded, and nothing is left while a query wants more', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.nat(12), { minLength: 1, maxLength: 8 }),
      fc.nat(60),
      async (wanted, requests) => {
        const { answered, short, spent } = await divide(wanted, requests);
        assert.ok(spent <= requests);
        assert.equal(
          short.length > 0,
          wanted.some((each, place) => answered[place]! < each),
        );
        if (short.length > 0) assert.equal(spent, requests);
        const least = Math.min(Infinity, ...short.map((place) => answered[place]!));
        assert.ok(answered.every((count) => count <= Math.max(1, least + 1)) || short.length === 0);
      },
    ),
  );
});
