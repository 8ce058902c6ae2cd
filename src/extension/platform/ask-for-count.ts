import * as vscode from 'vscode';

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
