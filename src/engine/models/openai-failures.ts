/** Failures of an endpoint, each with a message, whether to try again, and how long to wait. */
import * as l10n from '@vscode/l10n';
import { APIConnectionError, APIConnectionTimeoutError, APIError } from 'openai';
import { messageOf, ParallaxError } from '../../core/errors.ts';
import { refusalIn } from '../network/outgoing.ts';
import { withoutSecret } from '../without-secret.ts';
import type { OpenAiSettings } from './openai-client.ts';
import { retryAfterMs } from '../network/retry-after.ts';
import type { Failure, Timing } from './retry.ts';

/** After this many consecutive failures to connect, over all requests, an endpoint counts as dead. */
const DEAD_AFTER = 3;
/** An endpoint that asks for a longer wait is not asked again. */
const LONGEST_RETRY_AFTER_MS = 120_000;

type StatusError = APIError<number, Headers>;

/** Remembers what an endpoint's failures mean for the next request to it. */
export class EndpointFailures {
  readonly #settings: OpenAiSettings;
  readonly #timing: Timing;
  #failuresToConnect = 0;
  /** No request is sent before this moment, because the endpoint asked for a wait. Milliseconds since 1970. */
  #notBefore = 0;

  constructor(settings: OpenAiSettings, timing: Timing) {
    this.#settings = settings;
    this.#timing = timing;
  }

  /** Waits until the endpoint may be asked again. @throws ParallaxError `cancelled` */
  async untilWelcome(signal: AbortSignal | undefined): Promise<void> {
    const wait = this.#notBefore - this.#timing.now();
    if (wait > 0) await this.#timing.sleep(wait, signal);
  }

  /** The endpoint is reachable, whatever its answer. */
  answered(): void {
    this.#failuresToConnect = 0;
  }

  /** Converts an error of a request into one that users can act on, and says whether to try again. */
  explain(error: unknown): Failure {
    if (ParallaxError.is(error)) return { error, retry: error.id === 'model-answer' };
    const refusal = refusalIn(error);
    if (refusal) return { error: refusal, retry: false };
    if (error instanceof APIConnectionError) return this.#explainConnection(error);
    if (error instanceof APIError && typeof error.status === 'number')
      return this.#explainStatus(error as StatusError);
    // The body broke off, or is not JSON although its header says so.
    return this.#passing(
      l10n.t`${this.#settings.baseUrl} sent an answer that cannot be read (${this.#why(error)}).`,
      error,
    );
  }

  #explainConnection(error: APIConnectionError): Failure {
    const { baseUrl } = this.#settings;
    const { text, neverConnected } = causeOf(error);
    if (neverConnected) return this.#explainNoConnection(text, error);
    return this.#passing(
      error instanceof APIConnectionTimeoutError
        ? l10n.t`${baseUrl} did not answer in time; "timeoutMs" of the judge sets how long to wait.`
        : l10n.t`${baseUrl} closed the connection (${text}).`,
      error,
    );
  }

  #explainNoConnection(reason: string, cause: APIConnectionError): Failure {
    this.#failuresToConnect++;
    const sentence = l10n.t`There is no connection to ${this.#settings.baseUrl} (${reason}). Check that the server runs, and the base URL of the judge.`;
    return {
      retry: this.#failuresToConnect < DEAD_AFTER,
      error: new ParallaxError('model-unreachable', sentence, { cause }),
    };
  }

  #explainStatus(error: StatusError): Failure {
    this.answered();
    if (!mayPass(error)) return { retry: false, error: this.#lasting(error) };
    const sentence = l10n.t`${this.#settings.baseUrl} answered with an error (${this.#why(error)}).`;
    return this.#passing(sentence, error, {
      afterMs: this.#retryAfter(error.headers),
      isBusy: error.status === 429 || error.status === 503,
    });
  }

  /** An error that lasts until the user acts. */
  #lasting(error: StatusError): ParallaxError {
    const { baseUrl, keyName, model } = this.#settings;
    const why = this.#why(error);
    const cause = { cause: error };
    if (error.status === 401 || error.status === 403)
      return new ParallaxError('model-key', this.#keyRefused(why), cause);
    if (error.status === 404)
      return new ParallaxError(
        'model-missing',
        l10n.t`${baseUrl} does not offer the model "${model}" (${why}). Check the model's name, and that the base URL ends in the right path, usually /v1.`,
        cause,
      );
    if (isQuotaUsedUp(error))
      return new ParallaxError(
        'model-unreachable',
        keyName === undefined
          ? l10n.t`The quota at ${baseUrl} for this API key is used up (${why}).`
          : l10n.t`The quota at ${baseUrl} for the API key "${keyName}" is used up (${why}).`,
        cause,
      );
    return new ParallaxError('model-answer', l10n.t`${baseUrl} rejected the request (${why}).`, cause);
  }

  #keyRefused(why: string): string {
    const { baseUrl, keyName, apiKey } = this.#settings;
    if (keyName === undefined)
      return apiKey
        ? l10n.t`${baseUrl} does not accept this API key (${why}).`
        : l10n.t`${baseUrl} needs an API key (${why}).`;
    return apiKey
      ? l10n.t`${baseUrl} does not accept the API key "${keyName}" (${why}). Set the key again.`
      : l10n.t`${baseUrl} needs an API key, and none is stored under "${keyName}" (${why}). Set the key.`;
  }

  /** An error that may be over at the next attempt. */
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

  /** Milliseconds that the endpoint asks to wait. They delay every request. */
  #retryAfter(headers: Headers | undefined): number | undefined {
    const now = this.#timing.now();
    const afterMs = retryAfterMs(headers, now);
    if (afterMs !== undefined && afterMs <= LONGEST_RETRY_AFTER_MS)
      this.#notBefore = Math.max(this.#notBefore, now + afterMs);
    return afterMs;
  }

  /** Some servers repeat the key they reject. It must not get into messages and logs. */
  #why(error: unknown): string {
    return withoutSecret(messageOf(error), this.#settings.apiKey);
  }
}

function mayPass(error: StatusError): boolean {
  return !isQuotaUsedUp(error) && ([408, 409, 429].includes(error.status) || error.status >= 500);
}

function isQuotaUsedUp(error: StatusError): boolean {
  return error.code === 'insufficient_quota';
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
