import assert from 'node:assert/strict';
import { test } from 'node:test';
import { capturedQuestions } from '../../../src/features/capture/host/captured-questions.ts';
import { runOf } from './support.ts';

test('captured questions are those of runs, each once, with perspectives if any search has them', () => {
  const question = 'Should trams run?';
  const [perspective] = runOf({}).perspectives;
  const runs = [
    runOf({ query: 'Buses?', perspectives: [] }),
    runOf({ query: 'noise', run: 't', question, perspectives: [] }),
    runOf({ query: 'cost', run: 't', question: 'should  trams run?', perspectives: [perspective!] }),
  ];
  assert.deepEqual(capturedQuestions(runs), [
    { text: question, perspectives: [perspective] },
    { text: 'Buses?', perspectives: [] },
  ]);
});
