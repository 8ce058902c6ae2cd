/** Reports on evaluations as read-only Markdown documents, shown as a preview. They last as long as the window. */
import * as vscode from 'vscode';
import { REPORT_SCHEME } from '../../shared/contributions.ts';

export class ReportDocuments implements vscode.TextDocumentContentProvider {
  readonly #texts = new Map<string, string>();

  provideTextDocumentContent(uri: vscode.Uri): string {
    return (
      this.#texts.get(uri.toString()) ??
      vscode.l10n.t('Reports are not kept over a restart. Run the command again; the history is kept.')
    );
  }

  async show(title: string, text: string): Promise<void> {
    const path = `/${title} ${this.#texts.size + 1}.md`;
    const uri = vscode.Uri.from({ scheme: REPORT_SCHEME, path });
    this.#texts.set(uri.toString(), text);
    const commands = await vscode.commands.getCommands(true);
    // Without the editor's own Markdown preview, which can be switched off, the text is readable as it is.
    if (commands.includes('markdown.showPreview'))
      await vscode.commands.executeCommand('markdown.showPreview', uri);
    else await vscode.window.showTextDocument(uri);
  }
}
