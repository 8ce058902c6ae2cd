import assert from 'node:assert/strict';
import { test } from 'node:test';
import { liveEnvironment } from '../../../src/features/live/contract/environment.ts';

const PLACES = {
  plan: '/tmp/p/plan.json',
  node: 'file:///x/register.mjs',
  python: '/x/python',
  delimiter: ':',
};

test('hooks precede existing values', () => {
  assert.deepEqual(
    liveEnvironment(PLACES, { NODE_OPTIONS: '--max-old-space-size=4096', PYTHONPATH: 'lib' }),
    {
      PARALLAX_LIVE: '/tmp/p/plan.json',
      NODE_OPTIONS: '--import=file:///x/register.mjs --max-old-space-size=4096',
      PYTHONPATH: '/x/python:lib',
    },
  );
});

test('an empty environment gets only the hooks', () => {
  const { NODE_OPTIONS, PYTHONPATH } = liveEnvironment(PLACES, {});
  assert.deepEqual([NODE_OPTIONS, PYTHONPATH], ['--import=file:///x/register.mjs', '/x/python']);
});
