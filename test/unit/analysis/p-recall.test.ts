import assert from 'node:assert/strict';
import { test } from 'node:test';
import { goldOfRoots, perspectiveRecall, rootRecall } from '../../../src/core/analysis/p-recall.ts';
import { perspectiveQuery, refuses, runOf } from './support.ts';

const queries = [
  perspectiveQuery('1', 'trams', 'support', 'ab'),
  perspectiveQuery('2', 'trams', 'oppose', 'c'),
  perspectiveQuery('3', 'trams', 'oppose', 'd'),
  perspectiveQuery('4', 'trains', 'support', 'e'),
];
const run = runOf({ 1: 'xb', 2: 'xc', 3: 'xxd', 4: 'e' });

test('averages over the queries of a root, then over roots', () => {
  const result = perspectiveRecall(run, queries, 2);
  assert.equal(result.pRecall, (2 / 3 + 1) / 2);
  assert.equal(result.recall, 3 / 4);
  assert.deepEqual([result.roots, result.queries], [2, 4]);
  assert.equal(perspectiveRecall(run, queries, 3).pRecall, 1);
  assert.equal(perspectiveRecall(run, queries, 1).recall, 1 / 4);
});

test("a root with one query counts like any other, and as 0 in the authors' variant", () => {
  const single = [perspectiveQuery('4', 'trains', 'support', 'e')];
  assert.equal(perspectiveRecall(run, single, 2).pRecall, 1);
  assert.equal(perspectiveRecall(run, single, 2).pRecallAuthors, 0);
  assert.equal(perspectiveRecall(run, queries, 2).pRecallAuthors, (2 / 3 + 0) / 2);
  assert.equal(perspectiveRecall(run, queries.slice(0, 3), 2).pRecallAuthors, 2 / 3);
});

test('recall by label', () => {
  assert.deepEqual(
    [...perspectiveRecall(run, queries, 2).byLabel],
    [
      ['support', { recall: 1, queries: 2 }],
      ['oppose', { recall: 0.5, queries: 2 }],
    ],
  );
});

test('an unanswered query fails', () => {
  assert.equal(perspectiveRecall(runOf({}), queries, 5).pRecall, 0);
  assert.equal(rootRecall(runOf({}), queries, 5), 0);
});

test('a root query succeeds if the gold of any perspective is found', () => {
  assert.deepEqual(
    [...goldOfRoots(queries)],
    [
      ['trams', new Set('abcd')],
      ['trains', new Set('e')],
    ],
  );
  assert.equal(rootRecall(runOf({ trams: 'xxd', trains: 'xe' }), queries, 3), 1);
  assert.equal(rootRecall(runOf({ trams: 'xxd', trains: 'xe' }), queries, 2), 0.5);
});

test('refuses empty queries and an invalid k', () => {
  refuses(() => perspectiveRecall(run, [], 5), /no queries/);
  refuses(() => rootRecall(run, [], 5), /no queries/);
  refuses(() => perspectiveRecall(run, queries, 0), /k must be 1 or more, not 0/);
  refuses(() => rootRecall(run, queries, NaN), /not NaN/);
});
