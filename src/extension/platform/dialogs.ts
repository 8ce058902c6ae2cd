/** What Parallax asks or shows outside its panel; always in answer to something the user did. */
import { userInfo } from 'node:os';
import * as vscode from 'vscode';
import type { Effort, Range } from '../../shared/judge-effort.ts';
import type { EngineClient } from '../engine-process/engine-client.ts';
import { numberFormat } from './numbers.ts';

export async function confirmCalls(pairs: number, effort: Effort, judge: string): Promise<boolean> {
  const go = vscode.l10n.t('Judge');
  const answer = await vscode.window.showWarningMessage(
    vscode.l10n.t('Ask {0} about {1} pairs of a passage and a perspective?', judge, pairs),
    { modal: true, detail: costText(effort) },
    go,
  );
  return answer === go;
}

/** What a run will cost, as far as can be said before it. */
export function costText({ requests, promptTokens, completionTokens, price }: Effort): string {
  const tokens = {
    least: promptTokens.least + completionTokens.least,
    most: promptTokens.most + completionTokens.most,
  };
  return [
    vscode.l10n.t('{0} requests, about {1} tokens.', rangeText(requests), rangeText(tokens)),
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

export async function showSkippedFiles(engine: EngineClient, corpus: string): Promise<void> {
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

/** Under which name a person's labels are kept. */
export function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // Some containers run under a user id without a name.
    return 'unnamed';
  }
}

/** Asks where to save a report, and opens it. */
export async function saveAs(name: string, content: string): Promise<void> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const target = await vscode.window.showSaveDialog(
    folder ? { defaultUri: vscode.Uri.joinPath(folder, name) } : {},
  );
  if (!target) return;
  await vscode.workspace.fs.writeFile(target, new TextEncoder().encode(content));
  await vscode.window.showTextDocument(target);
}
