import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';

test('set-up refuses a linked node_modules and does not touch the target', (t) => {
  const folder = temporaryFolder(t);
  const checkout = join(folder, 'checkout');
  cpSync('scripts', join(checkout, 'scripts'), { recursive: true });
  for (const file of ['package.json', 'package-lock.json']) cpSync(file, join(checkout, file));
  const others = join(folder, 'of-others');
  mkdirSync(others);
  writeFileSync(join(others, 'kept'), '');
  symlinkSync(others, join(checkout, 'node_modules'), 'junction');

  const { status, stderr } = spawnSync(process.execPath, [join(checkout, 'scripts', 'setup.mjs')], {
    encoding: 'utf8',
  });
  assert.equal(status, 1);
  assert.match(stderr, /^node_modules is a symbolic link, and setting up would delete what it leads to/mu);
  assert.deepEqual(readdirSync(others), ['kept']);
});
