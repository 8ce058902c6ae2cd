import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ExperimentProgress } from '../../../src/engine/experiment/experiment-progress.ts';
import type { Progress } from '../../../src/shared/requests/progress.ts';

test('searches that a failed pipeline skips count as done, and no finished one is subtracted', () => {
  const told: Progress[] = [];
  const progress = new ExperimentProgress((note) => told.push(note));
  progress.expect(3);
  progress.expect(2);
  progress.advance('one');
  progress.reach(3);
  assert.equal(progress.done, 3);
  progress.reach(2);
  progress.report('two');
  assert.deepEqual(told, [
    { done: 1, total: 5, detail: 'one' },
    { done: 3, total: 5, detail: 'two' },
  ]);
});

test('a listener is optional', () => {
  const progress = new ExperimentProgress(undefined);
  progress.advance('one');
  assert.equal(progress.done, 1);
});
