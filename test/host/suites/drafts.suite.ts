/** Drafts reviewed in their file, through the editor, so that every answer can be undone. */
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { reviewSelected } from '../../../src/features/building/host/drafts-editor.ts';
import { hostTest } from '../companion/host-test.ts';

const draft = (id: string): string =>
  `{"v":1,"id":"${id}", "review" : "proposed","text":"${id}?","perspectives":[{"id":"p1","text":"Yes."}],"made":{"from":"log","prompts":[],"model":"m","at":"","cost":1.50}}`;
const TEXT = [draft('one'), draft('two'), draft('three'), ''].join('\r\n');

interface Opened {
  readonly editor: vscode.TextEditor;
  onDisk(): Promise<string>;
  /** Discards unsaved changes, too, which would block closing all editors. */
  discard(): Promise<void>;
}

/** @param name of a file that no other case uses: the editor may still cache the text of a deleted one */
async function opened(name: string): Promise<Opened> {
  const uri = vscode.Uri.joinPath(vscode.workspace.workspaceFolders![0]!.uri, `${name}.drafts.test.jsonl`);
  await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(TEXT));
  const editor = await vscode.window.showTextDocument(uri);
  return {
    editor,
    onDisk: async () => new TextDecoder().decode(await vscode.workspace.fs.readFile(uri)),
    discard: async () => {
      await vscode.window.showTextDocument(uri);
      await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
      await vscode.workspace.fs.delete(uri);
    },
  };
}

hostTest(
  'the draft at the cursor is accepted and saved, the next one selected; undo reverts it',
  async () => {
    const { editor, onDisk, discard } = await opened('one-by-one');
    await reviewSelected({ review: 'accepted' });
    assert.equal(await onDisk(), TEXT.replace('"proposed"', '"accepted"'));
    assert.equal(editor.selection.active.line, 1);
    await reviewSelected({ review: 'rejected', because: 'Dull.' });
    const [, second] = (await onDisk()).split('\r\n');
    assert.ok(second!.endsWith('"cost":1.50}, "because": "Dull."}'), second);
    assert.equal(editor.selection.active.line, 2);
    await vscode.commands.executeCommand('undo');
    await vscode.commands.executeCommand('undo');
    assert.equal(editor.document.getText(), TEXT);
    await discard();
  },
);

hostTest('several drafts are accepted at once, and unsaved changes of the user stay unsaved', async () => {
  const { editor, onDisk, discard } = await opened('several');
  await editor.edit((change) => change.insert(new vscode.Position(3, 0), ' '));
  editor.selection = new vscode.Selection(0, 0, 1, 3);
  await reviewSelected({ review: 'accepted' });
  assert.equal(await onDisk(), TEXT);
  assert.equal(editor.document.getText().split('"accepted"').length, 3);
  await discard();
});

hostTest('a file without drafts does not change', async () => {
  const { editor, onDisk, discard } = await opened('nowhere');
  editor.selection = new vscode.Selection(3, 0, 3, 0);
  await assert.rejects(reviewSelected({ review: 'accepted' }), /Put the cursor on a draft/u);
  assert.equal(await onDisk(), TEXT);
  await discard();
});
