import assert from 'node:assert/strict';
import { test } from 'node:test';
import { showableText } from '../../../webview/compare/setup/showable.ts';

const SETUP = {
  evalSets: [
    { path: 'a.jsonl', queries: 14, compared: 12 },
    { path: 'b.jsonl', queries: 200, compared: 200 },
  ],
  chosenSets: [{ evalSet: 'a.jsonl', corpus: 'docs' }],
  chosen: ['bm25', 'dense'],
  k: 5,
};

test('the number of questions with perspectives determines what can be shown', () => {
  assert.match(
    showableText(SETUP)!,
    /^12 questions: differences below 50 points of MRecall@5 cannot be shown; /u,
  );
});

test('more pipelines need more questions, and the smallest of several sets is named', () => {
  const more = { ...SETUP, chosen: ['a', 'b', 'c', 'd', 'e', 'f'] };
  assert.match(showableText(more)!, /^12 questions: differences below 66\.7 points/u);
  const both = { ...SETUP, chosenSets: [{ evalSet: 'b.jsonl', corpus: 'docs' }, ...SETUP.chosenSets] };
  assert.match(showableText(both)!, /^a\.jsonl: 12 questions: /u);
});

test('is empty without a comparison', () => {
  assert.equal(showableText({ ...SETUP, chosen: ['bm25'] }), undefined);
  assert.equal(showableText({ ...SETUP, chosenSets: [] }), undefined);
});
