/** Dialogs and messages outside the panels, always in response to a user action. */
import { userInfo } from 'node:os';
import * as vscode from 'vscode';
import type { FileBeside } from './save-file.ts';

/** The name under which a person's labels are stored. */
export function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // In some containers the user id has no name.
    return 'unnamed';
  }
}

/** Asks where to save a report or a picture, and opens the saved file. */
export async function saveAs(name: string, content: string | Uint8Array, beside?: FileBeside): Promise<void> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const target = await vscode.window.showSaveDialog(
    folder ? { defaultUri: vscode.Uri.joinPath(folder, name) } : {},
  );
  if (!target) return;
  const isText = typeof content === 'string';
  await vscode.workspace.fs.writeFile(target, isText ? new TextEncoder().encode(content) : content);
  if (beside)
    await vscode.workspace.fs.writeFile(
      target.with({ path: `${target.path}${beside.added}` }),
      new TextEncoder().encode(beside.content),
    );
  if (isText) await vscode.window.showTextDocument(target);
  else await vscode.commands.executeCommand('vscode.open', target);
}

/**
 * Asks for a whole number.
 *
 * @param most the number is from 1 to this
 * @returns `undefined` if the user cancels
 */
export async function askForCount(title: string, initial: number, most: number): Promise<number | undefined> {
  const text = await vscode.window.showInputBox({
    title,
    value: String(initial),
    validateInput: (value) =>
      isCount(value, most) ? undefined : vscode.l10n.t('A whole number from 1 to {0}', most),
  });
  return text === undefined ? undefined : Number(text);
}

function isCount(value: string, most: number): boolean {
  return /^\s*\d+\s*$/u.test(value) && Number(value) >= 1 && Number(value) <= most;
}
