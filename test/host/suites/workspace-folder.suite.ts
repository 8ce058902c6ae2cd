/** What the workspace holds, kept up to date while files come and go. */
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { WorkspaceFolder } from '../../../src/extension/workspace/workspace-folder.ts';
import { hostTest } from '../companion/host-test.ts';

hostTest('a folder that comes or goes with eval sets in it is noticed', async () => {
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
