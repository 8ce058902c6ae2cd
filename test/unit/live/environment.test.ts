import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { liveEnvironment, terminalVariables } from '../../../src/features/live/contract/environment.ts';

const IMPORT =
  '--import=data:text/javascript,await%20import%28%22file%3A%2F%2F%2Fx%2Fregister.mjs%22%29.catch%28%28%29%3D%3E0%29';

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
      NODE_OPTIONS: `${IMPORT} --max-old-space-size=4096`,
      PYTHONPATH: '/x/python:lib',
    },
  );
});

test('an empty environment gets only the hooks', () => {
  const { NODE_OPTIONS, PYTHONPATH } = liveEnvironment(PLACES, {});
  assert.deepEqual([NODE_OPTIONS, PYTHONPATH], [IMPORT, '/x/python']);
});

const [major = 0] = process.versions.node.split('.').map(Number);
for (const [name, options] of [
  ['whose hooks are gone', []],
  ['that may not read the hooks', major < 24 ? [] : ['--permission']],
] as const)
  test(`a program ${name} runs as it is`, () => {
    const { stdout, stderr, status } = spawnSync(
      process.execPath,
      [...options, '--input-type=module', '--eval', 'console.log(1); process.exitCode = 7;'],
      { env: { ...process.env, ...liveEnvironment(PLACES, {}) }, encoding: 'utf8' },
    );
    assert.deepEqual([stdout, stderr, status], ['1\n', '', 7]);
  });

test('the variables of the setting for terminals stay', () => {
  const present = terminalVariables(
    { PYTHONPATH: 'lib', NODE_OPTIONS: '--inspect' },
    { PYTHONPATH: '${workspaceFolder}/src', NODE_OPTIONS: null },
  );
  const { NODE_OPTIONS, PYTHONPATH } = liveEnvironment(PLACES, present);
  assert.deepEqual([NODE_OPTIONS, PYTHONPATH], [IMPORT, '/x/python:${workspaceFolder}/src']);
});
