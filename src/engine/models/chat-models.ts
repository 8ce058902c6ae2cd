/** The chat models that judges name. Each is created at the first request. */
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../../core/errors.ts';
import type { ChatJudgeConfig, JudgeConfigOf } from '../../shared/judge-config.ts';
import { keyOf } from '../../shared/key-names.ts';
import type { HostCalls } from '../host-calls.ts';
import type { ChatModel } from './chat-model.ts';
import { createHostModel } from './host-model.ts';
import type { OpenAiSettings } from './openai-client.ts';
import { createOpenAiModel } from './openai-model.ts';

export class ChatModels {
  readonly #keys: Readonly<Record<string, string>>;
  readonly #host: HostCalls | undefined;
  readonly #made = new Map<string, ChatModel>();

  /**
   * @param keys stored API keys by name
   * @param host undefined without an editor, whose models then cannot be used
   */
  constructor(keys: Readonly<Record<string, string>>, host: HostCalls | undefined) {
    this.#keys = keys;
    this.#host = host;
  }

  /** Shared by every use of the judge with this name. */
  get(judge: string, config: ChatJudgeConfig): ChatModel {
    const model = this.#made.get(judge) ?? this.#create(config);
    this.#made.set(judge, model);
    return model;
  }

  #create(config: ChatJudgeConfig): ChatModel {
    switch (config.type) {
      case 'openai':
        return this.#ofEndpoint(config);
      case 'vscode':
        return this.#ofEditor(config);
    }
  }

  #ofEndpoint(config: JudgeConfigOf<'openai'>): ChatModel {
    return createOpenAiModel(endpointSettings(config, this.#keys));
  }

  #ofEditor({ vendor, family, id, maxRetries }: JudgeConfigOf<'vscode'>): ChatModel {
    const selector = { ...(vendor ? { vendor } : {}), ...(family ? { family } : {}), ...(id ? { id } : {}) };
    return createHostModel({
      model: [vendor, family, id].filter(Boolean).join(' ') || 'default',
      label: this.#host?.label,
      maxRetries,
      request: async (messages, signal) => {
        if (this.#host) return this.#host.complete({ ...selector, messages }, signal);
        throw new ParallaxError(
          'model-missing',
          l10n.t("The editor's language model can be asked in the editor only."),
        );
      },
    });
  }
}

/** The settings that requests to a judge's endpoint need. */
function endpointSettings(
  config: JudgeConfigOf<'openai'>,
  keys: Readonly<Record<string, string>>,
): OpenAiSettings {
  const { baseUrl, model, key, maxRetries, api, temperature, headers, query, keyHeader } = config;
  const options = { api, temperature, headers, query, keyHeader };
  return { baseUrl, model, apiKey: keyOf(keys, key), keyName: key, maxRetries, ...options };
}
