/** Chat models behind any endpoint that speaks the OpenAI protocol: OpenAI, Ollama, vLLM, LM Studio, … */
import * as l10n from '@vscode/l10n';
import OpenAI, { APIConnectionError, APIConnectionTimeoutError, APIError } from 'openai';
import * as z from 'zod';
import { messageOf, ParallaxError } from '../../core/errors.ts';
import type { ChatMessage } from '../../core/judging/chat-message.ts';
import type { AnsweredToken } from '../../core/judging/replies/token-probability.ts';
import { outgoingFetch, refusalIn } from '../network/outgoing.ts';
import { requestHeaders } from '../network/request-headers.ts';
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
  /** Sent with every request, beside what the protocol asks for. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Put behind the address of every request, such as the `api-version` of Azure. */
  readonly query?: Readonly<Record<string, string>> | undefined;
  /** The header that carries the key as it is; a bearer token in `Authorization` when left out. */
  readonly keyHeader?: string | undefined;
}

/** Longer than any answer to a question about passages. */
const MAX_BYTES = 4 * 1024 * 1024;
/** After this many failures to connect in a row, over all requests, an endpoint counts as dead. */
const DEAD_AFTER = 3;
/** Who asks to be left alone for longer gets no further attempt. */
const LONGEST_RETRY_AFTER_MS = 120_000;

export function createOpenAiModel(settings: OpenAiSettings, timing: Timing = systemTiming): ProbedModel {
  return new OpenAiModel(settings, timing);
}

/**
 * The models that an endpoint lists, in its order.
 *
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
    const said = withoutSecret(messageOf(cause), settings.apiKey);
    throw new ParallaxError(
      'model-unreachable',
      l10n.t`${settings.baseUrl} does not say which models it has (${said}).`,
      { cause },
    );
  }
}

const modelListSchema = z.object({ data: z.array(z.object({ id: z.string().min(1) })) });

/** Abilities of a model and its endpoint. */
export interface Abilities {
  /** It can be held to JSON. */
  readonly json: boolean;
  /** It says how probable its words are. */
  readonly tokenProbabilities: boolean;
}

export interface ProbedModel extends ChatModel {
  /** One real request, which tells what the endpoint accepts. @throws ParallaxError as `complete` */
  probe(options: CompleteOptions): Promise<Abilities>;
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

class OpenAiModel implements ProbedModel {
  readonly id: string;
  readonly model: string;
  readonly label: string;
  readonly #settings: OpenAiSettings;
  readonly #timing: Timing;
  readonly #client: OpenAI;
  readonly #parameters = new Set(Object.keys(OPTIONAL_PARAMETERS) as OptionalParameter[]);
  /** Deviations of the endpoint that turned up while it was asked. */
  readonly #ways = { withoutSystemRole: false, byResponses: false };
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
      {
        maxRetries: this.#settings.maxRetries,
        timing: this.#timing,
        signal: options.signal,
        onRetry: options.onRetry,
      },
    );
  }

  async probe(options: CompleteOptions): Promise<Abilities> {
    const asked = { ...options, probing: true };
    const { tokens } = await withRetries(
      () => this.#attempt(PROBE, asked),
      (error) => this.#explain(error),
      { maxRetries: 0, timing: this.#timing, signal: options.signal },
    );
    return { json: this.#parameters.has('response_format'), tokenProbabilities: tokens !== undefined };
  }

  async #attempt(messages: readonly ChatMessage[], options: Asked): Promise<ChatAnswer> {
    const wait = this.#notBefore - this.#timing.now();
    if (wait > 0) await this.#timing.sleep(wait, options.signal);
    for (let asked = options; ;) {
      const sent = this.#parametersFor(messages, options);
      try {
        options.onRequest?.();
        const send = this.#ways.byResponses ? this.#respond : this.#send;
        const answer = await send.call(this, this.#roles(messages), asked, sent);
        this.#failuresToConnect = 0;
        return this.#shown(this.#ways.byResponses ? readResponse(answer) : readCompletion(answer));
      } catch (error) {
        if (asked.probing && refuses(error, 'logprobs')) {
          asked = { ...asked, probing: false };
          continue;
        }
        if (this.#learnWay(error)) continue;
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
    { signal, timeoutMs, tokenProbabilities, probing }: Asked,
    parameters: readonly OptionalParameter[],
  ): Promise<unknown> {
    const extra = Object.assign(
      {},
      ...parameters.map((parameter) => OPTIONAL_PARAMETERS[parameter]),
      tokenProbabilities || probing ? TOKEN_PROBABILITIES : {},
    ) as object;
    return this.#client.chat.completions.create(
      { model: this.#settings.model, messages: messages.map((message) => ({ ...message })), ...extra },
      { timeout: timeoutMs, ...(signal && { signal }) },
    );
  }

  /** For models that are not behind chat completions. */
  async #respond(
    messages: readonly ChatMessage[],
    { signal, timeoutMs }: Asked,
    parameters: readonly OptionalParameter[],
  ): Promise<unknown> {
    return this.#client.responses.create(
      {
        model: this.#settings.model,
        input: messages.map((message) => ({ ...message })),
        store: false,
        ...(parameters.includes('temperature') ? { temperature: 0 } : {}),
        ...(parameters.includes('response_format')
          ? { text: { format: { type: 'json_object' as const } } }
          : {}),
      },
      { timeout: timeoutMs, ...(signal && { signal }) },
    );
  }

  /** Where a model has no system role, the instructions stand before the question, in one message. */
  #roles(messages: readonly ChatMessage[]): readonly ChatMessage[] {
    if (!this.#ways.withoutSystemRole) return messages;
    return [{ role: 'user', content: messages.map(({ content }) => content).join('\n\n') }];
  }

  /** Whether the endpoint says that it wants to be asked in another way, which is then kept. */
  #learnWay(error: unknown): boolean {
    const ways = this.#ways;
    if (!ways.byResponses && wantsResponses(error)) return (ways.byResponses = true);
    if (!ways.withoutSystemRole && refusesSystemRole(error)) return (ways.withoutSystemRole = true);
    return false;
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
      return this.#passing(l10n.t`${baseUrl} answered with an error (${said}).`, error, {
        afterMs: this.#retryAfter(error.headers),
        isBusy: error.status === 429 || error.status === 503,
      });
    return final('model-answer', l10n.t`${baseUrl} rejected the request (${said}).`);
  }

  /** Failures that may be over at the next attempt. */
  #passing(
    sentence: string,
    cause: unknown,
    { afterMs, isBusy }: Pick<Failure, 'afterMs' | 'isBusy'> = {},
  ): Failure {
    return {
      retry: afterMs === undefined || afterMs <= LONGEST_RETRY_AFTER_MS,
      afterMs,
      isBusy,
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

/** Asks for hardly anything, in the manner of the judges' requests. */
const PROBE: readonly ChatMessage[] = [
  { role: 'system', content: 'Answer with the JSON object {"ok": true} and nothing else.' },
  { role: 'user', content: 'Are you there?' },
];

/** Of a request: whether token probabilities may be refused without harm. */
type Asked = CompleteOptions & { readonly probing?: boolean };

function isRejected(error: unknown, statuses: readonly number[]): error is APIError {
  return error instanceof APIError && statuses.includes(Number(error.status));
}

/** Some templates of local models, and some hosted models, know users and assistants only. */
function refusesSystemRole(error: unknown): boolean {
  if (!isRejected(error, [400, 422, 500])) return false;
  return /\bsystem\b/iu.test(error.message) && /\brole|message|instruction|prompt/iu.test(error.message);
}

function wantsResponses(error: unknown): boolean {
  return isRejected(error, [400, 404, 405]) && /\bresponses\b/iu.test(error.message);
}

/** Whether the endpoint does not accept a request because of one of its parameters. */
function refuses(error: unknown, parameter: string): boolean {
  if (!(error instanceof APIError) || (error.status !== 400 && error.status !== 422)) return false;
  return `${error.param ?? ''} ${error.message}`.includes(parameter);
}

/** Everything the client would otherwise take from environment variables is set, so that no key strays. */
function createClient(settings: OpenAiSettings): OpenAI {
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

const tokenSchema = z.object({ token: z.string(), logprob: z.number() });
const answeredTokenSchema = tokenSchema.extend({ top_logprobs: z.array(tokenSchema).nullish() });
const logprobsSchema = z.object({ content: z.array(answeredTokenSchema).nullish() });

/** Texts among the parts of an answer; parts of other kinds say nothing here. */
const contentPartSchema = z.looseObject({ type: z.string().optional(), text: z.string().nullish() });
/** An error in an answer whose status says that all is well, as from a router in front of several providers. */
const endpointErrorSchema = z.object({
  message: z.string(),
  code: z.union([z.number(), z.string()]).nullish(),
});

const completionSchema = z.object({
  choices: z
    .array(
      z.object({
        message: z
          .object({
            content: z.union([z.string(), z.array(contentPartSchema)]).nullish(),
            refusal: z.string().nullish(),
            /** The thoughts of models that think, by the two names that servers give them. */
            reasoning: z.string().nullish().catch(undefined),
            reasoning_content: z.string().nullish().catch(undefined),
          })
          .nullish(),
        error: endpointErrorSchema.nullish().catch(undefined),
        finish_reason: z.string().nullish(),
        // Unreadable figures count as not given; the answer itself is there.
        logprobs: logprobsSchema.nullish().catch(undefined),
      }),
    )
    .min(1),
  usage: z.object({ prompt_tokens: z.number().catch(0), completion_tokens: z.number().catch(0) }).nullish(),
});

function readCompletion(answer: unknown): ChatAnswer {
  throwErrorInside(answer);
  const parsed = completionSchema.safeParse(answer);
  if (!parsed.success) throw otherProtocol();
  const { message, error, finish_reason: finish, logprobs } = parsed.data.choices[0]!;
  if (error) throw providerError(error);
  if (!message) throw otherProtocol();
  const usage = parsed.data.usage;
  const text = textOf(message.content ?? '');
  const thoughts = message.reasoning ?? message.reasoning_content ?? '';
  return {
    text,
    incomplete: whyIncomplete(message.refusal, finish) ?? onlyThoughts(text, thoughts),
    usage: usage ? { prompt: usage.prompt_tokens, completion: usage.completion_tokens } : undefined,
    ...tokensOf(logprobs?.content ?? []),
  };
}

const otherProtocol = (): ParallaxError =>
  new ParallaxError(
    'model-answer',
    l10n.t(
      'The endpoint answered, but not in the OpenAI protocol. Check the base URL of the judge, which usually ends in /v1.',
    ),
  );

function textOf(content: string | readonly z.output<typeof contentPartSchema>[]): string {
  return typeof content === 'string' ? content : content.map(({ text }) => text ?? '').join('');
}

/** Thoughts are no answer: a verdict among them may be one that the model turned down. */
function onlyThoughts(text: string, thoughts: string): string | undefined {
  return text.trim() === '' && thoughts.trim() !== ''
    ? 'The model thought aloud and gave no answer.'
    : undefined;
}

/** @throws ParallaxError with the endpoint's own reason, where the answer holds an error instead of a choice */
function throwErrorInside(answer: unknown): void {
  const found = z.object({ error: endpointErrorSchema }).safeParse(answer);
  if (found.success) throw providerError(found.data.error);
}

function providerError({ message, code }: z.output<typeof endpointErrorSchema>): ParallaxError {
  const said = code == null ? message : `${code}: ${message}`;
  const id = Number(code) === 401 || Number(code) === 403 ? 'model-key' : 'model-answer';
  return new ParallaxError(id, l10n.t`The endpoint reports an error (${said}).`);
}

const responseSchema = z.object({
  status: z.string().nullish(),
  incomplete_details: z.object({ reason: z.string().nullish() }).nullish(),
  output: z.array(
    z.looseObject({
      type: z.string(),
      content: z
        .array(z.looseObject({ type: z.string(), text: z.string().nullish(), refusal: z.string().nullish() }))
        .nullish()
        .catch(undefined),
    }),
  ),
  usage: z.object({ input_tokens: z.number().catch(0), output_tokens: z.number().catch(0) }).nullish(),
});

/** An answer of the `responses` API: its messages are the answer, what else it puts out is not. */
function readResponse(answer: unknown): ChatAnswer {
  throwErrorInside(answer);
  const parsed = responseSchema.safeParse(answer);
  if (!parsed.success) throw otherProtocol();
  const { output, usage, incomplete_details: details } = parsed.data;
  const parts = output.flatMap(({ type, content }) => (type === 'message' ? (content ?? []) : []));
  const refusal = parts.find((part) => part.type === 'refusal')?.refusal;
  const finish = details?.reason === 'max_output_tokens' ? 'length' : details?.reason;
  return {
    text: textOf(parts),
    incomplete: whyIncomplete(refusal, finish),
    usage: usage ? { prompt: usage.input_tokens, completion: usage.output_tokens } : undefined,
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
