import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { makeTemporaryFolder, removeTemporaryFolder } from '../../../src/engine/store/temporary-folder.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';

const MODULE = new URL('../../../src/engine/store/temporary-folder.ts', import.meta.url).href;
/** Makes two folders at once, says so, and ends when it is told to. */
const PROGRAM = `
  const { makeTemporaryFolder } = await import(${JSON.stringify(MODULE)});
  await Promise.all([makeTemporaryFolder('test'), makeTemporaryFolder('test')]);
  process.stdin.once('data', () => process.exit(3));
  console.log('ready');
`;

function setUp(t: TestContext): { folders: () => string[]; place: string; run: () => Promise<ChildProcess> } {
  const place = temporaryFolder(t);
  const run = async (): Promise<ChildProcess> => {
    const env = { ...process.env, TMPDIR: place, TEMP: place, TMP: place };
    const child = spawn(process.execPath, ['--input-type=module', '--eval', PROGRAM], {
      env,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    t.after(() => child.kill('SIGKILL'));
    await once(child.stdout!, 'data');
    return child;
  };
  return { place, run, folders: () => readdirSync(place).sort() };
}

async function kill(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL');
  await once(child, 'exit');
}

test('folders of a killed process go at the next start, and those of a running one stay', async (t) => {
  const { run, folders } = setUp(t);
  const [killed, running] = [await run(), await run()];
  const all = folders();
  assert.equal(all.length, 4);
  await kill(killed);
  assert.deepEqual(folders(), all);
  const next = await run();
  assert.equal(folders().length, 4);
  const left = all.filter((name) => folders().includes(name));
  assert.equal(left.length, 2);
  await kill(next);
  const another = await run();
  assert.deepEqual(
    left.filter((name) => !folders().includes(name)),
    [],
  );
  await kill(another);
  await kill(running);
});

test('folders of a process that ends by itself go with it', async (t) => {
  const { run, folders } = setUp(t);
  const child = await run();
  child.stdin!.write('end\n');
  assert.deepEqual(await once(child, 'exit'), [3, null]);
  assert.deepEqual(folders(), []);
});

test('a process that makes many, one after the other, listens for its end once', async () => {
  const listeners = process.listenerCount('exit');
  for (let turn = 0; turn < 3; turn++) {
    const folder = await makeTemporaryFolder('test');
    assert.equal(existsSync(folder), true);
    await removeTemporaryFolder(folder);
    assert.equal(existsSync(folder), false);
  }
  assert.equal(process.listenerCount('exit'), listeners + 1);
});

test('what others named alike stays', async (t) => {
  const { place, run, folders } = setUp(t);
  mkdirSync(path.join(place, 'parallax-notes'));
  mkdirSync(path.join(place, 'parallax-odd', 'in-use.lock'), { recursive: true });
  mkdirSync(path.join(place, 'other'));
  writeFileSync(path.join(place, 'other', 'in-use.lock'), '');
  symlinkSync(path.join(place, 'other'), path.join(place, 'parallax-link'));
  await kill(await run());
  await kill(await run());
  assert.deepEqual(
    folders().filter((name) => !name.startsWith('parallax-test-')),
    ['other', 'parallax-link', 'parallax-notes', 'parallax-odd'],
  );
});

test('a folder with the files of an abandoned one, such as a clone, stays', async (t) => {
  const { place, run, folders } = setUp(t);
  await kill(await run());
  const [abandoned = ''] = folders();
  cpSync(path.join(place, abandoned), path.join(place, 'parallax-test-cloned'), { recursive: true });
  await kill(await run());
  assert.equal(folders().includes(abandoned), false);
  assert.equal(folders().includes('parallax-test-cloned'), true);
});
