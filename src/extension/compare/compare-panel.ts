/** The compare panel as the editor sees it: one panel in the editor area, restored after a restart. */
import * as vscode from 'vscode';
import { fromCompareSchema, type FromCompare, type ToCompare } from '../../shared/compare.ts';
import { VIEWS } from '../../shared/contributions.ts';
import { webviewHtml, webviewRoot } from '../platform/webview-html.ts';

export interface ComparePanelHandlers {
  onMessage(message: FromCompare): void;
  onInvalidMessage(problem: string): void;
}

export class ComparePanel implements vscode.WebviewPanelSerializer, vscode.Disposable {
  readonly #extensionUri: vscode.Uri;
  readonly #handlers: ComparePanelHandlers;
  #panel: vscode.WebviewPanel | undefined;

  constructor(extensionUri: vscode.Uri, handlers: ComparePanelHandlers) {
    this.#extensionUri = extensionUri;
    this.#handlers = handlers;
  }

  show(): void {
    if (this.#panel) return this.#panel.reveal();
    const title = vscode.l10n.t('Compare Pipelines');
    this.#attach(
      vscode.window.createWebviewPanel(VIEWS.compare, title, vscode.ViewColumn.Active, this.#options),
    );
  }

  deserializeWebviewPanel(panel: vscode.WebviewPanel): Promise<void> {
    panel.webview.options = this.#options;
    this.#attach(panel);
    return Promise.resolve();
  }

  post(message: ToCompare): void {
    void this.#panel?.webview.postMessage(message);
  }

  dispose(): void {
    this.#panel?.dispose();
  }

  get #options(): vscode.WebviewOptions {
    return { enableScripts: true, localResourceRoots: [webviewRoot(this.#extensionUri)] };
  }

  #attach(panel: vscode.WebviewPanel): void {
    this.#panel?.dispose();
    this.#panel = panel;
    panel.iconPath = vscode.Uri.joinPath(this.#extensionUri, 'media', 'parallax.svg');
    panel.onDidDispose(() => {
      if (this.#panel === panel) this.#panel = undefined;
    });
    panel.webview.onDidReceiveMessage((raw: unknown) => {
      const parsed = fromCompareSchema.safeParse(raw);
      if (parsed.success) this.#handlers.onMessage(parsed.data);
      else this.#handlers.onInvalidMessage(parsed.error.message);
    });
    panel.webview.html = webviewHtml(panel.webview, this.#extensionUri, 'compare');
  }
}
