import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  gainPerThousandTokens,
  runCoverage,
  searchRunOf,
  type SearchOfRun,
} from '../../../src/features/capture/core/search-run.ts';

type Passage = SearchOfRun['passages'][number];

/** The figures by their definitions, without optimisation. Texts are equal or share no word. */
function reference(perspectives: readonly string[], searches: readonly SearchOfRun[]) {
  const supports = ({ judged }: Passage, perspective: string): boolean =>
    judged.some((each) => each.perspectiveId === perspective && each.verdict === 'yes');
  const coveredBy = (passages: readonly Passage[]): string[] =>
    perspectives.filter((perspective) => passages.some((passage) => supports(passage, perspective)));
  const upTo = (step: number): Passage[] => searches.slice(0, step).flatMap(({ passages }) => passages);
  const steps = searches.map(({ passages }, step) => {
    const before = upTo(step);
    const isSeen = ({ id }: Passage): boolean => before.some((passage) => passage.id === id);
    const covered = coveredBy(upTo(step + 1));
    return {
      gained: covered.filter((perspective) => !coveredBy(before).includes(perspective)),
      covered: covered.length,
      passages: passages.length,
      seen: passages.filter(isSeen).length,
      nearlySeen: passages.filter(
        (passage) => !isSeen(passage) && before.some(({ text }) => text === passage.text),
      ).length,
      tokens: Math.ceil(passages.reduce((sum, { characters }) => sum + characters, 0) / 4),
    };
  });
  const covered = coveredBy(upTo(searches.length));
  const useful = steps.findLastIndex(({ gained }) => gained.length > 0);
  return {
    steps,
    searchesAfter: searches.length - 1 - useful,
    never: perspectives.filter((perspective) => !covered.includes(perspective)),
    union: [...new Set(upTo(searches.length).map(({ id }) => id))],
  };
}

const TEXTS = ['Trams at night bring workers home.', 'Buses cost less by far.', 'Noise wakes whole streets.'];
const PERSPECTIVES = ['A', 'B', 'C'];

test('figures of a run match the reference on 200 generated runs', () => {
  const verdict = fc.constantFrom('yes' as const, 'no' as const, 'unsure' as const);
  const corpus = fc.array(
    fc.record({
      text: fc.constantFrom(...TEXTS),
      characters: fc.integer({ min: 0, max: 900 }),
      judged: fc.array(fc.record({ perspectiveId: fc.constantFrom(...PERSPECTIVES), verdict }), {
        maxLength: 3,
      }),
    }),
    { minLength: 6, maxLength: 6 },
  );
  const search = fc.uniqueArray(fc.integer({ min: 0, max: 5 }), { maxLength: 4 });
  fc.assert(
    fc.property(corpus, fc.array(search, { maxLength: 5 }), (passages, places) => {
      const searches = places.map((own) => ({
        passages: own.map((place) => ({ id: `p${place}`, ...passages[place]! })),
      }));
      const { firstAt, judgedPairs, pairs, ...found } = runCoverage(PERSPECTIVES, searches);
      assert.deepEqual(found, reference(PERSPECTIVES, searches));
      for (const [perspective, step] of firstAt) assert.ok(found.steps[step]!.gained.includes(perspective));
      assert.ok(judgedPairs <= pairs && pairs === found.union.length * PERSPECTIVES.length);
    }),
    { numRuns: 200 },
  );
});

test('the gain of a search is given per 1,000 tokens if it returned text', () => {
  const passage: Passage = {
    id: 'a',
    text: 'x',
    characters: 2_000,
    judged: [{ perspectiveId: 'A', verdict: 'yes' }],
  };
  const [step] = runCoverage(['A'], [{ passages: [passage] }]).steps;
  assert.equal(gainPerThousandTokens(step!), 2);
  const [empty] = runCoverage(['A'], [{ passages: [] }]).steps;
  assert.equal(gainPerThousandTokens(empty!), undefined);
});

test('a run is a trace or a served request of an observed program', () => {
  assert.equal(searchRunOf({ id: 'trace:span' }), 'trace');
  const live = { site: 's', process: 'p', retrieval: 'r', durationMs: 1 };
  assert.equal(searchRunOf({ id: 'x', live: { ...live, request: 'q' } }), 'p q');
  assert.equal(searchRunOf({ id: 'x', live }), 'p r');
});
