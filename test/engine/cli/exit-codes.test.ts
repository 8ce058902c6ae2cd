/** Exit codes of runs whose output cannot be written, and of configurations that cannot be read. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import '../../fixtures/built.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';

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
  test(`${command} with a parallax.json that is no JSON ends with 2`, (t) => {
    const cwd = temporaryFolder(t);
    writeFileSync(path.join(cwd, 'parallax.json'), '{"corpora": ');
    const main = path.resolve('src/cli/main.ts');
    const { status, stderr } = spawnSync(process.execPath, [main, command!, ...argv], {
      cwd,
      encoding: 'utf8',
    });
    assert.equal(status, 2, stderr);
    assert.match(stderr, /parallax\.json is not valid JSON/u);
  });
