/** How often two judges err on the same pairs. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gammaDeviate } from '../../../src/core/statistics/gamma.ts';
import { mean } from '../../../src/core/statistics/mean.ts';
import { seededRandom } from '../../../src/core/statistics/random.ts';
import {
  correlationInterval,
  correlationToUse,
  effectiveVotes,
  errorCorrelation,
  jointErrors,
  measuredCorrelation,
  pairsIn,
  type AnsweredTwice,
  type JointErrors,
  type TogetherLine,
} from '../../../src/features/validation/core/joint-errors.ts';

const NONE = { both: 0, first: 0, second: 0, neither: 0 };

test('errors are counted against the truth; pairs that either judge left open do not count', () => {
  const pair = (
    reference: AnsweredTwice['reference'],
    ...answers: AnsweredTwice['answers']
  ): AnsweredTwice => ({ reference, perspective: 'p', answers });
  const table = jointErrors([
    pair('yes', 'no', 'no'),
    pair('yes', 'yes', 'no'),
    pair('no', 'yes', 'no'),
    pair('no', 'no', 'no'),
    pair('no', 'unsure', 'yes'),
    pair('yes', 'yes', undefined),
  ]);
  assert.deepEqual(table, {
    support: { ...NONE, both: 1, second: 1 },
    none: { ...NONE, first: 1, neither: 1 },
  });
  assert.equal(pairsIn(table), 4);
});

test('the correlation is φ within a class, so a harder class is not a common error', () => {
  const kind = { both: 20, first: 10, second: 10, neither: 60 };
  assert.ok(Math.abs(errorCorrelation({ support: kind, none: NONE })! - (0.2 - 0.09) / 0.21) < 1e-12);
  // Independent within each class, though wrong far more often in one of them.
  const hard = { both: 16, first: 16, second: 16, neither: 16 };
  const easy = { both: 1, first: 7, second: 7, neither: 49 };
  assert.ok(Math.abs(errorCorrelation({ support: hard, none: easy })!) < 1e-12);
  assert.equal(errorCorrelation({ support: { ...NONE, neither: 9 }, none: NONE }), null);
});

test('with fewer than thirty pairs the correlation is drawn towards 0.5; it is never negative', () => {
  const always = (pairs: number): JointErrors => ({
    support: { ...NONE, both: pairs / 2, neither: pairs / 2 },
    none: NONE,
  });
  assert.equal(correlationToUse(always(30)), 1);
  assert.ok(Math.abs(correlationToUse(always(12)) - (0.4 * 1 + 0.6 * 0.5)) < 1e-12);
  const never: JointErrors = { support: { ...NONE, first: 20, second: 20 }, none: NONE };
  assert.equal(correlationToUse(never), 0);
  assert.equal(correlationToUse({ support: { ...NONE, neither: 90 }, none: NONE }), 0.5);
});

test('votes with common errors weigh less', () => {
  assert.equal(effectiveVotes(2, 0), 2);
  assert.equal(effectiveVotes(9, 1), 1);
  assert.ok(Math.abs(effectiveVotes(9, 0.44) - 1.99) < 0.01, 'nine judges, two votes');
});

test("a query does not use its own perspectives' labels, and repeats count a pair once", () => {
  const wrong = { both: 15, first: 0, second: 0, neither: 15 };
  const line: TogetherLine = {
    type: 'together',
    judges: ['a', 'b'],
    keys: ['a', 'b'],
    at: '',
    answers: 2,
    perspectives: [
      { text: 'Cats calm.', support: wrong, none: NONE },
      { text: 'Dogs bark.', support: { ...NONE, first: 5, second: 5, neither: 5 }, none: NONE },
    ],
  };
  assert.deepEqual(measuredCorrelation(line, [' Dogs  bark.']), { correlation: 1, pairs: 30 });
  assert.equal(measuredCorrelation(line, ['Cats calm.', 'Dogs bark.']), undefined);
  const thrice = measuredCorrelation({ ...line, answers: 3 }, ['Dogs bark.'])!;
  assert.equal(thrice.pairs, 10);
  assert.ok(Math.abs(thrice.correlation - (1 + 2 * 0.5) / 3) < 1e-12);
});

test('gamma deviates have the mean and variance of the distribution', () => {
  const random = seededRandom(3);
  for (const shape of [0.25, 1, 7]) {
    const drawn = Array.from({ length: 20_000 }, () => gammaDeviate(shape, random));
    const average = mean(drawn);
    assert.ok(Math.abs(average - shape) < 0.05 * Math.max(1, shape), `${shape}: ${average}`);
    const variance = mean(drawn.map((value) => (value - average) ** 2));
    assert.ok(Math.abs(variance - shape) < 0.1 * Math.max(1, shape), `${shape}: ${variance}`);
  }
});

test('intervals cover the true correlation, also for rare errors', () => {
  const random = seededRandom(7);
  const chance = (share: number): boolean => random() < share;
  for (const correlation of [0, 0.44, 0.8]) {
    let covered = 0;
    const draws = 60;
    for (let draw = 0; draw < draws; draw++) {
      const pairs = Array.from({ length: 100 }, (): AnsweredTwice => {
        const reference = chance(0.4) ? 'yes' : 'no';
        const yes = reference === 'yes' ? 0.984 : 0.081;
        const first = chance(yes) ? 'yes' : 'no';
        const second = chance(correlation) ? first : chance(yes) ? 'yes' : 'no';
        return { reference, perspective: '', answers: [first, second] };
      });
      const { low, high } = correlationInterval(jointErrors(pairs));
      if (low <= correlation && correlation <= high) covered++;
    }
    assert.ok(covered / draws >= 0.85, `${correlation}: ${covered} of ${draws}`);
  }
});
