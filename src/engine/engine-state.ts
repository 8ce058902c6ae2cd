import * as l10n from '@vscode/l10n';
import { cancelled, ParallaxError } from '../core/errors.ts';
import type { EngineConfig } from '../shared/requests/configuration.ts';
import { Captures } from '../features/capture/engine/captures.ts';
import { configure, dispose, keepsModels, type Configured } from './configured.ts';
import type { CorpusIndex } from './corpora/corpus-index.ts';
import { OpenCorpora } from './corpora/open-corpora.ts';
import type { HostCalls } from './host-calls.ts';
import { LiveRuns } from '../features/live/engine/live-runs.ts';
import type { FetcherOptions } from '../features/web-corpus/engine/page-fetcher.ts';

/** Parts of an engine that tests replace. */
export interface EngineOptions {
  /** Clock, limits and reach of fetching from the web. */
  readonly web?: FetcherOptions | undefined;
}

/** What request handlers share: the newest configuration with its parts, open corpora, captured retrievals. */
export class EngineState {
  readonly host: HostCalls | undefined;
  readonly log: (message: string) => void;
  readonly options: EngineOptions;
  readonly corpora: OpenCorpora;
  readonly captures: Captures;
  readonly live = new LiveRuns();
  #configured: Configured | undefined;

  /** @param host undefined on the command line, without an editor to ask */
  constructor(host: HostCalls | undefined, log: (message: string) => void, options: EngineOptions = {}) {
    this.host = host;
    this.log = log;
    this.options = options;
    this.corpora = new OpenCorpora(log);
    this.captures = new Captures(log);
  }

  /** Makes `config` current. What did not change stays open. */
  async configure(config: EngineConfig): Promise<void> {
    const former = this.#configured;
    if (former && JSON.stringify(former.config) === JSON.stringify(config)) return;
    const next = await configure(config, former, {
      host: this.host,
      log: this.log,
      openIndexed: (corpus) => this.#openFor(config, corpus),
    });
    this.#configured = next;
    // The command line takes its captures at once.
    if (this.host && config.storage !== ':memory:') await this.captures.keepIn(config.storage);
    const sameModels = former !== undefined && keepsModels(former.config, config);
    await this.corpora.reconfigure(next, sameModels);
    if (former) await dispose(former, next);
  }

  /** For work that began under `config`. If the name now belongs to another corpus, the work is over. */
  async #openFor(config: EngineConfig, corpus: string): Promise<CorpusIndex> {
    const now = this.current.config;
    const refOf = ({ corpora }: EngineConfig): string =>
      JSON.stringify(corpora.find(({ name }) => name === corpus));
    if (!keepsModels(config, now) || refOf(config) !== refOf(now)) throw cancelled();
    return this.corpora.indexed(corpus);
  }

  /**
   * Work reads it once, when it begins, so that all its parts use the same configuration.
   *
   * @throws ParallaxError `internal` before the first configuration
   */
  get current(): Configured {
    if (!this.#configured)
      throw new ParallaxError('internal', l10n.t('The engine got a request before it was configured.'));
    return this.#configured;
  }

  async close(): Promise<void> {
    this.captures.close();
    this.live.close();
    const configured = this.#configured;
    this.#configured = undefined;
    if (!configured) return;
    await this.corpora.close();
    await dispose(configured);
  }
}
