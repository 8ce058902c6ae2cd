/** However a run was started, ending it costs only the requests under way. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import '../../fixtures/built.ts';
import { assertNothingPaid, PROXIES, startPaidRun } from './paid-run.ts';

const CLI = path.resolve('dist/cli.js');
const PROXIED = { env: { ...process.env, ...PROXIES } };
const POSIX = process.platform !== 'win32';

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  test(`${signal} to a run`, { skip: !POSIX && 'signals are of POSIX' }, async (t) => {
    const run = await startPaidRun(t, (argv) => [process.execPath, [CLI, ...argv]]);
    await assertNothingPaid(run, () => run.process.kill(signal));
  });

for (const signal of ['SIGTERM', 'SIGKILL'] as const)
  test(`${signal} to a launcher`, { skip: !POSIX && 'signals are of POSIX' }, async (t) => {
    const run = await startPaidRun(t, (argv) => [process.execPath, [CLI, ...argv], PROXIED]);
    await assertNothingPaid(run, () => run.process.kill(signal));
  });

/** Like `docker stop`: SIGTERM to the first process of a new namespace. */
const unshare = ['--user', '--map-root-user', '--pid', '--fork', '--kill-child'];
const canUnshare = POSIX && spawnSync('unshare', [...unshare, 'true']).status === 0;
const contained = { skip: canUnshare ? false : 'cannot run here: no namespace of processes can be made' };

for (const [what, options] of [
  ['a run', {}],
  ['a launcher', PROXIED],
] as const)
  test(`SIGTERM to ${what} that is the first process of a container`, contained, async (t) => {
    const run = await startPaidRun(t, (argv) => [
      'unshare',
      [...unshare, process.execPath, CLI, ...argv],
      options,
    ]);
    const { pid } = run.process;
    const first = Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim());
    await assertNothingPaid(run, () => process.kill(first, 'SIGTERM'));
  });
