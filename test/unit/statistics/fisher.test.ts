import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fisherExact, smallestFisherP } from '../../../src/core/statistics/fisher.ts';

const near = (found: number, expected: number): void =>
  assert.ok(Math.abs(found - expected) < 1e-12, `${found}, not ${expected}`);

test('by hand: 1 of 4 cups against 3 of 4 is 17 of 70 arrangements', () => {
  near(fisherExact({ successes: 1, trials: 4 }, { successes: 3, trials: 4 }), 17 / 70);
  near(fisherExact({ successes: 0, trials: 4 }, { successes: 4, trials: 4 }), 1 / 70);
  near(fisherExact({ successes: 2, trials: 5 }, { successes: 7, trials: 10 }), 861 / 3003);
});

test('no decrease gives p = 1, and so does an empty table', () => {
  near(fisherExact({ successes: 4, trials: 4 }, { successes: 0, trials: 4 }), 1);
  near(fisherExact({ successes: 3, trials: 3 }, { successes: 3, trials: 3 }), 1);
  near(fisherExact({ successes: 0, trials: 0 }, { successes: 3, trials: 3 }), 1);
});

test('probabilities sum to 1, also for many trials', () => {
  for (const trials of [1, 7, 50]) {
    const all = fisherExact({ successes: trials, trials }, { successes: trials - 1, trials });
    near(all, 1);
  }
});

test('three runs are the least that can show a loss at 5%', () => {
  near(smallestFisherP(3), 0.05);
  assert.ok(smallestFisherP(2) > 0.05);
});
