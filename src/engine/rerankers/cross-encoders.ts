/** The cross-encoders that pipelines name. Each is created at the first request. */
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../../core/errors.ts';
import type { CrossEncoderSpec } from '../../core/rerank/rerankers.ts';
import { queryWithInstruction } from '../../core/rerank/query-template.ts';
import type { EngineConfig } from '../../shared/requests/configuration.ts';
import type { WorkOptions } from '../types.ts';
import { createCrossEncoder, type CrossEncoder } from './cross-encoder.ts';

export class CrossEncoders {
  readonly #config: Pick<EngineConfig, 'base' | 'trusted'>;
  readonly #made = new Map<string, CrossEncoder>();

  constructor(config: Pick<EngineConfig, 'base' | 'trusted'>) {
    this.#config = config;
  }

  /**
   * The relevance of passages to a query, according to a pipeline's step.
   *
   * @param passages [n]
   * @returns [n], higher is more relevant; see {@link CrossEncoder.score}
   * @throws ParallaxError `untrusted`, `model-missing`, and what the model throws
   */
  async score(
    spec: CrossEncoderSpec,
    query: string,
    passages: readonly string[],
    { signal, onProgress }: WorkOptions,
  ): Promise<Float64Array> {
    const encoder = this.#get(spec);
    const detail = l10n.t`Reranking with ${encoder.label}`;
    return encoder.score(queryWithInstruction(query, spec.instruction, spec.template), passages, {
      signal,
      onProgress: ({ done, total }) => onProgress?.({ done, total, detail }),
    });
  }

  async dispose(): Promise<void> {
    const encoders = [...this.#made.values()];
    this.#made.clear();
    for (const encoder of encoders) await encoder.dispose();
  }

  /** One for all steps with the same model, since instruction and template only change the text. */
  #get({ path, file, maxTokens, positiveLabel }: CrossEncoderSpec): CrossEncoder {
    const { base, trusted } = this.#config;
    if (!trusted)
      throw new ParallaxError(
        'untrusted',
        l10n.t`The cross-encoder ${path} is loaded only once this workspace is trusted.`,
      );
    const config = { path, file, maxTokens, positiveLabel };
    const key = JSON.stringify(config);
    const encoder = this.#made.get(key) ?? createCrossEncoder(config, { baseDir: base });
    this.#made.set(key, encoder);
    return encoder;
  }
}
