import * as vscode from 'vscode';

/** @param line from 1 */
export async function openLine(folder: vscode.Uri, file: string, line: number): Promise<void> {
  const place = new vscode.Position(line - 1, 0);
  await vscode.window.showTextDocument(vscode.Uri.joinPath(folder, file), {
    selection: new vscode.Range(place, place),
  });
}
