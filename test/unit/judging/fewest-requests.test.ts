import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  FewestRequests,
  nextRequests,
  type Request,
  type WantedRequests,
} from '../../../src/core/judging/fewest-requests.ts';
import type { GoalBounds, WantedFigures } from '../../../src/core/judging/open-figures.ts';
import { mRecall, precision } from '../../../src/core/metrics/coverage-measures.ts';
import { relevanceOf } from '../../../src/core/metrics/judgements.ts';
import { arbitraryFigures, arbitraryMatrix, lookup, truthOf, type Matrix } from './wanted-figures.ts';

interface Case {
  readonly wanted: WantedRequests;
  readonly matrix: Matrix;
}

const passagesOf = ({ rankings, cutoffs }: WantedFigures): Set<string> =>
  new Set(rankings.flatMap((ranking) => ranking.slice(0, Math.max(...cutoffs))));

function judge(figures: FewestRequests, { wanted, matrix }: Case, passageId: string): void {
  for (const perspectiveId of wanted.perspectives)
    figures.learn({ passageId, perspectiveId }, lookup(matrix)({ passageId, perspectiveId }));
}

/** Asks what is handed out, until nothing is or the budget is spent. */
function askAll(
  cases: readonly Case[],
  { atATime = 1, budget = Infinity }: { readonly atATime?: number; readonly budget?: number } = {},
): { readonly asked: Request[]; readonly figures: FewestRequests[] } {
  const figures = cases.map(({ wanted }) => new FewestRequests(wanted));
  const asked: Request[] = [];
  for (let round = nextRequests(figures, atATime); round.length > 0; round = nextRequests(figures, atATime)) {
    assert.ok(round.length <= atATime);
    for (const request of round) {
      if (asked.length >= budget) return { asked, figures };
      asked.push(request);
      judge(figures[request.query]!, cases[request.query]!, request.passageId);
    }
  }
  return { asked, figures };
}

/** [for each ranking one of each cutoff]: MRecall and Precision of the full matrix. */
function exact({ wanted, matrix }: Case): { readonly mRecall: number; readonly precision: number }[] {
  const truth = truthOf(matrix, wanted.perspectives);
  return wanted.rankings.flatMap((ranking) =>
    wanted.cutoffs.map((k) => ({
      mRecall: mRecall(ranking, truth, k),
      precision: precision(ranking, relevanceOf(truth), k),
    })),
  );
}

function assertHolds(bounds: readonly GoalBounds[], one: Case): void {
  for (const [place, truth] of exact(one).entries())
    for (const measure of ['mRecall', 'precision'] as const) {
      const { low, high } = bounds[place]![measure];
      assert.ok(low <= truth[measure] && truth[measure] <= high, `${measure} of ${JSON.stringify(one)}`);
    }
}

const named = (asked: readonly Request[]): string[] =>
  asked.map(({ query, passageId }) => `${query}${passageId}`);

const arbitraryCases: fc.Arbitrary<Case[]> = fc.array(
  fc.record({
    matrix: arbitraryMatrix,
    wanted: fc
      .tuple(
        arbitraryFigures,
        fc.constantFrom(
          undefined,
          () => 0,
          () => 1,
          (rank: number) => 1 / (rank + 1),
        ),
      )
      .map(([figures, prior]) => ({ ...figures, prior })),
  }),
  { minLength: 1, maxLength: 3 },
);

test('a query whose figures end sooner is asked about first', () => {
  const long = { perspectives: ['p', 'q'], rankings: [['a', 'b', 'c', 'd', 'e']], cutoffs: [5] };
  const short = { ...long, rankings: [['a', 'b']] };
  const { asked } = askAll([
    { wanted: long, matrix: {} },
    { wanted: short, matrix: {} },
  ]);
  assert.deepEqual(named(asked.slice(0, 2)), ['1a', '1b']);
});

test('a decided query waits until no other is open', () => {
  const wanted = { perspectives: ['p', 'q'], rankings: [['a', 'b', 'c']], cutoffs: [3] };
  const decided = { a: ['p', 'q'] };
  const { asked } = askAll([
    { wanted, matrix: decided },
    { wanted, matrix: {} },
  ]);
  assert.deepEqual(named(asked), ['0a', '1a', '1b', '1c', '0b', '0c']);
});

test('a few at a time go to different queries; all of them are asked query after query', () => {
  const wanted = { perspectives: ['p', 'q'], rankings: [['a', 'b']], cutoffs: [2] };
  const figures = [new FewestRequests(wanted), new FewestRequests(wanted)];
  assert.deepEqual(named(nextRequests(figures, 3)), ['0a', '1a', '0b']);
  assert.deepEqual(named(nextRequests(figures)), ['0a', '0b', '1a', '1b']);
});

test('a passage that several rankings share comes before one of a better rank', () => {
  const wanted = {
    perspectives: ['p', 'q'],
    rankings: [
      ['a', 'x'],
      ['b', 'x'],
      ['c', 'x'],
    ],
    cutoffs: [2],
  };
  assert.equal(askAll([{ wanted, matrix: {} }]).asked[0]!.passageId, 'x');
});

test('what is known beforehand is not asked, and what MRecall alone needs waits for what Precision needs, too', () => {
  const figures = new FewestRequests({ perspectives: ['p', 'q'], rankings: [['a', 'b']], cutoffs: [2] });
  figures.learn({ passageId: 'a', perspectiveId: 'p' }, true);
  figures.learn({ passageId: 'elsewhere', perspectiveId: 'p' }, true);
  assert.deepEqual(figures.next().passages, ['b']);
  figures.learn({ passageId: 'b', perspectiveId: 'p' }, true);
  figures.learn({ passageId: 'b', perspectiveId: 'q' }, false);
  assert.deepEqual(figures.next().passages, ['a']);
  figures.learn({ passageId: 'a', perspectiveId: 'q' }, false);
  assert.deepEqual(figures.next().passages, []);
  assert.ok(figures.isSettled);
});

test('of what MRecall alone needs one is asked at a time: its answer may make the others needless', () => {
  const figures = new FewestRequests({ perspectives: ['p', 'q'], rankings: [['a', 'b', 'c']], cutoffs: [2] });
  for (const passageId of ['a', 'b', 'c']) figures.learn({ passageId, perspectiveId: 'p' }, true);
  assert.equal(figures.isSettled, false, 'Precision alone is');
  assert.deepEqual(nextRequests([figures]), [{ query: 0, passageId: 'a' }]);
  figures.learn({ passageId: 'a', perspectiveId: 'q' }, true);
  assert.deepEqual(nextRequests([figures]), []);
});

test('the chance of a passage is that of its best rank', () => {
  const ranks: number[] = [];
  const prior = (rank: number): number => {
    ranks.push(rank);
    return 0.5;
  };
  const rankings = [
    ['a', 'b'],
    ['c', 'a', 'b'],
  ];
  new FewestRequests({ perspectives: ['p'], rankings, cutoffs: [3], prior }).next();
  assert.deepEqual(ranks, [1, 2, 1]);
});

test('a passage that could not be judged is not handed out again, and its figures stay open', () => {
  const one = { wanted: { perspectives: ['p'], rankings: [['a', 'b']], cutoffs: [2] }, matrix: {} };
  const figures = new FewestRequests(one.wanted);
  figures.leave('a');
  assert.deepEqual(figures.next().passages, ['b']);
  judge(figures, one, 'b');
  assert.deepEqual(nextRequests([figures]), []);
  assert.equal(figures.isSettled, false);
  assert.deepEqual(figures.bounds(), [{ mRecall: { low: 0, high: 1 }, precision: { low: 0, high: 0.5 } }]);
});

test('nothing is asked where there is nothing to find out', () => {
  for (const wanted of [
    { perspectives: [], rankings: [['a']], cutoffs: [5] },
    { perspectives: ['p'], rankings: [[]], cutoffs: [5] },
    { perspectives: ['p'], rankings: [], cutoffs: [5] },
    { perspectives: ['p'], rankings: [['a']], cutoffs: [] },
  ]) {
    const figures = new FewestRequests(wanted);
    assert.deepEqual(nextRequests([figures]), []);
    assert.ok(figures.isSettled);
  }
  assert.deepEqual(nextRequests([]), []);
});

test('the figures are exactly those of judging everything, no passage is asked twice, and none in vain', () => {
  fc.assert(
    fc.property(arbitraryCases, fc.constantFrom(1, 2, 5, Infinity), (cases, atATime) => {
      const { asked, figures } = askAll(cases, { atATime });
      assert.equal(new Set(named(asked)).size, asked.length);
      for (const [query, one] of cases.entries()) {
        const passages = asked.filter((request) => request.query === query);
        // Precision rests on all of them.
        assert.equal(passages.length, passagesOf(one.wanted).size);
        assert.ok(figures[query]!.isSettled);
        const found = figures[query]!.bounds();
        for (const { mRecall: recall, precision: share } of found) {
          assert.equal(recall.low, recall.high);
          assert.equal(share.low, share.high);
        }
        assertHolds(found, one);
      }
    }),
    { numRuns: 1000 },
  );
});

test('wherever a budget ends, the bounds hold the figures of judging everything, and none grows', () => {
  fc.assert(
    fc.property(arbitraryCases, fc.nat(20), fc.constantFrom(1, 3), (cases, budget, atATime) => {
      const now = askAll(cases, { atATime, budget });
      assert.ok(now.asked.length <= budget);
      const before = askAll(cases, { atATime, budget: budget - 1 });
      for (const [query, one] of cases.entries()) {
        const bounds = now.figures[query]!.bounds();
        assertHolds(bounds, one);
        for (const [place, earlier] of before.figures[query]!.bounds().entries())
          for (const measure of ['mRecall', 'precision'] as const) {
            assert.ok(bounds[place]![measure].low >= earlier[measure].low);
            assert.ok(bounds[place]![measure].high <= earlier[measure].high);
          }
      }
    }),
    { numRuns: 500 },
  );
});

test('with labels known beforehand a request is made only where a figure still depends on it', () => {
  fc.assert(
    fc.property(arbitraryCases, fc.infiniteStream(fc.boolean()), ([one], isKnown) => {
      const { wanted, matrix } = one!;
      const figures = new FewestRequests(wanted);
      for (const passageId of passagesOf(wanted))
        for (const perspectiveId of wanted.perspectives)
          if (isKnown.next().value)
            figures.learn({ passageId, perspectiveId }, lookup(matrix)({ passageId, perspectiveId }));
      const asked = new Set<string>();
      for (;;) {
        const [request] = nextRequests([figures], 1);
        if (!request) break;
        assert.ok(!asked.has(request.passageId));
        const bounds = figures.bounds();
        assert.ok(
          bounds.some(
            (each) => each.mRecall.low < each.mRecall.high || each.precision.low < each.precision.high,
          ),
        );
        asked.add(request.passageId);
        judge(figures, one!, request.passageId);
      }
      assert.ok(figures.isSettled);
      assertHolds(figures.bounds(), one!);
    }),
    { numRuns: 1000 },
  );
});
