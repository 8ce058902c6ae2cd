import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  meanFigures,
  runFigures,
  type JudgedRun,
  type RunFigures,
} from '../../../src/core/capture/figures.ts';
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

test('a run is scored on what came back, and says how much of it is judged', () => {
  assert.deepEqual(runFigures(RUN, 3), {
    k: 3,
    mrecall: 1,
    precision: 2 / 3,
    ifAllSupport: { mrecall: 1, precision: 1 },
    covered: 2,
    judgedPairs: 3,
    pairs: 6,
  });
});

test('at another k only its top k count, and precision divides by k also where fewer came back', () => {
  assert.deepEqual(runFigures(RUN, 2), {
    k: 2,
    mrecall: 0,
    precision: 0.5,
    ifAllSupport: { mrecall: 1, precision: 1 },
    covered: 1,
    judgedPairs: 2,
    pairs: 4,
  });
  assert.equal(runFigures(RUN, 5)?.precision, 2 / 5);
});

test('what is judged not to support stays so, whatever the rest does, and other perspectives do not count', () => {
  const run: JudgedRun = {
    perspectives: ['a', 'b'],
    passages: [
      { id: '1', judged: [judged('a', 'no'), judged('b', 'no'), judged('other')] },
      { id: '2', judged: [judged('a', 'no')] },
    ],
  };
  assert.deepEqual(runFigures(run, 2)?.ifAllSupport, { mrecall: 0, precision: 0.5 });
});

test('without perspectives there are no figures; where nothing came back nothing is covered', () => {
  assert.equal(runFigures({ ...RUN, perspectives: [] }, 3), undefined);
  assert.deepEqual(runFigures({ ...RUN, passages: [] }, 0), {
    k: 0,
    mrecall: 0,
    precision: 0,
    ifAllSupport: { mrecall: 0, precision: 0 },
    covered: 0,
    judgedPairs: 0,
    pairs: 0,
  });
});

test('means are over runs, the judged share over pairs', () => {
  const ifAllSupport = { mrecall: 0, precision: 0.5 };
  const other: RunFigures = {
    ...runFigures({ ...RUN, passages: [] }, 5)!,
    k: 5,
    ifAllSupport,
    pairs: 10,
  };
  assert.deepEqual(meanFigures([runFigures(RUN, 3)!, other]), {
    runs: 2,
    k: { least: 3, most: 5 },
    mrecall: 0.5,
    precision: 1 / 3,
    ifAllSupport: { mrecall: 0.5, precision: 0.75 },
    judged: 3 / 16,
  });
  assert.equal(meanFigures([]), undefined);
});

test('every figure stays within its range, whatever is judged', () => {
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
      const { mrecall, precision, ifAllSupport: most, judged: share } = meanFigures(figures)!;
      for (const value of [mrecall, precision, most.mrecall, most.precision, share])
        assert.ok(value >= 0 && value <= 1, String(value));
      assert.ok(most.mrecall >= mrecall && most.precision >= precision);
    }),
  );
});

test('the match rate is of all results, and there is none of none', () => {
  assert.equal(matchRate({ id: 1, text: 1, fuzzy: 1, foreign: 1 }), 0.75);
  assert.equal(matchRate({ id: 0, text: 0, fuzzy: 0, foreign: 0 }), undefined);
});
