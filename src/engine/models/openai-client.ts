/** The way to an endpoint that speaks the OpenAI protocol: OpenAI, Ollama, vLLM, LM Studio, … */
import * as l10n from '@vscode/l10n';
import OpenAI from 'openai';
import * as z from 'zod';
import { messageOf, ParallaxError } from '../../core/errors.ts';
import { outgoingFetch } from '../network/outgoing.ts';
import { requestHeaders } from '../network/request-headers.ts';
import { withoutSecret } from '../without-secret.ts';
import { listOf } from '../../core/formats/lists.ts';

export interface OpenAiSettings {
  /** Ends in the version as a rule, e.g. `https://api.openai.com/v1`. */
  readonly baseUrl: string;
  readonly model: string;
  /** Absent for endpoints that want none. */
  readonly apiKey?: string | undefined;
  /** The name under which the key is stored, for messages; absent for one that is being tried. */
  readonly keyName?: string | undefined;
  readonly maxRetries: number;
  /** By which API it is asked; chat completions until it refuses them, when left out. */
  readonly api?: 'chat' | 'responses' | undefined;
  /** 0 when left out, and then not insisted on. */
  readonly temperature?: number | undefined;
  /** Sent with every request, beside what the protocol asks for. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Put behind the address of every request, such as the `api-version` of Azure. */
  readonly query?: Readonly<Record<string, string>> | undefined;
  /** The header that carries the key as it is; a bearer token in `Authorization` when left out. */
  readonly keyHeader?: string | undefined;
}

/** Longer than any answer to a question about passages. */
const MAX_BYTES = 4 * 1024 * 1024;

/** Everything the client would otherwise take from environment variables is set, so that no key strays. */
export function createClient(settings: OpenAiSettings): OpenAI {
  const { baseUrl, apiKey, query } = settings;
  return new OpenAI({
    baseURL: baseUrl,
    // The client insists on a key; without one the header that would carry it is left out.
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
 * @throws ParallaxError `model-unreachable` where it cannot be asked, or lists none in the way of the protocol
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
      l10n.t`${settings.baseUrl} does not say which models it has (${reason}).`,
      { cause },
    );
  }
}
