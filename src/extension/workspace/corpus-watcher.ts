/** Keeps an existing index up to date when files change. It never starts an engine by itself. */
import * as vscode from 'vscode';
import { readSetting } from '../platform/contributed.ts';
import type { InspectorController } from '../inspector/inspector-controller.ts';
import type { WorkspaceFolder } from './workspace-folder.ts';

/** A checkout or a build writes many files: wait until it is quiet. */
const QUIET_MS = 1_500;

export class CorpusWatcher implements vscode.Disposable {
  readonly #workspace: WorkspaceFolder;
  readonly #inspector: InspectorController;
  readonly #watcher = vscode.workspace.createFileSystemWatcher('**/*');
  readonly #subscriptions: vscode.Disposable[];
  #timer: NodeJS.Timeout | undefined;

  constructor(workspace: WorkspaceFolder, inspector: InspectorController) {
    this.#workspace = workspace;
    this.#inspector = inspector;
    const changed = (uri: vscode.Uri): void => this.#changed(uri);
    this.#subscriptions = [
      this.#watcher,
      this.#watcher.onDidChange(changed),
      this.#watcher.onDidCreate(changed),
      this.#watcher.onDidDelete(changed),
    ];
  }

  #changed(uri: vscode.Uri): void {
    if (!this.#inspector.indexed || !this.#isOfCorpus(uri) || !readSetting('parallax.autoIndex')) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#update(), QUIET_MS);
  }

  #update(): void {
    // The panels say what is wrong in parallax.json; every saved file would say it again.
    if (this.#workspace.snapshot.configProblem !== undefined) return;
    // One that runs would be cancelled by a second one; come back when it is done.
    if (this.#inspector.isIndexing) this.#timer = setTimeout(() => this.#update(), QUIET_MS);
    else void this.#inspector.index(false);
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
