import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  capturedQuestions,
  runReport,
  searchesOfRun,
} from '../../../src/features/capture/host/run-report.ts';
import { runOf } from './support.ts';

test('a run has a column for each search and a lane for each perspective', () => {
  const first = runOf({ query: 'trams | cost', run: 't', question: 'Should trams run?' }, [{ yes: 'yes' }]);
  const second = runOf({ query: 'noise', run: 't', question: 'Should trams run?' }, [{ yes: 'yes' }, {}]);
  const other = runOf({ run: 'u' });
  const searches = searchesOfRun([second, other, first], second);
  assert.deepEqual(searches, [first, second]);
  const report = runReport(searches);
  assert.match(report, /^# Should trams run\?/u);
  assert.match(report, /Together 2 passages, 25% of the pairs judged\. Never reached: 1 of 2/u);
  assert.match(report, /Searches after the last new perspective: 1\./u);
  const lines = report.split('\n');
  assert.ok(lines.some((line) => /^1\. trams (\\)?\| cost$/u.test(line)));
  assert.ok(lines.includes('2. noise'));
  assert.match(
    lines.find((line) => line.includes('bring workers'))!,
    /\| ● \| ○ \|/u,
  );
  assert.match(
    lines.find((line) => line.includes('seen before'))!,
    /\| 0% \| 100% \|/u,
  );
});

test('a run without perspectives says so and keeps its searches', () => {
  const report = runReport([runOf({ perspectives: [], question: 'Why?' })]);
  assert.match(report, /has no perspectives yet/u);
  assert.doesNotMatch(report, /●/u);
});

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
