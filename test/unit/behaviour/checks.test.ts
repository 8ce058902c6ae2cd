import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkBehaviour, type CheckName, type Trial } from '../../../src/core/behaviour/checks.ts';
import { agree, averageOverlap, overlap, type Answer } from '../../../src/core/behaviour/lists.ts';

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

test('what was not asked is open', () => {
  const states = checkBehaviour([trial('')], { k: 3, ownScores: true }).map(({ state }) => state);
  assert.deepEqual([...new Set(states)], ['open']);
});

test('scores of steps of Parallax are not looked at', () => {
  const rising = { ...trial('ab'), plain: list('ab').toReversed() };
  assert.equal(stateOf('scores', rising), 'broken');
  const [found] = checkBehaviour([rising], { k: 3, ownScores: false }).filter(
    ({ check }) => check === 'scores',
  );
  assert.equal(found?.state, 'open');
});

test('a list with fewer passages than were asked for can still be compared with a longer one', () => {
  assert.equal(stateOf('first-k', trial('ab', { deeper: 'ab' })), 'holds');
  assert.equal(stateOf('first-k', trial('abc', { deeper: 'abcdefgh' })), 'holds');
  assert.equal(stateOf('first-k', trial('abc', { deeper: 'acbdefgh' })), 'broken');
  assert.equal(stateOf('first-k', trial('abc', { deeper: 'ab' })), 'broken');
});

test('passages with equal scores may change places, those that merely have the same place may not', () => {
  const tied = (letters: string): Answer => [...letters].map((id) => ({ id, score: 1 }));
  assert.equal(agree(tied('abc'), tied('bac'), 3), true);
  assert.equal(agree(list('abc'), list('bac'), 3), false);
  assert.equal(agree(tied('abc'), tied('abdc'), 3), true);
});

test('λ is not judged where there is nothing to choose from', () => {
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

test('what MMR chose need not come in the order of its scores, but for distances', () => {
  const [a, b, c] = list('abc');
  const chosen = trial('abc', { lambda1: 'abc' });
  assert.equal(stateOf('scores', { ...chosen, plain: [a!, c!, b!] }), 'open');
  assert.equal(stateOf('scores', { ...trial('abc'), plain: [a!, c!, b!] }), 'broken');
  assert.equal(stateOf('scores', { ...chosen, plain: [c!, b!, a!] }), 'broken');
  assert.equal(stateOf('scores', chosen), 'holds');
});

test('a λ that is turned round is one fault, and fetching too little another', () => {
  const turned = { lambda0: 'abc', lambda1: 'ahg', withoutMmr: 'abcdefgh' };
  assert.equal(stateOf('mmr-candidates', trial('abc', turned)), 'holds');
  const tooFew = { lambda0: 'acb', lambda1: 'abc', withoutMmr: 'abcdefgh' };
  assert.equal(stateOf('mmr-candidates', trial('abc', tooFew)), 'broken');
});

test('without a list without MMR, λ is judged by how alike the passages are', () => {
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

test('a list in the old order may be chance where few passages were reranked', () => {
  const kept = trial('abc', { withoutRerank: 'abcdef' });
  assert.equal(stateOf('rerank', kept), 'open');
  assert.equal(stateOf('rerank', kept, kept, kept), 'broken');
  assert.equal(stateOf('rerank', kept, kept, trial('bac', { withoutRerank: 'abcdef' })), 'holds');
});

test('reranking that is undone is told from reranking that does nothing', () => {
  const fixOf = (...trials: Trial[]): string =>
    checkBehaviour(trials, { k: 3, ownScores: true }).find(({ check }) => check === 'rerank')!.fault!.fix;
  const undone = trial('ace', { withoutRerank: 'abcdef' });
  const idle = trial('abc', { withoutRerank: 'abcdef' });
  assert.match(fixOf(undone, undone, undone), /is undone/u);
  assert.match(fixOf(idle, idle, idle), /changes nothing/u);
});

test('an empty next page is no fault where there are no more passages', () => {
  assert.equal(stateOf('next-page', trial('abc', { deeper: 'abc', nextPage: '' })), 'open');
  assert.equal(stateOf('next-page', trial('abc', { deeper: 'abcd', nextPage: '' })), 'broken');
  assert.equal(stateOf('next-page', trial('abc', { deeper: 'abcd', nextPage: 'd' })), 'holds');
});

test('overlaps of lists, worked out by hand', () => {
  assert.equal(overlap(list('abc'), list('bcd')), 2 / 4);
  assert.equal(overlap([], []), 1);
  // 0/1, 1/2 (b), 2/3 (b and c) of the first one, two and three.
  assert.equal(averageOverlap(list('abc'), list('xbc'), 3), (0 + 1 / 2 + 2 / 3) / 3);
  assert.equal(averageOverlap(list('ab'), list('ab'), 2), 1);
});
