/** Marks broken references in parallax.json: names that are not defined and files that do not exist. */
import path from 'node:path';
import * as vscode from 'vscode';
import { parseCommentedJson } from '../../core/formats/commented-json.ts';
import { evalSetPattern, mayMatchNothing } from '../../core/formats/eval-set-pattern.ts';
import { findKey, findValue, withValue } from '../../core/formats/json-edit.ts';
import { CONFIG_FILE } from '../../shared/config.ts';
import { staysInside } from '../platform/inside-folder.ts';
import { readText } from '../platform/read-text.ts';
import {
  brokenNames,
  missingPath,
  namedPaths,
  oldSplitMessage,
  oldSplits,
  type BrokenName,
  type NamedPath,
} from './config-links.ts';
import type { WorkspaceFolder } from './workspace-folder.ts';
import { globProblem } from '../../core/text/glob-limits.ts';

/** Waits for a pause in typing or in a checkout that writes many files. */
const QUIET_MS = 400;

/** Diagnostic code of problems that writing the version fixes. */
const OLD_SPLIT = 'old-split';

export class ConfigDiagnostics implements vscode.Disposable {
  readonly #workspace: WorkspaceFolder;
  readonly #diagnostics = vscode.languages.createDiagnosticCollection('parallax-config');
  readonly #subscriptions: vscode.Disposable[];
  #timer: NodeJS.Timeout | undefined;
  /** Counts checks, so that a slow one does not overwrite a newer one. */
  #check = 0;

  constructor(workspace: WorkspaceFolder, log: (message: string) => void) {
    this.#workspace = workspace;
    const scheduleUpdate = (): void => {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(
        () => void this.#update().catch((error: unknown) => log(`${CONFIG_FILE}: ${String(error)}`)),
        QUIET_MS,
      );
    };
    // A created or deleted file may be one that parallax.json names; its content does not matter.
    const watcher = vscode.workspace.createFileSystemWatcher('**/*', false, true, false);
    this.#subscriptions = [
      this.#diagnostics,
      vscode.languages.registerCodeActionsProvider(
        { scheme: 'file', pattern: `**/${CONFIG_FILE}` },
        { provideCodeActions: (document, _, { diagnostics }) => versionFixes(document, diagnostics) },
        { providedCodeActionKinds: [vscode.CodeActionKind.QuickFix] },
      ),
      watcher,
      watcher.onDidCreate(scheduleUpdate),
      watcher.onDidDelete(scheduleUpdate),
      workspace.onDidChange(scheduleUpdate),
      vscode.workspace.onDidGrantWorkspaceTrust(scheduleUpdate),
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        if (document.uri.toString() === this.#uri?.toString()) scheduleUpdate();
      }),
    ];
    scheduleUpdate();
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
    const problems = text === undefined ? [] : await problemsIn(text, vscode.Uri.joinPath(uri!, '..'));
    if (check !== this.#check) return;
    this.#diagnostics.clear();
    if (uri) this.#diagnostics.set(uri, problems);
  }
}

/** The text in the editor, else on disk. `undefined` if the file is gone. */
async function textOf(uri: vscode.Uri): Promise<string | undefined> {
  const open = vscode.workspace.textDocuments.find((document) => document.uri.toString() === uri.toString());
  if (open) return open.getText();
  return readText(uri).catch(() => undefined);
}

/** One edit for all corpora that are split as in old files. */
function versionFixes(
  document: vscode.TextDocument,
  diagnostics: readonly vscode.Diagnostic[],
): vscode.CodeAction[] {
  const versionProblems = diagnostics.filter(({ code }) => code === OLD_SPLIT);
  if (versionProblems.length === 0) return [];
  const action = new vscode.CodeAction(
    vscode.l10n.t(
      'Write "version": 2 (documents are cut again, by sections; labels with a quotation move along, others are kept if their passage stays the same)',
    ),
    vscode.CodeActionKind.QuickFix,
  );
  const text = document.getText();
  const whole = new vscode.Range(document.positionAt(0), document.positionAt(text.length));
  action.edit = new vscode.WorkspaceEdit();
  action.edit.replace(document.uri, whole, withValue(text, ['version'], 2));
  action.diagnostics = versionProblems;
  action.isPreferred = true;
  return [action];
}

async function problemsIn(text: string, folder: vscode.Uri): Promise<vscode.Diagnostic[]> {
  const read = parseCommentedJson(text);
  // The editor's own JSON support marks broken JSON.
  if ('problem' in read) return [];
  const config = read.value;
  const mark = (place: Place, message: string, severity: vscode.DiagnosticSeverity): vscode.Diagnostic => {
    const { start, end } = extentOf(text, place) ?? { start: 0, end: 0 };
    const range = new vscode.Range(positionIn(text, start), positionIn(text, end));
    const diagnostic = new vscode.Diagnostic(range, message, severity);
    diagnostic.source = 'Parallax';
    return diagnostic;
  };
  const named = namedPaths(config);
  const missing = await Promise.all(named.map(async (one) => ((await isThere(folder, one)) ? [] : [one])));
  const evalSets = await evalSetsOf(folder, named);
  const { Error, Warning, Information } = vscode.DiagnosticSeverity;
  return [
    ...brokenNames(config, evalSets).map((broken) => mark(broken, broken.message, Error)),
    ...missing.flat().map((one) => mark(one, missingPath(one), Warning)),
    ...oldSplits(config).map((at) => {
      const old = mark({ path: at, isKey: true }, oldSplitMessage(), Information);
      old.code = OLD_SPLIT;
      return old;
    }),
  ];
}

function positionIn(text: string, offset: number): vscode.Position {
  const lines = text.slice(0, offset).split(/\r\n|\r|\n/u);
  return new vscode.Position(lines.length - 1, lines.at(-1)!.length);
}

/** The place of a reference in parallax.json. */
type Place = Pick<BrokenName, 'path' | 'isKey'>;

function extentOf(text: string, { path: place, isKey }: Place): { start: number; end: number } | undefined {
  return isKey ? findKey(text, place) : findValue(text, place);
}

/** In an untrusted workspace, paths that lead out of the folder are not accessed and count as present. */
async function isThere(folder: vscode.Uri, named: NamedPath): Promise<boolean> {
  if (named.kind === 'pattern' && mayMatchNothing(named.target)) return true;
  if (named.kind === 'pattern') return leadsOut(folder, named) || (await matching(folder, named)).length > 0;
  const file = path.resolve(folder.fsPath, named.target);
  if (!vscode.workspace.isTrusted && !(await staysInside(folder.fsPath, file))) return true;
  return vscode.workspace.fs.stat(folder.with({ path: vscode.Uri.file(file).path })).then(
    () => true,
    () => false,
  );
}

/** The engine resolves patterns that lead out of the folder; the editor cannot. */
function leadsOut(folder: vscode.Uri, { target }: NamedPath): boolean {
  const file = path.resolve(folder.fsPath, target);
  return file !== folder.fsPath && !file.startsWith(`${folder.fsPath}${path.sep}`);
}

/** In an untrusted folder, files behind links that lead out of it count as missing. */
async function matching(folder: vscode.Uri, { target }: NamedPath): Promise<vscode.Uri[]> {
  // Bad patterns are reported when eval sets are read.
  if (globProblem(target) !== undefined) return [];
  const files = await vscode.workspace.findFiles(
    new vscode.RelativePattern(folder, evalSetPattern(target)),
    null,
  );
  if (vscode.workspace.isTrusted) return files;
  const inside = await Promise.all(files.map(({ fsPath }) => staysInside(folder.fsPath, fsPath)));
  return files.filter((_, place) => inside[place]);
}

/** Paths relative to the folder, with slashes. `undefined` if some are unknown. */
async function evalSetsOf(
  folder: vscode.Uri,
  named: readonly NamedPath[],
): Promise<readonly string[] | undefined> {
  const patterns = named.filter(({ kind }) => kind === 'pattern');
  if (patterns.some((pattern) => leadsOut(folder, pattern))) return undefined;
  const files = await Promise.all(patterns.map((pattern) => matching(folder, pattern)));
  const paths = files
    .flat()
    .map(({ fsPath }) => path.relative(folder.fsPath, fsPath).replaceAll(path.sep, '/'));
  return [...new Set(paths)].sort();
}
