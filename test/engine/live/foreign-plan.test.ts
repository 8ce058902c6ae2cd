/** A folder of another user that has the name of an ended run's. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chownSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { begun } from './support.ts';
import { interpreters } from '../live-python/observed-python.ts';

const HOOKS = path.resolve('media/live');
const NOBODY = 65_534;
const [python] = interpreters();

const PROGRAMS = {
  node: [
    process.execPath,
    '--import',
    path.join(HOOKS, 'node', 'register.mjs'),
    '--eval',
    'console.log(globalThis.__parallaxLive !== undefined)',
  ],
  python: python && [
    python,
    '-c',
    'import builtins; print(str(any(name.startswith("__parallax_") for name in dir(builtins))).lower())',
  ],
};

for (const [language, command] of Object.entries(PROGRAMS))
  test(
    `${language}: a plan is read only in a folder of this user`,
    {
      skip:
        (!command && 'cannot run here: there is no Python') ||
        (process.getuid?.() !== 0 && 'cannot run here: only root gives a folder to somebody else'),
    },
    async (t) => {
      const { run } = await begun(t);
      const isObserved = (): string => {
        const [name = '', ...rest] = command!;
        const env = { ...process.env, PARALLAX_LIVE: run.plan, PYTHONPATH: path.join(HOOKS, 'python') };
        return execFileSync(name, rest, { env, encoding: 'utf8' }).trim();
      };
      assert.equal(isObserved(), 'true');
      chownSync(path.dirname(run.plan), NOBODY, NOBODY);
      assert.equal(isObserved(), 'false');
    },
  );
