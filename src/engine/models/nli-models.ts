/** The NLI models that judges name. Each is created at the first request. */
import { resolve } from 'node:path';
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../../core/errors.ts';
import type { EngineConfig } from '../../shared/requests/configuration.ts';
import { NliModel, type NliModelConfig } from './nli-model.ts';

export class NliModels {
  readonly #config: Pick<EngineConfig, 'base' | 'trusted'>;
  readonly #made = new Map<string, NliModel>();

  constructor(config: Pick<EngineConfig, 'base' | 'trusted'>) {
    this.#config = config;
  }

  /**
   * One model for all judges with the same files and settings.
   *
   * @throws ParallaxError `untrusted`, `model-missing`
   */
  get({ path, file, entailment, maxTokens }: NliModelConfig): NliModel {
    const { base, trusted } = this.#config;
    if (!trusted)
      throw new ParallaxError(
        'untrusted',
        l10n.t`The NLI model ${path} is loaded only once this workspace is trusted.`,
      );
    const config = { path, file, entailment, maxTokens };
    const key = JSON.stringify(config);
    const model = this.#made.get(key) ?? new NliModel(config, base);
    this.#made.set(key, model);
    return model;
  }

  /** The absolute path of a file that a judge names. */
  resolve(file: string): string {
    return resolve(this.#config.base, file);
  }

  async dispose(): Promise<void> {
    const models = [...this.#made.values()];
    this.#made.clear();
    for (const model of models) await model.dispose();
  }
}
