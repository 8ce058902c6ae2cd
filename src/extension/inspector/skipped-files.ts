import * as vscode from 'vscode';
import type { EngineClient } from '../engine-process/engine-client.ts';

/** Opens the list of the files that are not in the index of a corpus, with the reasons. */
export async function showSkippedFiles(engine: Pick<EngineClient, 'request'>, corpus: string): Promise<void> {
  const { files } = await engine.request('skipped', { corpus });
  const lines = files.map(({ path, reason, message }) => `- ${path}\n  ${reason}: ${message}`);
  const content = [
    `# ${vscode.l10n.t('Files that are not in the index of {0}', corpus)}`,
    '',
    files.length === 0 ? vscode.l10n.t('Every file was read.') : lines.join('\n'),
    '',
  ].join('\n');
  const document = await vscode.workspace.openTextDocument({ content, language: 'markdown' });
  await vscode.window.showTextDocument(document, { preview: true });
}
