import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { candidateDepth, coverageLoss, type CoverageLoss } from '../../../src/core/analysis/lost.ts';
import { PLACES } from '../../../src/core/coverage-states.ts';
import { setSizes } from '../../../src/core/analysis/set-size.ts';
import { unionCoverage } from '../../../src/core/analysis/union.ts';
import { mRecall } from '../../../src/core/metrics/coverage-measures.ts';
import { qrelsOf, refuses, runOf } from './support.ts';

test('set size: the average over covered questions, with their share', () => {
  const qrels = qrelsOf({
    q1: { p: 'a', o: 'c' },
    q2: { p: 'b' },
    q3: { p: 'a', o: 'z' },
    q4: { p: 'a' },
    q5: {},
  });
  const sizes = setSizes(runOf({ q1: 'bac', q2: 'b', q3: 'abc' }), qrels);
  assert.deepEqual(sizes, {
    average: 2,
    coveredShare: 0.5,
    covered: 2,
    queries: 4,
    perQuery: new Map([
      ['q1', 3],
      ['q2', 1],
    ]),
  });
});

test('set size: passages beyond the depth do not count; without coverage there is no average', () => {
  const qrels = qrelsOf({ q: { p: 'c' } });
  assert.equal(setSizes(runOf({ q: 'abc' }), qrels, 3).average, 3);
  const none = setSizes(runOf({ q: 'abc' }), qrels, 2);
  assert.deepEqual([none.average, none.coveredShare], [undefined, 0]);
  refuses(() => setSizes(runOf({}), qrelsOf({ q: {} })), /No question has perspectives/);
});

test('union: perspectives may come from different retrievers', () => {
  const qrels = qrelsOf({ q1: { p: 'a', o: 'b' }, q2: { p: 'a' }, q3: { p: 'z' }, q4: {} });
  const runs = new Map([
    ['one', runOf({ q1: 'ax', q2: 'xa' })],
    ['two', runOf({ q1: 'xb' })],
  ]);
  assert.deepEqual(unionCoverage(runs, qrels, 2), {
    union: 2 / 3,
    runs: new Map([
      ['one', { alone: 1 / 3, withoutIt: 0 }],
      ['two', { alone: 0, withoutIt: 1 / 3 }],
    ]),
    uncovered: ['q3'],
    queries: 3,
  });
  assert.equal(unionCoverage(runs, qrels, 1).union, 0);
});

test('union: all perspectives must be covered, even if each retriever has fewer passages', () => {
  const qrels = qrelsOf({ q: { p: 'a', o: 'b', r: 'z' } });
  assert.equal(unionCoverage(new Map([['one', runOf({ q: 'ab' })]]), qrels, 2).union, 0);
});

test('union: refuses an empty list', () => {
  refuses(() => unionCoverage(new Map(), qrelsOf({ q: { p: 'a' } })), /no runs/);
  refuses(
    () => unionCoverage(new Map([['one', runOf({})]]), qrelsOf({ q: {} })),
    /No question has perspectives/,
  );
});

test('lost: the stage of every perspective, with ranks', () => {
  const qrels = qrelsOf({
    q: { covered: 'b', below: 'd', away: 'z', open: '', judged: 'ABY' },
  });
  const { perQuery, perspectives, queries, mrecall } = coverageLoss(runOf({ q: 'abcd' }), qrels, {
    k: 2,
    pathOf: (id) => `docs/${id}.md`,
    passages: 900,
  });
  assert.deepEqual(perQuery.get('q')!.perspectives, [
    { where: 'covered', perspectiveId: 'covered', rank: 2 },
    { where: 'below-k', perspectiveId: 'below', rank: 4, passageId: 'd', unjudgedAbove: 3 },
    {
      where: 'not-retrieved',
      perspectiveId: 'away',
      passageId: 'z',
      path: 'docs/z.md',
      candidates: 4,
      unjudgedCandidates: 4,
    },
    { where: 'unjudged', perspectiveId: 'open', unjudged: 2 },
    { where: 'not-found', perspectiveId: 'judged', judged: 3, passages: 900, unsure: 0, unjudged: 0 },
  ]);
  assert.equal(perQuery.get('q')!.unjudgedPassages, 0);
  assert.equal(mrecall, 0);
  const one = {
    covered: 1,
    'below-k': 1,
    'approximate-miss': 0,
    'not-retrieved': 1,
    unjudged: 1,
    'not-found': 1,
  };
  assert.deepEqual(perspectives, one);
  assert.deepEqual(queries, { ...one, covered: 0 });
});

test('lost: open perspectives may be covered by unjudged passages of the top k', () => {
  const qrels = qrelsOf({ q: { covered: 'a', below: 'd', settled: 'ABe', deep: 'ABd' } });
  const losses = (basis?: 'open'): CoverageLoss => coverageLoss(runOf({ q: 'abcd' }), qrels, { k: 2, basis });
  const none = Object.fromEntries(PLACES.map((place) => [place, 0]));
  assert.deepEqual([...losses('open').perQuery.get('q')!.open], [['below', 2]]);
  assert.deepEqual(losses('open').open, { ...none, 'below-k': 1 });
  assert.deepEqual(losses().open, none);
});

test('lost: the exact run identifies approximate misses', () => {
  const qrels = qrelsOf({ q: { covered: 'a', topK: 'm', deep: 'd', candidate: 'n', away: 'z' } });
  // Exact: m within k, d below k in both runs, n below k and not among the approximate candidates.
  const exact = runOf({ q: 'amxdn' });
  const { perQuery, perspectives } = coverageLoss(runOf({ q: 'axyd' }), qrels, { k: 2, exact });
  assert.deepEqual(perQuery.get('q')!.perspectives, [
    { where: 'covered', perspectiveId: 'covered', rank: 1 },
    { where: 'approximate-miss', perspectiveId: 'topK', exactRank: 2, passageId: 'm' },
    { where: 'below-k', perspectiveId: 'deep', rank: 4, passageId: 'd', unjudgedAbove: 3 },
    { where: 'approximate-miss', perspectiveId: 'candidate', exactRank: 5, passageId: 'n' },
    {
      where: 'not-retrieved',
      perspectiveId: 'away',
      passageId: 'z',
      path: 'z',
      candidates: 4,
      unjudgedCandidates: 4,
    },
  ]);
  assert.equal(perspectives['approximate-miss'], 2);
  const without = coverageLoss(runOf({ q: 'axyd' }), qrels, { k: 2 });
  assert.equal(without.perspectives['approximate-miss'], 0);
  assert.equal(without.perspectives['not-retrieved'], 3);
});

test('lost: below k, but within k in the exact search, is an approximate miss', () => {
  const { perQuery } = coverageLoss(runOf({ q: 'xyb' }), qrelsOf({ q: { p: 'ab' } }), {
    k: 2,
    exact: runOf({ q: 'xab' }),
  });
  assert.deepEqual(perQuery.get('q')!.perspectives, [
    { where: 'approximate-miss', perspectiveId: 'p', exactRank: 2, passageId: 'a', rank: 3 },
  ]);
  const first = coverageLoss(runOf({ q: 'xy' }), qrelsOf({ q: { p: 'a' } }), {
    k: 2,
    exact: runOf({ q: 'a' }),
  });
  assert.equal(first.perspectives['approximate-miss'], 1, 'at the first rank, too');
});

test('candidates are those of a pipeline, or the top k if k is larger', () => {
  assert.deepEqual([candidateDepth({ candidates: 6 }, 5), candidateDepth({ candidates: 6 }, 10)], [6, 10]);
});

test('lost: candidates end at their limit; unanswered queries lose all perspectives', () => {
  const qrels = qrelsOf({ q1: { p: 'c' }, q2: { p: 'a' }, q3: {} });
  const loss = coverageLoss(runOf({ q1: 'abc' }), qrels, { k: 1, candidates: 2 });
  assert.deepEqual([loss.perspectives['not-retrieved'], loss.queries['not-retrieved']], [2, 2]);
  assert.equal(loss.perQuery.get('q1')!.unjudgedPassages, 1);
  assert.deepEqual(loss.perQuery.get('q2')!.perspectives, [
    { where: 'not-retrieved', perspectiveId: 'p', passageId: 'a', path: 'a', candidates: 0 },
  ]);
  const one = coverageLoss(runOf({ q2: 'ba' }), qrels, { k: 1, candidates: 1 });
  assert.equal(one.perspectives['not-retrieved'], 2, 'a single candidate is enough to ask for');
});

test('lost: sums and MRecall agree with the measures', () => {
  const letters = fc.shuffledSubarray([...'abcdefgh']).map((chosen) => chosen.join(''));
  const topic = fc.record({ p: letters, o: letters, r: letters });
  fc.assert(
    fc.property(
      fc.array(fc.tuple(letters, topic), { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 1, max: 6 }),
      (topics, k) => {
        const ids = topics.map((_, i) => `q${i}`);
        const run = runOf(Object.fromEntries(topics.map(([ranking], i) => [ids[i]!, ranking])));
        const qrels = qrelsOf(Object.fromEntries(topics.map(([, own], i) => [ids[i]!, own])));
        const loss = coverageLoss(run, qrels, { k });
        assert.equal(
          PLACES.reduce((sum, place) => sum + loss.perspectives[place], 0),
          3 * topics.length,
        );
        topics.forEach(([ranking], i) =>
          assert.equal(loss.perQuery.get(ids[i]!)!.mrecall, mRecall([...ranking], qrels.get(ids[i]!)!, k)),
        );
        const all = [...loss.perQuery.values()].filter(({ perspectives }) =>
          perspectives.every(({ where }) => where === 'covered'),
        );
        assert.equal(loss.queries.covered, all.length);
      },
    ),
  );
});

test('lost: refuses invalid options', () => {
  const qrels = qrelsOf({ q: { p: 'a' } });
  refuses(() => coverageLoss(runOf({}), qrels, { k: 0 }), /1 or more, not 0 and 100/);
  refuses(() => coverageLoss(runOf({}), qrels, { k: 1, candidates: NaN }), /not 1 and NaN/);
  refuses(() => coverageLoss(runOf({}), qrelsOf({ q: {} }), { k: 1 }), /No question has perspectives/);
});
