/** The sequential test: its requests, what it infers from the answers, and when it ends. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Verdict } from '../../../src/core/model.ts';
import {
  sequentialCoverageRerank,
  type SequentialCoverageInput,
  type SequentialCoverageOrder,
} from '../../../src/core/rerank/sequential-coverage.ts';
import { SupportBeliefs } from '../../../src/core/rerank/support-beliefs.ts';
import { wordLikeness } from '../../../src/core/rerank/word-likeness.ts';
import { refuses } from './arbitraries.ts';

const SURE = { yesOfSupport: 1, yesOfNone: 0 };
const ERRS = { yesOfSupport: 0.8, yesOfNone: 0.1 };

type Judge = (candidate: number, perspective: number, judge: number) => Verdict | undefined;

interface Asked {
  readonly candidate: number;
  readonly perspective: number;
  readonly judge: number;
}

function run(
  input: SequentialCoverageInput,
  judge: Judge,
): SequentialCoverageOrder & { readonly asked: readonly (readonly Asked[])[] } {
  const asked: Asked[][] = [];
  const steps = sequentialCoverageRerank(input);
  let step = steps.next([]);
  while (!step.done) {
    asked.push(
      ...step.value.map(({ candidate, perspectives, judge: by }) =>
        perspectives.map((perspective) => ({ candidate, perspective, judge: by })),
      ),
    );
    step = steps.next(
      step.value.map(({ candidate, perspectives, judge: by }) =>
        perspectives.map((perspective) => judge(candidate, perspective, by)),
      ),
    );
  }
  return { ...step.value, asked };
}

const cases = fc.integer({ min: 1, max: 4 }).chain((perspectives) =>
  fc.record({
    perspectives: fc.constant(perspectives),
    support: fc.array(fc.subarray(Array.from({ length: perspectives }, (_, at) => at)), {
      minLength: 1,
      maxLength: 12,
    }),
    k: fc.integer({ min: 1, max: 5 }),
  }),
);

test('ends with what is known if the caller has no requests left', () => {
  let left = 3;
  const input = { candidates: 9, perspectives: 2, k: 2, lookahead: 2, left: () => left };
  const { end, requests, order } = run(input, () => {
    left -= 0.5;
    return 'no';
  });
  assert.deepEqual([end, requests, order.length], ['budget', 3, 9]);
});

test('asks no judge twice about a pair, stays within the budget and keeps every candidate', () => {
  fc.assert(
    fc.property(
      cases,
      fc.integer({ min: 1, max: 20 }),
      fc.integer({ min: 1, max: 4 }),
      fc.constantFrom<readonly (typeof ERRS)[]>([ERRS], [SURE], [ERRS, ERRS]),
      fc.constantFrom('passage', 'pair'),
      ({ perspectives, support, k }, requests, lookahead, errors, unit) => {
        const found = run(
          { candidates: support.length, perspectives, k, errors, requests, lookahead, unit },
          (candidate, perspective) => (support[candidate]!.includes(perspective) ? 'yes' : 'no'),
        );
        const keys = found.asked
          .flat()
          .map(({ candidate, perspective, judge }) => `${candidate} ${perspective} ${judge}`);
        assert.equal(new Set(keys).size, keys.length);
        assert.ok(found.asked.length === found.requests && found.requests <= requests);
        assert.deepEqual(
          [...found.order].sort((a, b) => a - b),
          support.map((_, at) => at),
        );
      },
    ),
  );
});

test('with a perfect judge it covers what the candidates can', () => {
  fc.assert(
    fc.property(cases, ({ perspectives, support, k }) => {
      const { order } = run(
        { candidates: support.length, perspectives, k, errors: [SURE] },
        (candidate, perspective) => (support[candidate]!.includes(perspective) ? 'yes' : 'no'),
      );
      const covered = (list: readonly number[]): number =>
        new Set(list.flatMap((each) => support[each]!)).size;
      const all = covered(support.map((_, at) => at));
      if (k >= all) assert.equal(covered(order.slice(0, k)), all, JSON.stringify(order));
    }),
  );
});

test('asks another judge if the first says yes, and none about certain pairs', () => {
  const size = { candidates: 8, perspectives: 1, k: 2, correlation: 0 };
  const yesToFirst: Judge = (candidate) => (candidate === 0 ? 'yes' : 'no');
  const { asked } = run({ ...size, errors: [ERRS, ERRS] }, yesToFirst);
  assert.deepEqual(asked.slice(0, 2).flat(), [
    { candidate: 0, perspective: 0, judge: 0 },
    { candidate: 0, perspective: 0, judge: 1 },
  ]);
  const sure = run({ ...size, errors: [SURE, SURE] }, yesToFirst);
  assert.ok(sure.asked.flat().every(({ judge }) => judge === 0));
  const denied = run({ ...size, errors: [ERRS, ERRS] }, () => 'no');
  assert.ok(
    denied.asked.flat().every(({ judge }) => judge === 0),
    'a no needs no other opinion',
  );
});

test('passages like a confirmed one come next', () => {
  const texts = Array.from({ length: 20 }, (_, at) => `passage number ${'abcdefghijklmnopqrst'[at]}`);
  texts[0] = 'whales sing in the deep ocean';
  texts[15] = 'deep in the ocean whales sing loudly';
  const { asked } = run(
    { candidates: 20, perspectives: 2, k: 2, errors: [SURE], likeness: wordLikeness(texts), requests: 2 },
    (candidate, perspective) => (candidate === 0 && perspective === 0 ? 'yes' : 'no'),
  );
  assert.deepEqual(
    asked.map(([pair]) => pair!.candidate),
    [0, 15],
  );
});

test('asks nothing about a list of at most k passages', () => {
  const found = run({ candidates: 3, perspectives: 2, k: 3 }, () => 'yes');
  assert.deepEqual([found.requests, found.end, found.order], [0, 'settled', [0, 1, 2]]);
});

test('gives the reason for stopping', () => {
  const size = { candidates: 30, perspectives: 1, k: 1, errors: [SURE] };
  assert.deepEqual(
    [run({ ...size, requests: 2 }, () => 'no')].map(({ end, requests }) => [end, requests])[0],
    ['budget', 2],
  );
  assert.equal(run(size, () => 'yes').end, 'settled');
});

function beliefs(correlation: number, verdicts: readonly Verdict[]): number {
  const own = new SupportBeliefs({ candidates: 1, perspectives: 1, errors: [ERRS, ERRS, ERRS], correlation });
  for (const verdict of verdicts) own.learn(0, verdict);
  own.update();
  return own.support[0]!;
}

test('"unsure" is no evidence, and a second yes counts less if judges err together', () => {
  const [before, once] = [beliefs(0, []), beliefs(0, ['yes'])];
  assert.ok(beliefs(0, ['no']) < before && before < once);
  assert.equal(beliefs(0, ['unsure']), before);
  const twice = [0, 0.44, 1].map((correlation) => beliefs(correlation, ['yes', 'yes']));
  assert.ok(twice[0]! > twice[1]! && twice[1]! > twice[2]!);
  assert.ok(Math.abs(twice[2]! - once) < 1e-6, 'the same answer again');
  assert.ok(Math.abs(beliefs(0, ['no', 'yes']) - beliefs(0, ['yes', 'no'])) < 1e-12);
});

test('a question with little support makes further support less likely', () => {
  const after = (verdict: Verdict): number => {
    const own = new SupportBeliefs({ candidates: 10, perspectives: 1, errors: [ERRS], correlation: 0 });
    for (let at = 0; at < 6; at++) own.learn(at, verdict);
    own.update();
    return own.support[9]!;
  };
  assert.ok(after('yes') > 2 * after('no'));
});

test('the value of a set is exact for certain passages, and for one passage', () => {
  const own = new SupportBeliefs({ candidates: 2, perspectives: 2, errors: [SURE], correlation: 0 });
  own.learn(0, 'yes');
  own.learn(3, 'yes');
  own.update();
  assert.ok(own.covers([0, 1], 2) > 0.99);
  assert.ok(Math.abs(own.covers([1], 1) - own.relevant[1]!) < 1e-9);
});

test('texts are as similar as their words', () => {
  const [first, second, third] = wordLikeness(['Whales sing.', 'A whale sings!', 'Dogs bark.', '']);
  assert.ok(Math.abs(first![0]! - 1) < 1e-9 && Math.abs(first![1]! - 1) < 1e-9);
  assert.deepEqual([first![2], third![1], second![3]], [0, 0, 0]);
});

test('refuses invalid options', () => {
  const size = { candidates: 2, perspectives: 2, k: 1 };
  refuses(() => run({ ...size, perspectives: 0 }, () => 'no'), /no perspectives/);
  refuses(() => run({ ...size, k: 0 }, () => 'no'), /k must be a whole number from 1/);
  refuses(() => run({ ...size, candidates: -1 }, () => 'no'), /candidates must be a whole number from 0/);
  refuses(
    () => run({ ...size, errors: [{ yesOfSupport: 0.4, yesOfNone: 0.4 }] }, () => 'no'),
    /is too inaccurate to help/,
  );
  refuses(
    () => run({ ...size, errors: [{ yesOfSupport: 0.5, yesOfNone: -1 }] }, () => 'no'),
    /yesOfNone is a share from 0 to 1, not -1/,
  );
  refuses(
    () => run({ ...size, correlation: 1.5 }, () => 'no'),
    /A correlation of errors is from 0 to 1, not 1.5/,
  );
  const steps = sequentialCoverageRerank(size);
  steps.next([]);
  refuses(() => steps.next([['yes']]), /got 1 verdicts for 2 pairs/);
});
