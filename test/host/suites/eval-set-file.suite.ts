/** Stances written through the editor, so that they can be undone. */
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { saveStance } from '../../../src/extension/workspace/eval-set-file.ts';
import { hostTest } from '../companion/host-test.ts';

const FILE = 'eval/stances.test.jsonl';
const LINES = [
  '{"_id": "q1", "text": "Trams?", "perspectives": ["Yes.", {"id": "no", "text": "No.", "weight": 1.0}]}',
  '{ "_id":"q2",  "text":"Cats?" }',
  '',
];
const TEXT = LINES.join('\r\n');
const WITH_STANCE = TEXT.replace('"weight": 1.0', '"weight": 1.0, "stance": "oppose", "stanceBy": "model"');
const QUERY = { id: 'q1', evalSet: FILE };
const PERSPECTIVE = { id: 'no', text: 'No.' };
const OPPOSES = { stance: 'oppose', by: 'model' } as const;

async function written(): Promise<{ folder: vscode.Uri; uri: vscode.Uri; onDisk(): Promise<string> }> {
  const folder = vscode.workspace.workspaceFolders![0]!.uri;
  const uri = vscode.Uri.joinPath(folder, FILE);
  await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(TEXT));
  const onDisk = async (): Promise<string> =>
    new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
  return { folder, uri, onDisk };
}

hostTest('a stance goes into the eval set on disk, other lines stay, and undo takes it back', async () => {
  const { folder, uri, onDisk } = await written();
  await vscode.window.showTextDocument(uri);
  await saveStance(folder, QUERY, PERSPECTIVE, OPPOSES);
  assert.equal(await onDisk(), WITH_STANCE);
  await vscode.commands.executeCommand('undo');
  const document = await vscode.workspace.openTextDocument(uri);
  assert.equal(document.getText(), TEXT);
  await document.save();
  await vscode.workspace.fs.delete(uri);
});

hostTest('unsaved changes of the user are not saved for them', async () => {
  const { folder, uri, onDisk } = await written();
  const editor = await vscode.window.showTextDocument(uri);
  await editor.edit((change) => change.insert(new vscode.Position(1, 0), ' '));
  await saveStance(folder, QUERY, PERSPECTIVE, OPPOSES);
  assert.equal(await onDisk(), TEXT);
  assert.equal(editor.document.isDirty, true);
  assert.ok(editor.document.getText().includes('"stance": "oppose"'));
  await editor.document.save();
  await vscode.workspace.fs.delete(uri);
});

hostTest('an eval set that no longer has the perspective stays as it is', async () => {
  const { folder, uri, onDisk } = await written();
  await assert.rejects(
    saveStance(folder, QUERY, { ...PERSPECTIVE, text: 'Other.' }, OPPOSES),
    /no longer has the perspective "Other\."/u,
  );
  assert.equal(await onDisk(), TEXT);
  await vscode.workspace.fs.delete(uri);
});
