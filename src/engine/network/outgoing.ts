/**
 * Sends all HTTP requests that contain a key or a passage. A server cannot redirect them to another server, fill the
 * memory with an answer that does not end or has too many parts, or stall in the middle of one. The proxies are those
 * of the process's environment (`src/features/web-corpus/core/proxy-environment.ts`).
 */
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../../core/errors.ts';
import { JsonShape } from '../../core/formats/json-shape.ts';
import { sendRequest, type Credentials } from './http-client.ts';

export interface OutgoingLimits {
  /** The most bytes of the answer's body, after decompression. */
  readonly maxBytes: number;
  /**
   * The longest pause between two parts of the body. The caller limits the first. Defaults to
   * {@link MAX_SILENCE_MS}.
   */
  readonly silenceMs?: number | undefined;
  /** For an address with https. */
  readonly credentials?: Credentials | undefined;
}

const MAX_SILENCE_MS = 60_000;

/** Within one server, such as from `/search` to `/search/`. */
const MAX_REDIRECTS = 3;
const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];

/**
 * `fetch` with limits, for clients that accept one.
 *
 * @returns a function that throws ParallaxError `bad-config` if the server redirects to another one; reading the body
 *   of its answer throws `too-large`, and `model-unreachable` if it stalls
 */
export function outgoingFetch(limits: OutgoingLimits): typeof fetch {
  return async (input, init) => {
    // A Request has its own signal, and a body that can be sent once. Neither survives a redirect.
    if (input instanceof Request) throw new TypeError('outgoingFetch takes a URL and options.');
    let url = new URL(input);
    let options: RequestInit = { ...init, redirect: 'manual' };
    for (let followed = 0; ; followed++) {
      const response = await sendRequest(url, options, limits.credentials);
      const location = REDIRECTS.includes(response.status) ? response.headers.get('location') : null;
      if (location === null) return limited(response, url, limits);
      await response.body?.cancel();
      const target = new URL(location, url);
      if (target.origin !== url.origin || followed === MAX_REDIRECTS) throw leadsAway(url.origin, target);
      url = target;
      options = followedBy(options, response.status);
    }
  };
}

/** As browsers do: 303, and 301 or 302 to a POST, are followed by a GET. */
function followedBy(options: RequestInit, status: number): RequestInit {
  const isPost = options.method?.toUpperCase() === 'POST';
  if (status !== 303 && !(isPost && (status === 301 || status === 302))) return options;
  const headers = new Headers(options.headers);
  headers.delete('content-type');
  headers.delete('content-length');
  return { ...options, method: 'GET', body: null, headers };
}

function leadsAway(origin: string, target: URL): ParallaxError {
  return new ParallaxError(
    'bad-config',
    target.origin === origin
      ? l10n.t`${origin} redirects a request in a circle. Check the URL.`
      : l10n.t`${origin} redirects requests to ${target.origin}. Keys and passages do not follow to another server: if it is yours, configure its URL.`,
  );
}

/** The same answer, whose body fails if it is larger than allowed or stalls for too long. */
function limited(
  response: Response,
  { origin }: URL,
  { maxBytes, silenceMs = MAX_SILENCE_MS }: OutgoingLimits,
): Response {
  if (!response.body) return response;
  const { status, statusText, headers } = response;
  let bytes = 0;
  const shape = new JsonShape({
    tooDeep: (levels) => l10n.t`${origin} sent an answer that is nested more than ${levels} levels deep.`,
    tooMany: (parts) => l10n.t`${origin} sent an answer of more than ${parts} lists and objects.`,
    tooLong: (entries) => l10n.t`${origin} sent an answer of more than ${entries} values.`,
  });
  let silence: NodeJS.Timeout | undefined;
  const counted = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      start(controller) {
        silence = setTimeout(() => controller.error(silent(origin, silenceMs)), silenceMs).unref();
      },
      transform(chunk, controller) {
        silence?.refresh();
        bytes += chunk.byteLength;
        if (bytes > maxBytes) throw tooLarge(origin, maxBytes);
        shape.check(chunk);
        controller.enqueue(chunk);
      },
      flush() {
        clearTimeout(silence);
      },
    }),
  );
  return new Response(counted, { status, statusText, headers });
}

function tooLarge(origin: string, maxBytes: number): ParallaxError {
  return new ParallaxError('too-large', l10n.t`${origin} sent more than ${maxBytes >> 20} MB.`);
}

function silent(origin: string, silenceMs: number): ParallaxError {
  return new ParallaxError(
    'model-unreachable',
    l10n.t`${origin} sent nothing for ${silenceMs / 1000} s in the middle of its answer. Try again.`,
  );
}

/** The refusal of {@link outgoingFetch} within an error of a client that wraps what its `fetch` throws. */
export function refusalIn(error: unknown): ParallaxError | undefined {
  let inner = error;
  while (inner instanceof Error) {
    if (ParallaxError.is(inner)) return inner;
    inner = inner.cause;
  }
  return undefined;
}
