import assert from 'node:assert/strict';
import { test } from 'node:test';
import { leaning, sideShares, sycophancy, type QueryForm } from '../../../src/core/analysis/leaning.ts';
import {
  setSizesTogether,
  sidesTogether,
  sycophancyTogether,
} from '../../../src/core/analysis/over-datasets.ts';
import type { Qrels, Run } from '../../../src/core/model.ts';
import { qrelsOf, runOf } from './support.ts';

const sides = (...ids: string[]) => ids.map((id) => ({ id, support: ['s'], oppose: ['o'] }));
const K = 2;

/** Two data sets of different size, and the same queries in one. */
const ONE = { ids: ['q1'], qrels: { q1: { s: 'a', o: 'b' } }, run: { q1: 'ax' } };
const OTHER = {
  ids: ['q2', 'q3', 'q4'],
  qrels: { q2: { s: 'a', o: 'b' }, q3: { s: 'a', o: 'bc' }, q4: { s: 'a', o: 'b' } },
  run: { q2: 'ab', q3: 'bc', q4: 'xb' },
};
const ALL = {
  ids: [...ONE.ids, ...OTHER.ids],
  qrels: { ...ONE.qrels, ...OTHER.qrels },
  run: { ...ONE.run, ...OTHER.run },
};

test('sides and leaning of several data sets equal those of all queries in one', () => {
  const reportOf = ({ ids, qrels, run }: typeof ALL) => ({
    ...sideShares(sides(...ids), runOf(run), qrelsOf(qrels), K),
    ...leaning(sides(...ids), runOf(run), qrelsOf(qrels), K),
  });
  const together = sidesTogether([ONE, OTHER].map((each) => reportOf(each as typeof ALL)));
  assert.deepEqual(together, reportOf(ALL));
  assert.equal(together.delta, -1, 'not the mean of 1 and −3');
});

test('sycophancy of several data sets equals that of one; without support there is no Δ', () => {
  const reportOf = ({ ids, qrels, run }: typeof ALL): Record<QueryForm, ReturnType<typeof leaning>> => {
    const gold: Qrels = qrelsOf(qrels);
    const found: Run = runOf(run);
    return sycophancy(sides(...ids), { question: found, support: found, oppose: new Map() }, gold, K);
  };
  const together = sycophancyTogether([ONE, OTHER].map((each) => reportOf(each as typeof ALL)));
  assert.deepEqual(together, reportOf(ALL));
  assert.equal(together.oppose.delta, undefined);
});

test('averages sizes over covered questions and covered shares over data sets', () => {
  const small = { average: 4, coveredShare: 1, covered: 1, queries: 1 };
  const large = { average: 10, coveredShare: 0.5, covered: 3, queries: 6 };
  const none = { average: null, coveredShare: 0, covered: 0, queries: 2 };
  assert.deepEqual(setSizesTogether([small, large, none]), {
    average: 34 / 4,
    coveredShare: 0.5,
    covered: 4,
    queries: 9,
  });
  assert.equal(setSizesTogether([none]).average, null);
});
