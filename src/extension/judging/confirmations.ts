/** Shows what judging may cost and asks for confirmation. */
import * as vscode from 'vscode';
import { numberFormat } from '../../core/counted.ts';
import type { JudgingScope } from '../../features/compare/contract/panel.ts';
import type { Effort, Range } from '../../shared/requests/spending.ts';

/**
 * @param pairs the number of pairs the judge would be asked about
 * @returns whether the user agrees
 */
export async function confirmCalls(pairs: number, effort: Effort, judge: string): Promise<boolean> {
  const go = vscode.l10n.t('Judge');
  const answer = await vscode.window.showWarningMessage(
    vscode.l10n.t('Ask {0} about {1} pairs of a passage and a perspective?', judge, pairs),
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
      ? vscode.l10n.t('Ask {0} about up to {1} pairs of a passage and a perspective?', judge, pairs)
      : vscode.l10n.t('Ask {0} about {1} pairs of a passage and a perspective?', judge, pairs);
  const most =
    scope === 'figures'
      ? vscode.l10n.t('This is the most it can be: pairs that no figure depends on are left out.')
      : '';
  const detail = [costText(effort), most].filter((part) => part !== '').join(' ');
  return (await vscode.window.showWarningMessage(question, { modal: true, detail }, go)) === go;
}

/** The cost of a run, as far as it is known in advance. */
export function costText({ requests, promptTokens, completionTokens, price, mayAskAgain }: Effort): string {
  const tokens = {
    least: promptTokens.least + completionTokens.least,
    most: promptTokens.most + completionTokens.most,
  };
  return [
    vscode.l10n.t('{0} requests, about {1} tokens.', rangeText(requests), rangeText(tokens)),
    ...(mayAskAgain ? [vscode.l10n.t('Up to as many again where quotations are not in the passage.')] : []),
    price
      ? vscode.l10n.t('About {0} at the prices in your settings.', rangeText(price, 2))
      : vscode.l10n.t('The setting parallax.prices has no price for the model.'),
    vscode.l10n.t('Answers are kept and never paid for again.'),
  ].join(' ');
}

function rangeText({ least, most }: Range, digits = 0): string {
  const format = numberFormat({ maximumFractionDigits: digits });
  return least === most ? format.format(most) : `${format.format(least)}–${format.format(most)}`;
}
