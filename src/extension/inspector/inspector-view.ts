/** The side panel as the editor sees it: HTML with a strict content policy, and validated messages. */
import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { VIEWS } from '../../shared/contributions.ts';
import {
  fromInspectorSchema,
  type FromInspector,
  type InspectorState,
  type ToInspector,
} from '../../shared/inspector.ts';

export interface InspectorViewHandlers {
  onMessage(message: FromInspector): void;
  onInvalidMessage(problem: string): void;
}

export class InspectorView implements vscode.WebviewViewProvider {
  readonly #extensionUri: vscode.Uri;
  readonly #handlers: InspectorViewHandlers;
  #view: vscode.WebviewView | undefined;
  /** Asked for before the view was there, or while it was loading. */
  #pendingFocus: ToInspector | undefined;

  constructor(extensionUri: vscode.Uri, handlers: InspectorViewHandlers) {
    this.#extensionUri = extensionUri;
    this.#handlers = handlers;
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    this.#view = view;
    const root = vscode.Uri.joinPath(this.#extensionUri, 'dist', 'webview');
    view.webview.options = { enableScripts: true, localResourceRoots: [root] };
    view.webview.onDidReceiveMessage((raw: unknown) => {
      const parsed = fromInspectorSchema.safeParse(raw);
      if (!parsed.success) return this.#handlers.onInvalidMessage(parsed.error.message);
      this.#handlers.onMessage(parsed.data);
      if (parsed.data.type === 'ready') this.#flushFocus();
    });
    view.onDidDispose(() => {
      if (this.#view === view) this.#view = undefined;
    });
    view.webview.html = inspectorHtml(view.webview, root);
  }

  post(state: InspectorState): void {
    // A hidden view loses messages; it says `ready` when it is shown again and gets the newest state then.
    void this.#view?.webview.postMessage({ type: 'state', state } satisfies ToInspector);
  }

  /** Reveals the panel with the cursor in the query box. */
  async focusQuery(query?: string): Promise<void> {
    this.#pendingFocus = query === undefined ? { type: 'focus-query' } : { type: 'focus-query', query };
    await vscode.commands.executeCommand(`${VIEWS.inspector}.focus`);
    if (this.#view?.visible) this.#flushFocus();
  }

  #flushFocus(): void {
    if (!this.#pendingFocus || !this.#view) return;
    void this.#view.webview.postMessage(this.#pendingFocus);
    this.#pendingFocus = undefined;
  }
}

function inspectorHtml(webview: vscode.Webview, root: vscode.Uri): string {
  const nonce = randomBytes(16).toString('base64');
  const uri = (file: string): string => webview.asWebviewUri(vscode.Uri.joinPath(root, file)).toString();
  const policy = [
    "default-src 'none'",
    `style-src ${webview.cspSource} 'nonce-${nonce}'`,
    `script-src 'nonce-${nonce}'`,
    `font-src ${webview.cspSource}`,
  ].join('; ');
  // The csp-nonce property lets the control library test for :focus-visible with a style of its own.
  return `<!DOCTYPE html>
<html lang="${vscode.env.language}">
  <head>
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="${policy}">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta property="csp-nonce" content="${nonce}">
    <link rel="stylesheet" href="${uri('codicon.css')}">
    <link rel="stylesheet" href="${uri('inspector.css')}">
    <title>Parallax</title>
  </head>
  <body>
    <main id="root"></main>
    <script nonce="${nonce}" src="${uri('inspector.js')}"></script>
  </body>
</html>`;
}
