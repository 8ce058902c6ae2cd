/**
 * The way out for HTTP requests that carry a key or a passage. Whoever answers cannot send them on to another
 * server, where they do not belong, and cannot fill the memory with an answer that does not end.
 */
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../../core/errors.ts';

export interface OutgoingLimits {
  /** Of the answer's body, after decompression. */
  readonly maxBytes: number;
}

/** Within one server, as when `/search` leads to `/search/`. */
const MOST_REDIRECTS = 3;
const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];

/**
 * `fetch` with limits, to be handed to clients that take one.
 *
 * @returns a function that throws ParallaxError `bad-config` where the server leads to another one; reading the body
 *   of its answer throws `too-large`
 */
export function outgoingFetch({ maxBytes }: OutgoingLimits): typeof fetch {
  return async (input, init) => {
    // A Request has a signal of its own, and a body that can be sent once: neither survives a redirect.
    if (input instanceof Request) throw new TypeError('outgoingFetch takes a URL and options.');
    let url = new URL(input);
    let options: RequestInit = { ...init, redirect: 'manual' };
    for (let followed = 0; ; followed++) {
      const response = await fetch(url, options);
      const location = REDIRECTS.includes(response.status) ? response.headers.get('location') : null;
      if (location === null) return limited(response, maxBytes);
      await response.body?.cancel();
      const target = new URL(location, url);
      if (target.origin !== url.origin || followed === MOST_REDIRECTS) throw leadsAway(url.origin, target);
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

/** The same answer, whose body fails once it is larger than allowed. */
function limited(response: Response, maxBytes: number): Response {
  if (!response.body) return response;
  const { status, statusText, headers } = response;
  let bytes = 0;
  const counted = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        bytes += chunk.byteLength;
        if (bytes <= maxBytes) controller.enqueue(chunk);
        else controller.error(tooLarge(response.url, maxBytes));
      },
    }),
  );
  return new Response(counted, { status, statusText, headers });
}

function tooLarge(url: string, maxBytes: number): ParallaxError {
  return new ParallaxError('too-large', l10n.t`${new URL(url).origin} sent more than ${maxBytes >> 20} MB.`);
}

/** The refusal of {@link outgoingFetch} in an error of a client that wraps what its `fetch` throws. */
export function refusalIn(error: unknown): ParallaxError | undefined {
  let inner = error;
  while (inner instanceof Error) {
    if (ParallaxError.is(inner)) return inner;
    inner = inner.cause;
  }
  return undefined;
}
