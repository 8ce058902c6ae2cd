import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '../../../src/core/statistics/random.ts';
import {
  countPairs,
  figuresOf,
  type Confusion,
  type Figures,
} from '../../../src/features/validation/core/confusion.ts';
import { intervalsOf, resampledFigures } from '../../../src/features/validation/core/intervals.ts';
import { pairsOf } from './arbitraries.ts';

function intervals(confusion: Confusion, seed = 1, resamples = 2_000) {
  const figures = resampledFigures(confusion, seededRandom(seed));
  const samples = Array.from({ length: resamples }, () => figures.next().value as Figures);
  return intervalsOf(samples);
}

test('the interval of accuracy agrees with the normal approximation', () => {
  const { accuracy } = intervals(
    countPairs(pairsOf({ yes: 'y'.repeat(80) + 'n'.repeat(20), no: 'n'.repeat(300) })),
  );
  const [p, n] = [0.95, 400];
  const error = Math.sqrt((p * (1 - p)) / n);
  assert.ok(Math.abs(accuracy!.low - (p - 1.96 * error)) < 0.25 * error, String(accuracy!.low));
  assert.ok(Math.abs(accuracy!.high - (p + 1.96 * error)) < 0.25 * error, String(accuracy!.high));
});

test('every interval contains its figure and is reproducible with a seed', () => {
  const confusion = countPairs(pairsOf({ yes: 'yyyynn?e', no: 'nnnnnnyyx' }));
  const figures = figuresOf(confusion);
  const found = intervals(confusion);
  for (const name of ['accuracy', 'f1', 'balancedAccuracy', 'kappa'] as const)
    assert.ok(found[name]!.low < figures[name]! && figures[name]! < found[name]!.high, name);
  assert.deepEqual(intervals(confusion), found);
  assert.notDeepEqual(intervals(confusion, 2), found);
});

test('a judge without errors has zero width; figures of 0/0 have no interval', () => {
  const perfect = intervals(countPairs(pairsOf({ yes: 'yyyy', no: 'nnnnnn' })));
  assert.deepEqual(
    [perfect.accuracy, perfect.f1],
    [
      { low: 1, high: 1 },
      { low: 1, high: 1 },
    ],
  );
  assert.equal(intervals(countPairs(pairsOf({ yes: '', no: 'nnn' }))).kappa, null);
  assert.equal(intervals(countPairs([])).accuracy, null);
});
