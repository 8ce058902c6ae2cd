/** The foreign retrievers that pipelines name, started when first asked and kept. */
import type { ExternalResult, ExternalRetrieverSpec } from '../../core/external/spec.ts';
import { ParallaxError } from '../../core/errors.ts';
import type { EngineConfig } from '../../shared/rpc.ts';
import { createCommandRetriever } from './command-retriever.ts';
import type { ExternalQuery, ExternalRetriever } from './external-retriever.ts';
import { createHttpRetriever } from './http-retriever.ts';
import { createRunRetriever } from './run-retriever.ts';

export class ExternalRetrievers {
  readonly #config: Pick<EngineConfig, 'base' | 'trusted' | 'keys'>;
  readonly #started = new Map<string, ExternalRetriever>();

  constructor(config: Pick<EngineConfig, 'base' | 'trusted' | 'keys'>) {
    this.#config = config;
  }

  /**
   * @returns at most k results, best first
   * @throws ParallaxError `untrusted`, `retriever-failed`, `bad-file`, `model-key` for a key that is not stored, `cancelled`
   */
  search(
    spec: ExternalRetrieverSpec,
    query: ExternalQuery,
    k: number,
    signal: AbortSignal | undefined,
  ): Promise<readonly ExternalResult[]> {
    if (!this.#config.trusted)
      throw new ParallaxError(
        'untrusted',
        'Commands, endpoints and files that a pipeline names are used only in a workspace that you trust.',
      );
    const key = JSON.stringify(spec);
    const retriever = this.#started.get(key) ?? this.#create(spec);
    this.#started.set(key, retriever);
    return retriever.search(query, k, signal);
  }

  /** Ends every command and connection. */
  async dispose(): Promise<void> {
    const started = [...this.#started.values()];
    this.#started.clear();
    await Promise.all(started.map((retriever) => retriever.close()));
  }

  #create(spec: ExternalRetrieverSpec): ExternalRetriever {
    const { base, keys } = this.#config;
    switch (spec.type) {
      case 'command':
        return createCommandRetriever(spec, base);
      case 'run':
        return createRunRetriever(spec, base);
      case 'http':
        return createHttpRetriever(spec, spec.key === undefined ? undefined : this.#key(spec.key, keys));
    }
  }

  #key(name: string, keys: Readonly<Record<string, string>>): string {
    const key = Object.hasOwn(keys, name) ? keys[name] : undefined;
    if (key !== undefined) return key;
    throw new ParallaxError(
      'model-key',
      `The endpoint needs the API key "${name}", which is not stored. Run "Parallax: Set API Key".`,
    );
  }
}
