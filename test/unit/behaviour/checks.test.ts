import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkBehaviour, type CheckName, type Trial } from '../../../src/features/behaviour/core/checks.ts';
import {
  agree,
  averageOverlap,
  listed,
  overlap,
  wordLikeness,
  type Answer,
} from '../../../src/features/behaviour/core/lists.ts';

/** Passages by their letters, with falling scores. */
const list = (letters: string, from = 0): Answer =>
  [...letters].map((id, place) => ({ id, text: `text ${id}`, score: from - place }));

const trial = (plain: string, answers: Readonly<Record<string, string>> = {}): Trial => ({
  question: 'Why?',
  plain: list(plain),
  answers: {
    plain: list(plain),
    ...Object.fromEntries(Object.entries(answers).map(([variant, letters]) => [variant, list(letters)])),
  },
});

const stateOf = (check: CheckName, ...trials: Trial[]): string =>
  checkBehaviour(trials, { k: 3, ownScores: true }).find((result) => result.check === check)!.state;

const faultOf = (check: CheckName, ...trials: Trial[]): string =>
  checkBehaviour(trials, { k: 3, ownScores: true }).find((result) => result.check === check)!.fault!.evidence;

test('a missing answer leaves its checks open', () => {
  const states = checkBehaviour([trial('')], { k: 3, ownScores: true }).map(({ state }) => state);
  assert.deepEqual([...new Set(states)], ['open']);
});

test('ignores scores of steps of Parallax', () => {
  const rising = { ...trial('ab'), plain: list('ab').toReversed() };
  assert.equal(stateOf('scores', rising), 'broken');
  const [found] = checkBehaviour([rising], { k: 3, ownScores: false }).filter(
    ({ check }) => check === 'scores',
  );
  assert.equal(found?.state, 'open');
});

test('compares a list with fewer passages than requested with a longer one', () => {
  assert.equal(stateOf('first-k', trial('ab', { deeper: 'ab' })), 'holds');
  assert.equal(stateOf('first-k', trial('abc', { deeper: 'abcdefgh' })), 'holds');
  assert.equal(stateOf('first-k', trial('abc', { deeper: 'acbdefgh' })), 'broken');
  assert.equal(stateOf('first-k', trial('abc', { deeper: 'ab' })), 'broken');
});

test('passages with equal scores may swap; passages with only equal ranks may not', () => {
  const tied = (letters: string): Answer => [...letters].map((id) => ({ id, score: 1 }));
  assert.equal(agree(tied('abc'), tied('bac'), 3), true);
  assert.equal(agree(list('abc'), list('bac'), 3), false);
  assert.equal(agree(tied('abc'), tied('abdc'), 3), true);
  assert.equal(agree(list('abcd'), list('abc'), 3), true);
});

test('does not judge λ without a choice of passages', () => {
  const same = { lambda0: 'abc', lambda1: 'abc' };
  assert.equal(stateOf('lambda', trial('abc', { ...same, withoutMmr: 'abc' })), 'open');
  assert.equal(stateOf('lambda', trial('abc', { ...same, withoutMmr: 'abcdefgh' })), 'broken');
  assert.equal(
    stateOf('lambda', trial('abc', { lambda0: 'ahg', lambda1: 'abc', withoutMmr: 'abcdefgh' })),
    'holds',
  );
  assert.equal(
    stateOf('lambda', trial('abc', { lambda0: 'abc', lambda1: 'ahg', withoutMmr: 'abcdefgh' })),
    'broken',
  );
});

test('results of MMR need not be sorted by score, except for distances', () => {
  const [a, b, c] = list('abc');
  const chosen = trial('abc', { lambda1: 'abc' });
  assert.equal(stateOf('scores', { ...chosen, plain: [a!, c!, b!] }), 'open');
  assert.equal(stateOf('scores', { ...trial('abc'), plain: [a!, c!, b!] }), 'broken');
  assert.equal(stateOf('scores', { ...chosen, plain: [c!, b!, a!] }), 'broken');
  assert.equal(stateOf('scores', chosen), 'holds');
});

test('a reversed λ and too small a pool are separate faults', () => {
  const turned = { lambda0: 'abc', lambda1: 'ahg', withoutMmr: 'abcdefgh' };
  assert.equal(stateOf('mmr-candidates', trial('abc', turned)), 'holds');
  const tooFew = { lambda0: 'acb', lambda1: 'abc', withoutMmr: 'abcdefgh' };
  assert.equal(stateOf('mmr-candidates', trial('abc', tooFew)), 'broken');
});

test('without a list without MMR, judges λ by the similarity of passages', () => {
  const words = (...texts: string[]): Answer =>
    texts.map((text, place) => ({ id: text, text, score: -place }));
  const alike = words('night trams cost money', 'night trams cost much money', 'trams at night cost');
  const unlike = words('night trams cost money', 'people sleep', 'schools need parks');
  const asked = (lambda0: Answer, lambda1: Answer): Trial => ({
    question: 'q',
    plain: alike,
    answers: { plain: alike, lambda0, lambda1 },
  });
  assert.equal(stateOf('lambda', asked(unlike, alike)), 'holds');
  assert.equal(stateOf('lambda', asked(alike, unlike)), 'broken');
});

test('the old order may be chance if few passages were reranked', () => {
  const kept = trial('abc', { withoutRerank: 'abcdef' });
  assert.equal(stateOf('rerank', kept), 'open');
  assert.equal(stateOf('rerank', kept, kept, kept), 'broken');
  assert.equal(stateOf('rerank', kept, kept, trial('bac', { withoutRerank: 'abcdef' })), 'holds');
});

test('distinguishes reranking that is undone from reranking without effect', () => {
  const fixOf = (...trials: Trial[]): string =>
    checkBehaviour(trials, { k: 3, ownScores: true }).find(({ check }) => check === 'rerank')!.fault!.fix;
  const undone = trial('ace', { withoutRerank: 'abcdef' });
  const idle = trial('abc', { withoutRerank: 'abcdef' });
  assert.match(fixOf(undone, undone, undone), /is undone/u);
  assert.match(fixOf(idle, idle, idle), /changes nothing/u);
});

test('an empty next page is no fault if there are no more passages', () => {
  assert.equal(stateOf('next-page', trial('abc', { deeper: 'abc', nextPage: '' })), 'open');
  assert.equal(stateOf('next-page', trial('abc', { deeper: 'abcd', nextPage: '' })), 'broken');
  assert.equal(stateOf('next-page', trial('abc', { deeper: 'abcd', nextPage: 'd' })), 'holds');
});

test('a page that repeats passages of the previous one is a fault, with both pages', () => {
  const twice = trial('abc', { deeper: 'abcd', nextPage: 'cd' });
  assert.match(faultOf('next-page', twice), /Why\?.* a, b, c, .* c, d/u);
  const empty = trial('abc', { deeper: 'abcde', nextPage: '' });
  assert.match(faultOf('next-page', empty), /Why\?.* 5 passages .* first 3 /u);
});

test('ids are unique within a list and constant for a text', () => {
  const answer = (...passages: [id: string | undefined, text?: string][]): Answer =>
    passages.map(([id, text], place) => ({ id, text, score: -place }));
  const asked = (plain: Answer, again?: Answer): Trial => ({
    question: 'Why?',
    plain,
    answers: { plain, again },
  });
  assert.equal(stateOf('ids', asked(answer([undefined, 'x'], [undefined, 'x']))), 'open');
  assert.equal(stateOf('ids', asked(answer(['a'], ['b'])), asked(answer([undefined, 'x']))), 'holds');
  assert.equal(stateOf('ids', asked(answer(['a'], [undefined, 'x'], [undefined, 'y']))), 'holds');
  assert.match(faultOf('ids', asked(answer(['a'], ['b'], ['b']))), /Why\?.* b /u);
  const before = answer(['a', 'One.'], ['b', 'Two.']);
  for (const again of [
    before,
    answer(['a'], ['c']),
    answer([undefined, 'One.']),
    answer(['c', 'Three.']),
    answer(['b', 'One.']),
  ])
    assert.equal(stateOf('ids', asked(before, again)), 'holds');
  assert.equal(stateOf('ids', asked(answer([undefined, 'One.'], ['b']), answer(['c', 'One.']))), 'holds');
  assert.match(faultOf('ids', asked(before, answer(['c', 'Two.']))), /Why\?.* b .* c\./u);
});

test('the same question returns the same list, compared by text if ids change', () => {
  const named = (ids: string, texts: string): Answer =>
    [...ids].map((id, place) => ({ id, text: texts[place]!, score: -place }));
  const asked = (plain: Answer, again: Answer): Trial => ({
    question: 'Why?',
    plain,
    answers: { plain, again },
  });
  assert.equal(stateOf('same-again', trial('', { again: 'a' })), 'open');
  assert.equal(stateOf('same-again', trial('abc', { again: 'abc' })), 'holds');
  assert.equal(stateOf('same-again', asked(named('ab', 'xy'), named('cd', 'xy'))), 'holds');
  assert.equal(stateOf('same-again', asked(named('ab', 'xy'), named('ab', 'xz'))), 'broken');
  const bare = (ids: string): Answer => [...ids].map((id, place) => ({ id, score: -place }));
  assert.equal(stateOf('same-again', asked(bare('ab'), bare('cd'))), 'broken');
  assert.match(faultOf('same-again', trial('abc', { again: 'acb' })), /Why\?.* a, b, c, .* a, c, b\./u);
});

test('a similar question shares half of the passages on average', () => {
  const half = trial('ab', { reworded: 'a' });
  assert.equal(stateOf('near-equal', trial('', { reworded: 'a' })), 'open');
  assert.equal(stateOf('near-equal', half), 'holds');
  const other = { ...trial('abc', { reworded: 'def' }), question: 'Whence?' };
  assert.equal(stateOf('near-equal', trial('abc', { reworded: 'abc' }), other), 'holds');
  assert.match(faultOf('near-equal', half, other), / 25% .*Whence\?.* a, b, c, .* d, e, f\./u);
});

test('a filter excludes passages and still returns as many as match', () => {
  const same = trial('abc', { withoutFilter: 'abc' });
  assert.equal(stateOf('filter', trial('abc', { withoutFilter: '' })), 'open');
  assert.match(faultOf('filter', same, same), / 2 .*Why\?.* a, b, c\./u);
  assert.equal(stateOf('filter', same, trial('abd', { withoutFilter: 'abc' })), 'holds');
  const trials = [trial('abc', { withoutFilter: 'xyz' }), trial('a', { withoutFilter: 'xyz' })];
  assert.equal(stateOf('filter', ...trials), 'holds');
  const ofVectors = (some: readonly Trial[]) =>
    checkBehaviour(some, { k: 4, ownScores: true, byVectors: true }).find(({ check }) => check === 'filter')!;
  assert.match(ofVectors(trials).fault!.evidence, /Why\?.* 1 of 4 .* 3 /u);
  assert.equal(ofVectors([trial('abc', { withoutFilter: 'xyz' })]).state, 'holds', 'there are no more');
});

test('a fault is reported with its lists and scores', () => {
  assert.match(faultOf('first-k', trial('abc', { deeper: 'acbdefgh' })), /first 3 .* a, b, c; .* a, c, b\./u);
  const scores = [3, 1.23456, 2, 2, 2, 7].map((score) => ({ score }));
  assert.match(faultOf('scores', { ...trial('a'), plain: scores }), /Why\?.* 3, 1\.235, 2, 2, 2\./u);
  const idle = trial('abc', { withoutRerank: 'abcdef' });
  assert.match(faultOf('rerank', idle, idle, idle), /Why\?.* a, b, c; .* a, b, c\.$/u);
  const undone = trial('abd', { withoutRerank: 'abcdef' });
  assert.match(faultOf('rerank', idle, idle, undone), /order of the first search/u);
  const turned = { lambda0: 'abc', lambda1: 'ahg', withoutMmr: 'abcdefgh' };
  assert.match(faultOf('lambda', trial('abc', turned)), /0 .* a, b, c, .* 1 .* a, h, g\. .*without MMR/u);
  const tooFew = { lambda0: 'acb', lambda1: 'abc', withoutMmr: 'abcdefgh' };
  assert.match(faultOf('mmr-candidates', trial('abc', tooFew)), /Why\?.* 3 .*: a, c, b\./u);
});

test('a question without a result does not hide the others', () => {
  const equal = { lambda0: 'abc', lambda1: 'abc', withoutMmr: 'abcdefgh' };
  const good = { lambda0: 'ahg', lambda1: 'abc', withoutMmr: 'abcdefgh' };
  assert.equal(stateOf('lambda', trial('abc', equal), trial('abc', good)), 'holds');
  assert.equal(stateOf('mmr-candidates', trial('abc', equal), trial('abc', good)), 'holds');
  assert.equal(stateOf('mmr-candidates', trial('abc', { lambda0: 'abc', withoutMmr: 'abc' })), 'open');
  assert.equal(stateOf('lambda', trial('a', { lambda0: 'a', lambda1: 'a' })), 'open');
  assert.equal(stateOf('rerank', trial('a', { withoutRerank: 'abc' })), 'open');
  const falling = trial('abc');
  const rising = { ...falling, plain: list('abc').toReversed() };
  const mixed = checkBehaviour([falling, rising], { k: 3, ownScores: true }).find(
    ({ check }) => check === 'scores',
  );
  assert.match(mixed!.fault!.fix, /not in the order/u);
  const mmr = { ...trial('abc', { lambda1: 'abc' }), plain: [...list('ac'), ...list('b', 5)] };
  assert.equal(stateOf('scores', mmr, trial('abc')), 'open');
});

test('a list is described by its first passages', () => {
  assert.equal(listed([]), '–');
  assert.equal(listed(list('abcde')), 'a, b, c, d, e');
  assert.equal(listed(list('abcdef')), 'a, b, c, d, e, …');
  assert.equal(listed([{ text: 'x'.repeat(41), score: 1 }, { score: 0 }]), `${'x'.repeat(40)}, `);
});

test('similarity is the mean share of words that two passages have in common', () => {
  const texts = (...all: (string | undefined)[]): Answer => all.map((text) => ({ text, score: 1 }));
  assert.equal(wordLikeness(texts('night trams', 'Trams, cost', 'cost more')), (1 / 3 + 0 + 1 / 3) / 3);
  assert.equal(wordLikeness(texts('a b', 'a b')), 1);
  assert.equal(wordLikeness(texts('a', undefined)), undefined);
});

test('overlaps of lists, by hand', () => {
  assert.equal(overlap(list('abc'), list('bcd')), 2 / 4);
  assert.equal(overlap([], []), 1);
  // 0/1, 1/2 (b), 2/3 (b and c) of the first one, two and three.
  assert.equal(averageOverlap(list('abc'), list('xbc'), 3), (0 + 1 / 2 + 2 / 3) / 3);
  assert.equal(averageOverlap(list('ab'), list('ab'), 2), 1);
  assert.equal(averageOverlap(list('ba'), list('ab'), 2), 0.5);
});
