import assert from 'node:assert/strict';
import { test } from 'node:test';
import { saturationOf, type Pool } from '../../../src/core/analysis/saturation.ts';

const pool = (change: Partial<Pool> = {}): Pool => ({
  pipelines: 4,
  growth: { holes: [60, 90, 99, 99.5], growthRate: [undefined, 0.5, 0.1, 0.005] },
  marginal: { MRecall: [0.3, 0.1, 0.02, 0.009], Precision: [0.2, 0.1, 0.01, 0] },
  unjudged: 0,
  ...change,
});

test('saturated if the last pipeline adds less than a hundredth to every figure', () => {
  const { saturated, sentence } = saturationOf(pool());
  assert.equal(saturated, true);
  assert.equal(
    sentence,
    "The pool is saturated: the last pipeline adds 0.5% to the holes, and judging a pipeline's own passages changes " +
      'its MRecall by 0.9 and Precision by 0.0 percentage points. Saturated is below 1.0 in all of them.',
  );
});

test('not saturated if any figure grows more', () => {
  const growing = { holes: [1, 2, 3, 3.1], growthRate: [undefined, 1, 0.5, 0.01] };
  assert.equal(saturationOf(pool({ growth: growing })).saturated, false);
  for (const measure of ['MRecall', 'Precision'] as const) {
    const marginal = { ...pool().marginal, [measure]: [0.1, 0.1, 0.1, 0.01] };
    const { saturated, sentence } = saturationOf(pool({ marginal }));
    assert.equal(saturated, false);
    assert.match(sentence, /^The pool is not saturated: /);
  }
});

test('without holes there is no growth; the first holes are growth', () => {
  const none = { holes: [0, 0, 0, 0], growthRate: [undefined, undefined, undefined, undefined] };
  const { saturated, sentence } = saturationOf(pool({ growth: none }));
  assert.equal(saturated, true);
  assert.match(sentence, /no holes were found/);
  const late = saturationOf(pool({ growth: { ...none, holes: [0, 0, 0, 5] } }));
  assert.equal(late.saturated, false);
  assert.match(late.sentence, /the last pipeline adds the first ones to the holes/);
});

test('is undefined for a pool that is unjudged or too small', () => {
  const open = saturationOf(pool({ unjudged: 7 }));
  assert.equal(open.saturated, undefined);
  assert.match(open.sentence, /^7 pairs of the pool are not judged yet/);
  assert.equal(saturationOf(pool({ pipelines: 2 })).saturated, undefined);
  assert.equal(saturationOf(pool({ pipelines: 3 })).saturated, true);
});
