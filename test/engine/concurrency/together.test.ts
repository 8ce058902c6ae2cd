import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { ParallaxError, throwIfCancelled } from '../../../src/core/errors.ts';
import { together } from '../../../src/engine/concurrency/together.ts';

test('tasks run concurrently, with results in order', async () => {
  const begun: number[] = [];
  const all = Promise.withResolvers<undefined>();
  const doubled = await together(
    [3, 1, 2],
    async (thing) => {
      begun.push(thing);
      // If one waited for another, none would end.
      if (begun.length === 3) all.resolve(undefined);
      await all.promise;
      await delay(5 * thing);
      return 2 * thing;
    },
    {},
  );
  assert.deepEqual(doubled, [6, 2, 4]);
});

test('the first failure is thrown once the others are cancelled and have ended', async () => {
  const ended: string[] = [];
  const working = together(
    ['fails', 'goes on'],
    async (thing, { signal }) => {
      if (thing === 'fails') throw new ParallaxError('not-indexed', 'There is nothing.');
      while (!signal!.aborted) await delay(1);
      await delay(20);
      ended.push(thing);
      throwIfCancelled(signal);
    },
    {},
  );
  await assert.rejects(working, (error) => ParallaxError.is(error, 'not-indexed'));
  assert.deepEqual(ended, ['goes on']);
});

test('cancelling from outside ends all', async () => {
  const stop = new AbortController();
  const working = together(
    [1, 2],
    async (_, { signal }) => {
      while (!signal!.aborted) await delay(1);
      throwIfCancelled(signal);
    },
    { signal: stop.signal },
  );
  stop.abort();
  await assert.rejects(working, (error) => ParallaxError.is(error, 'cancelled'));
});
