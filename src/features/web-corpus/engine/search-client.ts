/** Asks a search provider for the pages that answer a query. */
import * as l10n from '@vscode/l10n';
import { cancelled, messageOf, ParallaxError } from '../../../core/errors.ts';
import {
  PROVIDERS,
  requestsPerQuery,
  searchUrl,
  type SearchHit,
  type SearchRequest,
  type SearchSettings,
} from '../core/search.ts';
import { outgoingFetch, refusalIn } from '../../../engine/network/outgoing.ts';
import { retryAfterMs } from '../../../engine/network/retry-after.ts';
import { systemTiming, withRetries, type Failure, type Timing } from '../../../engine/models/retry.ts';
import { HostGate } from './host-gate.ts';
import { USER_AGENT } from './pinned-client.ts';

export interface SearchClientOptions {
  readonly settings: SearchSettings;
  readonly apiKey: string | undefined;
  readonly timing?: Timing | undefined;
}

const TIMEOUT_MS = 30_000;
const MAX_RETRIES = 4;
/** A provider that asks for a longer wait has no quota left. */
const LONGEST_WAIT_MS = 60_000;
/** Larger than any list of results. */
const MAX_BYTES = 8 * 1024 * 1024;
const QUOTED_CHARACTERS = 200;

/** Every other search would fail in the same way: the key is wrong, or the quota is used up. */
export class SearchRefused extends ParallaxError {}

export class SearchClient {
  readonly #settings: SearchSettings;
  readonly #apiKey: string | undefined;
  readonly #fetch = outgoingFetch({ maxBytes: MAX_BYTES });
  readonly #timing: Timing;
  readonly #gate: HostGate;

  constructor({ settings, apiKey, timing = systemTiming }: SearchClientOptions) {
    this.#settings = settings;
    this.#apiKey = apiKey;
    this.#timing = timing;
    this.#gate = new HostGate(timing);
  }

  get #provider(): (typeof PROVIDERS)[SearchSettings['provider']] {
    return PROVIDERS[this.#settings.provider];
  }

  /**
   * At most as many results as the settings request, without duplicate URLs, best first.
   *
   * @throws SearchRefused `model-key` or `retriever-failed`, ParallaxError `retriever-failed`, `cancelled`
   */
  async search(query: string, signal: AbortSignal | undefined): Promise<SearchHit[]> {
    const { provider, results } = this.#settings;
    if (this.#provider.keyHeader !== undefined && this.#apiKey === undefined)
      throw new SearchRefused(
        'model-key',
        l10n.t`${this.#provider.label} needs an API key, and none is stored under "${provider}". Set the key; on the command line: ${provider.toUpperCase()}_API_KEY.`,
      );
    const hits = new Map<string, SearchHit>();
    for (let page = 1; page <= requestsPerQuery(this.#settings); page++) {
      const before = hits.size;
      for (const hit of await this.#page(query, page, signal)) if (!hits.has(hit.url)) hits.set(hit.url, hit);
      if (hits.size >= results || hits.size === before) break;
    }
    return [...hits.values()].slice(0, results);
  }

  #page(query: string, page: number, signal: AbortSignal | undefined): Promise<readonly SearchHit[]> {
    const request = this.#provider.request(query, page);
    return withRetries(
      () =>
        this.#gate.turn(this.#settings.provider, this.#provider.pauseMs, signal, () =>
          this.#send(request, signal),
        ),
      (error) => this.#explain(error),
      { maxRetries: MAX_RETRIES, timing: this.#timing, signal },
    );
  }

  async #send(request: SearchRequest, signal: AbortSignal | undefined): Promise<readonly SearchHit[]> {
    const { keyHeader } = this.#provider;
    const { body } = request;
    const timeout = AbortSignal.timeout(TIMEOUT_MS);
    const response = await this.#fetch(searchUrl(this.#settings, request), {
      method: body ? 'POST' : 'GET',
      headers: {
        accept: 'application/json',
        'user-agent': USER_AGENT,
        ...(body ? { 'content-type': 'application/json' } : {}),
        ...(keyHeader !== undefined && this.#apiKey !== undefined ? { [keyHeader]: this.#apiKey } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
      signal: signal ? AbortSignal.any([timeout, signal]) : timeout,
    }).catch((error: unknown) => {
      if (signal?.aborted) throw cancelled();
      const refusal = refusalIn(error);
      if (refusal) throw new Attempt(refusal.message, { refused: 'retriever-failed' });
      const reason = this.#withoutKey(reasonOf(error));
      throw new Attempt(l10n.t`${this.#provider.label} could not be reached: ${reason}.`, {
        passing: true,
      });
    });
    const text = await readText(this.#provider.label, response, signal);
    if (!response.ok) throw this.#refusal(response, text);
    return this.#read(text);
  }

  #read(text: string): readonly SearchHit[] {
    const { label } = this.#provider;
    const answer = this.#provider.read(parseJson(label, text));
    if (!answer) throw new Attempt(l10n.t`${label} did not answer as ${label} does: ${quote(text)}.`);
    if (answer.trouble !== undefined) throw new Attempt(answer.trouble, { passing: true });
    return answer.hits;
  }

  #refusal({ status, headers }: Response, text: string): Attempt {
    const { label } = this.#provider;
    const answer = `${status}: ${quote(this.#withoutKey(text))}`;
    if (status === 402 || (status === 400 && /\bcredits?\b/i.test(text)))
      return new Attempt(l10n.t`${label} allows no more searches (${answer}).`, {
        refused: 'retriever-failed',
      });
    if (this.#settings.provider === 'searxng' && status === 403)
      return new Attempt(
        l10n.t`${label} does not answer in JSON (${answer}). Add json to search.formats in its settings.yml.`,
        { refused: 'retriever-failed' },
      );
    if (status === 401 || status === 403)
      return new Attempt(
        l10n.t`${label} does not accept the API key "${this.#settings.provider}" (${answer}). Set the key again.`,
        {
          refused: 'model-key',
        },
      );
    const afterMs = this.#waitAskedFor(headers);
    if (status === 429 && afterMs !== undefined && afterMs > LONGEST_WAIT_MS)
      return new Attempt(
        l10n.t`${label} allows no more searches for ${Math.ceil(afterMs / 60_000)} minutes (${answer}).`,
        { refused: 'retriever-failed' },
      );
    return new Attempt(l10n.t`${label} answered ${answer}.`, {
      passing: status === 429 || status >= 500,
      afterMs,
    });
  }

  /** `Retry-After`, or the longest of Brave's exhausted rate windows. */
  #waitAskedFor(headers: Headers): number | undefined {
    const asked = retryAfterMs(headers, this.#timing.now());
    if (asked !== undefined) return asked;
    const numbers = (name: string): number[] => (headers.get(name) ?? '').split(',').map(Number);
    const resets = numbers('x-ratelimit-reset');
    const usedUp = numbers('x-ratelimit-remaining').flatMap((left, window) =>
      left <= 0 && Number.isFinite(resets[window]) ? [resets[window]! * 1000] : [],
    );
    return headers.has('x-ratelimit-remaining') && usedUp.length > 0 ? Math.max(...usedUp) : undefined;
  }

  #explain(error: unknown): Failure {
    if (ParallaxError.is(error)) return { error, retry: false };
    const attempt =
      error instanceof Attempt
        ? error
        : new Attempt(l10n.t`${this.#provider.label} failed: ${messageOf(error)}.`);
    const explained = attempt.refused
      ? new SearchRefused(attempt.refused, attempt.message, { cause: error })
      : new ParallaxError('retriever-failed', attempt.message, { cause: error });
    return { error: explained, retry: attempt.passing, afterMs: attempt.afterMs };
  }

  /** Some servers repeat the key they reject. It must not get into messages and logs. */
  #withoutKey(text: string): string {
    return this.#apiKey ? text.replaceAll(this.#apiKey, '…') : text;
  }
}

type Refusal = 'model-key' | 'retriever-failed';

/** The failure of one request, with a message. */
class Attempt extends Error {
  readonly passing: boolean;
  readonly afterMs: number | undefined;
  /** Set if every other request would fail, too. */
  readonly refused: Refusal | undefined;

  constructor(
    message: string,
    {
      passing = false,
      afterMs,
      refused,
    }: {
      readonly passing?: boolean;
      readonly afterMs?: number | undefined;
      readonly refused?: Refusal;
    } = {},
  ) {
    super(message);
    this.passing = passing;
    this.afterMs = afterMs;
    this.refused = refused;
  }
}

async function readText(
  provider: string,
  response: Response,
  signal: AbortSignal | undefined,
): Promise<string> {
  try {
    return await response.text();
  } catch (error) {
    if (signal?.aborted) throw cancelled();
    const refusal = refusalIn(error);
    if (refusal) throw new Attempt(refusal.message, { refused: 'retriever-failed' });
    throw new Attempt(l10n.t`${provider} cut off its answer: ${reasonOf(error)}.`, { passing: true });
  }
}

function parseJson(provider: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Attempt(l10n.t`${provider} did not answer with JSON (${messageOf(error)}).`);
  }
}

/** `fetch` hides the reason in the cause. */
function reasonOf(error: unknown): string {
  return error instanceof Error && error.cause ? messageOf(error.cause) : messageOf(error);
}

function quote(text: string): string {
  const line = text.trim().replace(/\s+/g, ' ');
  return line.length <= QUOTED_CHARACTERS ? line : `${line.slice(0, QUOTED_CHARACTERS).toWellFormed()}…`;
}
