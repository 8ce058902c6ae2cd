import assert from 'node:assert/strict';
import { test } from 'node:test';
import { extractionAgreement } from '../../../src/core/analysis/extraction.ts';

test('token F1 counts repeats, intersection over union does not', () => {
  const { tokenF1, intersectionOverUnion } = extractionAgreement('a claim that opposes a law', [
    'A claim that supports, a claim',
  ]);
  // In common: "a", "a", "claim", "that" of 6 and 6 words; "a", "claim", "that" of 6 distinct ones.
  assert.equal(tokenF1, 8 / 12);
  assert.equal(intersectionOverUnion, 3 / 6);
  assert.deepEqual(extractionAgreement('la la', ['la']), { tokenF1: 2 / 3, intersectionOverUnion: 1 });
});

test('uses the annotation with the best agreement for each of the two', () => {
  const agreement = extractionAgreement('in Nebraska', ['in all states', 'Nebraska!', 'IN NEBRASKA']);
  assert.deepEqual(agreement, { tokenF1: 1, intersectionOverUnion: 1 });
});

test('an empty extraction agrees with an empty annotation only', () => {
  assert.deepEqual(extractionAgreement('…', ['']), { tokenF1: 1, intersectionOverUnion: 1 });
  assert.deepEqual(extractionAgreement('', ['a']), { tokenF1: 0, intersectionOverUnion: 0 });
  assert.equal(extractionAgreement('x a', ['a']).tokenF1, 2 / 3, 'what is not there takes nothing away');
  assert.deepEqual(extractionAgreement('b', ['a']), { tokenF1: 0, intersectionOverUnion: 0 });
});
