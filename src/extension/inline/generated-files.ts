/** Files that a wizard writes beside the user's: they go with it if it is given up, unless the user has changed them. */
import * as vscode from 'vscode';
import { readText } from '../platform/read-text.ts';

export class GeneratedFiles {
  readonly #written: { readonly uri: vscode.Uri; readonly text: string }[] = [];

  /** One that is there stays as it is: the user may have completed it. */
  async write(uri: vscode.Uri, text: string): Promise<void> {
    const isThere = await vscode.workspace.fs.stat(uri).then(
      () => true,
      () => false,
    );
    if (isThere) return;
    await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(text));
    this.#written.push({ uri, text });
  }

  /** Removes what is still as it was written; all of it stays once one file was changed, since they belong together. */
  async discard(): Promise<void> {
    for (const { uri, text } of this.#written) if (isBeingEdited(uri) || !(await holds(uri, text))) return;
    for (const { uri } of this.#written) await vscode.workspace.fs.delete(uri, { useTrash: true });
  }
}

function isBeingEdited({ path }: vscode.Uri): boolean {
  return vscode.workspace.textDocuments.some(({ uri, isDirty }) => isDirty && uri.path === path);
}

function holds(uri: vscode.Uri, text: string): Promise<boolean> {
  return readText(uri).then(
    (now) => now === text,
    () => false,
  );
}
