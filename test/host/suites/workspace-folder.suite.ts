/** The contents of the workspace, kept up to date while files come and go. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { WorkspaceFolder } from '../../../src/extension/workspace/workspace-folder.ts';
import { hostTest } from '../companion/host-test.ts';

hostTest('an added or removed folder with eval sets is noticed', async () => {
  const folder = vscode.workspace.workspaceFolders![0]!.uri.fsPath;
  const away = mkdtempSync(join(folder, '..', 'arriving-'));
  const arrived = join(folder, 'arrived');
  mkdirSync(join(away, 'sets'));
  writeFileSync(join(away, 'sets', 'questions.jsonl'), '{"_id": "q1", "text": "Trams?"}\n');
  const workspace = new WorkspaceFolder();
  const changed = (): Promise<void> =>
    new Promise((resolve) => {
      const listening = workspace.onDidChange(() => {
        listening.dispose();
        resolve();
      });
    });
  try {
    const came = changed();
    renameSync(join(away, 'sets'), arrived);
    await came;
    const went = changed();
    rmSync(arrived, { recursive: true });
    await went;
  } finally {
    workspace.dispose();
    rmSync(away, { recursive: true, force: true });
    rmSync(arrived, { recursive: true, force: true });
  }
});

hostTest('a corpus split by an old version is marked, and a quick fix writes the version', async () => {
  const uri = vscode.Uri.joinPath(vscode.workspace.workspaceFolders![0]!.uri, 'parallax.json');
  const before = await vscode.workspace.fs.readFile(uri);
  await vscode.workspace.fs.writeFile(
    uri,
    Buffer.from('{\n  "corpora": { "notes": { "roots": ["docs"] } }\n}\n'),
  );
  try {
    const document = await vscode.workspace.openTextDocument(uri);
    const marked = (): vscode.Diagnostic | undefined =>
      vscode.languages.getDiagnostics(uri).find(({ message }) => message.startsWith('Without "version": 2'));
    while (!marked()) await new Promise((resolve) => setTimeout(resolve, 100));
    const actions = await vscode.commands.executeCommand<vscode.CodeAction[]>(
      'vscode.executeCodeActionProvider',
      uri,
      marked()!.range,
    );
    const fix = actions.find(({ title }) => title.startsWith('Write "version": 2'));
    assert.ok(fix?.edit, JSON.stringify(actions.map(({ title }) => title)));
    await vscode.workspace.applyEdit(fix.edit);
    assert.deepEqual(JSON.parse(document.getText()), {
      corpora: { notes: { roots: ['docs'] } },
      version: 2,
    });
    await vscode.window.showTextDocument(document);
    await vscode.commands.executeCommand('workbench.action.files.revert');
  } finally {
    await vscode.workspace.fs.writeFile(uri, before);
  }
});
