/** Changes to eval sets, made as edits of the document so that they can be undone. */
import * as vscode from 'vscode';
import { ParallaxError } from '../../core/errors.ts';
import { stanceEdit, type StanceChange } from '../../core/formats/eval-set-edit.ts';
import type { Perspective } from '../../core/model.ts';
import type { EvalQuery } from '../../shared/eval-query.ts';

/**
 * Gives a perspective of an eval set its stance. The file is saved, unless the user had unsaved changes in it:
 * then it is left to them when to save all of it.
 *
 * @param folder that the paths of eval sets are relative to
 * @throws ParallaxError `not-found` when the perspective is no longer there, `bad-file` when the editor
 *   refuses the change or cannot save it
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
