import * as l10n from '@vscode/l10n';
import { cancelled, ParallaxError } from '../core/errors.ts';
import type { EngineConfig } from '../shared/requests/configuration.ts';
import { Captures } from './capture/captures.ts';
import { configure, dispose, keepsModels, type Configured } from './configured.ts';
import type { CorpusIndex } from './corpora/corpus-index.ts';
import { OpenCorpora } from './corpora/open-corpora.ts';
import type { HostCalls } from './host-calls.ts';
import { LiveRuns } from './live/live-runs.ts';
import type { FetcherOptions } from './web/page-fetcher.ts';

/** Parts of an engine that tests replace. */
export interface EngineOptions {
  /** Clock and limits of what is fetched from the web, and how far that reaches. */
  readonly web?: FetcherOptions | undefined;
}

/** Shared by the answers to requests: the newest configuration with its parts, open corpora, captured retrievals. */
export class EngineState {
  readonly host: HostCalls | undefined;
  readonly log: (message: string) => void;
  readonly options: EngineOptions;
  readonly corpora: OpenCorpora;
  readonly captures: Captures;
  readonly live = new LiveRuns();
  #configured: Configured | undefined;

  /** @param host absent on the command line, where there is no editor to ask */
  constructor(host: HostCalls | undefined, log: (message: string) => void, options: EngineOptions = {}) {
    this.host = host;
    this.log = log;
    this.options = options;
    this.corpora = new OpenCorpora(log);
    this.captures = new Captures(log);
  }

  /** From here on, `config` is in force. What it leaves as it was stays open. */
  async configure(config: EngineConfig): Promise<void> {
    const former = this.#configured;
    if (former && JSON.stringify(former.config) === JSON.stringify(config)) return;
    const next = await configure(config, former, {
      host: this.host,
      log: this.log,
      openIndexed: (corpus) => this.#openFor(config, corpus),
    });
    this.#configured = next;
    // The command line takes what it captured at once.
    if (this.host && config.storage !== ':memory:') await this.captures.keepIn(config.storage);
    const sameModels = former !== undefined && keepsModels(former.config, config);
    await this.corpora.reconfigure(next, sameModels);
    if (former) await dispose(former, next);
  }

  /** For work that began under `config`: where that means another corpus by now, the work is over. */
  async #openFor(config: EngineConfig, corpus: string): Promise<CorpusIndex> {
    const now = this.current.config;
    const refOf = ({ corpora }: EngineConfig): string =>
      JSON.stringify(corpora.find(({ name }) => name === corpus));
    if (!keepsModels(config, now) || refOf(config) !== refOf(now)) throw cancelled();
    return this.corpora.indexed(corpus);
  }

  /**
   * Work takes it once, when it begins, so that all its parts are asked about the same configuration.
   *
   * @throws ParallaxError `internal` before the first configuration
   */
  get current(): Configured {
    if (!this.#configured)
      throw new ParallaxError('internal', l10n.t('The engine was asked before it was configured.'));
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
