/** The failure that a panel shows. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cancelled, ParallaxError } from '../../../src/core/errors.ts';
import { FailureInView } from '../../../src/extension/platform/failure-in-view.ts';

test('a failure is shown and logged until it is dismissed, which notifies its corpus', async () => {
  const log: string[] = [];
  let changes = 0;
  const failure = new FailureInView(
    (message) => void log.push(message),
    () => changes++,
  );
  await failure.guard(() =>
    Promise.reject(new ParallaxError('not-indexed', 'Index first.', { corpus: 'docs' })),
  );
  assert.equal(failure.view.error?.message, 'Index first.');
  assert.deepEqual([log, changes], [['not-indexed: Index first.'], 1]);
  assert.equal(failure.forget(), 'docs');
  assert.deepEqual(failure.view, {});
});

test('a failure disappears once similar work succeeds or it no longer applies', () => {
  const failure = new FailureInView(
    () => undefined,
    () => undefined,
  );
  failure.show(new ParallaxError('model-key', 'The key is refused.'), 'judge');
  failure.succeeded('search');
  assert.deepEqual(failure.view, {
    error: { message: 'The key is refused.', remedies: ['set-key'] },
  });
  failure.succeeded('judge');
  assert.deepEqual(failure.view, {});
  let open = 2;
  failure.tell({ message: '2 pairs are open.', remedies: [] }, { holds: () => open === 2 });
  assert.equal(failure.view.error?.message, '2 pairs are open.');
  open = 1;
  assert.deepEqual(failure.view, {});
});

test('cancelling is no failure; an unexpected error shows its message', async () => {
  const failure = new FailureInView(
    () => undefined,
    () => undefined,
  );
  await failure.guard(() => Promise.reject(cancelled()));
  assert.deepEqual(failure.view, {});
  await failure.guard(() => {
    throw new TypeError('It is not a function.');
  });
  assert.equal(failure.view.error?.message, 'It is not a function.');
});
