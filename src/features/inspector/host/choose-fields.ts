/** Asks which fields of documents are counted, and writes them to parallax.json. */
import * as vscode from 'vscode';
import { withValue } from '../../../core/formats/json-edit.ts';
import type { ConfigFile } from '../../../extension/workspace/config-file.ts';
import type { FieldChoice } from './inspector-options.ts';

/**
 * Writes nothing if the list is closed without an answer. Ticking no field means that none is counted.
 *
 * @param corpus its name
 * @throws ParallaxError if parallax.json cannot be written
 */
export async function chooseFields(
  configFile: Pick<ConfigFile, 'edit'>,
  corpus: string,
  { found, counted }: FieldChoice,
): Promise<void> {
  const items = found.map((label) => ({ label, picked: counted.includes(label) }));
  const chosen = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('Which fields are counted?'),
    placeHolder: vscode.l10n.t('How many different values the passages of an answer have in each'),
    canPickMany: true,
  });
  if (!chosen) return;
  const fields = chosen.map(({ label }) => label);
  await configFile.edit((json) => withValue(json, ['corpora', corpus, 'fields'], fields));
}
