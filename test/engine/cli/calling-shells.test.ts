/** The parent processes of real processes: two ways to ask the system give one answer. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { askPs, shellsFrom, type AskSystem } from '../../../src/cli/calling-shells.ts';
import { askProc } from '../../../src/engine/concurrency/process-tree.ts';

const has = (argv: readonly string[]): boolean => spawnSync(argv[0]!, argv.slice(1)).status === 0;
const WAYS: readonly [string, AskSystem, false | string][] = [
  ['/proc', askProc, process.platform !== 'linux' && 'cannot run here: no /proc'],
  ['ps', askPs, !has(['ps', '-o', 'ppid=', '-p', `${process.pid}`]) && 'cannot run here: no ps'],
];

for (const [name, ask, skip] of WAYS) {
  test(`${name} lists the calling shells`, { skip }, async (t) => {
    // Neither shell ends with its program, so that none replaces itself by it.
    const started = spawn('sh', ['-c', 'sh -c "sleep 60 & echo \\$! \\$\\$; wait"; true'], {
      detached: true,
    });
    t.after(() => process.kill(-started.pid!, 'SIGKILL'));
    const [said] = (await once(started.stdout, 'data')) as [Buffer];
    const [program, inner] = said.toString().split(' ').map(Number);

    assert.deepEqual(
      [...(await shellsFrom(inner!, ask))],
      [
        [inner, started.pid],
        [started.pid, process.pid],
      ],
    );
    // A forked process is a shell until it executes its program.
    let asked = await ask(program!);
    for (; asked?.name === 'sh'; asked = await ask(program!)) await sleep(10);
    assert.deepEqual(asked, { parent: inner, name: 'sleep' });
    assert.equal((await shellsFrom(program!, ask)).size, 0, 'a program is no shell');
  });

  test(`${name} is parsed if a program has a name like a part of its output`, { skip }, async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'parallax-names-'));
    t.after(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'a) S 7 (b');
    writeFileSync(file, '#!/bin/sh\necho 1; read wait\n', { mode: 0o700 });
    const started = spawn(file);
    t.after(() => started.kill('SIGKILL'));
    await once(started.stdout, 'data');
    assert.equal((await ask(started.pid!))?.parent, process.pid);
  });

  test(`${name} lists nothing for a process that has ended`, { skip }, async () => {
    const { pid } = spawnSync(process.execPath, ['--version']);
    assert.equal(await ask(pid), undefined);
  });
}
