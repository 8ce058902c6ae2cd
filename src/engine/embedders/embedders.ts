/** The embedders of a configuration. Each is created at the first request. */
import * as l10n from '@vscode/l10n';
import { HASHED_WORDS, MEANING } from '../../core/embedding/built-in.ts';
import { ParallaxError } from '../../core/errors.ts';
import { embedderSchema, type EmbedderConfig } from '../../shared/config.ts';
import { keyOf } from '../../shared/key-names.ts';
import type { EngineConfig } from '../../shared/requests/configuration.ts';
import { createEmbedder } from './create.ts';
import type { Embedder } from './embedder.ts';
import type { Endpoint } from './openai-embedder.ts';

/** The embedders that need no entry in `parallax.json`, by name. */
const BUILT_IN: Readonly<Record<string, EmbedderConfig>> = {
  [MEANING]: embedderSchema.parse({ type: 'meaning' }),
  [HASHED_WORDS]: embedderSchema.parse({ type: 'hashing' }),
};

/** Names of the embedders that run on this machine, so that a question is free. */
export function localEmbedders(embedders: EngineConfig['embedders']): string[] {
  const all = Object.entries({ ...BUILT_IN, ...embedders });
  return all.flatMap(([name, { type }]) => (type === 'openai' ? [] : [name]));
}

export class Embedders {
  readonly #config: Pick<EngineConfig, 'embedders' | 'keys' | 'base'>;
  readonly #kept: Endpoint['kept'];
  readonly #made = new Map<string, Promise<Embedder>>();

  /** @param kept vectors of earlier runs */
  constructor(config: Pick<EngineConfig, 'embedders' | 'keys' | 'base'>, kept?: Endpoint['kept']) {
    this.#config = config;
    this.#kept = kept;
  }

  /** @throws ParallaxError `bad-pipeline` for an unknown name, `model-missing` if a model's files are missing */
  get(name: string): Promise<Embedder> {
    const embedder = this.#made.get(name) ?? this.#create(name);
    this.#made.set(name, embedder);
    // The model may exist next time.
    embedder.catch(() => this.#made.delete(name));
    return embedder;
  }

  async dispose(): Promise<void> {
    for (const outcome of await Promise.allSettled(this.#made.values()))
      if (outcome.status === 'fulfilled') await outcome.value.dispose();
    this.#made.clear();
  }

  async #create(name: string): Promise<Embedder> {
    const config = this.#find(name);
    const apiKey = config.type === 'openai' ? keyOf(this.#config.keys, config.key) : undefined;
    return createEmbedder(name, config, { apiKey, baseDir: this.#config.base, kept: this.#kept });
  }

  #find(name: string): EmbedderConfig {
    const { embedders } = this.#config;
    if (Object.hasOwn(embedders, name) && embedders[name]) return embedders[name];
    if (Object.hasOwn(BUILT_IN, name) && BUILT_IN[name]) return BUILT_IN[name];
    throw new ParallaxError(
      'bad-pipeline',
      l10n.t`There is no embedder "${name}". Available: ${[...Object.keys(BUILT_IN), ...Object.keys(embedders)].join(', ')}. Add it to parallax.json.`,
    );
  }
}
