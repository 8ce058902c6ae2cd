import * as vscode from 'vscode';
import { reachesText } from '../tools/reaches.ts';
import { withoutLinks } from '../../../core/text/without-links.ts';

/** Asks in a modal message of the editor. */
export async function askAgents(reaches: readonly string[]): Promise<boolean> {
  const allow = vscode.l10n.t('Allow');
  const answer = await vscode.window.showWarningMessage(
    vscode.l10n.t('May agents use what parallax.json names?'),
    {
      modal: true,
      detail: `${vscode.l10n.t('An agent asks Parallax to search or measure. That may run or contact:')}\n\n${withoutLinks(reachesText(reaches))}`,
    },
    allow,
  );
  return answer === allow;
}
