/** A retriever behind an HTTP endpoint that answers with JSON. */
import * as l10n from '@vscode/l10n';
import { messageOf, ParallaxError } from '../../core/errors.ts';
import { parseResults, valueAt } from '../../core/external/results.ts';
import type { ExternalResult, HttpRetriever } from '../../core/external/spec.ts';
import { fillJson, fillUrl } from '../../core/external/template.ts';
import { outgoingFetch, refusalIn } from '../network/outgoing.ts';
import { retryAfterMs } from '../network/retry-after.ts';
import { shownAddress } from '../../core/text/address-secrets.ts';
import { withoutSecret } from '../without-secret.ts';
import {
  tryOneSearch,
  type ExternalQuery,
  type ExternalRetriever,
  type RetrieverHealth,
} from './external-retriever.ts';
import { HttpStatusError } from './stores/json-http.ts';
import { isTooBusy, StoreCalls, type StoreTrouble } from './stores/store-calls.ts';

/** Larger than any list of passages. */
const MAX_BYTES = 32 * 1024 * 1024;
const QUOTED_CHARACTERS = 300;

/** @param apiKey sent as a bearer token if the spec names a key */
export function createHttpRetriever(spec: HttpRetriever, apiKey: string | undefined): ExternalRetriever {
  return new HttpEndpoint(spec, apiKey);
}

class HttpEndpoint implements ExternalRetriever {
  readonly #spec: HttpRetriever;
  readonly #apiKey: string | undefined;
  readonly #calls: StoreCalls;
  readonly #fetch = outgoingFetch({ maxBytes: MAX_BYTES });

  constructor(spec: HttpRetriever, apiKey: string | undefined) {
    this.#spec = spec;
    this.#apiKey = apiKey;
    const name = l10n.t`The endpoint ${shownAddress(spec.url)}`;
    this.#calls = new StoreCalls({
      name,
      timeoutMs: spec.timeoutMs,
      secret: apiKey,
      explain: endpointTrouble,
    });
  }

  async search(
    { text: query }: ExternalQuery,
    k: number,
    signal?: AbortSignal,
  ): Promise<readonly ExternalResult[]> {
    const answer = await this.#calls.run((end) => this.#request({ query, k }, end), signal);
    const { results, id, text, score } = this.#spec;
    const list = valueAt(answer, results);
    if (!Array.isArray(list))
      throw failure(
        l10n.t`${this.#name} has no list at "${results}" in its answer: ${quote(JSON.stringify(answer))}.`,
      );
    const mapped = list.map((result: unknown) => ({
      id: valueAt(result, id),
      text: valueAt(result, text),
      score: valueAt(result, score),
    }));
    return parseResults(this.#name, mapped).slice(0, k);
  }

  check(signal?: AbortSignal): Promise<RetrieverHealth> {
    return tryOneSearch(this.#name, this, signal);
  }

  close(): Promise<void> {
    this.#calls.close();
    return Promise.resolve();
  }

  get #name(): string {
    return this.#calls.name;
  }

  /**
   * @throws HttpStatusError, the errors of `fetch`, ParallaxError of `outgoingFetch` and for an answer that is not
   *   JSON
   */
  async #request(values: { query: string; k: number }, signal: AbortSignal): Promise<unknown> {
    const { url, method, headers, body: template } = this.#spec;
    try {
      const response = await this.#fetch(fillUrl(url, values), {
        method,
        headers: {
          accept: 'application/json',
          ...(method === 'POST' ? { 'content-type': 'application/json' } : {}),
          ...(this.#apiKey === undefined ? {} : { authorization: `Bearer ${this.#apiKey}` }),
          ...headers,
        },
        ...(method === 'POST' ? { body: JSON.stringify(fillJson(template, values)) } : {}),
        signal,
      });
      const text = withoutSecret(await response.text(), this.#apiKey);
      if (response.ok) return this.#parse(text);
      throw new HttpStatusError(response.status, text, retryAfterMs(response.headers, Date.now()));
    } catch (error) {
      const refusal = refusalIn(error);
      if (refusal) throw refusal.id === 'retriever-failed' ? refusal : failure(refusal.message, refusal);
      throw error;
    }
  }

  #parse(text: string): unknown {
    try {
      return JSON.parse(text);
    } catch (error) {
      throw failure(l10n.t`${this.#name} did not answer with JSON: ${quote(text)}.`, error);
    }
  }
}

/** The side effects of a request are unknown, so it is repeated only if the endpoint reports that it is overloaded. */
function endpointTrouble(error: unknown, endpoint: string): StoreTrouble {
  if (!(error instanceof HttpStatusError))
    return { sentence: l10n.t`${endpoint} could not be reached: ${reasonOf(error)}.` };
  return {
    sentence: l10n.t`${endpoint} answered ${error.status}: ${quote(String(error.data))}.`,
    passing: isTooBusy(error.status),
  };
}

function failure(sentence: string, cause?: unknown): ParallaxError {
  return new ParallaxError('retriever-failed', sentence, { cause });
}

/** `fetch` hides the reason in the cause. */
function reasonOf(error: unknown): string {
  return error instanceof Error && error.cause ? messageOf(error.cause) : messageOf(error);
}

function quote(text: string): string {
  const line = text.trim().replace(/\s+/g, ' ');
  return line.length <= QUOTED_CHARACTERS ? line : `${line.slice(0, QUOTED_CHARACTERS).toWellFormed()}…`;
}
