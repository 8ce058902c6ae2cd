/** Writes `parallax.json`: creates it from the configuration in force, and changes single values. */
import * as vscode from 'vscode';
import { ParallaxError } from '../../core/errors.ts';
import { CONFIG_FILE } from '../../shared/config.ts';
import { startingConfig } from '../../shared/defaults/starting-config.ts';
import { requireUsableConfig } from './usable-config.ts';
import type { WorkspaceFolder } from './workspace-folder.ts';

export class ConfigFile {
  readonly #workspace: WorkspaceFolder;
  readonly #judge: () => string;

  /** @param judge the chosen judge, for a new file */
  constructor(workspace: WorkspaceFolder, judge: () => string) {
    this.#workspace = workspace;
    this.#judge = judge;
  }

  /**
   * Shows the file; creates it first if it does not exist.
   *
   * @throws ParallaxError `not-found` if no folder is open
   */
  async open(): Promise<void> {
    const { folder, configured } = this.#workspace.snapshot;
    if (!folder)
      throw new ParallaxError('not-found', vscode.l10n.t('Open a folder first: parallax.json lives in it.'));
    if (!configured) await write(this.#uri, this.#starting);
    await vscode.window.showTextDocument(this.#uri);
  }

  /**
   * Changes the file and reads it again; unchanged parts keep every character. An open file is changed in its editor,
   * where the change can be undone.
   *
   * @param change changes the text of a valid parallax.json
   * @throws ParallaxError `bad-config` if the file cannot be used, `bad-file` if it cannot be written
   */
  async edit(change: (json: string) => string): Promise<void> {
    const { configured, configProblem } = this.#workspace.snapshot;
    requireUsableConfig(configProblem);
    if (configured) await changeDocument(this.#uri, change);
    else await write(this.#uri, change(this.#starting));
    await this.#workspace.read();
  }

  get #uri(): vscode.Uri {
    return vscode.Uri.joinPath(this.#workspace.openFolder, CONFIG_FILE);
  }

  get #starting(): string {
    return startingConfig(this.#workspace.snapshot.config, this.#judge());
  }
}

async function write(uri: vscode.Uri, text: string): Promise<void> {
  await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(text));
}

async function changeDocument(uri: vscode.Uri, change: (json: string) => string): Promise<void> {
  const document = await vscode.workspace.openTextDocument(uri);
  const text = document.getText();
  const edit = new vscode.WorkspaceEdit();
  edit.replace(uri, new vscode.Range(document.positionAt(0), document.positionAt(text.length)), change(text));
  const isDone = (await vscode.workspace.applyEdit(edit)) && (await document.save());
  if (!isDone)
    throw new ParallaxError(
      'bad-file',
      vscode.l10n.t('parallax.json could not be written. Is the file read-only?'),
    );
}
