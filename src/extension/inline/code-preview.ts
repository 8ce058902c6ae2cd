/** Shows an edit beside the code as it is, without making it. */
import * as vscode from 'vscode';
import { PREVIEW_SCHEME } from '../../shared/manifest/contributions.ts';
import type { CodeEdit } from '../../sites/model.ts';

export class CodePreview implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #texts = new Map<string, string>();
  readonly #disposables = [
    vscode.workspace.registerTextDocumentContentProvider(PREVIEW_SCHEME, this),
    vscode.workspace.onDidCloseTextDocument(({ uri }) => this.#texts.delete(uri.toString())),
  ];
  #count = 0;

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.#texts.get(uri.toString()) ?? '';
  }

  /** Opens the editor's own comparison of the document with what the edits would make of it. */
  async show(document: vscode.TextDocument, edits: readonly CodeEdit[], title: string): Promise<void> {
    const uri = document.uri.with({
      scheme: PREVIEW_SCHEME,
      authority: '',
      fragment: '',
      query: String(++this.#count),
    });
    this.#texts.set(uri.toString(), edited(document.getText(), edits));
    await vscode.commands.executeCommand('vscode.diff', document.uri, uri, title, { preview: true });
  }

  dispose(): void {
    for (const disposable of this.#disposables) disposable.dispose();
  }
}

function edited(text: string, edits: readonly CodeEdit[]): string {
  return edits
    .toSorted((a, b) => b.place.start - a.place.start)
    .reduce(
      (current, { place, text: written }) =>
        current.slice(0, place.start) + written + current.slice(place.end),
      text,
    );
}
