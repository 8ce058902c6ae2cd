/** Questions before pairs are put into the review queue. */
import * as vscode from 'vscode';

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
