/** Reports as read-only Markdown documents, shown as a preview. They last as long as the window. */
import * as vscode from 'vscode';
import { REPORT_SCHEME } from '../../shared/manifest/contributions.ts';
import { showMarkdown } from './show-markdown.ts';

export class ReportDocuments implements vscode.TextDocumentContentProvider {
  readonly #texts = new Map<string, string>();

  provideTextDocumentContent(uri: vscode.Uri): string {
    return (
      this.#texts.get(uri.toString()) ??
      vscode.l10n.t(
        'Reports are not kept over a restart. Run the command again: results and answers are remembered, and nothing is paid for twice.',
      )
    );
  }

  /** @param text Markdown */
  async show(title: string, text: string): Promise<void> {
    const path = `/${title} ${this.#texts.size + 1}.md`;
    const uri = vscode.Uri.from({ scheme: REPORT_SCHEME, path });
    this.#texts.set(uri.toString(), text);
    await showMarkdown(uri);
  }
}
