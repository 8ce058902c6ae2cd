/** What the review asks before it puts pairs into the queue. */
import * as vscode from 'vscode';

/** @returns nothing when the user gave up */
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

/** How many people are to answer each pair. */
export async function askForPeople(): Promise<number | undefined> {
  const choices = [
    { label: vscode.l10n.t('One person'), people: 1 },
    { label: vscode.l10n.t('Two people'), people: 2 },
    { label: vscode.l10n.t('Three people; the majority decides'), people: 3 },
  ];
  const title = vscode.l10n.t('How many people are to answer each pair?');
  return (await vscode.window.showQuickPick(choices, { title }))?.people;
}
