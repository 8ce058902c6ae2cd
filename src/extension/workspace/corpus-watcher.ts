/** Keeps an existing index up to date when files change. Never starts an engine. */
import * as vscode from 'vscode';
import { readSetting } from '../platform/contributed.ts';
import type { WorkspaceFolder } from './workspace-folder.ts';

/** Waits until a checkout or a build has written its files. */
const QUIET_MS = 1_500;

/** The index of the corpus in view, which is kept up to date. */
export interface WatchedIndex {
  /** Whether there is an index. Changes never create one. */
  readonly indexed: boolean;
  readonly isIndexing: boolean;
  /** Updates the index with changed files. */
  update(): Promise<void>;
  /** Surveys again what could be indexed, if nothing was found before. */
  lookAgain(): Promise<void>;
}

export class CorpusWatcher implements vscode.Disposable {
  readonly #workspace: WorkspaceFolder;
  readonly #watched: WatchedIndex;
  readonly #watcher = vscode.workspace.createFileSystemWatcher('**/*');
  readonly #subscriptions: vscode.Disposable[];
  #timer: NodeJS.Timeout | undefined;

  constructor(workspace: WorkspaceFolder, watched: WatchedIndex) {
    this.#workspace = workspace;
    this.#watched = watched;
    const changed = (uri: vscode.Uri): void => this.#changed(uri);
    this.#subscriptions = [
      this.#watcher,
      this.#watcher.onDidChange(changed),
      this.#watcher.onDidCreate(changed),
      this.#watcher.onDidDelete(changed),
    ];
  }

  #changed(uri: vscode.Uri): void {
    if (!this.#isOfCorpus(uri) || (this.#watched.indexed && !readSetting('parallax.autoIndex'))) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#update(), QUIET_MS);
  }

  #update(): void {
    // The panels show the problem of parallax.json, so saving a file does not repeat it.
    if (this.#workspace.snapshot.configProblem !== undefined) return;
    if (!this.#watched.indexed) return void this.#watched.lookAgain();
    // A second update would cancel the running one, so this one waits.
    if (this.#watched.isIndexing) this.#timer = setTimeout(() => this.#update(), QUIET_MS);
    else void this.#watched.update();
  }

  /** Our own files and version control change often, but are not part of the corpus. */
  #isOfCorpus(uri: vscode.Uri): boolean {
    const { folder } = this.#workspace.snapshot;
    if (uri.scheme !== 'file' || !folder) return false;
    return !/\/(\.git|\.parallax|node_modules)(\/|$)/u.test(uri.path);
  }

  dispose(): void {
    clearTimeout(this.#timer);
    for (const subscription of this.#subscriptions) subscription.dispose();
  }
}
