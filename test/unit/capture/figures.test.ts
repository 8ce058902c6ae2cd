import assert from 'node:assert/strict';
import { exactly } from '../../../src/core/measured.ts';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  meanFigures,
  runFigures,
  type JudgedRun,
  type RunFigures,
} from '../../../src/features/capture/core/figures.ts';
import { matchRate } from '../../../src/shared/matches.ts';

const judged = (perspectiveId: string, verdict: 'yes' | 'no' | 'unsure' = 'yes') => ({
  perspectiveId,
  verdict,
});
const RUN: JudgedRun = {
  perspectives: ['a', 'b'],
  passages: [
    { id: '1', judged: [judged('a'), judged('b', 'no')] },
    { id: '2', judged: [] },
    { id: '3', judged: [judged('b')] },
  ],
};

test('a run is scored on its results, with the judged share', () => {
  assert.deepEqual(runFigures(RUN, 3), {
    k: 3,
    mrecall: exactly(1),
    precision: { value: 2 / 3, bound: 'least', most: 1 },
    covered: exactly(2),
    judgedPairs: 3,
    pairs: 6,
  });
});

test('another k limits the results; precision divides by k even if fewer came back', () => {
  assert.deepEqual(runFigures(RUN, 2), {
    k: 2,
    mrecall: { value: 0, bound: 'least', most: 1 },
    precision: { value: 0.5, bound: 'least', most: 1 },
    covered: { value: 1, bound: 'least', most: 2 },
    judgedPairs: 2,
    pairs: 4,
  });
  assert.equal(runFigures(RUN, 5)?.precision.value, 2 / 5);
});

test('unsupporting judgements persist, and other perspectives do not count', () => {
  const run: JudgedRun = {
    perspectives: ['a', 'b'],
    passages: [
      { id: '1', judged: [judged('a', 'no'), judged('b', 'no'), judged('other')] },
      { id: '2', judged: [judged('a', 'no')] },
    ],
  };
  const { mrecall, precision } = runFigures(run, 2)!;
  assert.deepEqual([mrecall, precision], [exactly(0), { value: 0, bound: 'least', most: 0.5 }]);
});

test('without perspectives there are no figures; without results nothing is covered', () => {
  assert.equal(runFigures({ ...RUN, perspectives: [] }, 3), undefined);
  assert.deepEqual(runFigures({ ...RUN, passages: [] }, 0), {
    k: 0,
    mrecall: exactly(0),
    precision: exactly(0),
    covered: exactly(0),
    judgedPairs: 0,
    pairs: 0,
  });
});

test('means are over runs, the judged share is over pairs', () => {
  const other: RunFigures = {
    ...runFigures({ ...RUN, passages: [] }, 5)!,
    k: 5,
    mrecall: exactly(0),
    precision: { value: 0, bound: 'least', most: 0.5 },
    pairs: 10,
  };
  assert.deepEqual(meanFigures([runFigures(RUN, 3)!, other]), {
    runs: 2,
    k: { least: 3, most: 5 },
    mrecall: exactly(0.5),
    precision: { value: 1 / 3, bound: 'least', most: 0.75 },
    judged: 3 / 16,
  });
  assert.equal(meanFigures([]), undefined);
});

test('figures stay in range for any judgements', () => {
  const verdict = fc.constantFrom('yes' as const, 'no' as const, 'unsure' as const);
  const own = fc.uniqueArray(fc.tuple(fc.constantFrom('a', 'b', 'c'), verdict), { selector: ([id]) => id });
  const runs = fc.array(fc.tuple(fc.array(own, { maxLength: 6 }), fc.nat(8)), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(runs, (given) => {
      const figures = given.map(([passages, k]) =>
        runFigures(
          {
            perspectives: ['a', 'b', 'c'],
            passages: passages.map((said, id) => ({
              id: String(id),
              judged: said.map(([perspectiveId, own]) => judged(perspectiveId, own)),
            })),
          },
          k,
        )!,
      );
      const { mrecall, precision, judged: share } = meanFigures(figures)!;
      const most = [mrecall, precision].map((measured) => measured.most ?? measured.value);
      for (const value of [mrecall.value, precision.value, ...most, share])
        assert.ok(value >= 0 && value <= 1, String(value));
      assert.ok(most[0]! >= mrecall.value && most[1]! >= precision.value);
    }),
  );
});

test('the match rate covers all results and is undefined without results', () => {
  assert.equal(matchRate({ id: 1, text: 1, fuzzy: 1, foreign: 1 }), 0.75);
  assert.equal(matchRate({ id: 0, text: 0, fuzzy: 0, foreign: 0 }), undefined);
});
