/** Connects to an endpoint with the OpenAI protocol: OpenAI, Ollama, vLLM, LM Studio, … */
import * as l10n from '@vscode/l10n';
import OpenAI from 'openai';
import * as z from 'zod';
import { messageOf, ParallaxError } from '../../core/errors.ts';
import { outgoingFetch } from '../network/outgoing.ts';
import { requestHeaders } from '../network/request-headers.ts';
import { withoutSecret } from '../without-secret.ts';
import { listOf } from '../../core/formats/lists.ts';

export interface OpenAiSettings {
  /** Usually ends in the version, such as `https://api.openai.com/v1`. */
  readonly baseUrl: string;
  readonly model: string;
  /** `undefined` for endpoints without a key. */
  readonly apiKey?: string | undefined;
  /** The name under which the key is stored, for messages. `undefined` for a key that is being tried. */
  readonly keyName?: string | undefined;
  readonly maxRetries: number;
  /** The API to use. Defaults to chat completions, until the endpoint refuses them. */
  readonly api?: 'chat' | 'responses' | undefined;
  /** Defaults to 0, which is dropped if the endpoint refuses it. */
  readonly temperature?: number | undefined;
  /** Sent with every request, in addition to the protocol's own. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Appended to the URL of every request, such as the `api-version` of Azure. */
  readonly query?: Readonly<Record<string, string>> | undefined;
  /** The header that contains the plain key. Defaults to a bearer token in `Authorization`. */
  readonly keyHeader?: string | undefined;
}

/** Longer than any answer to a question about passages. */
const MAX_BYTES = 4 * 1024 * 1024;

/** Sets everything that the client would otherwise read from environment variables, so that no key leaks. */
export function createClient(settings: OpenAiSettings): OpenAI {
  const { baseUrl, apiKey, query } = settings;
  return new OpenAI({
    baseURL: baseUrl,
    // The client requires a key. Without one, the header with the key is left out.
    apiKey: apiKey ?? 'none',
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    defaultHeaders: requestHeaders(settings),
    ...(query ? { defaultQuery: { ...query } } : {}),
    maxRetries: 0,
    logLevel: 'off',
    fetch: outgoingFetch({ maxBytes: MAX_BYTES }),
  });
}

const modelListSchema = z.object({ data: listOf(z.object({ id: z.string().min(1) })) });

/**
 * The models that an endpoint lists, in its order.
 *
 * @param timeout milliseconds
 * @throws ParallaxError `model-unreachable` if it does not answer, or lists no models according to the protocol
 */
export async function listModels(
  settings: OpenAiSettings,
  timeout: number,
  signal?: AbortSignal,
): Promise<string[]> {
  try {
    const list: unknown = await createClient(settings).get('/models', { timeout, ...(signal && { signal }) });
    return modelListSchema.parse(list).data.map(({ id }) => id);
  } catch (cause) {
    const reason = withoutSecret(messageOf(cause), settings.apiKey);
    throw new ParallaxError(
      'model-unreachable',
      l10n.t`${settings.baseUrl} does not list its models (${reason}).`,
      { cause },
    );
  }
}
