/** Reports as read-only Markdown documents, shown as a preview. Kept until the window closes. */
import * as vscode from 'vscode';
import { REPORT_SCHEME } from '../../shared/manifest/contributions.ts';

/** The editor's own Markdown extension, which users can disable. */
const MARKDOWN = 'vscode.markdown-language-features';

/** Opens a Markdown document as a preview, or as text if nothing can render it. */
async function showMarkdown(uri: vscode.Uri): Promise<void> {
  // Its commands exist only after activation.
  const renderer = vscode.extensions.getExtension(MARKDOWN);
  if (!renderer) return void (await vscode.window.showTextDocument(uri));
  await renderer.activate();
  await vscode.commands.executeCommand('markdown.showPreview', uri);
}

export class ReportDocuments implements vscode.TextDocumentContentProvider {
  readonly #texts = new Map<string, string>();

  provideTextDocumentContent(uri: vscode.Uri): string {
    return (
      this.#texts.get(uri.toString()) ??
      vscode.l10n.t(
        'Reports are not kept over a restart. Run the command again: results and answers are stored, so nothing is paid for twice.',
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
