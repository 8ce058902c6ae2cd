import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  shortfallsOf,
  shortfallsText,
  shortOf,
  worstShortfall,
} from '../../../src/core/external/shortfall.ts';

const NONE = {};
const short = (returned: number, asked: number): { short: { returned: number; asked: number } } => ({
  short: { returned, asked },
});

test('of several searches the one with the smallest share counts', () => {
  assert.equal(worstShortfall([NONE, { short: undefined }]), undefined);
  assert.deepEqual(worstShortfall([short(40, 100), NONE, short(30, 50)]), { returned: 40, asked: 100 });
  assert.deepEqual(worstShortfall([short(3, 4), short(0, 10)]), { returned: 0, asked: 10 });
});

test('counts the queries that came back short', () => {
  assert.equal(shortfallsOf([]), undefined);
  const two = { returned: 1, asked: 10, queries: 2 };
  assert.deepEqual(shortfallsOf([short(9, 10), NONE, short(1, 10)]), two);
  assert.match(shortfallsText('Chroma', two, 3), /^Chroma: for 2 of 3 questions .*, at worst 1 of 10: /u);
});

test("candidates outside the pipeline's depth are not missing", () => {
  assert.equal(shortOf(undefined, 10), undefined);
  assert.equal(shortOf({ returned: 10, asked: 100 }, 10), undefined);
  assert.deepEqual(shortOf({ returned: 9, asked: 100 }, 10), { returned: 9, asked: 10 });
  assert.deepEqual(shortOf({ returned: 2, asked: 4 }, 10), { returned: 2, asked: 4 });
});
