import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  evidenceNotFoundIn,
  evidenceNotFoundText,
  footnotesOf,
  JudgementTally,
  ofDocumentsIn,
  ofDocumentsText,
} from '../../../src/core/judging/judgement-tally.ts';

test('counts verdicts with unfound quotations, for each judge and in total', () => {
  const tally = new JudgementTally();
  for (const evidenceNotFound of [true, undefined, true])
    tally.count({ source: 'llm', judge: 'main', evidenceNotFound });
  tally.count({ source: 'llm', judge: 'other', evidenceNotFound: true });
  tally.count({ source: 'human', judge: 'ann' });
  assert.deepEqual(
    tally.by.map(({ judge, count, evidenceNotFound }) => [judge, count, evidenceNotFound]),
    [
      ['main', 3, 2],
      ['other', 1, 1],
      ['people', 1, undefined],
    ],
  );
  assert.equal(evidenceNotFoundIn(tally.by), 3);
});

test('sorts by number, then by name; labels offline judges and joins people', () => {
  const tally = new JudgementTally('own words');
  tally.expect(9);
  const words = [
    { source: 'llm', judge: 'zeta' },
    { source: 'llm', judge: 'alpha' },
    { source: 'lexical', judge: 'overlap' },
    { source: 'llm', judge: 'own words' },
    { source: 'human', judge: 'ann' },
    { source: 'human', judge: 'ben' },
  ] as const;
  for (const word of words) tally.count(word);
  assert.deepEqual(
    tally.by.map(({ judge, count, heuristic }) => [judge, count, heuristic]),
    [
      ['people', 2, false],
      ['alpha', 1, false],
      ['overlap', 1, true],
      ['own words', 1, true],
      ['zeta', 1, false],
    ],
  );
  assert.deepEqual([tally.pairs, tally.judged], [9, 6]);
});

test('has a footnote only if needed', () => {
  assert.equal(evidenceNotFoundText(0), undefined);
  assert.match(evidenceNotFoundText(1)!, /^1 "yes" verdict quotes words/u);
  assert.match(evidenceNotFoundText(2)!, /^2 "yes" verdicts quote words/u);
});

test('counts labels of whole documents for each judge beside unfound quotations', () => {
  const tally = new JudgementTally();
  for (const ofDocument of [true, undefined, true])
    tally.count({ source: 'human', judge: 'ann', ofDocument });
  tally.count({ source: 'llm', judge: 'main', evidenceNotFound: true });
  assert.deepEqual(
    tally.by.map((by) => [by.judge, by.ofDocuments]),
    [
      ['people', 2],
      ['main', undefined],
    ],
  );
  assert.equal(ofDocumentsIn(tally.by), 2);
  assert.deepEqual(footnotesOf(tally.by), [ofDocumentsText(2), evidenceNotFoundText(1)]);
  assert.deepEqual(footnotesOf([]), []);
  assert.match(ofDocumentsText(1)!, /^1 verdict is a label of a whole document/u);
  assert.match(ofDocumentsText(2)!, /^2 verdicts are labels of whole documents/u);
});
