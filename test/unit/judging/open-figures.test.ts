import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OpenFigures } from '../../../src/core/judging/open-figures.ts';

const figures = (known: readonly string[]): OpenFigures => {
  const open = new OpenFigures({
    perspectives: ['p', 'q', 'r'],
    rankings: [['a', 'b', 'c']],
    cutoffs: [2, 5],
  });
  for (const [perspectiveId, passageId, sign] of known.map((each) => [...each]))
    open.learn({ passageId: passageId!, perspectiveId: perspectiveId! }, sign === '+');
  return open;
};

test('a goal needs as many perspectives as its k allows', () => {
  assert.deepEqual(figures([]).goals, [
    { k: 2, passages: ['a', 'b'], needed: 2 },
    { k: 5, passages: ['a', 'b', 'c'], needed: 3 },
  ]);
});

test('missing is what no passage of a goal is known to support', () => {
  const open = figures(['pa-', 'pb+', 'qc+', 'ra-']);
  assert.deepEqual(
    open.goals.map((goal) => open.missing(goal)),
    [['q', 'r'], ['r']],
  );
});

test('figures have bounds that narrow with every answer', () => {
  const bounds = (...known: string[]) => figures(known).bounds()[0]!;
  assert.deepEqual(bounds(), { mRecall: { low: 0, high: 1 }, precision: { low: 0, high: 1 } });
  const half = bounds('pa+', 'pb-', 'qb-', 'rb-');
  assert.deepEqual(half.precision, { low: 0.5, high: 0.5 });
  assert.deepEqual(bounds('pa+', 'qb+'), { mRecall: { low: 1, high: 1 }, precision: { low: 1, high: 1 } });
});
