import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Verdict } from '../../../src/core/model.ts';
import { coverageRerank, type CoveragePair } from '../../../src/core/rerank/coverage.ts';
import {
  expectedCoverageRerank,
  supportByRank,
  type ExpectedCoverageInput,
  type ExpectedCoverageOrder,
} from '../../../src/core/rerank/expected-coverage.ts';
import { atLeast } from '../../../src/core/rerank/expected-aims.ts';
import { isSure, smoothed } from '../../../src/core/rerank/judge-errors.ts';
import { refuses } from './arbitraries.ts';

const SURE = { yesOfSupport: 1, yesOfNone: 0 };

type Judge = (pair: CoveragePair) => Verdict | undefined;

function run(
  input: ExpectedCoverageInput,
  judge: Judge,
): ExpectedCoverageOrder & { asked: CoveragePair[][] } {
  const asked: CoveragePair[][] = [];
  const steps = expectedCoverageRerank(input);
  let step = steps.next([]);
  while (!step.done) {
    asked.push([...step.value]);
    step = steps.next(step.value.map(judge));
  }
  return { ...step.value, asked };
}

function gold(support: readonly (readonly number[])[]): Judge {
  return ({ candidate, perspective }) => (support[candidate]!.includes(perspective) ? 'yes' : 'no');
}

const supports = fc.integer({ min: 1, max: 4 }).chain((perspectives) =>
  fc.record({
    perspectives: fc.constant(perspectives),
    support: fc.array(fc.subarray(Array.from({ length: perspectives }, (_, at) => at)), {
      minLength: 1,
      maxLength: 12,
    }),
    k: fc.integer({ min: 1, max: 5 }),
  }),
);

const coveredBy = (order: readonly number[], support: readonly (readonly number[])[], k: number): number =>
  new Set(order.slice(0, k).flatMap((candidate) => support[candidate]!)).size;

test('with a judge that is always right, it covers no less than the rule that believes every yes', () => {
  fc.assert(
    fc.property(supports, ({ perspectives, support, k }) => {
      const size = { candidates: support.length, perspectives };
      const { order, calls } = run({ ...size, k, errors: SURE }, gold(support));
      assert.deepEqual(
        [...order].sort((a, b) => a - b),
        support.map((_, at) => at),
        'every candidate once',
      );
      assert.ok(calls <= support.length * perspectives);
      const steps = coverageRerank(size);
      let step = steps.next([]);
      while (!step.done) step = steps.next(step.value.map(gold(support)));
      const enough = (own: readonly number[]): boolean =>
        coveredBy(own, support, k) >= Math.min(k, perspectives);
      assert.ok(enough(order) || !enough(step.value.order), JSON.stringify({ order, of: step.value.order }));
    }),
    // No single answer changes the set here, and yet it covers too little.
    { examples: [[{ perspectives: 3, support: [[], [0], [], [2], [1], []], k: 3 }]] },
  );
});

test('no pair is asked about twice, and never more than the budget', () => {
  fc.assert(
    fc.property(
      supports,
      fc.integer({ min: 0, max: 20 }),
      fc.integer({ min: 1, max: 4 }),
      fc.constantFrom(undefined, SURE),
      (given, calls, lookahead, errors) => {
        const { perspectives, support, k } = given;
        const size = { candidates: support.length, perspectives, k };
        const found = run({ ...size, errors, calls, lookahead }, gold(support));
        const keys = found.asked.flat().map(({ candidate, perspective }) => `${candidate} ${perspective}`);
        assert.equal(new Set(keys).size, keys.length);
        assert.ok(keys.length <= calls && keys.length === found.calls);
        assert.ok(found.asked.every((batch) => batch.length <= lookahead));
      },
    ),
  );
});

test('a verdict is evidence: Bayes’ rule, and "unsure" tells nothing', () => {
  const errors = { yesOfSupport: 0.8, yesOfNone: 0.1 };
  const one = { candidates: 2, perspectives: 1, k: 1, errors, prior: () => 0.2, calls: 1 };
  const { posterior } = run(one, () => 'yes');
  assert.ok(
    posterior.flat().some((chance) => Math.abs(chance - (0.2 * 0.8) / (0.2 * 0.8 + 0.8 * 0.1)) < 1e-9),
  );
  const denied = run(one, () => 'no').posterior.flat();
  assert.ok(denied.some((chance) => Math.abs(chance - (0.2 * 0.2) / (0.2 * 0.2 + 0.8 * 0.9)) < 1e-9));
  for (const nothing of ['unsure', undefined] as const)
    assert.deepEqual(run(one, () => nothing).posterior.flat(), [0.2, 0.2]);
});

test('one yes of a judge that errs does not end the search for a second support', () => {
  // All say yes to the first perspective; today's rule stops at the first yes.
  const found = run(
    { candidates: 6, perspectives: 1, k: 2, errors: { yesOfSupport: 0.7, yesOfNone: 0.3 }, prior: () => 0.2 },
    () => 'yes',
  );
  assert.ok(found.calls > 1);
});

test('a set that no answer can change is not asked about', () => {
  const found = run({ candidates: 3, perspectives: 2, k: 3 }, () => 'yes');
  assert.deepEqual([found.calls, found.end, found.order], [0, 'settled', [0, 1, 2]]);
  const sure = run({ candidates: 3, perspectives: 2, k: 3, errors: SURE }, () => 'yes');
  assert.deepEqual([sure.calls, sure.end], [0, 'settled'], 'not even a judge that is always right');
});

test('a judge that is always right is asked about the set first where its answer moves the aim most', () => {
  const chances = [
    [0.9, 0],
    [0, 0.8],
    [0, 0],
  ];
  const size = { candidates: 3, perspectives: 2, k: 2, errors: SURE };
  const { asked } = run({ ...size, chances, calls: 2 }, () => 'yes');
  assert.deepEqual(asked, [[{ candidate: 1, perspective: 1 }], [{ candidate: 0, perspective: 0 }]]);
});

test('a set for MRecall stands in the order in which each adds most, so that its beginning covers most, too', () => {
  const orderOf = (k: number, chances: readonly (readonly number[])[]): readonly number[] =>
    run({ candidates: chances.length, perspectives: chances[0]!.length, k, chances, calls: 0 }, () => 'no')
      .order;
  assert.deepEqual(
    orderOf(3, [
      [0.8, 0.15],
      [0.9, 0.2],
      [0.1, 0.8],
    ]),
    [1, 2, 0],
    'the first would say again what the second does',
  );
  assert.deepEqual(orderOf(2, [[0.1], [0.5], [0.5]]), [1, 2, 0], 'equals stay in their order');
});

test('without another word, the chance of support falls with the rank as over debates', () => {
  assert.deepEqual([10, 19].map(supportByRank), [0.185, 0.13]);
});

test('before anybody is asked, every pair has the chance of its rank, and the aim follows from these', () => {
  const size = { candidates: 2, perspectives: 3, k: 2, calls: 0 };
  const { posterior, aim, end, calls } = run({ ...size, prior: (rank) => rank / 10 }, () => 'yes');
  assert.deepEqual(posterior, [
    [0.1, 0.1, 0.1],
    [0.2, 0.2, 0.2],
  ]);
  const covered = 1 - 0.9 * 0.8;
  assert.ok(Math.abs(aim - (3 * covered ** 2 * (1 - covered) + covered ** 3)) < 1e-12, 'two of three');
  assert.deepEqual([end, calls], ['budget', 0]);
  const single = run({ ...size, k: 1, prior: () => 0.5, perspectives: 1 }, () => 'yes');
  assert.equal(single.aim, 0.5);
});

test('it says why judging ended', () => {
  const size = { candidates: 3, perspectives: 1, k: 1, errors: { yesOfSupport: 0.9, yesOfNone: 0.1 } };
  const ends = (verdict: Verdict, calls?: number): readonly unknown[] => {
    const found = run({ ...size, calls, prior: () => 0.5 }, () => verdict);
    return [found.end, found.calls];
  };
  assert.deepEqual(ends('no', 1), ['budget', 1]);
  assert.deepEqual(ends('no'), ['settled', 2]);
  assert.deepEqual(ends('unsure'), ['exhausted', 3]);
  assert.deepEqual(ends('unsure', 3), ['exhausted', 3]);
  const pairs = run({ ...size, perspectives: 2, prior: () => 0.5 }, () => 'unsure');
  assert.deepEqual([pairs.end, pairs.calls], ['exhausted', 6]);
});

test('the chance of so many events is that of counting them all', () => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 6 }),
      fc.nat(6),
      (chances, many) => {
        const needed = Math.min(many, chances.length);
        let wanted = 0;
        for (let mask = 0; mask < 2 ** chances.length; mask++) {
          const happened = chances.map((_, at) => ((mask >> at) & 1) === 1);
          if (happened.filter(Boolean).length < needed) continue;
          wanted += chances.reduce(
            (product, chance, at) => product * (happened[at] ? chance : 1 - chance),
            1,
          );
        }
        assert.ok(Math.abs(atLeast(Float64Array.from(chances), needed) - wanted) < 1e-9);
      },
    ),
  );
});

test('a judge is sure that misses nothing and makes nothing up', () => {
  const sure = (yesOfSupport: number, yesOfNone: number): boolean =>
    isSure(smoothed({ yesOfSupport, yesOfNone }));
  assert.deepEqual([sure(1, 0), sure(0.9, 0), sure(1, 0.1)], [true, false, false]);
});

test('what cannot be is refused in words', () => {
  const size = { candidates: 2, perspectives: 2, k: 1 };
  refuses(() => run({ ...size, perspectives: 0 }, () => 'no'), /no perspectives/);
  refuses(() => run({ ...size, k: 0 }, () => 'no'), /k must be a whole number from 1/);
  refuses(() => run({ ...size, candidates: -1 }, () => 'no'), /candidates must be a whole number from 0/);
  for (const yesOfSupport of [0.2, 0.4])
    refuses(() => run({ ...size, errors: { yesOfSupport, yesOfNone: 0.4 } }, () => 'no'), /tells nothing/);
  refuses(
    () => run({ ...size, errors: { yesOfSupport: 0.5, yesOfNone: -1 } }, () => 'no'),
    /yesOfNone is a share from 0 to 1, not -1/,
  );
  refuses(
    () => run({ ...size, errors: { yesOfSupport: 2, yesOfNone: 0 } }, () => 'no'),
    /a share from 0 to 1, not 2/,
  );
  const steps = expectedCoverageRerank(size);
  steps.next();
  refuses(() => steps.next([]), /got 0 verdicts for 1 pairs/);
});

test('no answer rules anything out, whatever the rates: chances stay between 0 and 1', () => {
  const size = { candidates: 3, perspectives: 1, k: 1 };
  for (const verdict of ['yes', 'no'] as const) {
    const { posterior } = run({ ...size, errors: SURE }, () => verdict);
    for (const [chance] of posterior) assert.ok(chance! > 0 && chance! < 1, `${verdict} ${chance}`);
  }
});
