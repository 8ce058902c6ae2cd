import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Verdict } from '../../../src/core/model.ts';
import {
  coverageRerank,
  type CoverageInput,
  type CoverageOrder,
  type CoveragePair,
} from '../../../src/core/rerank/coverage.ts';
import { refuses } from './arbitraries.ts';

type Judge = (pair: CoveragePair) => Verdict | undefined;

function run(input: CoverageInput, judge: Judge): CoverageOrder & { asked: CoveragePair[][] } {
  const asked: CoveragePair[][] = [];
  const steps = coverageRerank(input);
  let step = steps.next([]);
  while (!step.done) {
    asked.push([...step.value]);
    step = steps.next(step.value.map(judge));
  }
  return { ...step.value, asked };
}

/** @param support perspectives that each candidate supports */
function gold(support: readonly (readonly number[])[]): Judge {
  return ({ candidate, perspective }) => (support[candidate]!.includes(perspective) ? 'yes' : 'no');
}

test('goes from the top, asks only for missing perspectives, and stops when all are covered', () => {
  const result = run({ candidates: 5, perspectives: 2 }, gold([[], [0], [0], [1], [1]]));
  assert.deepEqual(
    result.asked.map((pairs) => pairs.map(({ candidate, perspective }) => `${candidate}${perspective}`)),
    [['00', '01'], ['10', '11'], ['21'], ['31']],
  );
  assert.deepEqual(result.order, [1, 3, 0, 2, 4]);
  assert.equal(result.covering, 2);
  assert.deepEqual(result.covered, [0, 1]);
  assert.equal(result.calls, 6);
  assert.equal(result.end, 'covered');
});

test('the passage that covers most comes first; of equals the higher-ranked one', () => {
  const { order } = run({ candidates: 4, perspectives: 4, lookahead: 4 }, gold([[0], [1, 2], [0, 3], [3]]));
  assert.deepEqual(order, [1, 2, 0, 3]);
  assert.deepEqual(run({ candidates: 3, perspectives: 3 }, gold([[0], [1], [2]])).order, [0, 1, 2]);
  assert.deepEqual(run({ candidates: 2, perspectives: 2 }, gold([[1], [0]])).covered, [0, 1]);
});

test('stops when the calls are used up, within a candidate if necessary', () => {
  const judge = gold([[], [0, 1]]);
  const spent = run({ candidates: 2, perspectives: 2, calls: 3 }, judge);
  assert.deepEqual([spent.calls, spent.end, spent.covered, spent.order], [3, 'budget', [0], [1, 0]]);
  const none = run({ candidates: 2, perspectives: 2, calls: 0 }, judge);
  assert.deepEqual([none.calls, none.end, none.order, none.asked], [0, 'budget', [0, 1], []]);
  assert.equal(run({ candidates: 2, perspectives: 2, calls: 4 }, judge).end, 'covered');
});

test('unsure and missing verdicts do not cover', () => {
  const result = run(
    { candidates: 3, perspectives: 1 },
    ({ candidate }) => (['unsure', undefined, 'no'] as const)[candidate],
  );
  assert.deepEqual([result.order, result.covering, result.end], [[0, 1, 2], 0, 'exhausted']);
});

const supports = fc.integer({ min: 1, max: 5 }).chain((m) =>
  fc.record({
    m: fc.constant(m),
    support: fc.array(fc.subarray(Array.from({ length: m }, (_, i) => i)), { maxLength: 12 }),
  }),
);
const coveredBy = (support: readonly (readonly number[])[], passages: readonly number[]): number =>
  new Set(passages.flatMap((passage) => support[passage]!)).size;

test('with a perfect judge the top k reach the ceiling at every k', () => {
  fc.assert(
    fc.property(supports, fc.integer({ min: 1, max: 4 }), ({ m, support }, lookahead) => {
      const { order, covering, covered } = run(
        { candidates: support.length, perspectives: m, lookahead },
        gold(support),
      );
      const reachable = coveredBy(support, [...support.keys()]);
      assert.equal(covered.length, reachable);
      assert.ok(covering <= reachable);
      for (let k = 1; k <= support.length; k++)
        assert.ok(coveredBy(support, order.slice(0, k)) >= Math.min(k, reachable), `k = ${k}`);
    }),
    { numRuns: 500 },
  );
});

test('asks no pair twice, stays within the budget and loses no candidate, for any judge', () => {
  const verdicts = fc.constantFrom<Verdict | undefined>('yes', 'no', 'unsure', undefined);
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 10 }),
      fc.integer({ min: 1, max: 4 }),
      fc.integer({ min: 0, max: 30 }),
      fc.integer({ min: 1, max: 3 }),
      fc.infiniteStream(verdicts),
      (candidates, perspectives, calls, lookahead, stream) => {
        const result = run({ candidates, perspectives, calls, lookahead }, () => stream.next().value!);
        const keys = result.asked.flat().map(({ candidate, perspective }) => `${candidate} ${perspective}`);
        assert.equal(new Set(keys).size, keys.length);
        assert.equal(result.calls, keys.length);
        assert.ok(result.calls <= calls);
        assert.deepEqual(
          [...result.order].sort((a, b) => a - b),
          [...Array(candidates).keys()],
        );
        const rest = result.order.slice(result.covering);
        assert.deepEqual(
          rest,
          rest.toSorted((a, b) => a - b),
        );
      },
    ),
  );
});

test('refuses invalid arguments', () => {
  const start = (input: CoverageInput) => () => coverageRerank(input).next([]);
  refuses(start({ candidates: 3, perspectives: 0 }), /no perspectives/);
  refuses(start({ candidates: -1, perspectives: 1 }), /candidates must be a whole number from 0, not -1/);
  refuses(start({ candidates: 1, perspectives: 1.5 }), /perspectives must be a whole number/);
  refuses(start({ candidates: 1, perspectives: 1, lookahead: 0 }), /lookahead/);
  for (const calls of [-1, 0.5, NaN])
    refuses(start({ candidates: 1, perspectives: 1, calls }), /call budget/);
  const steps = coverageRerank({ candidates: 1, perspectives: 2 });
  steps.next([]);
  refuses(() => steps.next(['yes']), /1 verdicts for 2 pairs/);
});
