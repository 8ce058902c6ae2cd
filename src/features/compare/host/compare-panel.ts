/** The compare panel in the editor. */
import * as vscode from 'vscode';
import { fromCompareSchema, type FromCompare, type ToCompare } from '../contract/panel.ts';
import { VIEWS } from '../../../shared/manifest/contributions.ts';
import { EditorPanel, type EditorPanelOptions } from '../../../extension/platform/editor-panel.ts';

export type ComparePanel = EditorPanel<FromCompare, ToCompare>;

export function comparePanelIn(
  extensionUri: vscode.Uri,
  handlers: Pick<EditorPanelOptions<FromCompare>, 'onMessage' | 'onInvalidMessage'>,
): ComparePanel {
  return new EditorPanel<FromCompare, ToCompare>(extensionUri, {
    viewType: VIEWS.compare,
    title: vscode.l10n.t('Compare Pipelines'),
    bundle: 'compare',
    messages: fromCompareSchema,
    ...handlers,
  });
}
