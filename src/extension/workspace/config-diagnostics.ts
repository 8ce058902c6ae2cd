/** Marks in parallax.json what leads nowhere: names that are not defined, files that are not there. */
import path from 'node:path';
import * as vscode from 'vscode';
import { findValue } from '../../core/formats/json-edit.ts';
import type { JsonPath } from '../../core/formats/json-scan.ts';
import { CONFIG_FILE } from '../../shared/config.ts';
import { brokenNames, missingPath, namedPaths, type NamedPath } from './config-links.ts';
import type { WorkspaceFolder } from './workspace-folder.ts';

/** Somebody is typing, or a checkout writes many files. */
const QUIET_MS = 400;

export class ConfigDiagnostics implements vscode.Disposable {
  readonly #workspace: WorkspaceFolder;
  readonly #diagnostics = vscode.languages.createDiagnosticCollection('parallax-config');
  readonly #subscriptions: vscode.Disposable[];
  #timer: NodeJS.Timeout | undefined;
  /** Counts checks, so that a slow one does not overwrite a newer one. */
  #check = 0;

  constructor(workspace: WorkspaceFolder, log: (message: string) => void) {
    this.#workspace = workspace;
    const soon = (): void => {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(
        () => void this.#update().catch((error: unknown) => log(`${CONFIG_FILE}: ${String(error)}`)),
        QUIET_MS,
      );
    };
    // What is created or deleted may be what is named; what is in it does not matter.
    const watcher = vscode.workspace.createFileSystemWatcher('**/*', false, true, false);
    this.#subscriptions = [
      this.#diagnostics,
      watcher,
      watcher.onDidCreate(soon),
      watcher.onDidDelete(soon),
      workspace.onDidChange(soon),
      vscode.workspace.onDidGrantWorkspaceTrust(soon),
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        if (document.uri.toString() === this.#uri?.toString()) soon();
      }),
    ];
    soon();
  }

  dispose(): void {
    clearTimeout(this.#timer);
    for (const subscription of this.#subscriptions) subscription.dispose();
  }

  get #uri(): vscode.Uri | undefined {
    const { folder, configured } = this.#workspace.snapshot;
    return folder && configured ? vscode.Uri.joinPath(folder, CONFIG_FILE) : undefined;
  }

  async #update(): Promise<void> {
    const check = ++this.#check;
    const uri = this.#uri;
    const text = uri && (await textOf(uri));
    const found = text === undefined ? [] : await problemsIn(text, vscode.Uri.joinPath(uri!, '..'));
    if (check !== this.#check) return;
    this.#diagnostics.clear();
    if (uri) this.#diagnostics.set(uri, found);
  }
}

/** As it is being edited, else as it is on disk; nothing where it is gone meanwhile. */
async function textOf(uri: vscode.Uri): Promise<string | undefined> {
  const open = vscode.workspace.textDocuments.find((document) => document.uri.toString() === uri.toString());
  if (open) return open.getText();
  return vscode.workspace.fs.readFile(uri).then(
    (bytes) => new TextDecoder().decode(bytes),
    () => undefined,
  );
}

async function problemsIn(text: string, folder: vscode.Uri): Promise<vscode.Diagnostic[]> {
  const config = parsed(text);
  // What is no JSON is marked by the editor's own support for it.
  if (config === undefined) return [];
  const mark = (place: JsonPath, message: string, severity: vscode.DiagnosticSeverity): vscode.Diagnostic => {
    const { start, end } = findValue(text, place) ?? { start: 0, end: 0 };
    const range = new vscode.Range(positionIn(text, start), positionIn(text, end));
    const diagnostic = new vscode.Diagnostic(range, message, severity);
    diagnostic.source = 'Parallax';
    return diagnostic;
  };
  const missing = await Promise.all(
    namedPaths(config).map(async (named) => ((await isThere(folder, named)) ? [] : [named])),
  );
  const { Error, Warning } = vscode.DiagnosticSeverity;
  return [
    ...brokenNames(config).map((broken) => mark(broken.path, broken.message, Error)),
    ...missing.flat().map((named) => mark(named.path, missingPath(named), Warning)),
  ];
}

function positionIn(text: string, offset: number): vscode.Position {
  const lines = text.slice(0, offset).split(/\r\n|\r|\n/u);
  return new vscode.Position(lines.length - 1, lines.at(-1)!.length);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** What leads out of a folder that is not trusted is not looked for, and counts as there. */
async function isThere(folder: vscode.Uri, { target, kind }: NamedPath): Promise<boolean> {
  const file = path.resolve(folder.fsPath, target);
  const leadsOut = file !== folder.fsPath && !file.startsWith(`${folder.fsPath}${path.sep}`);
  if (leadsOut && !vscode.workspace.isTrusted) return true;
  if (kind === 'pattern') {
    const pattern = new vscode.RelativePattern(folder, target);
    // Patterns that lead out of the folder are resolved by the engine; the editor cannot.
    return leadsOut || (await vscode.workspace.findFiles(pattern, null, 1)).length > 0;
  }
  return vscode.workspace.fs.stat(folder.with({ path: vscode.Uri.file(file).path })).then(
    () => true,
    () => false,
  );
}
