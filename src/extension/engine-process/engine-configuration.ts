/** Builds the engine's configuration from the workspace, settings and secrets. */
import path from 'node:path';
import * as vscode from 'vscode';
import { SEARCH_KEYS } from '../../features/web-corpus/core/search.ts';
import type { EngineConfig } from '../../shared/requests/configuration.ts';
import { keyNames } from '../../shared/key-names.ts';
import type { ApiKeys } from '../models/api-keys.ts';
import { readSetting } from '../platform/contributed.ts';
import { readText } from '../platform/read-text.ts';
import type { WorkspaceFolder } from '../workspace/workspace-folder.ts';
import type { EngineClient } from './engine-client.ts';
import { CorpusFolders } from './corpus-folders.ts';
import { makePrivate } from './private-folder.ts';

export class EngineConfiguration {
  readonly #context: vscode.ExtensionContext;
  readonly #workspace: WorkspaceFolder;
  readonly #keys: ApiKeys;
  readonly #warn: (message: string) => void;
  readonly #folders: CorpusFolders;

  constructor(
    context: vscode.ExtensionContext,
    workspace: WorkspaceFolder,
    keys: ApiKeys,
    warn: (message: string) => void,
  ) {
    this.#context = context;
    this.#workspace = workspace;
    this.#keys = keys;
    this.#warn = warn;
    const file = path.join(this.#storage, 'corpora.json');
    this.#folders = new CorpusFolders(file, () => readText(vscode.Uri.file(file)));
  }

  /** Indexes can be rebuilt at any time, so they are stored on the machine and not in the workspace. */
  get #storage(): string {
    return (this.#context.storageUri ?? this.#context.globalStorageUri).fsPath;
  }

  async current(): Promise<EngineConfig> {
    const { folder, config } = this.#workspace.snapshot;
    const storage = this.#storage;
    await makePrivate(storage, this.#warn);
    const base = folder?.fsPath ?? '';
    const trusted = vscode.workspace.isTrusted;
    const generator = config.generator ?? config.judge;
    const labels = this.#workspace.labelsFile?.fsPath;
    const folders = await this.#folders.of(
      Object.entries(config.corpora).map(([name, corpus]) => ({
        name,
        identity: JSON.stringify([base, corpus]),
      })),
    );
    return {
      storage,
      base,
      trusted,
      corpora: Object.entries(config.corpora).map(([name, corpus]) => ({
        name,
        base,
        config: corpus,
        excludeGlobs: excludedByEditor(folder),
        store: path.join(storage, 'corpora', folders.get(name) ?? name),
        fenced: !trusted,
      })),
      // The engine gets no models or endpoints of a workspace before it is trusted.
      embedders: trusted ? config.embedders : {},
      judges: trusted ? config.judges : {},
      ...(generator === undefined ? {} : { generator }),
      keys: trusted ? await this.#keys.read([...keyNames(config), ...SEARCH_KEYS]) : {},
      ...(labels ? { labelsFile: labels } : {}),
      approximateAbove: readSetting('parallax.approximateAbove'),
    };
  }

  async reload(engine: EngineClient): Promise<void> {
    await engine.reconfigure();
  }
}

function excludedByEditor(folder: vscode.Uri | undefined): string[] {
  const globs = vscode.workspace
    .getConfiguration('files', folder)
    .get<Record<string, unknown>>('exclude', {});
  return Object.entries(globs).flatMap(([glob, on]) => (on === true ? [glob] : []));
}
