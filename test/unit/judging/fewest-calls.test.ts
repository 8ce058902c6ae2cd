import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { FewestCalls, requestsInTurn, type WantedCalls } from '../../../src/core/judging/fewest-calls.ts';
import type { WantedPair } from '../../../src/core/judging/open-figures.ts';
import { mRecall, precision } from '../../../src/core/metrics/coverage-measures.ts';
import { relevanceOf, type TopicJudgements } from '../../../src/core/metrics/judgements.ts';
import { arbitraryFigures, arbitraryMatrix, lookup, truthOf } from './wanted-figures.ts';

/** Asks every request and returns them in order. */
function askAll(
  figures: FewestCalls,
  supports: (pair: WantedPair) => boolean,
): { asked: WantedPair[]; judgements: Map<string, Map<string, number>> } {
  const asked: WantedPair[] = [];
  const judgements = new Map<string, Map<string, number>>();
  for (let batch = figures.next(); batch.length > 0; batch = figures.next())
    for (const pair of batch) {
      asked.push(pair);
      figures.learn(pair, supports(pair));
      const topic = judgements.get(pair.perspectiveId) ?? new Map<string, number>();
      judgements.set(pair.perspectiveId, topic.set(pair.passageId, supports(pair) ? 1 : 0));
    }
  return { asked, judgements };
}

const named = ({ passageId, perspectiveId }: WantedPair): string => `${passageId}:${perspectiveId}`;

test('a supporting passage is not asked again for Precision', () => {
  const figures = new FewestCalls({ perspectives: ['p', 'q'], rankings: [['a', 'b']], cutoffs: [2] });
  const { asked } = askAll(figures, lookup({ a: ['p'], b: ['q'] }));
  // b's first question is in the same batch as a's, before p is known to be covered.
  assert.deepEqual(asked.map(named), ['a:p', 'b:p', 'b:q']);
  assert.equal(figures.pairs, 4);
});

test('a prior determines the order, and a good one saves calls', () => {
  const matrix = { a: ['p'], b: ['q'] };
  const figures = new FewestCalls({
    perspectives: ['p', 'q'],
    rankings: [['a', 'b']],
    cutoffs: [2],
    prior: (pair) => (lookup(matrix)(pair) ? 1 : 0),
  });
  assert.deepEqual(askAll(figures, lookup(matrix)).asked.map(named), ['a:p', 'b:q']);
});

test('one perspective without cover ends the search for the others', () => {
  // Both passages support p. q is disproved, so r no longer matters.
  const perspectives = ['p', 'q', 'r'];
  const figures = new FewestCalls({ perspectives, rankings: [['a', 'b', 'c']], cutoffs: [3] });
  const { asked } = askAll(figures, lookup({ a: ['p'], b: ['p'], c: ['p'] }));
  assert.deepEqual(asked.map(named), ['a:p', 'b:p', 'c:p', 'a:q', 'b:q', 'c:q']);
});

test('does not ask known pairs', () => {
  const figures = new FewestCalls({ perspectives: ['p'], rankings: [['a', 'b']], cutoffs: [2] });
  figures.learn({ passageId: 'a', perspectiveId: 'p' }, true);
  figures.learn({ passageId: 'elsewhere', perspectiveId: 'p' }, true);
  assert.deepEqual(figures.next(), [{ passageId: 'b', perspectiveId: 'p' }]);
});

test('asks a passage about uncovered perspectives first, which serves MRecall, too', () => {
  const figures = new FewestCalls({ perspectives: ['p', 'q'], rankings: [['a', 'b']], cutoffs: [2] });
  figures.learn({ passageId: 'a', perspectiveId: 'p' }, true);
  assert.deepEqual(figures.next().map(named), ['b:q']);
});

test('for MRecall alone the perspective with the fewest open passages comes first', () => {
  const settled = (refuted: readonly string[]): FewestCalls => {
    const perspectives = ['p', 'q', 'r'];
    const figures = new FewestCalls({ perspectives, rankings: [['a', 'b']], cutoffs: [2] });
    for (const passageId of ['a', 'b']) figures.learn({ passageId, perspectiveId: 'p' }, true);
    for (const passageId of refuted) figures.learn({ passageId, perspectiveId: 'r' }, false);
    return figures;
  };
  assert.deepEqual(settled(['a']).next().map(named), ['b:r']);
  assert.deepEqual(settled(['a', 'b']).next().map(named), ['a:q'], 'none may support r');
  assert.deepEqual(settled([]).bounds(), [{ mRecall: { low: 0, high: 1 }, precision: { low: 1, high: 1 } }]);
});

test('asks nothing if nothing is open', () => {
  for (const wanted of [
    { perspectives: [], rankings: [['a']], cutoffs: [5] },
    { perspectives: ['p'], rankings: [[]], cutoffs: [5] },
    { perspectives: ['p'], rankings: [], cutoffs: [5] },
    { perspectives: ['p'], rankings: [['a']], cutoffs: [] },
  ])
    assert.deepEqual(new FewestCalls(wanted).next(), []);
});

const arbitraryWanted: fc.Arbitrary<WantedCalls> = fc
  .tuple(
    arbitraryFigures,
    fc.constantFrom(
      undefined,
      ({ passageId, perspectiveId }: WantedPair) =>
        (passageId.charCodeAt(0) * 7 + perspectiveId.charCodeAt(0)) % 5,
    ),
  )
  .map(([figures, prior]) => ({ ...figures, prior }));

test('figures equal those of the full matrix, and no pair is asked twice', () => {
  fc.assert(
    fc.property(arbitraryMatrix, arbitraryWanted, (matrix, wanted) => {
      const figures = new FewestCalls(wanted);
      const { asked, judgements } = askAll(figures, lookup(matrix));
      assert.equal(new Set(asked.map(named)).size, asked.length);
      assert.ok(asked.length <= figures.pairs);
      const partial: TopicJudgements = new Map(
        wanted.perspectives.map((id) => [id, judgements.get(id) ?? new Map<string, number>()]),
      );
      const full = truthOf(matrix, wanted.perspectives);
      for (const ranking of wanted.rankings)
        for (const k of wanted.cutoffs) {
          assert.equal(mRecall(ranking, partial, k), mRecall(ranking, full, k));
          assert.equal(precision(ranking, relevanceOf(partial), k), precision(ranking, relevanceOf(full), k));
        }
    }),
    { numRuns: 2000 },
  );
});

test('every pair of a batch is needed: without it a figure is open', () => {
  fc.assert(
    fc.property(arbitraryMatrix, arbitraryWanted, fc.nat(), (matrix, wanted, pick) => {
      const figures = new FewestCalls(wanted);
      const batch = figures.next();
      if (batch.length === 0) return;
      const left = batch[pick % batch.length]!;
      for (const pair of batch) if (pair !== left) figures.learn(pair, lookup(matrix)(pair));
      const next = figures.next().map(({ passageId }) => passageId);
      assert.ok(next.includes(left.passageId));
    }),
  );
});

test('alternates between queries, with decided queries last', () => {
  const decided = { isMRecallDecided: true, requests: ['a1', 'a2'] };
  const open = { isMRecallDecided: false, requests: ['b1', 'b2'] };
  const other = { isMRecallDecided: false, requests: ['c1'] };
  assert.deepEqual(requestsInTurn([decided, open, other], 4), ['b1', 'c1', 'a1', 'b2']);
  assert.deepEqual(requestsInTurn([decided, open], 1), ['b1']);
});

test('MRecall is decided before Precision once enough perspectives are covered', () => {
  const figures = new FewestCalls({ perspectives: ['p'], rankings: [['a', 'b']], cutoffs: [2] });
  assert.equal(figures.isMRecallDecided, false);
  figures.learn({ passageId: 'a', perspectiveId: 'p' }, true);
  assert.equal(figures.isMRecallDecided, true);
  assert.deepEqual(figures.next(), [{ passageId: 'b', perspectiveId: 'p' }]);
});
