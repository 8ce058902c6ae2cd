/**
 * The workspace folder that Parallax works on: reads `parallax.json` and the eval sets, and reports changes. In a
 * multi-root workspace it is the first folder with a `parallax.json`, else the first.
 */
import * as vscode from 'vscode';
import { messageOf, ParallaxError } from '../../core/errors.ts';
import { evalSetPattern, mayMatchNothing } from '../../core/formats/eval-set-pattern.ts';
import { parseEvalSet } from '../../core/formats/queries.ts';
import { globProblem } from '../../core/text/glob-limits.ts';
import { WEB_FOLDER } from '../../features/web-corpus/core/snapshot.ts';
import { CONFIG_FILE, LABELS_FILE, type ParallaxConfig } from '../../shared/config.ts';
import type { EvalQuery } from '../../shared/eval-query.ts';
import { readText } from '../platform/read-text.ts';
import { corporaWithout, defaultConfig } from '../../shared/defaults/default-config.ts';
import { parseConfig, textWhereReadable } from './workspace-model.ts';

export interface UnusableFile {
  /** Relative to the folder, with slashes. */
  readonly file: string;
  /** A sentence. */
  readonly problem: string;
}

export interface WorkspaceSnapshot {
  /** `undefined` if no folder is open. */
  readonly folder: vscode.Uri | undefined;
  readonly config: ParallaxConfig;
  /** Whether `parallax.json` exists; otherwise the defaults apply. */
  readonly configured: boolean;
  readonly evalQueries: readonly EvalQuery[];
  /** Why `parallax.json` cannot be used, as a sentence. Requests that only read existing data then use the defaults. */
  readonly configProblem?: string;
  /** Query files that cannot be used. */
  readonly unusable: readonly UnusableFile[];
  /** Sentences about files that could not be read. */
  readonly problems: readonly string[];
}

const NO_FOLDER: WorkspaceSnapshot = {
  folder: undefined,
  config: {
    version: 1,
    corpora: {},
    embedders: {},
    pipelines: {},
    judges: {},
    evalSets: [],
    callSites: [],
    sites: { calls: [] },
    bindings: [],
    behaviour: {},
    capture: { tools: {} },
  },
  configured: false,
  evalQueries: [],
  unusable: [],
  problems: [],
};

/** Files change in bursts: an editor saves, a checkout rewrites hundreds. */
const SETTLE_MS = 200;

export class WorkspaceFolder implements vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<WorkspaceSnapshot>();
  readonly onDidChange = this.#changed.event;
  readonly #disposables: vscode.Disposable[] = [this.#changed];
  #snapshot: WorkspaceSnapshot = NO_FOLDER;
  /** Counts readings, so that a slow one does not overwrite a newer one. */
  #reading = 0;
  #newest: Promise<WorkspaceSnapshot> = Promise.resolve(NO_FOLDER);
  #timer: NodeJS.Timeout | undefined;

  constructor() {
    const reread = (changed: vscode.Uri | vscode.WorkspaceFoldersChangeEvent): void => {
      // Fetched pages are no eval sets, and arrive one after the other.
      if ('path' in changed && changed.path.includes(`/${WEB_FOLDER}/`)) return;
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => void this.read(), SETTLE_MS);
    };
    for (const pattern of [`**/${CONFIG_FILE}`, '**/*.jsonl']) {
      const watcher = vscode.workspace.createFileSystemWatcher(pattern);
      this.#disposables.push(
        watcher,
        watcher.onDidChange(reread),
        watcher.onDidCreate(reread),
        watcher.onDidDelete(reread),
      );
    }
    // If a whole folder is created or deleted, the editor reports only the folder, not the files in it.
    const folders = vscode.workspace.createFileSystemWatcher('**/*', false, true, false);
    const moved = (uri: vscode.Uri): void => void (mayBeFolder(uri) && reread(uri));
    this.#disposables.push(
      folders,
      folders.onDidCreate(moved),
      folders.onDidDelete(moved),
      vscode.workspace.onDidChangeWorkspaceFolders(reread),
    );
  }

  get snapshot(): WorkspaceSnapshot {
    return this.#snapshot;
  }

  /** @throws ParallaxError `not-found` if no folder is open */
  get openFolder(): vscode.Uri {
    const { folder } = this.#snapshot;
    if (folder) return folder;
    throw new ParallaxError('not-found', vscode.l10n.t('Open a folder first.'));
  }

  get labelsFile(): vscode.Uri | undefined {
    const { folder } = this.#snapshot;
    return folder && vscode.Uri.joinPath(folder, LABELS_FILE);
  }

  /** Reads the workspace again. Settles once no newer reading is running. */
  read(): Promise<WorkspaceSnapshot> {
    const reading = this.#readNow(++this.#reading);
    this.#newest = reading;
    return reading;
  }

  async #readNow(reading: number): Promise<WorkspaceSnapshot> {
    const snapshot = await readWorkspace();
    if (reading !== this.#reading) return this.#newest;
    this.#snapshot = snapshot;
    this.#changed.fire(snapshot);
    return snapshot;
  }

  dispose(): void {
    clearTimeout(this.#timer);
    for (const disposable of this.#disposables) disposable.dispose();
  }
}

/** Decides by the name, because a deleted path cannot be checked. */
function mayBeFolder({ path }: vscode.Uri): boolean {
  const isWatched = !/\/(?:\.git|\.parallax|node_modules)(?:\/|$)/u.test(path);
  return isWatched && !path.slice(path.lastIndexOf('/')).includes('.');
}

async function readWorkspace(): Promise<WorkspaceSnapshot> {
  const folders = vscode.workspace.workspaceFolders ?? [];
  const [first] = folders;
  if (!first) return NO_FOLDER;
  for (const { uri } of folders) {
    try {
      const text = await readIfPresent(vscode.Uri.joinPath(uri, CONFIG_FILE));
      if (text !== undefined) return await configured(uri, text);
    } catch (error) {
      return badlyConfigured(uri, messageOf(error));
    }
  }
  const labels = await textWhereReadable(() => readIfPresent(vscode.Uri.joinPath(first.uri, LABELS_FILE)));
  const otherFolders = folders.slice(1).map(({ uri }) => uri.fsPath);
  const config = defaultConfig(first.uri.fsPath, labels, otherFolders);
  return {
    folder: first.uri,
    config,
    configured: false,
    ...(await readEvalSets(first.uri, config.evalSets)),
  };
}

async function configured(folder: vscode.Uri, text: string): Promise<WorkspaceSnapshot> {
  const config = parseConfig(text);
  const withCorpus =
    Object.keys(config.corpora).length > 0
      ? config
      : { ...config, corpora: corporaWithout(folder.fsPath, config) };
  return { folder, config: withCorpus, configured: true, ...(await readEvalSets(folder, config.evalSets)) };
}

/** While the user edits the file it may be invalid; the defaults then apply and the problem is shown. */
function badlyConfigured(folder: vscode.Uri, configProblem: string): WorkspaceSnapshot {
  return {
    folder,
    config: defaultConfig(folder.fsPath),
    configured: true,
    evalQueries: [],
    configProblem,
    problems: [configProblem],
    unusable: [{ file: CONFIG_FILE, problem: configProblem }],
  };
}

async function readEvalSets(
  folder: vscode.Uri,
  patterns: readonly string[],
): Promise<Pick<WorkspaceSnapshot, 'evalQueries' | 'unusable' | 'problems'>> {
  const evalQueries: EvalQuery[] = [];
  const unusable: UnusableFile[] = [];
  const problems: string[] = [];
  for (const pattern of patterns) {
    const problem = globProblem(pattern);
    if (problem !== undefined) {
      problems.push(problem);
      continue;
    }
    const files = await vscode.workspace.findFiles(
      new vscode.RelativePattern(folder, evalSetPattern(pattern)),
    );
    if (files.length === 0 && !mayMatchNothing(pattern))
      problems.push(vscode.l10n.t('No eval set matches "{0}".', pattern));
    for (const file of files.sort((a, b) => a.path.localeCompare(b.path))) {
      const evalSet = vscode.workspace.asRelativePath(file, false);
      try {
        const text = await readIfPresent(file);
        if (text === undefined) continue;
        const { queries, warnings } = parseEvalSet(text, evalSet);
        evalQueries.push(...queries.map((query) => ({ ...query, evalSet })));
        problems.push(...warnings);
      } catch (error) {
        // The other eval sets and parallax.json itself remain usable.
        if (!ParallaxError.is(error)) throw error;
        unusable.push({ file: evalSet, problem: error.message });
        problems.push(error.message);
      }
    }
  }
  return { evalQueries, unusable, problems };
}

/** The text of the file, or `undefined` if it does not exist. */
async function readIfPresent(uri: vscode.Uri): Promise<string | undefined> {
  try {
    return await readText(uri);
  } catch (error) {
    if (error instanceof vscode.FileSystemError && error.code === 'FileNotFound') return undefined;
    throw error;
  }
}
