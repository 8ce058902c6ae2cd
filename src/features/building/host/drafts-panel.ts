/** The review of drafts in an editor tab, around its controller. */
import * as vscode from 'vscode';
import { ParallaxError } from '../../../core/errors.ts';
import { DRAFTS_FILE } from '../../../shared/config.ts';
import { VIEWS } from '../../../shared/manifest/contributions.ts';
import { fromDraftsSchema, type FromDrafts, type ToDrafts } from '../contract/panel.ts';
import { EditorPanel } from '../../../extension/platform/editor-panel.ts';
import { readText } from '../../../extension/platform/read-text.ts';
import { applyRemedy } from '../../../extension/platform/remedies.ts';
import type { Services } from '../../../extension/services/services.ts';
import { DraftsController } from './drafts-controller.ts';
import { askForReason, changeDrafts } from './drafts-editor.ts';

export type DraftsPanel = EditorPanel<FromDrafts, ToDrafts>;

export class DraftsReview implements vscode.Disposable {
  readonly panel: DraftsPanel;
  readonly #services: Pick<Services, 'workspace'>;
  readonly #controller: DraftsController;
  readonly #watcher = vscode.workspace.createFileSystemWatcher(`**/${DRAFTS_FILE}`);

  /** @param addAccepted asks for the eval set and adds the accepted drafts */
  constructor(
    services: Pick<Services, 'context' | 'log' | 'ready' | 'workspace'>,
    addAccepted: () => Promise<void>,
  ) {
    const { context, log, ready } = services;
    this.#services = services;
    this.#controller = new DraftsController({
      read: () => this.#read(),
      replaceLine: async (line, before, after) => {
        const document = await vscode.workspace.openTextDocument(this.#file);
        if (document.lineAt(line - 1).text !== before)
          throw new ParallaxError(
            'bad-file',
            vscode.l10n.t('The file of drafts has changed. Check it, and try again.'),
          );
        await changeDrafts(document, [{ line: line - 1, start: 0, end: before.length, text: after }]);
      },
      actions: {
        publish: (state) => this.panel.post({ type: 'state', state }),
        addAccepted,
        askForReason: async () => askForReason(),
        openFile: async () => void (await vscode.window.showTextDocument(this.#file)),
        applyRemedy,
      },
    });
    this.panel = new EditorPanel<FromDrafts, ToDrafts>(context.extensionUri, {
      viewType: VIEWS.drafts,
      title: vscode.l10n.t('Review Drafts'),
      bundle: 'building',
      messages: fromDraftsSchema,
      onMessage: (message) => void ready.then(() => this.#controller.handle(message)),
      onInvalidMessage: (problem) =>
        log.error(`The review of drafts sent a message of the wrong shape: ${problem}`),
      onVisible: () => void this.#controller.refresh(),
    });
    const changed = (): void => {
      if (this.panel.isVisible) void this.#controller.refresh();
    };
    this.#watcher.onDidChange(changed);
    this.#watcher.onDidCreate(changed);
    this.#watcher.onDidDelete(changed);
    context.subscriptions.push(this, this.panel);
  }

  async show(): Promise<void> {
    this.panel.show();
    await this.#controller.refresh();
  }

  dispose(): void {
    this.#watcher.dispose();
  }

  get #file(): vscode.Uri {
    return vscode.Uri.joinPath(this.#services.workspace.openFolder, DRAFTS_FILE);
  }

  /** Includes unsaved edits. */
  async #read(): Promise<string> {
    const path = this.#file.toString();
    const open = vscode.workspace.textDocuments.find(({ uri }) => uri.toString() === path);
    if (open?.isDirty) return open.getText();
    try {
      return await readText(this.#file);
    } catch (error) {
      if (error instanceof vscode.FileSystemError && error.code === 'FileNotFound') return '';
      throw error;
    }
  }
}
