/** The history panel in the editor. */
import * as vscode from 'vscode';
import { VIEWS } from '../../../shared/manifest/contributions.ts';
import { fromHistorySchema, type FromHistory, type ToHistory } from '../../history/contract/panel.ts';
import { EditorPanel, type EditorPanelOptions } from '../../../extension/platform/editor-panel.ts';

export type HistoryPanel = EditorPanel<FromHistory, ToHistory>;

export function historyPanelIn(
  extensionUri: vscode.Uri,
  handlers: Pick<EditorPanelOptions<FromHistory>, 'onMessage' | 'onInvalidMessage' | 'onVisible'>,
): HistoryPanel {
  return new EditorPanel<FromHistory, ToHistory>(extensionUri, {
    viewType: VIEWS.history,
    title: vscode.l10n.t('Evaluation History'),
    bundle: 'history',
    messages: fromHistorySchema,
    ...handlers,
  });
}
