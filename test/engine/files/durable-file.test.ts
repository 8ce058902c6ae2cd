import assert from 'node:assert/strict';
import { readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { writeDurably } from '../../../src/engine/files/durable-file.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';

test('a write that fails midway leaves the former file and nothing else', async (t) => {
  const folder = temporaryFolder(t);
  const file = path.join(folder, 'file');
  await writeDurably(file, (handle) => handle.writeFile('former'));
  const failing = writeDurably(file, async (handle) => {
    await handle.writeFile('half');
    throw new Error('power cut');
  });
  await assert.rejects(failing, /power cut/);
  assert.deepEqual(await readdir(folder), ['file']);
  assert.equal(await readFile(file, 'utf8'), 'former');
});

test(
  'a link at the place of the unfinished file is not followed',
  { skip: process.platform === 'win32' },
  async (t) => {
    const folder = temporaryFolder(t);
    const [file, outside] = [path.join(folder, 'baseline.json'), path.join(folder, 'outside')];
    await writeFile(outside, 'kept');
    await symlink(outside, `${file}.tmp`);
    await assert.rejects(
      writeDurably(file, (handle) => handle.writeFile('new')),
      { code: 'ELOOP' },
    );
    assert.equal(await readFile(outside, 'utf8'), 'kept');
  },
);
