/** The providers whose models can be set up, and the details that each needs. Independent of the editor. */
import * as l10n from '@vscode/l10n';
import type { Params } from '../../shared/rpc.ts';

/** A chat model's endpoint, as a judge names it. */
export type Endpoint = Params<'testModel'>['config'];

export const PROVIDERS = ['ollama', 'lmstudio', 'openai', 'azure', 'openrouter', 'other'] as const;
export type Provider = (typeof PROVIDERS)[number];

export interface ProviderDetails {
  readonly label: string;
  readonly detail: string;
  /** `undefined` if the user has to enter it. */
  readonly baseUrl?: string;
  /** Runs on this machine, needs no key, and lists the installed models. */
  readonly local: boolean;
}

export function providerDetails(provider: Provider): ProviderDetails {
  switch (provider) {
    case 'ollama':
      return {
        label: 'Ollama',
        detail: l10n.t('On this machine; nothing leaves it'),
        baseUrl: 'http://127.0.0.1:11434/v1',
        local: true,
      };
    case 'lmstudio':
      return {
        label: l10n.t('LM Studio'),
        detail: l10n.t('On this machine; nothing leaves it'),
        baseUrl: 'http://127.0.0.1:1234/v1',
        local: true,
      };
    case 'openai':
      return {
        label: 'OpenAI',
        detail: l10n.t('Needs an API key; questions and passages are sent there'),
        baseUrl: 'https://api.openai.com/v1',
        local: false,
      };
    case 'azure':
      return {
        label: l10n.t('Azure OpenAI'),
        detail: l10n.t('Your own deployment; questions and passages are sent there'),
        local: false,
      };
    case 'openrouter':
      return {
        label: 'OpenRouter',
        detail: l10n.t('Needs an API key; questions and passages are sent there'),
        baseUrl: 'https://openrouter.ai/api/v1',
        local: false,
      };
    case 'other':
      return {
        label: l10n.t('Another endpoint…'),
        detail: l10n.t('Any OpenAI-compatible server: vLLM, llama.cpp, a gateway'),
        local: false,
      };
  }
}

const AZURE_VERSION = '2024-10-21';

/** The endpoint of an Azure deployment: the key has its own header, and the API version follows the address. */
export function azureEndpoint(resource: string, deployment: string): Endpoint {
  const origin = /^https?:\/\//iu.test(resource)
    ? new URL(resource).origin
    : `https://${resource}.openai.azure.com`;
  return {
    baseUrl: `${origin}/openai/deployments/${encodeURIComponent(deployment)}`,
    model: deployment,
    keyHeader: 'api-key',
    query: { 'api-version': AZURE_VERSION },
  };
}

/** An unused name for a judge: the model's name in characters that need no quoting elsewhere. */
export function judgeName(model: string, usedNames: readonly string[]): string {
  const base =
    model
      .replace(/^.*\//u, '')
      .replace(/[^\p{L}\p{N}._-]+/gu, '-')
      .slice(0, 40) || 'model';
  for (let number = 1; ; number++) {
    const name = number === 1 ? base : `${base}-${number}`;
    if (!usedNames.includes(name)) return name;
  }
}

/** The outcome of a test request, in a sentence. */
export function abilitiesText({
  json,
  tokenProbabilities,
}: {
  json: boolean;
  tokenProbabilities: boolean;
}): string {
  const format = json ? l10n.t('It returns JSON when asked') : l10n.t('It may not always return JSON');
  return tokenProbabilities
    ? l10n.t`${format} and gives token probabilities.`
    : l10n.t`${format} and gives no token probabilities.`;
}
