/** Plain JSON over HTTP, for stores that document it: through the engine's one way out. */
import { outgoingFetch } from '../../network/outgoing.ts';
import type { Credentials } from '../../network/http-client.ts';
import { retryAfterMs } from '../../network/retry-after.ts';
import { Once } from '../../concurrency/once.ts';

/** Vectors of a thousand candidates, as text, have some tens of megabytes. Empty lists take ten times as much in memory. */
const MOST_BYTES = 128 * 2 ** 20;

/** Whether something is there, as far as its own address tells. @throws what the request throws for anything else */
export async function isThere(asked: Promise<unknown>): Promise<boolean> {
  try {
    await asked;
    return true;
  } catch (error) {
    if (error instanceof HttpStatusError && error.status === 404) return false;
    throw error;
  }
}

/** An answer with a status that is none of success. */
export class HttpStatusError extends Error {
  override readonly name = 'HttpStatusError';
  readonly status: number;
  /** Its body: as JSON where it is that, else as text. */
  readonly data: unknown;
  /** How long it wants to be left alone, in milliseconds; undefined where it does not say. */
  readonly afterMs: number | undefined;

  constructor(status: number, data: unknown, afterMs?: number) {
    super(`HTTP ${status}`);
    this.status = status;
    this.data = data;
    this.afterMs = afterMs;
  }
}

export class JsonHttp {
  readonly #base: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #fetch: Once<ReturnType<typeof outgoingFetch>>;

  /**
   * @param base paths are added to it; a slash at its end does not matter
   * @param credentials read when the first request is made
   */
  constructor(
    base: string,
    headers: Readonly<Record<string, string>>,
    credentials: () => Promise<Credentials | undefined> = () => Promise.resolve(undefined),
  ) {
    this.#fetch = new Once(async () =>
      outgoingFetch({ maxBytes: MOST_BYTES, credentials: await credentials() }),
    );
    this.#base = base.replace(/\/$/u, '');
    this.#headers = headers;
  }

  /**
   * @param body sent with POST, unless something else is said; a GET without one. Integers that a number cannot hold are kept as they are written:
   *   see {@link rawInteger} for sending, and they arrive as strings
   * @throws HttpStatusError, SyntaxError for what is no JSON, the errors of `fetch`, ParallaxError of the way out
   */
  async request(
    path: string,
    body: object | undefined,
    signal: AbortSignal,
    method: 'GET' | 'POST' | 'PUT' = body ? 'POST' : 'GET',
  ): Promise<unknown> {
    const sent = body && { type: 'application/json', text: JSON.stringify(body) };
    return this.#send(path, method, sent, signal);
  }

  /** As {@link request}, with POST: one JSON on each line. */
  requestLines(path: string, lines: readonly object[], signal: AbortSignal): Promise<unknown> {
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
    return this.#send(path, 'POST', { type: 'application/x-ndjson', text }, signal);
  }

  async #send(
    path: string,
    method: string,
    body: { readonly type: string; readonly text: string } | undefined,
    signal: AbortSignal,
  ): Promise<unknown> {
    const send = await this.#fetch.get();
    const response = await send(`${this.#base}${path}`, {
      method,
      headers: {
        accept: 'application/json',
        ...(body ? { 'content-type': body.type } : {}),
        ...this.#headers,
      },
      ...(body ? { body: body.text } : {}),
      signal,
    });
    const text = await response.text();
    if (!response.ok)
      throw new HttpStatusError(response.status, jsonOr(text), retryAfterMs(response.headers, Date.now()));
    return parseJson(text);
  }
}

/** Node's JSON gives the source of a number and takes text as it stands; TypeScript's types do not say so yet. */
const json = JSON as unknown as {
  parse(
    text: string,
    revive: (key: string, value: unknown, context: { source?: string }) => unknown,
  ): unknown;
  rawJSON(text: string): unknown;
};

/** A whole number of any size, as it is to be sent. @param digits of it */
export function rawInteger(digits: string): unknown {
  return json.rawJSON(BigInt(digits).toString());
}

/** A whole number of 16 digits or more, which JavaScript may not hold; not the decimals of another. */
const LONG_INTEGER = /(?<![.\d])\d{16,}(?![.\d])/u;

function parseJson(text: string): unknown {
  // Looking at every number of an answer full of vectors takes longer than the search.
  if (!LONG_INTEGER.test(text)) return JSON.parse(text);
  return json.parse(text, (_, value, { source }) =>
    typeof value === 'number' &&
    source !== undefined &&
    /^-?\d+$/u.test(source) &&
    !Number.isSafeInteger(value)
      ? source
      : value,
  );
}

function jsonOr(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    // An error page of a server in between.
    return text;
  }
}
