import * as vscode from 'vscode';
import { withoutLinks } from '../../../core/text/without-links.ts';
import type { FileChanges } from '../../../shared/requests/corpora.ts';

/** Asks whether to index a corpus that would grow by more than half. */
export async function confirmGrowth(corpus: string, { addedBytes, largest }: FileChanges): Promise<boolean> {
  const yes = vscode.l10n.t('Index Them');
  const megabytes = (addedBytes / 1_000_000).toFixed(1);
  const question =
    largest === undefined
      ? vscode.l10n.t('New files would make "{0}" grow by more than half. Index them?', corpus)
      : vscode.l10n.t(
          'New files would make "{0}" grow by more than half ({1} MB; the largest is {2}). Index them?',
          corpus,
          megabytes,
          largest,
        );
  return (
    (await vscode.window.showWarningMessage(withoutLinks(question), yes, vscode.l10n.t('Not Now'))) === yes
  );
}
