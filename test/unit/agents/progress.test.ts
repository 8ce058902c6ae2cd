import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ProgressReporter } from '../../../src/features/agents/tools/progress.ts';

test('progress never falls over several steps, and small parts of a step are skipped', () => {
  const told: (readonly [number, string | undefined])[] = [];
  const reporter = new ProgressReporter((progress, message) => told.push([progress, message]));
  for (let done = 1; done <= 100; done++) reporter.report({ done, total: 100, detail: 'Meaning' });
  for (let done = 1; done <= 2; done++) reporter.report({ done, total: 2, detail: 'bm25' });
  reporter.report({ done: 0 });
  assert.ok(told.length < 25, String(told.length));
  assert.deepEqual(told.at(-1), [2, 'bm25: 2 of 2']);
  for (const [place, [progress]] of told.entries()) assert.ok(place === 0 || progress > told[place - 1]![0]);
});
