/** Plain JSON over HTTP, through `outgoingFetch`, for stores with a documented interface. */
import { outgoingFetch } from '../../network/outgoing.ts';
import type { Credentials } from '../../network/http-client.ts';
import { retryAfterMs } from '../../network/retry-after.ts';
import { Once } from '../../concurrency/once.ts';

/**
 * Vectors of a thousand candidates have some tens of megabytes as text. Empty lists take ten times as much in memory.
 */
const MAX_BYTES = 128 * 2 ** 20;

/** Whether something exists, from a request to its own URL. @throws what the request throws for any other reason */
export async function isThere(request: Promise<unknown>): Promise<boolean> {
  try {
    await request;
    return true;
  } catch (error) {
    if (error instanceof HttpStatusError && error.status === 404) return false;
    throw error;
  }
}

/** An answer with a status other than success. */
export class HttpStatusError extends Error {
  override readonly name = 'HttpStatusError';
  readonly status: number;
  /** Its body: parsed if it is JSON, else as text. */
  readonly data: unknown;
  /** How long the server asks to wait, in milliseconds. `undefined` if it does not say. */
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
   * @param base of the paths, with or without a final slash
   * @param credentials read at the first request
   */
  constructor(
    base: string,
    headers: Readonly<Record<string, string>>,
    credentials: () => Promise<Credentials | undefined> = () => Promise.resolve(undefined),
  ) {
    this.#fetch = new Once(async () =>
      outgoingFetch({ maxBytes: MAX_BYTES, credentials: await credentials() }),
    );
    this.#base = base.replace(/\/$/u, '');
    this.#headers = headers;
  }

  /**
   * @param body sent with POST by default; a request without one is a GET. Integers beyond JavaScript's precision
   *   keep their digits: see {@link rawInteger} for sending; they arrive as strings
   * @throws HttpStatusError, SyntaxError for an answer that is not JSON, the errors of
   *   `fetch`, ParallaxError of `outgoingFetch`
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

  /** As {@link request}, with POST and one JSON value per line. */
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

/** Node's JSON returns the source of a number and accepts raw text. TypeScript's types lack both. */
const json = JSON as unknown as {
  parse(
    text: string,
    revive: (key: string, value: unknown, context: { source?: string }) => unknown,
  ): unknown;
  rawJSON(text: string): unknown;
};

/** An integer of any size, for sending. @param digits of it */
export function rawInteger(digits: string): unknown {
  return json.rawJSON(BigInt(digits).toString());
}

/** An integer of 16 digits or more, which JavaScript may not represent exactly. Does not match decimals. */
const LONG_INTEGER = /(?<![.\d])\d{16,}(?![.\d])/u;

function parseJson(text: string): unknown {
  // Checking every number of an answer full of vectors takes longer than the search.
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
