/** The HTML page of a panel: a strict content security policy, no remote content, one script, one style sheet. */
import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { textsElement } from '../../shared/translations.ts';

export const webviewRoot = (extensionUri: vscode.Uri): vscode.Uri =>
  vscode.Uri.joinPath(extensionUri, 'dist', 'webview');

/** @param name name of the script and the style sheet in `dist/webview` */
export function webviewHtml(webview: vscode.Webview, extensionUri: vscode.Uri, name: string): string {
  const nonce = randomBytes(16).toString('base64');
  const root = webviewRoot(extensionUri);
  const uri = (file: string): string => webview.asWebviewUri(vscode.Uri.joinPath(root, file)).toString();
  const policy = [
    "default-src 'none'",
    `style-src ${webview.cspSource} 'nonce-${nonce}'`,
    `script-src 'nonce-${nonce}'`,
    `font-src ${webview.cspSource}`,
  ].join('; ');
  // A script with the nonce may import others, so no rule for whole origins is needed. The csp-nonce property lets the
  // control library add its own style to test for :focus-visible. `lang` is the language of the texts, which may differ
  // from the editor's.
  return `<!DOCTYPE html>
<html lang="${vscode.l10n.bundle ? vscode.env.language : 'en'}">
  <head>
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="${policy}">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta property="csp-nonce" content="${nonce}">
    <link rel="stylesheet" href="${uri('codicon.css')}">
    <link rel="stylesheet" href="${uri(`${name}.css`)}">
    <title>Parallax</title>
  </head>
  <body>
    <main id="root"></main>
    ${textsElement(vscode.l10n.bundle)}
    <script type="module" nonce="${nonce}" src="${uri(`${name}.js`)}"></script>
  </body>
</html>`;
}
