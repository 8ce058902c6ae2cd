/** Says what judging the figures of a comparison may cost, and asks whether to go ahead. */
import * as vscode from 'vscode';
import type { JudgingScope } from '../../shared/compare.ts';
import type { Effort } from '../../shared/judge-effort.ts';
import { costText } from '../platform/dialogs.ts';

export async function confirmFigures(
  pairs: number,
  scope: JudgingScope,
  effort: Effort,
  judge: string,
): Promise<boolean> {
  const go = vscode.l10n.t('Judge');
  const question =
    scope === 'figures'
      ? vscode.l10n.t('Ask {0} about up to {1} pairs of a passage and a perspective?', judge, pairs)
      : vscode.l10n.t('Ask {0} about {1} pairs of a passage and a perspective?', judge, pairs);
  const most =
    scope === 'figures'
      ? vscode.l10n.t('This is the most it can be: pairs that no figure depends on are left out.')
      : '';
  const detail = [costText(effort), most].filter((part) => part !== '').join(' ');
  return (await vscode.window.showWarningMessage(question, { modal: true, detail }, go)) === go;
}
