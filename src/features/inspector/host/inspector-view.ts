/** The view of the side panel in the editor. */
import * as vscode from 'vscode';
import { webviewHtml, webviewRoot } from '../../../extension/platform/webview-html.ts';
import { VIEWS } from '../../../shared/manifest/contributions.ts';
import {
  fromInspectorSchema,
  type FromInspector,
  type InspectorState,
  type ToInspector,
} from '../contract/panel.ts';

export interface InspectorViewHandlers {
  /** Settles once the answer, if there is one, has been posted to the panel. */
  onMessage(message: FromInspector): Promise<void>;
  onInvalidMessage(problem: string): void;
}

export class InspectorView implements vscode.WebviewViewProvider {
  readonly #extensionUri: vscode.Uri;
  readonly #handlers: InspectorViewHandlers;
  #view: vscode.WebviewView | undefined;
  /** Whether the page receives messages. A hidden view has no page. */
  #isReady = false;
  /** A request to focus made before the view was loaded. */
  #pendingFocus: ToInspector | undefined;

  constructor(extensionUri: vscode.Uri, handlers: InspectorViewHandlers) {
    this.#extensionUri = extensionUri;
    this.#handlers = handlers;
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    this.#view = view;
    this.#isReady = false;
    view.onDidChangeVisibility(() => {
      if (!view.visible) this.#isReady = false;
    });
    view.webview.options = { enableScripts: true, localResourceRoots: [webviewRoot(this.#extensionUri)] };
    view.webview.onDidReceiveMessage((raw: unknown) => {
      const parsed = fromInspectorSchema.safeParse(raw);
      if (!parsed.success) return this.#handlers.onInvalidMessage(parsed.error.message);
      const { data } = parsed;
      void this.#handlers.onMessage(data).then(() => {
        if (data.type !== 'ready') return;
        this.#isReady = true;
        this.#flushFocus();
      });
    });
    view.onDidDispose(() => {
      if (this.#view === view) this.#view = undefined;
    });
    view.webview.html = webviewHtml(view.webview, this.#extensionUri, 'inspector');
  }

  post(state: InspectorState): void {
    // A hidden view loses messages. It sends `ready` when it is shown again, and then gets the newest state.
    void this.#view?.webview.postMessage({ type: 'state', state } satisfies ToInspector);
  }

  /** Reveals the panel with the cursor in the query box. */
  async focusQuery(query?: string): Promise<void> {
    this.#pendingFocus = query === undefined ? { type: 'focus-query' } : { type: 'focus-query', query };
    await vscode.commands.executeCommand(`${VIEWS.inspector}.focus`);
    this.#flushFocus();
  }

  /** Puts the cursor into the box for a missing document, if the panel shows an answer. */
  focusMissing(): void {
    void this.#view?.webview.postMessage({ type: 'focus-missing' } satisfies ToInspector);
  }

  /** Scrolls to the explanation of a missing document. */
  showExplanation(): void {
    this.#pendingFocus = { type: 'show-explanation' };
    this.#flushFocus();
  }

  #flushFocus(): void {
    if (!this.#pendingFocus || !this.#view || !this.#isReady) return;
    void this.#view.webview.postMessage(this.#pendingFocus);
    this.#pendingFocus = undefined;
  }
}
