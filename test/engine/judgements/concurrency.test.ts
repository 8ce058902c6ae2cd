import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import { cancelled, ParallaxError } from '../../../src/core/errors.ts';
import { runPool } from '../../../src/engine/concurrency/bounded.ts';
import { systemTiming, withRetries, type Failure } from '../../../src/engine/models/retry.ts';
import { SharedRequests } from '../../../src/engine/models/shared-requests.ts';
import { QuickTiming } from '../judges/support.ts';

describe('runPool', () => {
  test('runs each index once, within its limit, in order of start (property)', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(20), fc.integer({ min: 1, max: 6 }), async (count, concurrency) => {
        const started: number[] = [];
        let running = 0;
        let most = 0;
        await runPool(count, concurrency, undefined, async (index) => {
          started.push(index);
          most = Math.max(most, ++running);
          for (let i = 0; i <= index % 3; i++) await Promise.resolve();
          running--;
        });
        assert.deepEqual(started, [...Array(count).keys()]);
        assert.equal(most, Math.min(count, concurrency));
      }),
    );
  });

  test('starts nothing after the signal, and waits for running tasks', async () => {
    const controller = new AbortController();
    let finished = 0;
    await runPool(100, 3, controller.signal, async (index) => {
      if (index === 4) controller.abort();
      await delay(1);
      finished++;
    });
    assert.ok(finished >= 5 && finished <= 7, String(finished));
  });

  test('starts nothing after a failure, waits for running tasks, and throws the first error', async () => {
    const finished: number[] = [];
    const failing = runPool(100, 2, undefined, async (index) => {
      if (index === 1) throw new Error('first');
      await delay(5);
      finished.push(index);
    });
    await assert.rejects(failing, /first/);
    assert.deepEqual(finished, [0]);
  });
});

describe('withRetries', () => {
  const problem = new ParallaxError('model-answer', 'Busy.');
  const explain = (afterMs?: number) => (): Failure => ({ error: problem, retry: true, afterMs });

  test('waits longer each time, up to half a minute', async () => {
    const timing = new QuickTiming();
    const options = { maxRetries: 8, timing, signal: undefined };
    await assert.rejects(
      withRetries(() => Promise.reject(new Error('x')), explain(), options),
      problem,
    );
    assert.deepEqual(timing.sleeps, [375, 750, 1_500, 3_000, 6_000, 12_000, 22_500, 22_500]);
  });

  test('waits at least the requested time', async () => {
    const timing = new QuickTiming();
    await assert.rejects(
      withRetries(() => Promise.reject(new Error('x')), explain(90_000), {
        maxRetries: 1,
        timing,
        signal: undefined,
      }),
    );
    assert.ok(timing.sleeps[0]! >= 90_000);
  });

  test('does not repeat final errors', async () => {
    let attempts = 0;
    const attempt = (): Promise<never> => Promise.reject(new Error(String(++attempts)));
    const final = (): Failure => ({ error: problem, retry: false });
    await assert.rejects(
      withRetries(attempt, final, { maxRetries: 5, timing: new QuickTiming(), signal: undefined }),
    );
    assert.equal(attempts, 1);
  });

  test('cancelling ends a real wait at once', async () => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 5);
    await assert.rejects(systemTiming.sleep(600_000, controller.signal), { id: 'cancelled' });
  });
});

describe('SharedRequests', () => {
  const use = <T>(result: T, first: boolean): { result: T; first: boolean } => ({ result, first });

  test('a failure reaches all users, and the next one asks again', async () => {
    const shared = new SharedRequests<number>();
    let begun = 0;
    const begin = async (): Promise<number> => {
      await delay(5);
      if (++begun === 1) throw new Error('down');
      return begun;
    };
    const outcomes = await Promise.allSettled([
      shared.share('k', { begin, use }),
      shared.share('k', { begin, use }),
    ]);
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['rejected', 'rejected'],
    );
    assert.deepEqual(await shared.share('k', { begin, use }), { result: 2, first: true });
  });

  test('is aborted when the last user leaves, and not before', async () => {
    const shared = new SharedRequests<number>();
    let request: AbortSignal | undefined;
    const begin = (signal: AbortSignal): Promise<number> => {
      request = signal;
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))));
    };
    const [a, b] = [new AbortController(), new AbortController()];
    const first = shared.share('k', { begin, use, signal: a.signal });
    const second = shared.share('k', { begin, use, signal: b.signal });
    a.abort();
    await assert.rejects(first, { id: 'cancelled' });
    assert.equal(request?.aborted, false);
    b.abort();
    await assert.rejects(second, { id: 'cancelled' });
    assert.equal(request?.aborted, true);
    const next = shared.share('k', { begin: () => Promise.resolve(1), use });
    assert.deepEqual(await next, { result: 1, first: true });
  });

  test('gives the last user what arrives after it cancelled, since it was paid for', async () => {
    const shared = new SharedRequests<number>();
    const answer = Promise.withResolvers<number>();
    const user = new AbortController();
    const leaving = shared.share('k', { begin: () => answer.promise, use, signal: user.signal });
    user.abort();
    setImmediate(() => answer.resolve(1));
    assert.deepEqual(await leaving, { result: 1, first: true });
  });

  test('begins again for a user who joined a request that others cancelled', async () => {
    const shared = new SharedRequests<number>();
    const user = new AbortController();
    const aborted = Promise.withResolvers<undefined>();
    const answer = Promise.withResolvers<number>();
    const begin = (signal: AbortSignal): Promise<number> => {
      signal.addEventListener('abort', () => aborted.resolve(undefined));
      return answer.promise;
    };
    const first = shared.share('k', { begin, use, signal: user.signal });
    user.abort();
    await aborted.promise;
    const second = shared.share('k', { begin: () => Promise.resolve(2), use });
    answer.reject(cancelled());
    await assert.rejects(first, { id: 'cancelled' });
    assert.deepEqual(await second, { result: 2, first: true });
  });

  test('finds the request, or what its user stored, at any moment', async () => {
    const shared = new SharedRequests<number>();
    let stored = false;
    let begun = 0;
    const ask = (): Promise<void> =>
      shared.share('k', { begin: () => Promise.resolve(++begun), use: () => void (stored = true) });
    const asked = ask();
    for (let tick = 0; tick < 20; tick++) {
      if (!stored) void ask();
      await Promise.resolve();
    }
    await asked;
    assert.equal(begun, 1);
  });

  test('different requests do not mix', async () => {
    const shared = new SharedRequests<string>();
    const both = await Promise.all(
      ['a', 'b'].map((key) => shared.share(key, { begin: () => Promise.resolve(key), use })),
    );
    assert.deepEqual(
      both.map(({ result }) => result),
      ['a', 'b'],
    );
  });
});
