/** Reviews drafts in their file: each decision of the user is an edit of the line and can be undone. */
import * as vscode from 'vscode';
import { parseDraft } from '../core/draft.ts';
import { reviewEdit, type DraftReview } from '../core/review-draft.ts';
import { ParallaxError } from '../../../core/errors.ts';
import type { TextEdit } from '../../../core/formats/json-edit.ts';

/**
 * Reviews the drafts on the selected lines, and goes to the next pending one. Saves the file, unless the user had
 * unsaved changes in it.
 *
 * @throws ParallaxError `bad-argument` if no drafts are open there, or one cannot be accepted; `bad-file` if the editor
 *   refuses the change or cannot save it
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
 * Changes lines of a drafts file as an edit that can be undone. Saves the file, unless the user had unsaved changes in
 * it.
 *
 * @param changes with offsets within their line; lines count from 0
 * @throws ParallaxError `bad-file` if the editor refuses the change or cannot save it
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

/** The reason for rejecting the selected drafts. `undefined` if the user cancels. */
export function askForReason(): Thenable<string | undefined> {
  return vscode.window.showInputBox({
    title: vscode.l10n.t('Why is the draft rejected?'),
    prompt: vscode.l10n.t('Kept with the draft, which is not proposed again.'),
  });
}

/** Puts the cursor on the first pending draft from a line on. */
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

/** Selected lines that are not blank, without duplicates. */
function selectedLines({ document, selections }: vscode.TextEditor): number[] {
  const lines = selections.flatMap(({ start, end }) =>
    Array.from({ length: end.line - start.line + 1 }, (_, place) => start.line + place),
  );
  return [...new Set(lines)].filter((line) => !document.lineAt(line).isEmptyOrWhitespace);
}

const noDrafts = (): ParallaxError =>
  new ParallaxError('bad-argument', vscode.l10n.t('Put the cursor on a draft in a file of drafts first.'));
