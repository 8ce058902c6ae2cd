/** A panel in the editor area: at most one of its kind, restored after a restart. */
import * as vscode from 'vscode';
import type * as z from 'zod';
import { webviewHtml, webviewRoot } from './webview-html.ts';

export interface EditorPanelOptions<From> {
  /** The id under which the panel is restored. */
  readonly viewType: string;
  readonly title: string;
  /** Name of its script and style sheet in `dist/webview`. */
  readonly bundle: string;
  /** The schema of the panel's messages. */
  readonly messages: z.ZodType<From>;
  readonly onMessage: (message: From) => void;
  readonly onInvalidMessage: (problem: string) => void;
  /** Called when the panel becomes visible again. */
  readonly onVisible?: () => void;
  /** Called when the user closes the panel. */
  readonly onClosed?: () => void;
}

/** `From` are the messages that the panel sends, `To` those that it receives. */
export class EditorPanel<From, To> implements vscode.WebviewPanelSerializer, vscode.Disposable {
  readonly #extensionUri: vscode.Uri;
  readonly #options: EditorPanelOptions<From>;
  #panel: vscode.WebviewPanel | undefined;

  constructor(extensionUri: vscode.Uri, options: EditorPanelOptions<From>) {
    this.#extensionUri = extensionUri;
    this.#options = options;
  }

  get isVisible(): boolean {
    return this.#panel?.visible ?? false;
  }

  show(): void {
    if (this.#panel) return this.#panel.reveal();
    const { viewType, title } = this.#options;
    this.#attach(
      vscode.window.createWebviewPanel(viewType, title, vscode.ViewColumn.Active, this.#webviewOptions),
    );
  }

  deserializeWebviewPanel(panel: vscode.WebviewPanel): Promise<void> {
    panel.webview.options = this.#webviewOptions;
    this.#attach(panel);
    return Promise.resolve();
  }

  post(message: To): void {
    void this.#panel?.webview.postMessage(message);
  }

  dispose(): void {
    this.#panel?.dispose();
  }

  get #webviewOptions(): vscode.WebviewOptions {
    return { enableScripts: true, localResourceRoots: [webviewRoot(this.#extensionUri)] };
  }

  /** Editor tabs do not recolour icons with the theme, as the activity bar does. */
  #icon(theme: 'light' | 'dark'): vscode.Uri {
    return vscode.Uri.joinPath(this.#extensionUri, 'media', `parallax-${theme}.svg`);
  }

  #attach(panel: vscode.WebviewPanel): void {
    const { bundle, messages, onMessage, onInvalidMessage, onVisible, onClosed } = this.#options;
    this.#panel?.dispose();
    this.#panel = panel;
    panel.iconPath = { light: this.#icon('light'), dark: this.#icon('dark') };
    panel.onDidDispose(() => {
      if (this.#panel !== panel) return;
      this.#panel = undefined;
      onClosed?.();
    });
    panel.onDidChangeViewState(() => {
      if (panel.visible) onVisible?.();
    });
    panel.webview.onDidReceiveMessage((raw: unknown) => {
      const parsed = messages.safeParse(raw);
      if (parsed.success) onMessage(parsed.data);
      else onInvalidMessage(parsed.error.message);
    });
    panel.webview.html = webviewHtml(panel.webview, this.#extensionUri, bundle);
  }
}
