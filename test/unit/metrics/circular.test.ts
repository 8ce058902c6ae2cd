/** Which figures are marked because a judge scored a ranking that it made itself. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { circularAmong, isAnyCorrected, isMarked } from '../../../src/core/metrics/circular.ts';
import type { Correction } from '../../../src/core/metrics/correction.ts';

const CORRECTION: Correction = {
  figures: { 'MRecall@5': { value: 0.4, low: 0.3, high: 0.5 } },
  decided: 20,
  queries: 40,
  labels: 200,
  positives: 50,
  more: 0,
  assumesRandom: false,
};

test('a correction removes the circular mark from the figures that it corrects only', () => {
  const circular = 'J';
  assert.equal(isMarked({ circular }, 'MRecall@5'), true);
  assert.equal(isMarked({ circular, correction: CORRECTION }, 'MRecall@5'), false);
  assert.equal(isMarked({ circular, correction: CORRECTION }, 'nDCG@5'), true);
  assert.equal(isMarked({ circular, correction: { ...CORRECTION, figures: {} } }, 'MRecall@5'), true);
  assert.equal(isMarked({}, 'MRecall@5'), false);
  assert.equal(isMarked({ circular }, 'Documents@5'), false, 'no judge has a say in it');
  assert.equal(isAnyCorrected(CORRECTION), true);
  assert.equal(isAnyCorrected({ ...CORRECTION, figures: {} }), false);
  assert.equal(isAnyCorrected(undefined), false);
});

test('one circular ranking of two is enough', () => {
  assert.equal(circularAmong({}, {}), undefined);
  assert.equal(circularAmong({}, { circular: 'J' }), 'J');
  assert.equal(circularAmong({ circular: 'J' }, {}), 'J');
});
