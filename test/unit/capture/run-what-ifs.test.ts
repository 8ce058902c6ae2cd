import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { changedRun, reachedBy, type AskedAgain } from '../../../src/features/capture/core/run-what-ifs.ts';
import { runCoverage, searchesRead } from '../../../src/features/capture/core/search-run.ts';

type Passage = AskedAgain['ranking'][number];

const PERSPECTIVES = ['A', 'B', 'C'];
const TEXTS = ['Trams at night bring workers home.', 'Buses cost less by far.', 'Noise wakes whole streets.'];

const supports = ({ judged }: Passage, perspective: string): boolean =>
  judged.some((each) => each.perspectiveId === perspective && each.verdict === 'yes');

/** The definitions, step by step. Texts are equal or share no word. */
function reference(
  searches: readonly AskedAgain[],
  leavesOutSeen: boolean,
  coversFirst: boolean,
): string[][] {
  const seen: Passage[] = [];
  return searches.map(({ k, ranking }) => {
    const before = [...seen];
    const left = ranking.filter(
      ({ id, text }) => !leavesOutSeen || before.every((each) => each.id !== id && each.text !== text),
    );
    const taken: Passage[] = [];
    while (taken.length < Math.min(k, left.length)) {
      const rest = left.filter((passage) => !taken.includes(passage));
      const gain = (passage: Passage): number =>
        PERSPECTIVES.filter(
          (perspective) =>
            supports(passage, perspective) &&
            ![...before, ...taken].some((each) => supports(each, perspective)),
        ).length;
      const most = coversFirst ? Math.max(...rest.map(gain)) : 0;
      taken.push(rest.find((passage) => !coversFirst || gain(passage) === most)!);
    }
    seen.push(...taken);
    return taken.map(({ id }) => id);
  });
}

const verdict = fc.constantFrom('yes' as const, 'no' as const, 'unsure' as const);
const corpus = fc.array(
  fc.record({
    text: fc.constantFrom(...TEXTS),
    characters: fc.constant(40),
    judged: fc.uniqueArray(fc.record({ perspectiveId: fc.constantFrom(...PERSPECTIVES), verdict }), {
      maxLength: 3,
      selector: ({ perspectiveId }) => perspectiveId,
    }),
  }),
  { minLength: 7, maxLength: 7 },
);
const asked = fc.record({
  k: fc.integer({ min: 1, max: 4 }),
  places: fc.uniqueArray(fc.integer({ min: 0, max: 6 }), { maxLength: 7 }),
});

test('changes of a run and the reach of its queries match the reference on 200 generated runs', () => {
  fc.assert(
    fc.property(corpus, fc.array(asked, { maxLength: 5 }), (passages, queries) => {
      const searches = queries.map(({ k, places }) => ({
        k,
        ranking: places.map((place) => ({ id: `p${place}`, ...passages[place]! })),
      }));
      for (const leavesOutSeen of [false, true])
        for (const coversFirst of [false, true]) {
          const changed = changedRun(PERSPECTIVES, searches, { leavesOutSeen, coversFirst });
          assert.deepEqual(
            changed.map((search) => search.passages.map(({ id }) => id)),
            reference(searches, leavesOutSeen, coversFirst),
          );
        }
      for (const perspective of PERSPECTIVES) {
        const ranks = searches.map(({ ranking }) =>
          ranking.findIndex((passage) => supports(passage, perspective)),
        );
        const best = Math.min(...ranks.filter((rank) => rank >= 0));
        const reached = reachedBy(perspective, searches);
        assert.equal(reached?.rank, Number.isFinite(best) ? best + 1 : undefined);
        if (reached) assert.equal(ranks[reached.search], best);
      }
    }),
    { numRuns: 200 },
  );
});

test('putting what is new first never lowers what a run covers', () => {
  fc.assert(
    fc.property(corpus, fc.array(asked, { minLength: 1, maxLength: 5 }), (passages, queries) => {
      const searches = queries.map(({ k, places }) => ({
        k,
        ranking: places.map((place) => ({ id: `p${place}`, ...passages[place]!, text: `text ${place}` })),
      }));
      const covered = (coversFirst: boolean): number =>
        runCoverage(PERSPECTIVES, changedRun(PERSPECTIVES, searches, { leavesOutSeen: false, coversFirst }))
          .firstAt.size;
      // One perspective a passage: then the greedy choice is the best one.
      fc.pre(passages.every(({ judged }) => judged.filter((each) => each.verdict === 'yes').length <= 1));
      assert.ok(covered(true) >= covered(false));
    }),
  );
});

test('a reranker replaces the retrievals of its query, in the order of their beginning', () => {
  const retrieval = (query: string, at: number, step: 'retriever' | 'reranker' = 'retriever') => ({
    query,
    at,
    step,
  });
  const [office, remote, reranked, other] = [
    retrieval('a', 1),
    retrieval('a', 2),
    retrieval('a', 3, 'reranker'),
    retrieval('b', 0),
  ];
  assert.deepEqual(searchesRead([reranked, office, remote, other]), [other, reranked]);
  assert.deepEqual(searchesRead([remote, office]), [office, remote]);
});
