import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planDatasets } from '../../../src/cli/datasets.ts';
import { UsageError } from '../../../src/cli/presentation/terminal.ts';

const plan = (corpus: readonly string[], queries: readonly string[], qrels: readonly string[]): string[] =>
  planDatasets({ corpus, queries, qrels, split: 'none' }).map(
    ({ name, corpusPath, queriesFile, qrelsFile }) => `${name}: ${corpusPath} ${queriesFile} ${qrelsFile}`,
  );

test('one of each kind needs no name and matches any', () => {
  assert.deepEqual(plan(['c'], ['q'], ['r']), [': c q r']);
  assert.deepEqual(plan(['wiki=c'], ['q'], ['r']), [': c q r']);
  assert.deepEqual(plan(['wiki=c'], ['kialo=q'], ['r']), ['kialo: c q r']);
  assert.deepEqual(plan(['c'], ['q'], ['kialo=r']), [': c q r']);
});

test('a name ends at the first equals sign', () => {
  assert.deepEqual(plan(['c'], ['kialo=a=b'], ['r']), ['kialo: c a=b r']);
});

test('one corpus serves all queries, paired with qrels by name in any order', () => {
  assert.deepEqual(plan(['c'], ['x=q1', 'y=q2'], ['y=r2', 'x=r1']), ['x: c q1 r1', 'y: c q2 r2']);
});

test('one set of queries runs on all corpora, with its own qrels or those of each corpus', () => {
  assert.deepEqual(plan(['wiki=c1', 'web=c2'], ['q'], ['r']), ['wiki: c1 q r', 'web: c2 q r']);
  assert.deepEqual(plan(['wiki=c1', 'web=c2'], ['q'], ['web=r2', 'wiki=r1']), [
    'wiki: c1 q r1',
    'web: c2 q r2',
  ]);
});

test('corpora and queries with the same names pair up', () => {
  assert.deepEqual(plan(['x=c1', 'y=c2'], ['y=q2', 'x=q1'], ['x=r1', 'y=r2']), [
    'x: c1 q1 r1',
    'y: c2 q2 r2',
  ]);
});

test('without a common name all queries run on all corpora, corpus by corpus', () => {
  assert.deepEqual(plan(['wiki=c1', 'web=c2'], ['x=q1', 'y=q2'], ['x=r1', 'y=r2', 'y/web=r4']), [
    'x/wiki: c1 q1 r1',
    'y/wiki: c1 q2 r2',
    'x/web: c2 q1 r1',
    'y/web: c2 q2 r4',
  ]);
});

for (const [what, message, corpus, queries, qrels] of [
  ['no corpus', /^--corpus is missing\.$/u, [], ['q'], ['r']],
  ['no qrels', /^--qrels is missing\.$/u, ['c'], ['q'], []],
  [
    'several without names',
    /^--queries is given 2 times: each needs a name, as in --queries name=q2\.$/u,
    ['c'],
    ['x=q1', 'q2'],
    ['x=r'],
  ],
  ['a name twice', /^--corpus has the name x twice\.$/u, ['x=c1', 'x=c2'], ['q'], ['r']],
  [
    'queries without qrels',
    /^There are no --qrels for y; given are x, z\.$/u,
    ['c'],
    ['x=q1', 'y=q2'],
    ['x=r', 'z=r'],
  ],
  [
    'qrels without queries',
    /^--qrels z belongs to no data set; there are x, y\.$/u,
    ['c'],
    ['x=q1', 'y=q2'],
    ['x=r', 'y=r', 'z=r'],
  ],
  ['qrels of another name', /^There are no --qrels for x; given are y\.$/u, ['c'], ['x=q'], ['y=r']],
  [
    'names of which only some are the same',
    /^y is not the name of both a --corpus and a --queries, though x is: /u,
    ['x=c1', 'y=c2'],
    ['x=q1', 'z=q2'],
    ['x=r', 'z=r'],
  ],
] as const)
  test(`refuses ${what}`, () => {
    assert.throws(
      () => plan(corpus, queries, qrels),
      (error) => error instanceof UsageError && message.test(error.message),
    );
  });
