/** The editor reads only files within the folder of an untrusted workspace. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { Uri } from 'vscode';
import { fakeEditor } from '../../fixtures/fake-editor.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';

const uriOf = (fsPath: string): Uri => ({ fsPath, scheme: 'file' }) as Uri;

/** The files that the editor was asked about. */
const asked: string[] = [];
const workspace = {
  isTrusted: false,
  folder: '',
  getWorkspaceFolder: ({ fsPath }: Uri) =>
    fsPath.startsWith(`${workspace.folder}${path.sep}`) ? { uri: uriOf(workspace.folder) } : undefined,
  fs: {
    stat: ({ fsPath }: Uri) => {
      asked.push(path.basename(fsPath));
      return Promise.resolve({ type: 1, size: statSync(fsPath).size });
    },
    readFile: ({ fsPath }: Uri) => Promise.resolve(readFileSync(fsPath)),
  },
};
fakeEditor(workspace);
const { readText } = await import('../../../src/extension/platform/read-text.ts');

test('before trust, a link out of the folder is neither read nor looked up', async (t) => {
  const root = temporaryFolder(t);
  workspace.folder = path.join(root, 'open');
  mkdirSync(path.join(root, 'outside'));
  mkdirSync(workspace.folder);
  writeFileSync(path.join(root, 'outside/secret.py'), 'KEY = 1');
  writeFileSync(path.join(workspace.folder, 'own.py'), 'K = 7');
  symlinkSync('own.py', path.join(workspace.folder, 'in.py'));
  symlinkSync('../outside/secret.py', path.join(workspace.folder, 'file.py'));
  symlinkSync('../outside', path.join(workspace.folder, 'lib'));
  const read = (name: string): Promise<string> => readText(uriOf(path.join(workspace.folder, name)));

  assert.equal(await read('own.py'), 'K = 7');
  assert.equal(await read('in.py'), 'K = 7');
  asked.length = 0;
  for (const name of ['file.py', 'lib/secret.py', 'lib/missing.py'])
    await assert.rejects(read(name), { id: 'untrusted' }, name);
  assert.deepEqual(asked, []);
  // Parallax's own files are in no workspace folder.
  assert.equal(await readText(uriOf(path.join(root, 'outside/secret.py'))), 'KEY = 1');

  workspace.isTrusted = true;
  assert.equal(await read('file.py'), 'KEY = 1');
  assert.equal(await read('lib/secret.py'), 'KEY = 1');
});
