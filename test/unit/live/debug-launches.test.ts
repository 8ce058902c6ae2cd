import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  DebugLaunches,
  type DebugLaunchesOptions,
  type Launch,
} from '../../../src/features/live/host/debug-launches.ts';
import { DEBUG_CONSENT } from '../../../src/shared/manifest/contributions.ts';

const LAUNCH: Launch = { type: 'debugpy', request: 'launch', env: { A: '1' } };

interface Tried {
  readonly launches: DebugLaunches;
  readonly kept: Map<string, unknown>;
  readonly asked: () => number;
}

function tried(answer: boolean | undefined, given: Partial<DebugLaunchesOptions> = {}): Tried {
  const kept = new Map<string, unknown>();
  let asked = 0;
  const launches = new DebugLaunches({
    memory: {
      get: <T>(key: string) => kept.get(key) as T | undefined,
      set: (key, value) => kept.set(key, value),
    },
    trusted: () => true,
    plan: () => undefined,
    start: () => Promise.resolve('/plan'),
    isNearCall: () => Promise.resolve(true),
    askConsent: () => {
      asked++;
      return Promise.resolve(answer);
    },
    environment: (plan, present) => ({ PARALLAX_LIVE: plan, SEEN: present['A'] ?? '' }),
    log: () => undefined,
    ...given,
  });
  return { launches, kept, asked: () => asked };
}

test('observes a debug launch after one consent and keeps its environment', async () => {
  const { launches, asked } = tried(true);
  const observed = { ...LAUNCH, env: { A: '1', PARALLAX_LIVE: '/plan', SEEN: '1' } };
  assert.deepEqual(await launches.observed(LAUNCH), observed);
  assert.deepEqual(await launches.observed(LAUNCH), observed);
  assert.equal(asked(), 1);
  launches.forget();
  await launches.observed(LAUNCH);
  assert.equal(asked(), 2);
});

test('after "no" it does not ask again; without an answer it does not ask in this window', async () => {
  for (const answer of [false, undefined]) {
    const { launches, kept, asked } = tried(answer);
    assert.equal(await launches.observed(LAUNCH), LAUNCH);
    assert.equal(await launches.observed(LAUNCH), LAUNCH);
    assert.deepEqual([asked(), kept.get(DEBUG_CONSENT)], [1, answer]);
  }
});

test('does not ask without trust, without a call nearby, for other debuggers, or while observing', async () => {
  for (const given of [{ trusted: () => false }, { isNearCall: () => Promise.resolve(false) }]) {
    const { launches, asked } = tried(true, given);
    assert.equal(await launches.observed(LAUNCH), LAUNCH);
    assert.equal(asked(), 0);
  }
  const { launches, asked } = tried(false, { plan: () => '/present' });
  for (const other of [{ type: 'go' }, { request: 'attach' }])
    assert.deepEqual(await launches.observed({ ...LAUNCH, ...other }), { ...LAUNCH, ...other });
  assert.partialDeepStrictEqual(await launches.observed(LAUNCH), { env: { PARALLAX_LIVE: '/present' } });
  assert.equal(asked(), 0);
});

test('a launch continues if observing cannot start', async () => {
  const { launches } = tried(true, { start: () => Promise.reject(new Error('no call')) });
  assert.equal(await launches.observed(LAUNCH), LAUNCH);
});
