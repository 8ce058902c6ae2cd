/**
 * Files that a wizard writes beside the user's. They are deleted if the wizard is cancelled, unless the user has
 * changed them.
 */
import * as vscode from 'vscode';
import { readText } from '../../../extension/platform/read-text.ts';

export class GeneratedFiles {
  readonly #written: { readonly uri: vscode.Uri; readonly text: string }[] = [];

  /** Keeps an existing file, which the user may have completed. */
  async write(uri: vscode.Uri, text: string): Promise<void> {
    const isThere = await vscode.workspace.fs.stat(uri).then(
      () => true,
      () => false,
    );
    if (isThere) return;
    await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(text));
    this.#written.push({ uri, text });
  }

  /** Deletes the written files. Keeps all of them if one was changed, because they belong together. */
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
