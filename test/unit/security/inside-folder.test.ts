/** Nothing outside an untrusted folder is looked up, by whatever path. */
import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { staysInside } from '../../../src/extension/platform/inside-folder.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';

/** A folder with a file and links, beside a folder with a file that must stay unknown. */
function folders(t: TestContext): string {
  const root = temporaryFolder(t);
  mkdirSync(path.join(root, 'outside'));
  writeFileSync(path.join(root, 'outside/secret.txt'), 'x');
  const folder = path.join(root, 'open');
  mkdirSync(path.join(folder, 'docs'), { recursive: true });
  writeFileSync(path.join(folder, 'docs/a.md'), 'x');
  symlinkSync('../outside', path.join(folder, 'out'));
  symlinkSync('../outside/secret.txt', path.join(folder, 'file'));
  symlinkSync('../outside/nothing.txt', path.join(folder, 'dangling'));
  symlinkSync('docs', path.join(folder, 'in'));
  return folder;
}

test('existing and future paths in the folder are inside', async (t) => {
  const folder = folders(t);
  for (const file of ['', 'docs', 'docs/a.md', 'docs/missing.md', 'no/such/folder', 'in/a.md', '..a'])
    assert.equal(await staysInside(folder, path.resolve(folder, file)), true, file);
});

test('a path through a link is outside, whether its target exists or not', async (t) => {
  const folder = folders(t);
  const out = [
    'out/secret.txt',
    'out/missing.txt',
    'out/no/such',
    'out/secret.txt/x',
    'file',
    'file/x',
    'dangling',
  ];
  for (const file of [...out, '..', '../outside/secret.txt', '../outside/missing.txt', '/'])
    assert.equal(await staysInside(folder, path.resolve(folder, file)), false, file);
});

test('the folder itself may be a link', async (t) => {
  const folder = folders(t);
  const link = path.join(folder, '../link');
  symlinkSync('open', link);
  assert.equal(await staysInside(link, path.join(link, 'docs/a.md')), true);
  assert.equal(await staysInside(link, path.join(link, 'out/secret.txt')), false);
});
