/** Shows an edit beside the current code, and applies it on request. */
import * as vscode from 'vscode';
import { PREVIEW_SCHEME } from '../../../shared/manifest/contributions.ts';
import type { CodeEdit } from '../../../sites/model.ts';
import { withoutLinks } from '../../../core/text/without-links.ts';
import { rangeOf } from './site-documents.ts';

/** A previewed edit. */
interface Shown {
  readonly document: vscode.TextDocument;
  readonly edits: readonly CodeEdit[];
  /** The version of the document that the offsets of the edits refer to. */
  readonly version: number;
  readonly text: string;
}

export class CodePreview implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #shown = new Map<string, Shown>();
  readonly #disposables = [
    vscode.workspace.registerTextDocumentContentProvider(PREVIEW_SCHEME, this),
    vscode.workspace.onDidCloseTextDocument(({ uri }) => this.#shown.delete(uri.toString())),
  ];
  #count = 0;

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.#shown.get(uri.toString())?.text ?? '';
  }

  /**
   * Opens a diff of the document and the result of the edits.
   *
   * @returns the URI by which the edits can be applied
   */
  async show(document: vscode.TextDocument, edits: readonly CodeEdit[], title: string): Promise<vscode.Uri> {
    const uri = document.uri.with({
      scheme: PREVIEW_SCHEME,
      authority: '',
      fragment: '',
      query: String(++this.#count),
    });
    const text = edited(document.getText(), edits);
    this.#shown.set(uri.toString(), { document, edits, version: document.version, text });
    await vscode.commands.executeCommand('vscode.diff', document.uri, uri, title, { preview: true });
    return uri;
  }

  /** Applies the edits, closes their preview, and goes to the code. Shows the reason if that fails. */
  async apply(uri: vscode.Uri): Promise<void> {
    const shown = this.#shown.get(uri.toString());
    if (!shown || !(await isApplied(shown)))
      return void vscode.window.showErrorMessage(
        withoutLinks(
          vscode.l10n.t(
            'The edit was not made: the file has changed since, or is read-only. Open the preview again.',
          ),
        ),
      );
    await vscode.window.tabGroups.close(tabsOf(uri));
    await vscode.window.showTextDocument(shown.document);
  }

  dispose(): void {
    for (const disposable of this.#disposables) disposable.dispose();
  }
}

async function isApplied({ document, edits, version }: Shown): Promise<boolean> {
  if (document.version !== version) return false;
  const edit = new vscode.WorkspaceEdit();
  for (const { place, text } of edits) edit.replace(document.uri, rangeOf(document, place), text);
  return vscode.workspace.applyEdit(edit);
}

function tabsOf(uri: vscode.Uri): vscode.Tab[] {
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
  return tabs.filter(
    ({ input }) => input instanceof vscode.TabInputTextDiff && input.modified.toString() === uri.toString(),
  );
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
