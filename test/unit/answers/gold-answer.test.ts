import assert from 'node:assert/strict';
import { test } from 'node:test';
import { holdsGoldAnswer } from '../../../src/features/papers/core/answers/gold-answer.ts';
import { retrievalSuccess, successName } from '../../../src/core/metrics/retrieval-success.ts';

test('an answer contains a gold answer word for word, in any spelling', () => {
  const held: [answer: string, gold: string][] = [
    ['It was built in Paris, by hand.', 'paris'],
    ['It was Gustave Eiffel [1].', 'The Gustave   Eiffel!'],
    ['The Gustave [1][2] Eiffel company', 'Gustave Eiffel'],
    ['A café opened.', 'cafe'],
    ['It cost 3.14 million', '3.14'],
    ['Choose A', 'a'],
    ['首都は東京都です', '東京都'],
    ['In [1963] it began.', '1963'],
  ];
  assert.deepEqual(
    held.map(([answer, gold]) => holdsGoldAnswer(answer, [gold], 2)),
    held.map(() => true),
  );
});

test('ignores parts of words, other word orders and numbers of passages', () => {
  const absent: [answer: string, gold: string][] = [
    ['Comparison', 'Paris'],
    ['Eiffel, Gustave', 'Gustave Eiffel'],
    ['Gustave and Eiffel', 'Gustave Eiffel'],
    ['Nobody knows [2].', '2'],
    ['', 'Paris'],
    ['...', '...'],
    ['東京と京都', '東京都'],
  ];
  assert.deepEqual(
    absent.map(([answer, gold]) => holdsGoldAnswer(answer, [gold], 2)),
    absent.map(() => false),
  );
  assert.ok(holdsGoldAnswer('Lyon', ['Paris', 'Lyon'], 0));
  assert.ok(!holdsGoldAnswer('Lyon', [], 0));
});

test('success of retrieval: a binary measure itself, any other from a threshold on', () => {
  assert.deepEqual(retrievalSuccess('MRecall@5', undefined, 5), { measure: 'MRecall@5', least: 1 });
  assert.deepEqual(retrievalSuccess('Hit@3', undefined, 5), { measure: 'Success@3', least: 1 });
  const graded = retrievalSuccess(' nDCG@5', 0.5, 5);
  assert.deepEqual(graded, { measure: 'nDCG@5', least: 0.5 });
  assert.deepEqual([graded, retrievalSuccess('Hit@3', 1, 5)].map(successName), ['nDCG@5 ≥ 0.5', 'Success@3']);
});

for (const [what, name, least, message] of [
  ['an unknown measure', 'Luck@5', undefined, /Unknown measure "Luck@5"/u],
  ['no cutoff where there is none', 'AP', 0.5, /Answers are written from 5 passages, and AP looks deeper/u],
  ['a deeper cutoff', 'Hit@10', undefined, /Success@10 looks deeper; name a measure with a cutoff up to @5/u],
  ['no threshold', 'nDCG@5', undefined, /nDCG@5 is not yes or no for a question: give the value from which/u],
  ['a needless threshold', 'MRecall@5', 0.5, /MRecall@5 is yes or no for a question and takes no threshold/u],
  ['a threshold of 0', 'nDCG@5', 0, /above 0 and at most 1, not 0/u],
  ['a threshold in percent', 'nDCG@5', 50, /above 0 and at most 1, not 50/u],
  ['a measure of trust', 'Judged@5', 0.5, /Judged@5 does not say whether retrieval succeeded/u],
] as const)
  test(`success of retrieval: refuses ${what}`, () => {
    assert.throws(() => retrievalSuccess(name, least, 5), { id: 'bad-argument', message });
  });

test('a binary measure has no other value', async () => {
  const { MEASURES, computeMeasure } = await import('../../../src/core/metrics/measures.ts');
  const { topicOf } = await import('../../../src/core/metrics/judgements.ts');
  const judgements = new Map([
    ['p', new Map([['a', 1]])],
    [
      'q',
      new Map([
        ['b', 1],
        ['c', 0],
      ]),
    ],
  ]);
  const rankings = [['a'], ['a', 'b'], ['c', 'a', 'b'], ['x'], []];
  for (const { family } of MEASURES.filter(({ isYesOrNo }) => isYesOrNo))
    for (const ranking of rankings) {
      const value = computeMeasure({ family, k: 2 }, ranking, topicOf(judgements, 'given'));
      assert.ok(value === 0 || value === 1, `${family} of ${ranking.join()}: ${value}`);
    }
});
