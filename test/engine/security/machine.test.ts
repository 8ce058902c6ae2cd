/** Other users of the machine, and programs in a repository. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { commitOf } from '../../../src/features/gate/engine/commit.ts';
import { makePrivate } from '../../../src/extension/engine-process/private-folder.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';
import '../../fixtures/built.ts';

const rightsOf = (file: string): string => (statSync(file).mode & 0o777).toString(8);
const POSIX =
  process.platform === 'win32' ? { skip: 'cannot run here: rights are inherited on Windows' } : {};

describe('another user of the machine', POSIX, () => {
  it('cannot enter the editor’s storage folder, new or formerly open', async (t) => {
    const folder = temporaryFolder(t);
    const warned: string[] = [];
    for (const name of ['new/storage', 'open']) {
      const storage = path.join(folder, name);
      if (name === 'open') {
        mkdirSync(storage);
        chmodSync(storage, 0o755);
      }
      await makePrivate(storage, (message) => warned.push(message));
      assert.equal(rightsOf(storage), '700');
    }
    assert.equal(warned.length, 0);
    writeFileSync(path.join(folder, 'file'), '');
    await makePrivate(path.join(folder, 'file', 'storage'), (message) => warned.push(message));
    assert.match(warned[0]!, /could not be closed to other users/u);
  });

  it('cannot enter the indexes of the command line', (t) => {
    const folder = temporaryFolder(t);
    writeFileSync(path.join(folder, 'a.txt'), 'A text.');
    const store = path.join(folder, 'store');
    const { status, stderr } = spawnSync(
      process.execPath,
      [path.resolve('src/cli/main.ts'), 'index', path.join(folder, 'a.txt'), '--store', store],
      { encoding: 'utf8' },
    );
    assert.equal(status, 0, stderr);
    assert.equal(rightsOf(store), '700');
  });
});

describe('a program called git in a folder', POSIX, () => {
  it('is not run, even if the path contains the folder', async (t) => {
    const folder = temporaryFolder(t);
    const git = (...args: string[]): string =>
      execFileSync('git', ['-C', folder, ...args], { encoding: 'utf8' });
    git('init', '--quiet');
    git('-c', 'user.name=t', '-c', 'user.email=t@t', 'commit', '--quiet', '--allow-empty', '-m', 'first');
    const commit = git('rev-parse', 'HEAD').trim();
    const marker = path.join(folder, 'ran');
    writeFileSync(path.join(folder, 'git'), `#!/bin/sh\ntouch '${marker}'\necho planted\n`, { mode: 0o755 });
    const { PATH = '' } = process.env;
    process.env['PATH'] = `.${path.delimiter}${PATH}`;
    t.after(() => (process.env['PATH'] = PATH));
    assert.equal(await commitOf(folder), commit);
    assert.ok(!existsSync(marker));
  });
});
