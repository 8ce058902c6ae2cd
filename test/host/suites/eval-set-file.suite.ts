/** Stances written through the editor, so that they can be undone. */
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { saveStance } from '../../../src/extension/workspace/eval-set-file.ts';
import { hostTest } from '../companion/host-test.ts';

const LINES = [
  '{"_id": "q1", "text": "Trams?", "perspectives": ["Yes.", {"id": "no", "text": "No.", "weight": 1.0}]}',
  '{ "_id":"q2",  "text":"Cats?" }',
  '',
];
const TEXT = LINES.join('\r\n');
const WITH_STANCE = TEXT.replace('"weight": 1.0', '"weight": 1.0, "stance": "oppose", "stanceBy": "model"');
const PERSPECTIVE = { id: 'no', text: 'No.' };
const OPPOSES = { stance: 'oppose', by: 'model' } as const;

interface Written {
  readonly folder: vscode.Uri;
  readonly uri: vscode.Uri;
  readonly query: { readonly id: string; readonly evalSet: string };
  onDisk(): Promise<string>;
}

/** @param name of a file that no other case uses: the editor may still cache the text of a deleted one */
async function written(name: string): Promise<Written> {
  const evalSet = `eval/${name}.test.jsonl`;
  const folder = vscode.workspace.workspaceFolders![0]!.uri;
  const uri = vscode.Uri.joinPath(folder, evalSet);
  await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(TEXT));
  const onDisk = async (): Promise<string> =>
    new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
  return { folder, uri, query: { id: 'q1', evalSet }, onDisk };
}

/** A document with unsaved changes would block closing all editors. */
async function discard(uri: vscode.Uri): Promise<void> {
  await vscode.window.showTextDocument(uri);
  await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  await vscode.workspace.fs.delete(uri);
}

hostTest('a stance is saved to the eval set, other lines stay, and undo takes it back', async () => {
  const { folder, uri, query, onDisk } = await written('undone');
  await vscode.window.showTextDocument(uri);
  await saveStance(folder, query, PERSPECTIVE, OPPOSES);
  assert.equal(await onDisk(), WITH_STANCE);
  await vscode.commands.executeCommand('undo');
  const document = await vscode.workspace.openTextDocument(uri);
  assert.equal(document.getText(), TEXT);
  await discard(uri);
});

hostTest('unsaved changes of the user stay unsaved', async () => {
  const { folder, uri, query, onDisk } = await written('unsaved');
  const editor = await vscode.window.showTextDocument(uri);
  await editor.edit((change) => change.insert(new vscode.Position(1, 0), ' '));
  await saveStance(folder, query, PERSPECTIVE, OPPOSES);
  assert.equal(await onDisk(), TEXT);
  assert.equal(editor.document.isDirty, true);
  assert.ok(editor.document.getText().includes('"stance": "oppose"'));
  await discard(uri);
});

hostTest('an eval set without the perspective does not change', async () => {
  const { folder, uri, query, onDisk } = await written('without-perspective');
  await assert.rejects(
    saveStance(folder, query, { ...PERSPECTIVE, text: 'Other.' }, OPPOSES),
    /no longer has the perspective "Other\."/u,
  );
  assert.equal(await onDisk(), TEXT);
  await vscode.workspace.fs.delete(uri);
});
