/** Files of the open folder, by their paths in it. */
import * as vscode from 'vscode';

export function uriOf(path: string): vscode.Uri {
  return vscode.Uri.joinPath(vscode.workspace.workspaceFolders![0]!.uri, path);
}

export async function read(path: string): Promise<string> {
  return new TextDecoder().decode(await vscode.workspace.fs.readFile(uriOf(path)));
}

export function write(path: string, text: string): Thenable<void> {
  return vscode.workspace.fs.writeFile(uriOf(path), new TextEncoder().encode(text));
}
