/** Exit codes of runs whose output cannot be written, of runs ended by an error, and of unreadable configurations. */
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import '../../fixtures/built.ts';
import { unexpectedCode } from '../../../src/cli/exit-codes.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';
import { WORSE, labelWorse, workspace } from './gate-support.ts';

const MAIN = path.resolve('src/cli/main.ts');
const BASELINE = { file: '.parallax/baselines/main.json', lostPerspectives: 0 };

for (const [command, code] of [
  ['gate', 3],
  ['eval', 1],
] as const)
  test(`${command} on a full disk ends with ${code} and a sentence`, (t) => {
    if (!existsSync('/dev/full')) return t.skip('cannot run here: there is no /dev/full.');
    const { status, stderr } = spawnSync(
      'sh',
      ['-c', `"${process.execPath}" src/cli/main.ts ${command} --help > /dev/full`],
      {
        encoding: 'utf8',
      },
    );
    assert.equal(status, code);
    assert.match(stderr, /parallax: standard output cannot be written: .*ENOSPC/u);
  });

for (const [command, ...argv] of [['index', '--store', 'store'], ['eval', '--pipeline', 'bm25'], ['gate']])
  test(`${command} with a parallax.json that is not JSON ends with 2`, (t) => {
    const cwd = temporaryFolder(t);
    writeFileSync(path.join(cwd, 'parallax.json'), '{"corpora": ');
    const { status, stderr } = spawnSync(process.execPath, [MAIN, command!, ...argv], {
      cwd,
      encoding: 'utf8',
    });
    assert.equal(status, 2, stderr);
    assert.match(stderr, /parallax\.json is not valid JSON/u);
  });

test('a gate whose reader has closed the pipe ends with the same code', async (t) => {
  const own = await workspace(t, 2, { baseline: BASELINE });
  assert.equal((await own.gate('--accept')).code, 0);
  await labelWorse(own, 2);
  await own.configure({ pipelines: { mine: WORSE } });
  const child = spawn(process.execPath, [MAIN, 'gate', '--config', own.config], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  child.stdout.destroy();
  assert.deepEqual(await once(child, 'close'), [1, null]);
});

/** Throws outside of a request once a handler for such errors is registered. */
const THROWING = `data:text/javascript,${encodeURIComponent(
  `process.on('newListener', (name) => {
    if (name === 'uncaughtException') setImmediate(() => { throw new Error('127.0.0.1:9 said more than it may'); });
  });`,
)}`;
for (const [command, code] of [
  ['gate', 3],
  ['eval', 1],
  ['search', 1],
] as const)
  test(`an unexpected error ends ${command} with ${code} and a sentence`, () => {
    const { status, stderr } = spawnSync(process.execPath, ['--import', THROWING, MAIN, command], {
      encoding: 'utf8',
    });
    assert.equal(status, code, stderr);
    assert.match(stderr, /parallax: unexpected error, the run ends: .*127\.0\.0\.1:9 said more/u);
  });

test('only gate ends with 3 for unexpected errors', () => {
  assert.deepEqual(['gate', 'eval', 'index'].map(unexpectedCode), [3, 1, 1]);
});

const git = (cwd: string, ...argv: readonly string[]): string =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...argv], { cwd, encoding: 'utf8' });

test('a store tracked by git is not trusted in a job, but on a person’s machine', async (t) => {
  const own = await workspace(t, 2, { baseline: BASELINE });
  git(own.folder, 'init', '--quiet');
  assert.equal((await own.gate('--accept')).code, 0);
  const gate = (env: NodeJS.ProcessEnv) =>
    spawnSync(process.execPath, [MAIN, 'gate', '--store', 'store'], {
      cwd: own.folder,
      encoding: 'utf8',
      env: { ...process.env, ...env },
    });
  const first = gate({ CI: 'true' });
  assert.equal(first.status, 0, first.stderr);
  git(own.folder, 'add', '--force', 'store');
  const tracked = gate({ CI: 'true' });
  assert.equal(tracked.status, 3, tracked.stderr);
  assert.match(tracked.stderr, /store is not trusted: git tracks files of it/u);
  assert.equal(gate({ CI: '' }).status, 0);
});
