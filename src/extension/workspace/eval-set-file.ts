/** Changes eval sets through edits of the document, so that they can be undone. */
import * as vscode from 'vscode';
import { ParallaxError } from '../../core/errors.ts';
import { stanceEdit, type StanceChange } from '../../core/formats/eval-set-edit.ts';
import type { Perspective } from '../../core/model.ts';
import type { EvalQuery } from '../../shared/eval-query.ts';

/**
 * Sets the stance of a perspective in an eval set. Saves the file, unless the user had unsaved changes in it.
 *
 * @param folder the base of the eval sets' paths
 * @throws ParallaxError `not-found` if the perspective no longer exists, `bad-file` if the editor refuses the change or
 *   cannot save it
 */
export async function saveStance(
  folder: vscode.Uri,
  { id, evalSet }: Pick<EvalQuery, 'id' | 'evalSet'>,
  perspective: Perspective,
  change: StanceChange,
): Promise<void> {
  const uri = vscode.Uri.joinPath(folder, evalSet);
  const document = await vscode.workspace.openTextDocument(uri);
  const wasDirty = document.isDirty;
  const { start, end, text } = stanceEdit(document.getText(), id, perspective, change);
  const edit = new vscode.WorkspaceEdit();
  edit.replace(uri, new vscode.Range(document.positionAt(start), document.positionAt(end)), text);
  const isDone = (await vscode.workspace.applyEdit(edit)) && (wasDirty || (await document.save()));
  if (!isDone)
    throw new ParallaxError(
      'bad-file',
      vscode.l10n.t('The stance could not be written to {0}. Is the file read-only?', evalSet),
    );
}
