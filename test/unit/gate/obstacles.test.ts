import assert from 'node:assert/strict';
import test from 'node:test';
import { obstaclesOf } from '../../../src/features/gate/core/accept.ts';
import type { GateReport } from '../../../src/features/gate/core/report.ts';

test('a report with gaps or unanswered queries cannot be a baseline', () => {
  const report = (dataset: object): Pick<GateReport, 'datasets'> =>
    ({ datasets: [{ name: 'set', pipelines: [{ name: 'mine' }], ...dataset }] }) as never;
  assert.deepEqual(obstaclesOf(report({})), []);
  assert.deepEqual(obstaclesOf(report({ gaps: ['Line 4: not JSON.'] })), ['set: Line 4: not JSON.']);
  const queryErrors = [
    { query: 'q1', message: 'The server is down.' },
    { query: 'q2', message: 'The server is down.' },
  ];
  assert.deepEqual(obstaclesOf(report({ pipelines: [{ name: 'mine', queryErrors }] })), [
    '"mine" did not answer these questions of "set": q1, q2. The server is down.',
  ]);
});
