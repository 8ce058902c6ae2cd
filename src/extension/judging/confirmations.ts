/** Shows what judging may cost and asks for confirmation. */
import * as vscode from 'vscode';
import { counted, numberFormat } from '../../core/counted.ts';
import { effortText } from '../../core/facts.ts';
import type { JudgingScope } from '../../features/compare/contract/panel.ts';
import type { Effort, Range } from '../../shared/requests/spending.ts';

/**
 * @param pairs the number of pairs the judge would be asked about
 * @returns whether the user agrees
 */
export async function confirmCalls(pairs: number, effort: Effort, judge: string): Promise<boolean> {
  const go = vscode.l10n.t('Judge');
  const answer = await vscode.window.showWarningMessage(
    counted(vscode.l10n.t('Ask {0} about {1} [1:pair|pairs] of a passage and a perspective?'), judge, pairs),
    { modal: true, detail: costText(effort) },
    go,
  );
  return answer === go;
}

/** {@link confirmCalls} for the figures of a comparison. */
export async function confirmFigures(
  pairs: number,
  scope: JudgingScope,
  effort: Effort,
  judge: string,
): Promise<boolean> {
  const go = vscode.l10n.t('Judge');
  const question =
    scope === 'figures'
      ? counted(
          vscode.l10n.t('Ask {0} about up to {1} [1:pair|pairs] of a passage and a perspective?'),
          judge,
          pairs,
        )
      : counted(
          vscode.l10n.t('Ask {0} about {1} [1:pair|pairs] of a passage and a perspective?'),
          judge,
          pairs,
        );
  const most =
    scope === 'figures'
      ? vscode.l10n.t('This is an upper limit: pairs that no figure depends on are left out.')
      : '';
  const detail = [costText(effort), most].filter((part) => part !== '').join(' ');
  return (await vscode.window.showWarningMessage(question, { modal: true, detail }, go)) === go;
}

/** The cost of a run, as far as it is known in advance. */
export function costText({ price, ...effort }: Effort): string {
  return [
    `${effortText(effort)}.`,
    price
      ? vscode.l10n.t('About {0} at the prices in your settings.', priceText(price))
      : vscode.l10n.t('The setting parallax.prices has no price for the model.'),
    vscode.l10n.t('Answers are kept and never paid for again.'),
  ].join(' ');
}

function priceText({ least, most }: Range): string {
  const format = numberFormat({ maximumFractionDigits: 2 });
  return least === most
    ? format.format(most)
    : vscode.l10n.t('{0} to {1}', format.format(least), format.format(most));
}
