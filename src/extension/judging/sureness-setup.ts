/**
 * "How sure must it be?": selects another way to ask the judge in use, and writes it to `parallax.json` if it is not
 * there yet.
 */
import * as vscode from 'vscode';
import { withValue } from '../../core/formats/json-edit.ts';
import type { ConfigFile } from '../workspace/config-file.ts';
import type { SurenessWay } from './sureness-ways.ts';

/**
 * @param ways at least one
 * @returns the name of the judge now in use, or `undefined` if the user cancels
 */
export async function chooseSureness(
  ways: readonly SurenessWay[],
  configFile: ConfigFile,
): Promise<string | undefined> {
  const title = vscode.l10n.t('How sure must it be?');
  const way = await vscode.window.showQuickPick(ways, { title, matchOnDetail: true });
  const judge = way && (await completed(way));
  if (!way || !judge) return undefined;
  const { name } = way;
  await configFile.edit((json) => {
    const written = way.written ? withValue(json, ['judges', name], judge) : json;
    return withValue(written, ['judge'], name);
  });
  return name;
}

/** The entry to write. Asks for the cheaper judges if the entry needs them. */
async function completed({ written = {}, cheaper }: SurenessWay): Promise<object | undefined> {
  if (!cheaper) return written;
  const title = vscode.l10n.t('Which judges are cheaper?');
  const items = cheaper.map((label) => ({ label }));
  const chosen = await vscode.window.showQuickPick(items, { title, canPickMany: true });
  if (!chosen || chosen.length === 0) return undefined;
  return { ...written, judges: chosen.map(({ label }) => label) };
}
