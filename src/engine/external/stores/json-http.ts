/** Plain JSON over HTTP, for stores that document it: through the engine's one way out. */
import { outgoingFetch } from '../../network/outgoing.ts';

/** Vectors of a thousand candidates, as text, have some tens of megabytes. Empty lists take ten times as much in memory. */
const MOST_BYTES = 128 * 2 ** 20;

/** An answer with a status that is none of success. */
export class HttpStatusError extends Error {
  override readonly name = 'HttpStatusError';
  readonly status: number;
  /** Its body: as JSON where it is that, else as text. */
  readonly data: unknown;

  constructor(status: number, data: unknown) {
    super(`HTTP ${status}`);
    this.status = status;
    this.data = data;
  }
}

export class JsonHttp {
  readonly #base: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #fetch = outgoingFetch({ maxBytes: MOST_BYTES });

  /** @param base paths are added to it; a slash at its end does not matter */
  constructor(base: string, headers: Readonly<Record<string, string>>) {
    this.#base = base.replace(/\/$/u, '');
    this.#headers = headers;
  }

  /**
   * @param body sent with POST; a GET without one. Integers that a number cannot hold are kept as they are written:
   *   see {@link rawInteger} for sending, and they arrive as strings
   * @throws HttpStatusError, SyntaxError for what is no JSON, the errors of `fetch`, ParallaxError of the way out
   */
  async request(path: string, body: object | undefined, signal: AbortSignal): Promise<unknown> {
    const response = await this.#fetch(`${this.#base}${path}`, {
      method: body ? 'POST' : 'GET',
      headers: {
        accept: 'application/json',
        ...(body ? { 'content-type': 'application/json' } : {}),
        ...this.#headers,
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
      signal,
    });
    const text = await response.text();
    if (!response.ok) throw new HttpStatusError(response.status, jsonOr(text));
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

function parseJson(text: string): unknown {
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
