import * as vscode from 'vscode';
import { counts } from '../../../core/counted.ts';
import type { Services } from '../../../extension/services/services.ts';

/** Opens the list of the files missing from the index of a corpus, with the reasons. */
export async function showSkippedFiles(
  { engine, reports }: Pick<Services, 'engine' | 'reports'>,
  corpus: string,
): Promise<void> {
  const { files } = await engine.request('skipped', { corpus });
  const { folders, withCode, unread } = await engine.request('surveyCorpus', { corpus });
  const code = withCode ? 0 : folders.reduce((sum, folder) => sum + folder.code, 0);
  const lines = files.map(({ path, message }) => `- ${path}: ${message}`);
  const content = [
    `# ${vscode.l10n.t('Files that are not in the index of {0}', corpus)}`,
    '',
    ...(files.length + unread.kinds.length + unread.ignored.length + code === 0
      ? [vscode.l10n.t('Every file was read.'), '']
      : []),
    ...section(vscode.l10n.t('Could not be read'), lines),
    ...section(
      vscode.l10n.t('Kinds that cannot be read'),
      unread.kinds.map(({ extension, files: count }) => `- ${extension}: ${count}`),
    ),
    ...section(
      vscode.l10n.t('Left out by .gitignore; as "roots" of a corpus in parallax.json they are read'),
      unread.ignored.map((place) => `- ${place}`),
    ),
    ...section(
      vscode.l10n.t('Code and settings; "code": true of a corpus in parallax.json includes them'),
      code === 0 ? [] : [`- ${counts.files(code)}`],
    ),
  ].join('\n');
  await reports.show(vscode.l10n.t('Skipped files'), content);
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [`## ${title}`, '', ...lines, ''];
}
