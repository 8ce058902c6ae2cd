import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  judgedInTop,
  judgedShare,
  judgedToFirst,
  sumOfJudged,
} from '../../../src/core/analysis/judged-share.ts';
import { qrelsOf, runOf } from './support.ts';

test('counts pairs of the top k with the given perspectives', () => {
  const qrels = qrelsOf({ q1: { p: 'aB', o: 'c' }, q2: {} });
  const run = runOf({ q1: 'abc', 'q1 as asked': 'xa', q2: 'a' });
  const inTop = (k: number, ...read: Parameters<typeof judgedInTop>[1]) => judgedInTop(run, read, qrels, k);
  assert.deepEqual(inTop(2, { query: 'q1', perspectives: ['p', 'o'] }), { pairs: 4, judged: 2 });
  assert.deepEqual(inTop(3, { query: 'q1', perspectives: ['p', 'o'] }), { pairs: 6, judged: 3 });
  const asked = { query: 'q1', id: 'q1 as asked', perspectives: ['p'] };
  assert.deepEqual(inTop(2, asked), { pairs: 2, judged: 1 });
  // q3 and a perspective of q2 have no judgements; q4 has no run.
  const unknown = ['q2', 'q3', 'q4'].map((query) => ({ query, perspectives: ['p'] }));
  assert.deepEqual(inTop(2, ...unknown), { pairs: 1, judged: 0 });
  assert.deepEqual(judgedInTop(runOf({ q3: 'a' }), unknown, qrels, 2), { pairs: 1, judged: 0 });
});

test('counts down to the first supporting passage of each perspective, else to the depth', () => {
  const run = runOf({ q: 'abcd' });
  const judged = (perspectives: Record<string, string>, depth = 4) =>
    judgedToFirst(run, qrelsOf({ q: perspectives }), depth);
  assert.deepEqual(judged({ p: 'Bcd' }), { pairs: 3, judged: 2 });
  assert.deepEqual(judged({ p: 'Bcd', o: 'a' }), { pairs: 4, judged: 3 });
  assert.deepEqual(judged({ p: 'B' }), { pairs: 4, judged: 1 });
  assert.deepEqual(judged({ p: 'Bd' }, 3), { pairs: 3, judged: 1 });
  assert.deepEqual(judgedToFirst(runOf({}), qrelsOf({ q: { p: 'a' } }), 4), { pairs: 0, judged: 0 });
});

test('shares of sums; without pairs, all is judged', () => {
  const sum = sumOfJudged([
    { pairs: 4, judged: 2 },
    { pairs: 1, judged: 1 },
  ]);
  assert.deepEqual(sum, { pairs: 5, judged: 3 });
  assert.equal(judgedShare(sum), 0.6);
  assert.equal(judgedShare(sumOfJudged([])), 1);
});
