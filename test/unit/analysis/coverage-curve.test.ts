import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { coverageCurves, CURVE_DEPTH } from '../../../src/core/analysis/coverage-curve.ts';
import { setSizes } from '../../../src/core/analysis/set-size.ts';
import { evaluateRun } from '../../../src/core/metrics/evaluate.ts';
import { qrelsOf, refuses, runOf } from './support.ts';

test('coverage curve: rises with the first ranks, and may fall while k is below the perspectives', () => {
  const qrels = qrelsOf({ q1: { p: 'a', o: 'c' }, q2: { p: 'b' }, q3: { p: 'z' }, q4: {} });
  const run = runOf({ q1: 'abc', q2: 'xb' });
  // q1: one of one at k = 1, one of two at k = 2, two of two at k = 3.
  assert.deepEqual(coverageCurves(run, qrels, { basis: 'open', depth: 4 }), {
    mrecall: [1 / 3, 1 / 3, 2 / 3, 2 / 3],
    strecall: [0.5 / 3, 1.5 / 3, 2 / 3, 2 / 3],
  });
  assert.equal(coverageCurves(run, qrels, { basis: 'open' }).strecall.length, CURVE_DEPTH);
});

test('coverage curve: the same as MRecall and StRecall computed at each k', () => {
  const letters = fc.shuffledSubarray([...'abcdefghijkl']).map((chosen) => chosen.join(''));
  const topic = fc.dictionary(fc.constantFrom('p', 'o', 'r', 's'), letters, { minKeys: 1 });
  fc.assert(
    fc.property(
      fc.array(fc.tuple(letters, topic), { minLength: 1, maxLength: 5 }),
      fc.boolean(),
      (topics, isPooled) => {
        const run = runOf(Object.fromEntries(topics.map(([ranking], i) => [`q${i}`, ranking])));
        const qrels = qrelsOf(Object.fromEntries(topics.map(([, own], i) => [`q${i}`, own])));
        const basis = isPooled ? 'pooled' : 'open';
        const curves = coverageCurves(run, qrels, { basis, depth: 14 });
        const cutoffs = Array.from({ length: 14 }, (_, index) => index + 1);
        const measures = cutoffs.flatMap((k) => [
          { family: 'MRecall', k } as const,
          { family: 'StRecall', k } as const,
        ]);
        const { mean } = evaluateRun(run, qrels, measures, { kind: 'diversity', basis });
        for (const k of cutoffs) {
          assert.ok(Math.abs(curves.mrecall[k - 1]! - mean[`MRecall@${k}`]!) < 1e-12, `k ${k}`);
          assert.ok(Math.abs(curves.strecall[k - 1]! - mean[`StRecall@${k}`]!) < 1e-12, `k ${k}`);
        }
        assert.equal(curves.mrecall[13], setSizes(run, qrels, 14).coveredShare);
      },
    ),
  );
});

test('coverage curve: refuses topics without perspectives', () => {
  refuses(
    () => coverageCurves(runOf({}), qrelsOf({ q: {} }), { basis: 'open' }),
    /No question has perspectives/,
  );
});
