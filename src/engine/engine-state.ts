import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../core/errors.ts';
import type { EngineConfig } from '../shared/requests/configuration.ts';
import { Captures } from './capture/captures.ts';
import { configure, dispose, keepsModels, type Configured } from './configured.ts';
import type { CorpusIndex } from './corpora/corpus-index.ts';
import { boundaryOf } from './files/boundary.ts';
import { countingJudge, type Judge } from './judges/judge.ts';
import { OpenCorpora } from './corpora/open-corpora.ts';
import { EngineServices } from './retrieval/engine-services.ts';
import type { HostCalls } from './host-calls.ts';
import type { FetcherOptions } from './web/page-fetcher.ts';

/** Parts of an engine that tests replace. */
export interface EngineOptions {
  /** Clock and limits of what is fetched from the web, and how far that reaches. */
  readonly web?: FetcherOptions | undefined;
}

/** What the answers to requests share: the newest configuration with its parts, open corpora, captured retrievals. */
export class EngineState {
  readonly host: HostCalls | undefined;
  readonly log: (message: string) => void;
  readonly options: EngineOptions;
  readonly corpora: OpenCorpora;
  readonly captures: Captures;
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
      openIndexed: (corpus) => this.corpora.indexed(corpus),
      servicesOf: (index) => this.servicesOf(index),
      remembering: (name) => this.remembering(name),
    });
    this.#configured = next;
    const sameModels = former !== undefined && keepsModels(former.config, config);
    await this.corpora.reconfigure(next, sameModels);
    if (former) await dispose(former, next);
  }

  /** @throws ParallaxError `internal` before the first configuration */
  get current(): Configured {
    if (!this.#configured)
      throw new ParallaxError('internal', l10n.t('The engine was asked before it was configured.'));
    return this.#configured;
  }

  /**
   * The judge whose earlier answers count. As long as the workspace is not trusted, those that it names are
   * not there, and people's labels count alone; so they do beside a judge that guesses.
   *
   * @throws ParallaxError as `Judges.get`
   */
  remembering(name: string): Judge | undefined {
    const { config, judges } = this.current;
    return config.trusted || judges.has(name) ? countingJudge(judges.get(name)) : undefined;
  }

  servicesOf(index: CorpusIndex): EngineServices {
    const { config, judges, judgementService, generations } = this.current;
    const { base, generator } = config;
    return new EngineServices({
      judges,
      judgementService,
      generations,
      generator,
      base,
      boundary: boundaryOf(config),
      passages: (slots) => index.passages(slots),
    });
  }

  async close(): Promise<void> {
    this.captures.close();
    const configured = this.#configured;
    this.#configured = undefined;
    if (!configured) return;
    await this.corpora.close();
    await dispose(configured);
  }
}
