/** `parallax gate --hook`, as agents call it when they stop. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { labelWorse, workspace, WORSE, type GateWorkspace } from './gate-support.ts';

const CLI = path.resolve('dist/cli.js');

interface Answer {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function stops({ folder }: GateWorkspace, input: object): Answer {
  const given = { cwd: folder, input: JSON.stringify(input), encoding: 'utf8' } as const;
  return spawnSync(process.execPath, [CLI, 'gate', '--hook'], given);
}

async function worse(t: TestContext): Promise<GateWorkspace> {
  const own = await workspace(t, 8, { baseline: { file: '.parallax/baselines/main.json' } });
  await own.gate('--accept');
  await labelWorse(own, 8);
  await own.configure({ pipelines: { mine: WORSE } });
  return own;
}

test('an agent that makes retrieval worse is sent back once, with what is lost', async (t) => {
  const own = await worse(t);
  const first = stops(own, { hook_event_name: 'Stop', stop_hook_active: false });
  assert.equal(first.status, 0);
  const { decision, reason, ...more } = JSON.parse(first.stdout) as Record<string, unknown>;
  assert.deepEqual([decision, more], ['block', {}]);
  assert.match(String(reason), /Newly lost: third/u);
  const second = stops(own, { hook_event_name: 'Stop', stop_hook_active: true });
  assert.deepEqual([second.status, second.stdout], [0, '{}\n']);
});

test('the editor gets the same answer in its own field', async (t) => {
  const own = await worse(t);
  const { stdout } = stops(own, { hookEventName: 'Stop', timestamp: '2026-11-30T00:00:00Z' });
  const { decision, reason, hookSpecificOutput } = JSON.parse(stdout) as Record<string, unknown>;
  assert.deepEqual(hookSpecificOutput, { hookEventName: 'Stop', decision, reason });
});

test('a gate that passes, or none, lets the agent stop; one that cannot be evaluated warns', async (t) => {
  const own = await workspace(t, 8, { baseline: { file: '.parallax/baselines/main.json' } });
  await own.gate('--accept');
  assert.deepEqual([stops(own, {}).status, stops(own, {}).stdout], [0, '{}\n']);
  await writeFile(own.config, '{');
  const broken = stops(own, {});
  assert.deepEqual([broken.status, broken.stdout], [1, '']);
  assert.match(broken.stderr, /parallax\.json/u);
  await rm(own.config);
  assert.deepEqual([stops(own, {}).status, stops(own, {}).stdout], [0, '{}\n']);
});
