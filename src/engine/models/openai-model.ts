/** Chat models behind any endpoint that speaks the OpenAI protocol: OpenAI, Ollama, vLLM, LM Studio, … */
import * as l10n from '@vscode/l10n';
import OpenAI, { APIConnectionError, APIConnectionTimeoutError, APIError } from 'openai';
import * as z from 'zod';
import { messageOf, ParallaxError } from '../../core/errors.ts';
import type { ChatMessage } from '../../core/judging/chat-message.ts';
import type { AnsweredToken } from '../../core/judging/replies/token-probability.ts';
import { outgoingFetch, refusalIn } from '../network/outgoing.ts';
import { withoutSecret } from '../without-secret.ts';
import type { ChatAnswer, ChatModel, CompleteOptions } from './chat-model.ts';
import { retryAfterMs, systemTiming, withRetries, type Failure, type Timing } from './retry.ts';

export interface OpenAiSettings {
  /** Ends in the version as a rule, e.g. `https://api.openai.com/v1`. */
  readonly baseUrl: string;
  readonly model: string;
  /** Absent for endpoints that want none. */
  readonly apiKey?: string | undefined;
  /** The name under which the key is stored, for messages. */
  readonly keyName: string;
  readonly maxRetries: number;
}

/** Longer than any answer to a question about passages. */
const MAX_BYTES = 4 * 1024 * 1024;
/** After this many failures to connect in a row, over all requests, an endpoint counts as dead. */
const DEAD_AFTER = 3;
/** Who asks to be left alone for longer gets no further attempt. */
const LONGEST_RETRY_AFTER_MS = 120_000;

export function createOpenAiModel(settings: OpenAiSettings, timing: Timing = systemTiming): ChatModel {
  return new OpenAiModel(settings, timing);
}

/** Parameters that not every model or server accepts; left out from the first refusal on. */
const OPTIONAL_PARAMETERS = {
  temperature: { temperature: 0 },
  response_format: { response_format: { type: 'json_object' } },
} as const;
type OptionalParameter = keyof typeof OPTIONAL_PARAMETERS;

/** As many alternatives to each token as every endpoint gives that gives any. */
const TOKEN_PROBABILITIES = { logprobs: true, top_logprobs: 5 } as const;
/** Tokens that are kept; a verdict stands within the first few. */
const KEPT_TOKENS = 8;

class OpenAiModel implements ChatModel {
  readonly id: string;
  readonly model: string;
  readonly label: string;
  readonly #settings: OpenAiSettings;
  readonly #timing: Timing;
  readonly #client: OpenAI;
  readonly #parameters = new Set(Object.keys(OPTIONAL_PARAMETERS) as OptionalParameter[]);
  #failuresToConnect = 0;
  /** No request is sent before this moment, because the endpoint asked for it; milliseconds since 1970. */
  #notBefore = 0;

  constructor(settings: OpenAiSettings, timing: Timing) {
    this.#settings = settings;
    this.#timing = timing;
    this.#client = createClient(settings);
    this.model = settings.model;
    this.id = `openai ${settings.baseUrl} ${settings.model}`;
    this.label = `${settings.model} at ${new URL(settings.baseUrl).host}`;
  }

  complete(messages: readonly ChatMessage[], options: CompleteOptions): Promise<ChatAnswer> {
    return withRetries(
      () => this.#attempt(messages, options),
      (error) => this.#explain(error),
      { maxRetries: this.#settings.maxRetries, timing: this.#timing, signal: options.signal },
    );
  }

  async #attempt(messages: readonly ChatMessage[], options: CompleteOptions): Promise<ChatAnswer> {
    const wait = this.#notBefore - this.#timing.now();
    if (wait > 0) await this.#timing.sleep(wait, options.signal);
    for (;;) {
      const sent = this.#parametersFor(messages, options);
      try {
        options.onRequest?.();
        return this.#shown(readCompletion(await this.#send(messages, options, sent)));
      } catch (error) {
        if (options.tokenProbabilities && refuses(error, 'logprobs')) throw this.#noTokenProbabilities(error);
        if (!this.#dropRefusedParameter(error, sent)) throw error;
      }
    }
  }

  #parametersFor(
    messages: readonly ChatMessage[],
    { tokenProbabilities }: CompleteOptions,
  ): readonly OptionalParameter[] {
    // Endpoints refuse the format where the instructions do not ask for JSON, as for a passage that is made up. With
    // token probabilities it is left out, too: the tokens of a JSON object are brackets before they are words.
    const asksForJson = messages.some(({ role, content }) => role === 'system' && content.includes('JSON'));
    const isWanted = asksForJson && !tokenProbabilities;
    return [...this.#parameters].filter((name) => isWanted || name !== 'response_format');
  }

  async #send(
    messages: readonly ChatMessage[],
    { signal, timeoutMs, tokenProbabilities }: CompleteOptions,
    parameters: readonly OptionalParameter[],
  ): Promise<unknown> {
    const extra = Object.assign(
      {},
      ...parameters.map((parameter) => OPTIONAL_PARAMETERS[parameter]),
      tokenProbabilities ? TOKEN_PROBABILITIES : {},
    ) as object;
    const answer: unknown = await this.#client.chat.completions.create(
      { model: this.#settings.model, messages: messages.map((message) => ({ ...message })), ...extra },
      { timeout: timeoutMs, ...(signal && { signal }) },
    );
    this.#failuresToConnect = 0;
    return answer;
  }

  /** Whether the error names an optional parameter that was sent; it is not sent again. */
  #dropRefusedParameter(error: unknown, sent: readonly OptionalParameter[]): boolean {
    const refused = sent.filter((parameter) => refuses(error, parameter));
    for (const parameter of refused) this.#parameters.delete(parameter);
    return refused.length > 0;
  }

  #noTokenProbabilities(cause: unknown): ParallaxError {
    return new ParallaxError(
      'bad-config',
      l10n.t`${this.label} gives no token probabilities (${this.#withoutKey(messageOf(cause))}). Name a judge whose endpoint answers "logprobs".`,
      { cause },
    );
  }

  #explain(error: unknown): Failure {
    if (ParallaxError.is(error)) return { error, retry: error.id === 'model-answer' };
    const refusal = refusalIn(error);
    if (refusal) return { error: refusal, retry: false };
    if (error instanceof APIConnectionError) return this.#explainConnection(error);
    if (error instanceof APIError && typeof error.status === 'number')
      return this.#explainStatus(error as APIError<number, Headers>);
    // The body broke off, or is not JSON although it says so.
    const said = this.#withoutKey(messageOf(error));
    return this.#passing(
      l10n.t`${this.#settings.baseUrl} sent an answer that cannot be read (${said}).`,
      error,
    );
  }

  #explainConnection(error: APIConnectionError): Failure {
    const { baseUrl } = this.#settings;
    const reason = causeOf(error);
    if (!reason.neverConnected)
      return this.#passing(
        error instanceof APIConnectionTimeoutError
          ? l10n.t`${baseUrl} did not answer in time; "timeoutMs" of the judge sets how long to wait.`
          : l10n.t`${baseUrl} broke the connection off (${reason.text}).`,
        error,
      );
    this.#failuresToConnect++;
    return {
      retry: this.#failuresToConnect < DEAD_AFTER,
      error: new ParallaxError(
        'model-unreachable',
        l10n.t`There is no connection to ${baseUrl} (${reason.text}). Check that the server runs, and the base URL of the judge.`,
        { cause: error },
      ),
    };
  }

  #explainStatus(error: APIError<number, Headers>): Failure {
    this.#failuresToConnect = 0;
    const { baseUrl, keyName, model, apiKey } = this.#settings;
    const final = (
      id: 'model-key' | 'model-missing' | 'model-unreachable' | 'model-answer',
      message: string,
    ): Failure => ({
      retry: false,
      error: new ParallaxError(id, message, { cause: error }),
    });
    const said = this.#withoutKey(error.message);
    if (error.status === 401 || error.status === 403)
      return final(
        'model-key',
        apiKey
          ? l10n.t`${baseUrl} does not accept the API key "${keyName}" (${said}). Set the key again.`
          : l10n.t`${baseUrl} wants an API key, and none is stored under "${keyName}" (${said}). Set the key.`,
      );
    if (error.status === 404)
      return final(
        'model-missing',
        l10n.t`${baseUrl} does not offer the model "${model}" (${said}). Check the model's name, and that the base URL ends in the right path, usually /v1.`,
      );
    if (error.code === 'insufficient_quota')
      return final(
        'model-unreachable',
        l10n.t`The quota at ${baseUrl} for the API key "${keyName}" is used up (${said}).`,
      );
    if (error.status === 429 || error.status === 408 || error.status === 409 || error.status >= 500)
      return this.#passing(
        l10n.t`${baseUrl} answered with an error (${said}).`,
        error,
        this.#retryAfter(error.headers),
      );
    return final('model-answer', l10n.t`${baseUrl} rejected the request (${said}).`);
  }

  /** What may be over at the next attempt. */
  #passing(sentence: string, cause: unknown, afterMs?: number): Failure {
    return {
      retry: afterMs === undefined || afterMs <= LONGEST_RETRY_AFTER_MS,
      afterMs,
      error: new ParallaxError('model-answer', sentence, { cause }),
    };
  }

  /** Milliseconds from `Retry-After` (seconds or a date, RFC 9110) or `retry-after-ms`; holds every request back. */
  #retryAfter(headers: Headers | undefined): number | undefined {
    const afterMs = retryAfterMs(headers, this.#timing.now());
    if (afterMs !== undefined && afterMs <= LONGEST_RETRY_AFTER_MS)
      this.#notBefore = Math.max(this.#notBefore, this.#timing.now() + afterMs);
    return afterMs;
  }

  /** Some servers repeat the key they reject; it must not get into messages and logs. */
  #withoutKey(text: string): string {
    return withoutSecret(text, this.#settings.apiKey);
  }

  /** An answer is kept, shown and exported. */
  #shown(answer: ChatAnswer): ChatAnswer {
    const { text, incomplete } = answer;
    return {
      ...answer,
      text: this.#withoutKey(text),
      incomplete: incomplete === undefined ? undefined : this.#withoutKey(incomplete),
    };
  }
}

/** Whether the endpoint does not accept a request because of one of its parameters. */
function refuses(error: unknown, parameter: string): boolean {
  if (!(error instanceof APIError) || (error.status !== 400 && error.status !== 422)) return false;
  return `${error.param ?? ''} ${error.message}`.includes(parameter);
}

/** Everything the client would otherwise take from environment variables is set, so that no key strays. */
function createClient({ baseUrl, apiKey }: OpenAiSettings): OpenAI {
  return new OpenAI({
    baseURL: baseUrl,
    // The client insists on a key; without one the header that would carry it is left out.
    apiKey: apiKey ?? 'none',
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    defaultHeaders: apiKey ? {} : { Authorization: null },
    maxRetries: 0,
    logLevel: 'off',
    fetch: outgoingFetch({ maxBytes: MAX_BYTES }),
  });
}

const tokenSchema = z.object({ token: z.string(), logprob: z.number() });
const answeredTokenSchema = tokenSchema.extend({ top_logprobs: z.array(tokenSchema).nullish() });
const logprobsSchema = z.object({ content: z.array(answeredTokenSchema).nullish() });

const completionSchema = z.object({
  choices: z
    .array(
      z.object({
        message: z.object({ content: z.string().nullish(), refusal: z.string().nullish() }),
        finish_reason: z.string().nullish(),
        // What cannot be read counts as not given; the answer itself is there.
        logprobs: logprobsSchema.nullish().catch(undefined),
      }),
    )
    .min(1),
  usage: z.object({ prompt_tokens: z.number().catch(0), completion_tokens: z.number().catch(0) }).nullish(),
});

function readCompletion(answer: unknown): ChatAnswer {
  const parsed = completionSchema.safeParse(answer);
  if (!parsed.success)
    throw new ParallaxError(
      'model-answer',
      l10n.t(
        'The endpoint answered, but not in the OpenAI protocol. Check the base URL of the judge, which usually ends in /v1.',
      ),
    );
  const { message, finish_reason: finish, logprobs } = parsed.data.choices[0]!;
  const usage = parsed.data.usage;
  return {
    text: message.content ?? '',
    incomplete: whyIncomplete(message.refusal, finish),
    usage: usage ? { prompt: usage.prompt_tokens, completion: usage.completion_tokens } : undefined,
    ...tokensOf(logprobs?.content ?? []),
  };
}

function tokensOf(content: readonly z.output<typeof answeredTokenSchema>[]): Pick<ChatAnswer, 'tokens'> {
  const tokens = content
    .slice(0, KEPT_TOKENS)
    .map(({ token, logprob, top_logprobs: top }): AnsweredToken => ({
      token,
      logprob,
      alternatives: top ?? [],
    }));
  return tokens.length > 0 ? { tokens } : {};
}

function whyIncomplete(
  refusal: string | null | undefined,
  finish: string | null | undefined,
): string | undefined {
  if (refusal) return `The model refused: ${refusal}`;
  if (finish === 'content_filter') return "The endpoint's content filter stopped the answer.";
  if (finish === 'length') return 'The answer was cut off at the length limit of the model.';
  return undefined;
}

/** Error codes of Node and undici that mean the request never reached a server. */
const NEVER_CONNECTED =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ENETDOWN|ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT|CERT_.*|ERR_TLS_.*|ERR_SSL_.*|DEPTH_ZERO_.*|SELF_SIGNED_.*|UNABLE_TO_.*)$/;

/** The innermost cause that says something, and whether it means that no connection came about. */
function causeOf(error: Error): { readonly text: string; readonly neverConnected: boolean } {
  let deepest: Error & { readonly code?: unknown } = error;
  while (deepest.cause instanceof Error) deepest = deepest.cause;
  const code = typeof deepest.code === 'string' ? deepest.code : '';
  return { text: code || deepest.message, neverConnected: NEVER_CONNECTED.test(code) };
}
