import assert from 'node:assert/strict';
import { test } from 'node:test';
import { certaintiesOf, certaintiesText, leastCertain } from '../../../src/core/external/certainty.ts';

const found = (certain: number, scored = 50, approximate = false): object => ({
  certainty: { certain, scored, approximate },
});

test('counts queries with a certain top k, and the depth of the least certain', () => {
  assert.equal(certaintiesOf([], 5), undefined);
  assert.equal(certaintiesOf([{}, { certainty: undefined }], 5), undefined);
  assert.deepEqual(certaintiesOf([found(5), found(4), found(50, 50, true)], 5), {
    certain: 2,
    queries: 3,
    k: 5,
    least: 4,
    approximate: true,
  });
  // If a store has less than k records, all of them are certain.
  assert.equal(certaintiesOf([found(3, 3)], 5)!.certain, 1);
});

test('a query without information is not certain', () => {
  assert.deepEqual(certaintiesOf([found(9), {}], 5), {
    certain: 1,
    queries: 2,
    k: 5,
    least: 0,
    approximate: false,
  });
});

test('of several searches for one result the least certain counts', () => {
  assert.deepEqual(leastCertain([found(9), found(4, 20), found(6)]), {
    certain: 4,
    scored: 20,
    approximate: false,
  });
  assert.equal(leastCertain([found(9), {}]), undefined);
  assert.equal(leastCertain([]), undefined);
});

test('describes certainty, including losses of an approximate index', () => {
  const all = { certain: 4, queries: 4, k: 5, least: 5, approximate: false };
  const begins = 'PAP+: questions whose first 5 are certainly those of the whole store: ';
  assert.equal(certaintiesText('PAP+', all), `${begins}all 4.`);
  assert.equal(
    certaintiesText('PAP+', { ...all, approximate: true }),
    `${begins}all 4, as far as its index finds what is nearest.`,
  );
  assert.equal(
    certaintiesText('PAP+', { ...all, certain: 3, least: 2 }),
    `${begins}3 of 4. At worst certainty ends at rank 2; below it a passage that the store did not return could still belong. Ask for more candidates to be sure.`,
  );
});
