/**
 * Fetches a corpus from the web: asks for the questions and the search provider, shows what will be sent, and offers to
 * index. Independent of the editor.
 */
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../../../core/errors.ts';
import { SEARCH_KEYS, type SearchProvider, type SearchSettings } from '../core/search.ts';
import { snapshotFolder, snapshotNameFor, type WebReport } from '../contract/web.ts';
import { requireTrust } from '../../../shared/untrusted.ts';
import type { EngineClient } from '../../../extension/engine-process/engine-client.ts';
import type { WorkspaceState } from '../../../extension/workspace/workspace-state.ts';
import type { TaskContext } from '../../../extension/tasks/task-list.ts';
import { cancelledText, fetchedText, planText } from './web-text.ts';

/** Questions that are searched for together. */
export interface WebQueries {
  /** An eval set's path, or the question itself. */
  readonly from: string;
  readonly queries: readonly { readonly id: string; readonly text: string }[];
}

export interface FetchedSnapshot {
  readonly name: string;
  readonly hasPages: boolean;
  /** How many questions were searched for. */
  readonly questions: number;
}

export interface WebCorpusControllerOptions {
  readonly engine: Pick<EngineClient, 'request'>;
  readonly workspace: () => Pick<WorkspaceState, 'evalQueries'>;
  readonly trusted: () => boolean;
  /** Each dialog resolves to `undefined` if the user cancels. */
  readonly actions: {
    chooseQueries(evalSets: readonly WebQueries[]): Promise<WebQueries | undefined>;
    chooseProvider(): Promise<SearchProvider | undefined>;
    /** The base URL of a SearXNG server. */
    askForAddress(): Promise<string | undefined>;
    /** Asks for a key if none is stored. @returns whether there is one now */
    ensureKey(provider: SearchProvider): Promise<boolean>;
    askForResults(): Promise<number | undefined>;
    /** @param suggested the proposed name of the snapshot */
    askForName(suggested: string): Promise<string | undefined>;
    confirm(plan: ReturnType<typeof planText>): Promise<boolean>;
    /** Shows the work with a way to cancel it. */
    progress<T>(title: string, work: (context: TaskContext) => Promise<T>): Promise<T>;
    /** Shows the result. If pages were fetched, offers to index the snapshot. */
    showFetched(message: string, snapshot: FetchedSnapshot): Promise<void>;
    /** Shows why a key was refused, and offers to set another one. */
    showRefusedKey(message: string, provider: SearchProvider): Promise<void>;
  };
}

export class WebCorpusController {
  readonly #options: WebCorpusControllerOptions;

  constructor(options: WebCorpusControllerOptions) {
    this.#options = options;
  }

  /** @throws ParallaxError `untrusted`, or the engine's error */
  async fetch(): Promise<void> {
    const { actions, trusted } = this.#options;
    requireTrust(trusted());
    const choice = await actions.chooseQueries(this.#evalSets());
    const search = choice && (await this.#chooseSearch());
    const name = search && (await actions.askForName(snapshotNameFor(choice.from)));
    if (!choice || !search || name === undefined) return;
    if (!(await actions.confirm(planText(choice.queries.length, search, name)))) return;
    await this.#run(choice, search, name);
  }

  async #run({ queries }: WebQueries, search: SearchSettings, name: string): Promise<void> {
    const { actions, engine } = this.#options;
    const params = { queries: [...queries], search, folder: snapshotFolder(name) };
    const snapshot = { name, hasPages: false, questions: queries.length };
    try {
      const report: WebReport = await actions.progress(l10n.t('Fetching pages'), ({ signal, onNote }) =>
        engine.request('fetchWeb', params, { signal, onNote }),
      );
      const hasPages = report.fetched + report.kept > 0;
      await actions.showFetched(fetchedText(report), { ...snapshot, hasPages });
    } catch (error) {
      if (ParallaxError.is(error, 'cancelled')) await actions.showFetched(cancelledText(), snapshot);
      else if (ParallaxError.is(error, 'model-key'))
        await actions.showRefusedKey(error.message, search.provider);
      else throw error;
    }
  }

  #evalSets(): WebQueries[] {
    const bySet = Map.groupBy(this.#options.workspace().evalQueries, ({ evalSet }) => evalSet);
    return [...bySet].map(([from, queries]) => ({
      from,
      queries: queries.map(({ id, text }) => ({ id, text })),
    }));
  }

  async #chooseSearch(): Promise<SearchSettings | undefined> {
    const { actions } = this.#options;
    const provider = await actions.chooseProvider();
    if (provider === undefined) return undefined;
    if (SEARCH_KEYS.includes(provider) && !(await actions.ensureKey(provider))) return undefined;
    const baseUrl = provider === 'searxng' ? await actions.askForAddress() : undefined;
    if (provider === 'searxng' && baseUrl === undefined) return undefined;
    const results = await actions.askForResults();
    return results === undefined
      ? undefined
      : { provider, results, ...(baseUrl === undefined ? {} : { baseUrl }) };
  }
}
