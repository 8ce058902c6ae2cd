import * as vscode from 'vscode';
import type { Services } from '../services/services.ts';

/** Opens the list of the files that are not in the index of a corpus, with the reasons. */
export async function showSkippedFiles(
  { engine, reports }: Pick<Services, 'engine' | 'reports'>,
  corpus: string,
): Promise<void> {
  const { files } = await engine.request('skipped', { corpus });
  const lines = files.map(({ path, reason, message }) => `- ${path}\n  ${reason}: ${message}`);
  const content = [
    `# ${vscode.l10n.t('Files that are not in the index of {0}', corpus)}`,
    '',
    files.length === 0 ? vscode.l10n.t('Every file was read.') : lines.join('\n'),
    '',
  ].join('\n');
  await reports.show(vscode.l10n.t('Skipped files'), content);
}
