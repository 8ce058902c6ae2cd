/** Counts of the command line and of the panel's sentences agree in number. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { counts } from '../../../src/core/counted.ts';
import { exactly } from '../../../src/core/measured.ts';
import { describeJudging } from '../../../src/cli/figure-judging.ts';
import { judgedPairsText } from '../../../src/core/facts.ts';
import { strings } from '../../../webview/inspector/strings.ts';

const METRICS = { k: 5, covered: exactly(1), judgedPairs: 1, unsurePairs: 0, pairs: 1, sources: [] };

test('one thing is always in the singular', () => {
  assert.deepEqual([counts.documents(1), counts.documents(0)], ['1 document', '0 documents']);
  assert.deepEqual([counts.questions(1), counts.questions(2)], ['1 question', '2 questions']);
  assert.equal(strings.judgedSoFar(METRICS, 1), '1 of 1 perspective covered, 1 of 1 pair judged.');
});

test('without a pair none is counted', () => {
  assert.equal(strings.judgedValue({ ...METRICS, judgedPairs: 0, pairs: 0 }), '–');
  assert.doesNotMatch(judgedPairsText(0, 0), /\d/u);
  const nothing = { judge: 'j', heuristic: false, pairs: 0, known: 0, asked: 0, saved: 0, failed: 0 };
  const rest = { requests: 0, tokens: 0, settled: 0, queries: 1, answered: 0, unreadable: 0 };
  assert.equal(describeJudging({ ...nothing, ...rest } as never), '');
});
