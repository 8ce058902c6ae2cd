import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  countOf,
  countPairs,
  decidedByReference,
  figuresOf,
} from '../../../src/features/validation/core/confusion.ts';
import { pairsOf, scoredPairs, verdicts } from './arbitraries.ts';

const figures = (yes: string, no: string) => figuresOf(countPairs(pairsOf({ yes, no })));
const near = (actual: number | null, expected: number) =>
  assert.ok(actual !== null && Math.abs(actual - expected) < 1e-12, `${actual} is not ${expected}`);

test('figures by hand', () => {
  // 4 yes: 3 found. 6 no: 5 found. Said yes: 4, no: 6. κ: (0.8 − 0.52)/(1 − 0.52).
  const { pairs, accuracy, balancedAccuracy, f1, macroF1, precision, recall, kappa, ...shares } = figures(
    'yyyn',
    'nnnnny',
  );
  assert.equal(pairs, 10);
  near(accuracy, 0.8);
  near(balancedAccuracy, (0.75 + 5 / 6) / 2);
  near(f1, 0.75);
  near(macroF1, (0.75 + 10 / 12) / 2);
  near(precision, 0.75);
  near(recall.yes, 0.75);
  near(recall.no, 5 / 6);
  near(kappa, 0.28 / 0.48);
  assert.deepEqual(shares, { positiveShare: 0.4, referencePositiveShare: 0.4 });
});

test('unsure and unparsed answers are wrong for both classes, and never a "no"', () => {
  const { pairs, accuracy, recall, precision, f1, kappa, positiveShare } = figures('yy?x', 'nn?x');
  assert.equal(pairs, 8);
  assert.deepEqual([accuracy, precision, positiveShare], [0.5, 1, 0.25]);
  assert.deepEqual(recall, { yes: 0.5, no: 0.5 });
  near(f1, 4 / 6);
  // Expected by chance: (2·4 + 2·4)/64.
  near(kappa, (0.5 - 0.25) / 0.75);
});

test('escalated pairs are excluded from automatic figures and correct in figures of all cases', () => {
  const confusion = countPairs(pairsOf({ yes: 'yne', no: 'nyee' }));
  const automatic = figuresOf(confusion);
  assert.deepEqual([automatic.pairs, automatic.accuracy, automatic.recall], [4, 0.5, { yes: 0.5, no: 0.5 }]);
  const all = figuresOf(decidedByReference(confusion));
  assert.deepEqual([all.pairs, all.recall], [7, { yes: 2 / 3, no: 3 / 4 }]);
  assert.equal(countOf(confusion, 'escalated'), 3);
  assert.equal(countOf(confusion), 7);
});

test('0/0 is null: no pairs, one class only, no answer yes', () => {
  const none = figures('', '');
  assert.equal(none.pairs, 0);
  assert.deepEqual(
    [none.accuracy, none.f1, none.kappa, none.recall.yes, none.positiveShare],
    [null, null, null, null, null],
  );
  const onlyNo = figures('', 'nnn');
  assert.deepEqual(
    [onlyNo.accuracy, onlyNo.f1, onlyNo.balancedAccuracy, onlyNo.kappa],
    [1, null, null, null],
  );
  const alwaysNo = figures('nn', 'nn');
  assert.deepEqual([alwaysNo.f1, alwaysNo.precision, alwaysNo.kappa], [0, null, 0]);
});

test('κ is 1 for a judge that is always right and about 0 for one that guesses', () => {
  near(figures('yyy', 'nnnn').kappa, 1);
  // Says yes to half of either class.
  near(figures('ynyn', 'ynynyn').kappa, 0);
});

test('figures stay in range and do not depend on the order of the pairs', () => {
  fc.assert(
    fc.property(scoredPairs, fc.nat(), (pairs, turn) => {
      const at = pairs.length === 0 ? 0 : turn % pairs.length;
      const turned = [...pairs.slice(at), ...pairs.slice(0, at)];
      const result = figuresOf(countPairs(pairs));
      assert.deepEqual(figuresOf(countPairs(turned)), result);
      const { kappa, recall, pairs: count, ...shares } = result;
      assert.equal(count, pairs.filter(({ answer }) => answer !== 'escalated').length);
      for (const share of [...Object.values(shares), recall.yes, recall.no])
        assert.ok(share === null || (share >= 0 && share <= 1));
      assert.ok(kappa === null || (kappa >= -1 && kappa <= 1));
    }),
  );
});

test('deciding escalated pairs by the reference never lowers a recall', () => {
  fc.assert(
    fc.property(scoredPairs, (pairs) => {
      const confusion = countPairs(pairs);
      const [before, after] = [figuresOf(confusion), figuresOf(decidedByReference(confusion))];
      for (const verdict of ['yes', 'no'] as const)
        assert.ok((after.recall[verdict] ?? 0) >= (before.recall[verdict] ?? 0));
    }),
  );
});

test('swapping yes and no on both sides keeps accuracy, κ and macro F1', () => {
  const swap = { yes: 'no', no: 'yes' } as const;
  fc.assert(
    fc.property(fc.array(fc.record({ reference: verdicts, answer: verdicts })), (pairs) => {
      const a = figuresOf(countPairs(pairs));
      const b = figuresOf(
        countPairs(
          pairs.map(({ reference, answer }) => ({ reference: swap[reference], answer: swap[answer] })),
        ),
      );
      assert.equal(a.accuracy, b.accuracy);
      assert.equal(a.kappa, b.kappa);
      assert.equal(a.macroF1, b.macroF1);
    }),
  );
});
