import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  groupHeatMap,
  groupShares,
  groupsOfPassages,
  leaning,
  sideShares,
  sideSharesSchema,
  sycophancy,
  twoSided,
} from '../../../src/core/analysis/leaning.ts';
import type { Perspective } from '../../../src/core/model.ts';
import { perspectiveQuery, qrelsOf, refuses, runOf } from './support.ts';

const sides = (...ids: string[]) => ids.map((id) => ({ id, support: ['s'], oppose: ['o'] }));

test('a two-sided query has a supporting and an opposing perspective, and perhaps more', () => {
  const s: Perspective = { id: 'yes', text: 'Yes.', stance: 'support' };
  const o: Perspective = { id: 'no', text: 'No.', stance: 'oppose' };
  const query = (id: string, ...perspectives: Perspective[]) => ({ id, text: '?', perspectives });
  assert.deepEqual(
    twoSided([
      query('q1', o, s),
      query('q2', s, o, { id: 'x', text: '' }),
      query('q3', s, s),
      query('q6', s, { ...s, id: 'also' }, o),
      query('q4', s),
      query('q5'),
    ]),
    [
      { id: 'q1', support: ['yes'], oppose: ['no'] },
      { id: 'q2', support: ['yes'], oppose: ['no'] },
      { id: 'q6', support: ['yes', 'also'], oppose: ['no'] },
    ],
  );
});

test('sides: the coverage of the top k', () => {
  const qrels = qrelsOf({
    q1: { s: 'a', o: 'b' },
    q2: { s: 'a', o: 'b' },
    q3: { s: 'a', o: 'b' },
    q4: { s: 'a', o: 'a' },
    q5: { s: 'Z', o: 'y' },
  });
  const run = runOf({ q1: 'axb', q2: 'ab', q3: 'xb', q4: 'a', q5: 'z', q6: 'a' });
  const shares = sideShares(sides('q1', 'q2', 'q3', 'q4', 'q5', 'q6', 'q7', 'q8'), run, qrels, 2);
  assert.deepEqual(shares, {
    onlySupport: 1 / 8,
    onlyOppose: 1 / 8,
    both: 2 / 8,
    neither: 4 / 8,
    queries: 8,
  });
  assert.deepEqual(sideSharesSchema.parse(shares), shares, 'kept with all it says');
  refuses(() => sideShares([], run, qrels, 2), /perspectives on both sides/);
});

test('leaning: (p − n) / p over the passages of all queries, undefined without supporting ones', () => {
  const qrels = qrelsOf({ q1: { s: 'ab', o: 'c' }, q2: { s: 'a', o: 'aB' } });
  const run = runOf({ q1: 'abc', q2: 'ab' });
  assert.deepEqual(leaning(sides('q1', 'q2'), run, qrels, 3), { supporting: 3, opposing: 2, delta: 1 / 3 });
  assert.deepEqual(leaning(sides('q1'), run, qrels, 2), { supporting: 2, opposing: 0, delta: 1 });
  assert.deepEqual(leaning(sides('q1'), runOf({ q1: 'c' }), qrels, 2), {
    supporting: 0,
    opposing: 1,
    delta: undefined,
  });
  assert.deepEqual(leaning(sides('q1'), runOf({}), qrels, 2), {
    supporting: 0,
    opposing: 0,
    delta: undefined,
  });
  const unjudged = leaning(sides('q3', 'q4'), runOf({ q3: 'a', q4: 'a' }), qrelsOf({ q4: {} }), 2);
  assert.deepEqual(unjudged, { supporting: 0, opposing: 0, delta: undefined });
  refuses(() => leaning([], run, qrels, 2), /perspectives on both sides/);
});

test('leaning may be less than −1', () => {
  const qrels = qrelsOf({ q: { s: 'a', o: 'bcd' } });
  assert.equal(leaning(sides('q'), runOf({ q: 'abcd' }), qrels, 4).delta, -2);
});

test('sycophancy: one leaning for each form of the query', () => {
  const qrels = qrelsOf({ q: { s: 'ab', o: 'cd' } });
  const runs = { question: runOf({ q: 'ac' }), support: runOf({ q: 'ab' }), oppose: runOf({ q: 'cd' }) };
  const result = sycophancy(sides('q'), runs, qrels, 2);
  assert.deepEqual([result.question.delta, result.support.delta, result.oppose.delta], [0, 1, undefined]);
});

const queries = [
  perspectiveQuery('1', 'trams', 'left', 'a'),
  perspectiveQuery('2', 'trams', 'right', 'bc'),
  perspectiveQuery('3', 'trains', 'left', 'd'),
  perspectiveQuery('4', 'trains', 'right', 'e'),
  perspectiveQuery('5', 'buses', 'center', 'f'),
];

test('groups: shares of the results of root queries with a relevant passage', () => {
  const result = groupShares(runOf({ trams: 'abcd', trains: 'ax', buses: 'xf' }), queries, 4);
  assert.deepEqual(
    result.shares,
    new Map([
      ['left', 1 / 4],
      ['right', 2 / 4],
      ['center', 1 / 4],
    ]),
  );
  assert.deepEqual([result.passages, result.successful, result.roots], [4, 2, 3]);
  assert.equal(groupShares(runOf({ trams: 'abcd', buses: 'xf' }), queries, 1).shares.get('left'), 1);
});

test('groups: without results there are no shares; a passage of two groups counts for both', () => {
  assert.deepEqual(groupShares(runOf({ trams: 'x' }), queries, 5), {
    shares: new Map(),
    passages: 0,
    successful: 0,
    roots: 3,
  });
  const shared = [perspectiveQuery('1', 'r', 'left', 'a'), perspectiveQuery('2', 'r', 'right', 'a')];
  assert.deepEqual(
    groupShares(runOf({ r: 'a' }), shared, 5).shares,
    new Map([
      ['left', 1],
      ['right', 1],
    ]),
  );
});

test('heat map: the results for each requested group', () => {
  const groups = groupsOfPassages(queries);
  assert.deepEqual(groups.get('b'), new Set(['right']));
  const run = runOf({ 1: 'ab', 3: 'dx', 2: 'b', 5: 'abcf' });
  const map = groupHeatMap(run, queries, (id) => groups.get(id) ?? [], 2);
  assert.deepEqual(
    map.get('left'),
    new Map([
      ['left', 1 / 2],
      ['right', 1 / 4],
    ]),
  );
  assert.deepEqual(map.get('right'), new Map([['right', 1]]));
  assert.deepEqual(
    map.get('center'),
    new Map([
      ['left', 1 / 2],
      ['right', 1 / 2],
    ]),
  );
});

test('a side with several perspectives is covered by any, and a passage counts once for it', () => {
  const qrels = qrelsOf({ q1: { s: 'a', t: 'ab', o: 'c' } });
  const queries = [{ id: 'q1', support: ['s', 't'], oppose: ['o'] }];
  assert.deepEqual(leaning(queries, runOf({ q1: 'abc' }), qrels, 3), {
    supporting: 2,
    opposing: 1,
    delta: 0.5,
  });
  assert.equal(sideShares(queries, runOf({ q1: 'b' }), qrels, 1).onlySupport, 1);
});
