/** Exit codes of runs whose output cannot be written. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { test } from 'node:test';

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
