/** The foreign retrievers that pipelines name. Each starts at the first request and is kept. */
import * as l10n from '@vscode/l10n';
import { messageOf, ParallaxError } from '../../core/errors.ts';
import type { ExternalResult, ExternalRetrieverSpec } from '../../core/external/spec.ts';
import { isStore } from '../../core/external/store-types.ts';
import { STORES } from '../../core/external/stores.gen.ts';
import type { StoreRetriever } from '../../core/external/stores.ts';
import { keyOf } from '../../shared/key-names.ts';
import type { EngineConfig } from '../../shared/requests/configuration.ts';
import { createCommandRetriever } from './command-retriever.ts';
import type { ExternalQuery, ExternalRetriever, RetrieverHealth } from './external-retriever.ts';
import { createHttpRetriever } from './http-retriever.ts';
import { createRunRetriever } from './run-retriever.ts';
import { createStore } from './stores/create-store.ts';
import type { FindEmbedder } from './stores/query-vectors.ts';
import type { RemoteStore } from './stores/remote-store.ts';
import path from 'node:path';

/** Files and folders in the settings of a store. */
const PATHS: readonly string[] = ['caFile', 'certFile', 'keyFile', 'client'];

/** The same settings with paths that do not depend on the working directory. @param base of `parallax.json` */
function withAbsolutePaths(spec: StoreRetriever, base: string): StoreRetriever {
  const { field: addressField = 'url', isFolder } = STORES[spec.type].address;
  const isPath = (field: string, value: unknown): value is string =>
    typeof value === 'string' &&
    (PATHS.includes(field) || (field === addressField && isFolder?.(value) === true));
  const absolute = Object.entries(spec).map(([field, value]): [string, unknown] => [
    field,
    isPath(field, value) ? path.resolve(base, value) : value,
  ]);
  return Object.fromEntries(absolute) as StoreRetriever;
}

/** The state of a retriever, working or not. */
export type CheckedRetriever =
  | ({ readonly ok: true } & RetrieverHealth)
  | { readonly ok: false; readonly message: string };

type Config = Pick<EngineConfig, 'base' | 'trusted' | 'keys'>;

export class ExternalRetrievers {
  readonly #config: Config;
  readonly #embedder: FindEmbedder;
  readonly #others = new Map<string, ExternalRetriever>();
  readonly #stores = new Map<string, RemoteStore>();

  /** @param embedder by its name in parallax.json; embeds queries for stores */
  constructor(config: Config, embedder: FindEmbedder) {
    this.#config = config;
    this.#embedder = embedder;
  }

  /**
   * @returns at most k results, best first
   * @throws ParallaxError `untrusted`, `retriever-failed`, `bad-file`, `model-key` for a key that is not stored,
   *   `cancelled`
   */
  async search(
    spec: ExternalRetrieverSpec,
    query: ExternalQuery,
    k: number,
    signal: AbortSignal | undefined,
  ): Promise<readonly ExternalResult[]> {
    return this.#get(spec).search(query, k, signal);
  }

  /**
   * Whether a retriever can be asked, or the reason if not.
   *
   * @throws ParallaxError `cancelled`
   */
  async check(spec: ExternalRetrieverSpec, signal: AbortSignal | undefined): Promise<CheckedRetriever> {
    try {
      return { ok: true, ...(await this.#get(spec).check(signal)) };
    } catch (error) {
      if (!ParallaxError.is(error) || error.id === 'cancelled') throw error;
      return { ok: false, message: messageOf(error) };
    }
  }

  /**
   * A store, for its functions other than searching.
   *
   * @throws ParallaxError `untrusted`, `model-key`
   */
  store(spec: StoreRetriever): RemoteStore {
    this.#requireTrust();
    return remembered(this.#stores, spec, () => this.#createStore(spec));
  }

  /** Ends all commands and connections. */
  async dispose(): Promise<void> {
    const started = [...this.#others.values(), ...this.#stores.values()];
    this.#others.clear();
    this.#stores.clear();
    await Promise.all(started.map((retriever) => retriever.close()));
  }

  #get(spec: ExternalRetrieverSpec): ExternalRetriever {
    if (isStore(spec)) return this.store(spec);
    this.#requireTrust();
    return remembered(this.#others, spec, () => this.#create(spec));
  }

  #requireTrust(): void {
    if (this.#config.trusted) return;
    throw new ParallaxError(
      'untrusted',
      l10n.t(
        'Commands, endpoints, stores and files that a pipeline names are used only in a workspace that you trust.',
      ),
    );
  }

  #create(spec: Exclude<ExternalRetrieverSpec, StoreRetriever>): ExternalRetriever {
    const { base } = this.#config;
    switch (spec.type) {
      case 'command':
        return createCommandRetriever(spec, base);
      case 'run':
        return createRunRetriever(spec, base);
      case 'http':
        return createHttpRetriever(spec, this.#key(spec, 'endpoint'));
    }
  }

  #createStore(spec: StoreRetriever): RemoteStore {
    return createStore(withAbsolutePaths(spec, this.#config.base), this.#key(spec, 'store'), this.#embedder);
  }

  #key(
    { key: name }: { readonly key?: string | undefined },
    service: 'endpoint' | 'store',
  ): string | undefined {
    if (name === undefined) return undefined;
    const key = keyOf(this.#config.keys, name);
    if (key !== undefined) return key;
    const variable = `${name.toUpperCase()}_API_KEY`;
    throw new ParallaxError(
      'model-key',
      service === 'store'
        ? l10n.t`The store needs the API key "${name}", which is not stored. Run "Parallax: Set API Key" (command line: the environment variable ${variable}).`
        : l10n.t`The endpoint needs the API key "${name}", which is not stored. Run "Parallax: Set API Key" (command line: the environment variable ${variable}).`,
    );
  }
}

function remembered<S, T>(started: Map<string, T>, spec: S, create: () => T): T {
  const key = JSON.stringify(spec);
  const retriever = started.get(key) ?? create();
  started.set(key, retriever);
  return retriever;
}
