/** Keeps an existing index up to date when files change. It never starts an engine by itself. */
import * as vscode from 'vscode';
import { readSetting } from '../platform/contributed.ts';
import type { WorkspaceFolder } from './workspace-folder.ts';

/** A checkout or a build writes many files: wait until it is quiet. */
const QUIET_MS = 1_500;

/** The index that is kept up to date: that of the corpus in view. */
export interface WatchedIndex {
  /** There is one; nothing is indexed that was not before. */
  readonly indexed: boolean;
  readonly isIndexing: boolean;
  /** Takes what changed into the index. */
  update(): Promise<void>;
  /** Looks again at what could be indexed, where nothing was there to read. */
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
    // The panels say what is wrong in parallax.json; every saved file would say it again.
    if (this.#workspace.snapshot.configProblem !== undefined) return;
    if (!this.#watched.indexed) return void this.#watched.lookAgain();
    // One that runs would be cancelled by a second one; come back when it is done.
    if (this.#watched.isIndexing) this.#timer = setTimeout(() => this.#update(), QUIET_MS);
    else void this.#watched.update();
  }

  /** Our own files and version control change all the time without touching the corpus. */
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
