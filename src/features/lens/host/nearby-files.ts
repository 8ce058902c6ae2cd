/**
 * Imports of the open programs from other files of their workspace. Looked up in the background: callers get what is
 * known so far, and a notification when more is known.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import * as vscode from 'vscode';
import { FOREIGN_FOLDERS, PROGRAM_FILES } from '../../agents/tools/programs.ts';
import type { SiteDetector } from '../../../sites/detector.ts';
import { MAX_PROGRAMS } from '../../../sites/limits.ts';
import { keyOf, type ParameterQuestion } from '../../../sites/workspace/parameter-question.ts';
import { importedModules, Neighbours, type WorkspaceSources } from '../../../sites/workspace/neighbours.ts';
import type { OtherFiles } from '../../../sites/workspace/other-files.ts';
import { readText } from '../../../extension/platform/read-text.ts';

export interface NearbyFilesOptions {
  readonly exports: WorkspaceSources['exports'];
  readonly callers: SiteDetector['callers'];
  /** Called when what is known has changed. */
  readonly changed: () => void;
  readonly log: (message: string) => void;
}

export interface OpenProgram {
  readonly uri: vscode.Uri;
  readonly text: string;
  readonly languageId: string;
}

interface Known {
  readonly imports: string;
  /** Parameters that callers in other files set, by `keyOf`. */
  readonly questions: string;
  readonly revision: number;
  readonly otherFiles: OtherFiles | undefined;
}

/** Time after the last keystroke in the imports, in milliseconds. */
const SETTLE_MS = 300;
/** Programs without any of these words neither retrieve nor run a retriever. */
const MAY_RETRIEVE = /retriev|search|query|invoke|rerank|store|find|passages|docs|knowledge/iu;

export class NearbyFiles implements vscode.Disposable {
  readonly #options: NearbyFilesOptions;
  readonly #folders = new Map<string, FolderFiles>();
  readonly #known = new Map<string, Known>();
  readonly #asked = new Map<string, readonly ParameterQuestion[]>();
  readonly #closed: vscode.Disposable[];
  /** Counts changes of files and rules. */
  #revision = 0;

  constructor(options: NearbyFilesOptions) {
    this.#options = options;
    const forget = ({ uri }: { readonly uri: vscode.Uri }): void => {
      this.#known.delete(uri.toString());
      this.#asked.delete(uri.toString());
    };
    this.#closed = [
      vscode.workspace.onDidCloseTextDocument(forget),
      vscode.workspace.onDidCloseNotebookDocument(forget),
    ];
  }

  /** What is known so far. `undefined` for a program outside of every workspace folder. */
  of(program: OpenProgram): OtherFiles | undefined {
    const folder = vscode.workspace.getWorkspaceFolder(program.uri);
    if (!folder || !MAY_RETRIEVE.test(program.text)) return undefined;
    const key = program.uri.toString();
    const known = this.#known.get(key);
    const imports = importedModules(program.text, program.languageId).join('\n');
    const questions = (this.#asked.get(key) ?? []).map(keyOf).join('\n');
    if (known?.imports === imports && known.questions === questions && known.revision === this.#revision)
      return known.otherFiles;
    const sought: Known = { imports, questions, revision: this.#revision, otherFiles: known?.otherFiles };
    this.#known.set(key, sought);
    void this.#lookUp(folder, program, sought);
    return sought.otherFiles;
  }

  /** Requests the lookup of parameters that callers in other files set. */
  ask(program: OpenProgram, questions: readonly ParameterQuestion[]): void {
    const key = program.uri.toString();
    if (questions.length === 0 && !this.#asked.has(key)) return;
    this.#asked.set(key, questions);
    this.of(program);
  }

  /** Facts shared by the programs of a folder. Without a folder there are none. */
  neighboursOf(folder: vscode.Uri | undefined): Neighbours {
    if (folder) return this.#folder(folder).neighbours;
    const nothing = {
      files: () => Promise.resolve(new Set<string>()),
      read: () => Promise.resolve(undefined),
    };
    return new Neighbours({ ...nothing, ...this.#options });
  }

  reset(): void {
    this.#revision++;
    this.#closeFolders();
  }

  dispose(): void {
    for (const each of this.#closed) each.dispose();
    this.#closeFolders();
    this.#known.clear();
  }

  async #lookUp(folder: vscode.WorkspaceFolder, program: OpenProgram, sought: Known): Promise<void> {
    const key = program.uri.toString();
    try {
      await sleep(SETTLE_MS);
      if (this.#known.get(key) !== sought) return;
      const file = vscode.workspace.asRelativePath(program.uri, false);
      const { text, languageId } = program;
      const questions = this.#asked.get(key);
      const otherFiles = await this.neighboursOf(folder.uri).around(file, text, languageId, questions);
      if (this.#known.get(key) !== sought) return;
      this.#known.set(key, { ...sought, otherFiles });
      if (otherFiles ?? sought.otherFiles) this.#options.changed();
    } catch (error) {
      this.#options.log(`What ${program.uri.path} imports could not be read: ${String(error)}`);
    }
  }

  #folder(folder: vscode.Uri): FolderFiles {
    const key = folder.toString();
    let files = this.#folders.get(key);
    if (!files) {
      files = new FolderFiles(folder, this.#options, () => {
        this.#revision++;
        this.#options.changed();
      });
      this.#folders.set(key, files);
    }
    return files;
  }

  #closeFolders(): void {
    for (const each of this.#folders.values()) each.dispose();
    this.#folders.clear();
  }
}

/** The programs of a workspace folder. */
class FolderFiles implements vscode.Disposable {
  readonly neighbours: Neighbours;
  readonly #watcher: vscode.FileSystemWatcher;
  #files: Promise<ReadonlySet<string>> | undefined;

  constructor(
    folder: vscode.Uri,
    { exports, callers }: Pick<NearbyFilesOptions, 'exports' | 'callers'>,
    changed: () => void,
  ) {
    const pattern = new vscode.RelativePattern(folder, PROGRAM_FILES);
    this.neighbours = new Neighbours({
      files: () => (this.#files ??= listed(pattern)),
      // A file that was deleted or cannot be read adds nothing.
      read: (file) => readText(vscode.Uri.joinPath(folder, file)).catch(() => undefined),
      exports,
      callers,
    });
    this.#watcher = vscode.workspace.createFileSystemWatcher(pattern);
    const touched = (uri: vscode.Uri): void => {
      this.neighbours.forget(vscode.workspace.asRelativePath(uri, false));
      changed();
    };
    const moved = (uri: vscode.Uri): void => {
      this.#files = undefined;
      touched(uri);
    };
    this.#watcher.onDidChange(touched);
    this.#watcher.onDidCreate(moved);
    this.#watcher.onDidDelete(moved);
  }

  dispose(): void {
    this.#watcher.dispose();
  }
}

async function listed(pattern: vscode.RelativePattern): Promise<ReadonlySet<string>> {
  const uris = await vscode.workspace.findFiles(
    pattern,
    `**/{${FOREIGN_FOLDERS.join(',')}}/**`,
    MAX_PROGRAMS,
  );
  return new Set(uris.map((uri) => vscode.workspace.asRelativePath(uri, false)));
}
