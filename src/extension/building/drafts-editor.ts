/** Reviewing drafts in their file: each word of the user is an edit of the line, and can be undone. */
import * as vscode from 'vscode';
import { parseDraft } from '../../core/building/draft.ts';
import { reviewEdit, type DraftReview } from '../../core/building/review-draft.ts';
import { ParallaxError } from '../../core/errors.ts';
import type { TextEdit } from '../../core/formats/json-edit.ts';

/**
 * Reviews the drafts on the lines of the selection, and goes on to the next one that waits. The file is saved,
 * unless the user had unsaved changes in it.
 *
 * @throws ParallaxError `bad-argument` when no drafts are open there, or one cannot be accepted; `bad-file` when the
 *   editor refuses the change or cannot save it
 */
export async function reviewSelected(review: DraftReview): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (!editor) throw noDrafts();
  const { document } = editor;
  const lines = selectedLines(editor);
  if (lines.length === 0) throw noDrafts();
  await changeDrafts(
    document,
    lines.map((line) => ({ line, ...reviewEdit(document.lineAt(line).text, review) })),
  );
  goToWaiting(editor, lines.at(-1)! + 1);
}

/**
 * Changes lines of a file of drafts, which the editor can take back. The file is saved, unless the user had unsaved
 * changes in it.
 *
 * @param changes in offsets of their line, which is counted from 0
 * @throws ParallaxError `bad-file` when the editor refuses the change or cannot save it
 */
export async function changeDrafts(
  document: vscode.TextDocument,
  changes: readonly (TextEdit & { readonly line: number })[],
): Promise<void> {
  const wasDirty = document.isDirty;
  const edit = new vscode.WorkspaceEdit();
  for (const { line, start, end, text } of changes)
    edit.replace(document.uri, new vscode.Range(line, start, line, end), text);
  const isDone = (await vscode.workspace.applyEdit(edit)) && (wasDirty || (await document.save()));
  if (!isDone)
    throw new ParallaxError(
      'bad-file',
      vscode.l10n.t('The drafts could not be written. Is the file read-only?'),
    );
}

/** Why the drafts of the selection are rejected; nothing when the user gives up. */
export function askForReason(): Thenable<string | undefined> {
  return vscode.window.showInputBox({
    title: vscode.l10n.t('Why is the draft rejected?'),
    prompt: vscode.l10n.t('Kept with the draft, which is not proposed again.'),
  });
}

/** Puts the cursor on the first draft that waits, from a line on. */
function goToWaiting(editor: vscode.TextEditor, from: number): void {
  const { document } = editor;
  for (let line = from; line < document.lineCount; line++) {
    const draft = parseDraft(document.lineAt(line).text);
    if (typeof draft === 'string' || draft.review !== 'proposed') continue;
    const start = new vscode.Position(line, 0);
    editor.selection = new vscode.Selection(start, start);
    editor.revealRange(new vscode.Range(start, start), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
    return;
  }
}

/** Lines that are not blank, each once. */
function selectedLines({ document, selections }: vscode.TextEditor): number[] {
  const lines = selections.flatMap(({ start, end }) =>
    Array.from({ length: end.line - start.line + 1 }, (_, place) => start.line + place),
  );
  return [...new Set(lines)].filter((line) => !document.lineAt(line).isEmptyOrWhitespace);
}

const noDrafts = (): ParallaxError =>
  new ParallaxError('bad-argument', vscode.l10n.t('Put the cursor on a draft in a file of drafts first.'));
