import * as vscode from 'vscode';

/** The editor's own Markdown extension. It can be switched off. */
const MARKDOWN = 'vscode.markdown-language-features';

/** Opens a Markdown document as a reader wants it: rendered, or as text where nothing renders it. */
export async function showMarkdown(uri: vscode.Uri): Promise<void> {
  // Its commands are not known before it is activated.
  const renderer = vscode.extensions.getExtension(MARKDOWN);
  if (!renderer) return void (await vscode.window.showTextDocument(uri));
  await renderer.activate();
  await vscode.commands.executeCommand('markdown.showPreview', uri);
}
