import assert from 'node:assert/strict';
import { exactly } from '../../../src/core/measured.ts';
import { test } from 'node:test';
import fc from 'fast-check';
import { coverageOf, isAbsent, isProbablyAbsent, type CoverageInput } from '../../../src/core/coverage.ts';
import { perspectiveCoverageSchema } from '../../../src/core/coverage-states.ts';
import type { Verdict } from '../../../src/core/model.ts';

/** Verdicts as `passage: { perspective: verdict }`. */
type Verdicts = Record<string, Record<string, Verdict>>;

function coverage(verdicts: Verdicts, overrides: Partial<CoverageInput> = {}) {
  return coverageOf({
    perspectives: ['pro', 'con'],
    ranking: ['a', 'b', 'c', 'd'],
    k: 2,
    verdictOf: (passage, perspective) => verdicts[passage]?.[perspective],
    knownSupport: new Map(),
    ...overrides,
  });
}

/** The state of the perspective "con". */
const con = (...args: Parameters<typeof coverage>) => coverage(...args).perspectives[1];

test('covered, at the rank of the first supporting passage', () => {
  assert.deepEqual(con({ b: { con: 'yes' }, c: { con: 'yes' } }), {
    where: 'covered',
    perspectiveId: 'con',
    rank: 2,
  });
});

test('retrieved below k', () => {
  assert.deepEqual(con({ a: { con: 'no' }, c: { con: 'yes' }, d: { con: 'yes' } }), {
    where: 'below-k',
    perspectiveId: 'con',
    rank: 3,
    passageId: 'c',
    unjudgedAbove: 1,
  });
  const judged = con({ a: { con: 'no' }, b: { con: 'unsure' }, c: { con: 'yes' } });
  assert.ok(
    judged?.where === 'below-k' && judged.unjudgedAbove === undefined,
    'nothing above may support it',
  );
});

test('in the corpus but not retrieved', () => {
  const known = [
    { passageId: 'a', path: 'a.md' },
    { passageId: 'z', path: 'z.md' },
  ];
  assert.deepEqual(con({ a: { con: 'no' } }, { knownSupport: new Map([['con', known]]) }), {
    where: 'not-retrieved',
    perspectiveId: 'con',
    passageId: 'z',
    path: 'z.md',
    candidates: 4,
    unjudgedCandidates: 3,
  });
  const no = { con: 'no' } as const;
  const judged = con({ a: no, b: no, c: no, d: no }, { knownSupport: new Map([['con', known]]) });
  assert.ok(judged?.where === 'not-retrieved' && judged.unjudgedCandidates === undefined);
});

test('an unjudged perspective is unjudged', () => {
  assert.deepEqual(con({}), { where: 'unjudged', perspectiveId: 'con', unjudged: 2 });
  assert.deepEqual(con({}, { ranking: [] }), { where: 'unjudged', perspectiveId: 'con', unjudged: 0 });
});

test('not found yet names its evidence', () => {
  const verdicts: Verdicts = { a: { con: 'no' }, b: { con: 'unsure' }, d: { con: 'no' } };
  const found = { where: 'not-found', perspectiveId: 'con' };
  assert.deepEqual(con(verdicts), { ...found, judged: 3, unsure: 1, unjudged: 0 });
  assert.deepEqual(con(verdicts, { passages: 900 }), {
    ...found,
    judged: 3,
    passages: 900,
    unsure: 1,
    unjudged: 0,
  });
  assert.deepEqual(con({ a: { con: 'no' } }), { ...found, judged: 1, unsure: 0, unjudged: 1 });
});

test('a perspective without support has the same state in every ranking', () => {
  const judgedOf = (): number => 7;
  for (const ranking of [['a', 'b'], ['x', 'y'], []])
    assert.equal(con({ a: { con: 'no' }, b: { con: 'no' } }, { ranking, judgedOf })!.where, 'not-found');
  const unjudged = { ranking: ['x', 'y'], judgedOf: () => 0 };
  assert.equal(con({}, unjudged)!.where, 'unjudged');
});

test('"unsure" is a judgement without support', () => {
  const { perspectives, metrics } = coverage({
    a: { pro: 'yes', con: 'unsure' },
    b: { pro: 'no', con: 'no' },
  });
  assert.equal(perspectives[1]!.where, 'not-found');
  assert.deepEqual(metrics, {
    k: 2,
    mrecall: exactly(0),
    precision: exactly(0.5),
    covered: exactly(1),
    judgedPairs: 4,
    unsurePairs: 1,
    pairs: 4,
  });
});

test('metrics use the top k only; precision divides by k even if fewer came back', () => {
  const verdicts: Verdicts = { a: { pro: 'yes', con: 'yes' }, c: { con: 'yes' } };
  assert.deepEqual(coverage(verdicts).metrics, {
    k: 2,
    mrecall: exactly(1),
    precision: { value: 0.5, bound: 'least', most: 1 },
    covered: exactly(2),
    judgedPairs: 2,
    unsurePairs: 0,
    pairs: 4,
  });
  const short = coverage(verdicts, { ranking: ['a'], k: 5 }).metrics;
  assert.deepEqual(short, {
    k: 5,
    mrecall: exactly(1),
    precision: exactly(0.2),
    covered: exactly(2),
    judgedPairs: 2,
    unsurePairs: 0,
    pairs: 2,
  });
});

test('k perspectives are enough if there are more than k', () => {
  const verdicts: Verdicts = { a: { pro: 'yes' } };
  const { metrics } = coverage(verdicts, { perspectives: ['pro', 'con', 'other'], k: 1 });
  assert.deepEqual(metrics.mrecall, exactly(1));
  assert.deepEqual(metrics.covered, { value: 1, bound: 'least', most: 3 });
});

test('without perspectives there are no metrics', () => {
  const { perspectives, metrics } = coverage({}, { perspectives: [] });
  assert.deepEqual(perspectives, []);
  assert.deepEqual(metrics, { k: 2, covered: exactly(0), judgedPairs: 0, unsurePairs: 0, pairs: 0 });
});

test('requests each pair once', () => {
  const asked: string[] = [];
  coverage({}, { verdictOf: (passage, perspective) => void asked.push(`${passage} ${perspective}`) });
  assert.equal(asked.length, 8);
  assert.equal(new Set(asked).size, 8);
});

test('covered perspectives and MRecall agree', () => {
  const verdicts = fc.dictionary(
    fc.constantFrom('a', 'b', 'c', 'd'),
    fc.dictionary(fc.constantFrom('pro', 'con'), fc.constantFrom<Verdict>('yes', 'no', 'unsure')),
  );
  fc.assert(
    fc.property(verdicts, fc.integer({ min: 1, max: 6 }), (given, k) => {
      const { perspectives, metrics } = coverage(given, { k });
      const covered = perspectives.filter(({ where }) => where === 'covered').length;
      assert.equal(metrics.covered.value, covered);
      assert.equal(metrics.mrecall?.value, covered >= Math.min(k, 2) ? 1 : 0);
      assert.ok(metrics.judgedPairs <= metrics.pairs);
    }),
  );
});

const PROBED: CoverageInput['probes'] = new Map([
  [
    'con',
    {
      searches: [
        { retriever: 'BM25', asked: 'perspective' },
        { retriever: 'BM25', asked: 'question-perspective' },
      ],
      passages: [
        { passageId: 'x', ranks: [{ retriever: 'BM25', asked: 'perspective', rank: 1 }] },
        { passageId: 'a', ranks: [{ retriever: 'BM25', asked: 'perspective', rank: 2 }] },
        { passageId: 'y', ranks: [{ retriever: 'BM25', asked: 'question-perspective', rank: 1 }] },
      ],
    },
  ],
]);

test('deeper judging counts from the top, without a gap', () => {
  assert.deepEqual(con({}, { probes: PROBED }), {
    where: 'unjudged',
    perspectiveId: 'con',
    unjudged: 2,
    probed: { searches: 2, found: 3, judged: 0 },
  });
  const state = con({ x: { con: 'no' }, y: { con: 'no' } }, { probes: PROBED, passages: 90 });
  assert.deepEqual(state, {
    where: 'not-found',
    perspectiveId: 'con',
    judged: 2,
    passages: 90,
    unsure: 0,
    unjudged: 2,
    probed: { searches: 2, found: 3, judged: 1 },
  });
});

test('a perspective is probably absent only if every search was judged to its end', () => {
  const stateOf = (verdicts: Verdicts, more: Partial<CoverageInput> = {}) => {
    const state = con(verdicts, { probes: PROBED, passages: 90, ...more });
    assert.ok(state?.where === 'not-found');
    return state;
  };
  const no = { con: 'no' } as const;
  const all = stateOf({ x: no, a: no, y: no });
  assert.ok(isProbablyAbsent(all) && !isAbsent(all));
  assert.ok(!isProbablyAbsent(stateOf({ x: no, a: no })));
  assert.ok(!isProbablyAbsent(stateOf({ x: no, a: no, y: { con: 'unsure' } })));
  assert.ok(!isProbablyAbsent(stateOf({ x: no, a: no, y: no }, { probes: undefined })));
  assert.ok(isAbsent(stateOf({ x: no, a: no, y: no }, { passages: 3 })));
  assert.ok(
    !isAbsent(stateOf({ x: no, a: no, y: { con: 'unsure' } }, { passages: 3 })),
    'it may yet say yes',
  );
  assert.ok(!isAbsent(stateOf({ x: no }, { passages: 0 })), 'a store that nobody has counted yet');
  const nothing: CoverageInput['probes'] = new Map([
    ['con', { searches: PROBED!.get('con')!.searches, passages: [] }],
  ]);
  assert.ok(
    !isProbablyAbsent(stateOf({ a: no }, { probes: nothing })),
    'searches without a result looked at nothing',
  );
});

test('searches of an older corpus do not show absence', () => {
  const { passages } = PROBED!.get('con')!;
  const probes = new Map([
    ['con', { searches: [], passages: passages.map((each) => ({ ...each, ranks: [] })) }],
  ]);
  const state = con({ x: { con: 'no' } }, { probes });
  assert.deepEqual(state, { where: 'not-found', perspectiveId: 'con', judged: 1, unsure: 0, unjudged: 2 });
});

test('support found deeper names its search', () => {
  const known = new Map([['con', [{ passageId: 'y', path: 'y.md' }]]]);
  assert.deepEqual(con({ y: { con: 'yes' } }, { probes: PROBED, knownSupport: known }), {
    where: 'not-retrieved',
    perspectiveId: 'con',
    passageId: 'y',
    path: 'y.md',
    candidates: 4,
    unjudgedCandidates: 4,
    foundBy: [{ retriever: 'BM25', asked: 'question-perspective', rank: 1 }],
  });
  const elsewhere = new Map([['con', [{ passageId: 'z', path: 'z.md' }]]]);
  const state = con({}, { probes: PROBED, knownSupport: elsewhere });
  assert.ok(state?.where === 'not-retrieved' && state.foundBy === undefined, 'no search found this one');
});

test('a state is stored completely', () => {
  const known = new Map([['con', [{ passageId: 'y', path: 'y.md' }]]]);
  const states = [
    con({ a: { con: 'yes' } }),
    con({ c: { con: 'yes' } }),
    con({ y: { con: 'yes' } }, { probes: PROBED, knownSupport: known }),
    con({}, { probes: PROBED }),
    con({ x: { con: 'no' } }, { probes: PROBED, passages: 90 }),
  ];
  for (const state of states) assert.deepEqual(perspectiveCoverageSchema.parse(state), state);
});
