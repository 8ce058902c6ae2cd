/** The command that fetches a corpus from the web, with the dialogs of the editor. */
import * as vscode from 'vscode';
import { snapshotRoot, withSnapshotCorpus } from '../core/config-edit.ts';
import {
  DEFAULT_RESULTS,
  MAX_RESULTS,
  PROVIDERS,
  SEARCH_PROVIDERS,
  searchSettingsSchema,
  type SearchProvider,
} from '../core/search.ts';
import { COMMANDS, type CommandId } from '../../../shared/manifest/contributions.ts';
import { snapshotNameSchema } from '../contract/web.ts';
import type { EngineClient } from '../../../extension/engine-process/engine-client.ts';
import type { CommandHandler } from '../../../extension/platform/contributed.ts';
import type { Memory } from '../../../extension/platform/memory.ts';
import type { ApiKeys } from '../../../extension/models/api-keys.ts';
import { askForAddress } from '../../../extension/platform/ask-address.ts';
import { askForCount } from '../../../extension/platform/dialogs.ts';
import { withProgress } from '../../../extension/tasks/with-progress.ts';
import type { ConfigFile } from '../../../extension/workspace/config-file.ts';
import type { WorkspaceFolder } from '../../../extension/workspace/workspace-folder.ts';
import {
  WebCorpusController,
  type FetchedSnapshot,
  type WebCorpusControllerOptions,
  type WebQueries,
} from './web-corpus-controller.ts';
import { withoutLinks } from '../../../core/text/without-links.ts';

export interface WebCorpusParts extends Pick<WebCorpusControllerOptions, 'workspace'> {
  readonly engine: EngineClient;
  readonly keys: ApiKeys;
  readonly memory: Memory;
  readonly folder: WorkspaceFolder;
  readonly configFile: ConfigFile;
  /** Shows a corpus of parallax.json in the panel and indexes it. */
  readonly index: (corpus: string) => Promise<void>;
}

const ADDRESS = 'web.searxng';

export class WebCorpus {
  readonly #parts: WebCorpusParts;
  readonly #controller: WebCorpusController;

  constructor(parts: WebCorpusParts) {
    this.#parts = parts;
    this.#controller = new WebCorpusController({
      engine: parts.engine,
      workspace: parts.workspace,
      trusted: () => vscode.workspace.isTrusted,
      actions: {
        chooseQueries,
        chooseProvider,
        askForName,
        progress: withProgress,
        askForAddress: () => this.#askForAddress(),
        ensureKey: (provider) => this.#ensureKey(provider),
        askForResults: () =>
          askForCount(vscode.l10n.t('How many pages for each question?'), DEFAULT_RESULTS, MAX_RESULTS),
        confirm: async ({ question, detail }) => {
          const go = vscode.l10n.t('Fetch');
          return (await vscode.window.showWarningMessage(question, { modal: true, detail }, go)) === go;
        },
        showFetched: (message, snapshot) => this.#showFetched(message, snapshot),
        showRefusedKey: (message, provider) => this.#showRefusedKey(message, provider),
      },
    });
  }

  readonly handlers = {
    [COMMANDS.fetchWebCorpus]: () => {
      // Throws if no folder is open, because a snapshot needs one.
      void this.#parts.folder.openFolder;
      return this.#controller.fetch();
    },
  } satisfies Partial<Record<CommandId, CommandHandler>>;

  async #askForAddress(): Promise<string | undefined> {
    const { memory } = this.#parts;
    const known = memory.get(ADDRESS);
    const address = await askForAddress({
      title: vscode.l10n.t('Where does SearXNG run?'),
      prompt: vscode.l10n.t('Its settings.yml must list json in search.formats.'),
      value: typeof known === 'string' ? known : 'http://localhost:8888',
      problemOf: (baseUrl) =>
        searchSettingsSchema.safeParse({ provider: 'searxng', baseUrl }).success
          ? undefined
          : vscode.l10n.t('An address that begins with http:// or https://'),
    });
    if (address === undefined) return undefined;
    memory.set(ADDRESS, address);
    return address;
  }

  async #ensureKey(provider: SearchProvider): Promise<boolean> {
    const { keys } = this.#parts;
    if (!(provider in (await keys.read([provider])))) await this.#setKey(provider);
    return provider in (await keys.read([provider]));
  }

  /** Settles once the engine has the key. */
  async #setKey(provider: SearchProvider): Promise<void> {
    await this.#parts.keys.prompt([provider]);
    await this.#parts.engine.reconfigure();
  }

  async #showRefusedKey(message: string, provider: SearchProvider): Promise<void> {
    const set = vscode.l10n.t('Set Key');
    if ((await vscode.window.showErrorMessage(withoutLinks(message), set)) === set)
      await this.#setKey(provider);
  }

  async #showFetched(message: string, { name, hasPages, questions }: FetchedSnapshot): Promise<void> {
    const index = vscode.l10n.t('Index');
    const indexApart = vscode.l10n.t('Index per Question');
    const offered = questions > 1 ? [index, indexApart] : [index];
    const chosen = await vscode.window.showInformationMessage(
      withoutLinks(message),
      ...(hasPages ? offered : []),
    );
    if (chosen !== undefined) await this.#parts.index(await this.#corpusOf(name, chosen === indexApart));
  }

  /** The corpus of parallax.json for the snapshot; added if there is none. */
  async #corpusOf(name: string, perQuery: boolean): Promise<string> {
    const { folder } = this.#parts;
    const { corpora } = folder.snapshot.config;
    const known = Object.entries(corpora).find(
      ([, config]) => config.roots.join() === snapshotRoot(name) && (config.perQuery ?? false) === perQuery,
    );
    if (known) return known[0];
    const corpus = name in corpora ? `${name}-${perQuery ? 'per-query' : 'web'}` : name;
    await this.#parts.configFile.edit((json) => withSnapshotCorpus(json, corpus, name, perQuery));
    return corpus;
  }
}

async function chooseQueries(evalSets: readonly WebQueries[]): Promise<WebQueries | undefined> {
  const sets = evalSets.map((set) => ({
    label: set.from,
    description: vscode.l10n.t('{0} questions', set.queries.length),
    set,
  }));
  const one = { label: vscode.l10n.t('One question…'), description: '', set: undefined };
  const title = vscode.l10n.t('Which questions should be searched for?');
  const chosen = sets.length === 0 ? one : await vscode.window.showQuickPick([...sets, one], { title });
  return chosen && (chosen.set ?? (await askForQuestion()));
}

async function askForQuestion(): Promise<WebQueries | undefined> {
  const text = (
    await vscode.window.showInputBox({ title: vscode.l10n.t('What should be searched for?') })
  )?.trim();
  return text ? { from: text, queries: [{ id: 'q1', text }] } : undefined;
}

async function chooseProvider(): Promise<SearchProvider | undefined> {
  const items = SEARCH_PROVIDERS.map((provider) => ({
    label: PROVIDERS[provider].label,
    detail:
      provider === 'searxng'
        ? vscode.l10n.t('Your own server, without a key')
        : vscode.l10n.t('Needs an API key, which is kept in the secret storage of the editor'),
    provider,
  }));
  const title = vscode.l10n.t('Which search service?');
  return (await vscode.window.showQuickPick(items, { title }))?.provider;
}

async function askForName(suggested: string): Promise<string | undefined> {
  return vscode.window.showInputBox({
    title: vscode.l10n.t('What should the corpus be called?'),
    prompt: vscode.l10n.t('An existing name continues where it stopped.'),
    value: suggested,
    validateInput: (name) =>
      snapshotNameSchema.safeParse(name).success
        ? undefined
        : vscode.l10n.t('Letters, digits, dots, dashes and underscores'),
  });
}
