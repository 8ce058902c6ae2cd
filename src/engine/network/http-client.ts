/**
 * Requests over `node:http` and `node:https` in the form of `fetch`. Node's own `fetch` throws outside of its promise
 * if a server compresses an answer and closes the connection (nodejs/undici), which ends the process; it also accepts
 * no certificates. Here every stream has an error listener from its creation on, and every error reaches the promise
 * of the request or of its body.
 */
import * as http from 'node:http';
import * as https from 'node:https';
import { pipeline, type Duplex, type Readable } from 'node:stream';
import { createSecureContext } from 'node:tls';
import * as zlib from 'node:zlib';

/** In PEM. */
export interface Credentials {
  /** Authorities that sign the server's certificate, instead of the system's. */
  readonly ca?: string;
  /** The client's own certificate, and its private key. */
  readonly cert?: string;
  readonly key?: string;
}

/** Statuses whose answers have no body (Fetch standard, 2.2.3). */
const WITHOUT_BODY: readonly number[] = [101, 204, 205, 304];

/** The most nested encodings. More only serve to waste time. */
const MAX_ENCODINGS = 2;

type Unpack = () => Duplex;

const ENCODINGS: Readonly<Record<string, Unpack>> = {
  gzip: () => zlib.createGunzip(),
  'x-gzip': () => zlib.createGunzip(),
  deflate: () => zlib.createInflate(),
  br: () => zlib.createBrotliDecompress(),
  zstd: () => zlib.createZstdDecompress(),
};

/** @throws Error if they cannot be read, or do not match */
export function requireUsable(credentials: Credentials): void {
  createSecureContext(credentials);
}

/**
 * Returns redirects instead of following them. Uses the proxies of Node's own agents.
 *
 * @param options with a text as its body, if any
 * @throws TypeError with a cause if there is no answer; the reason of `options.signal`
 */
export function sendRequest(
  url: URL,
  options: RequestInit,
  credentials: Credentials = {},
): Promise<Response> {
  const { method = 'GET', body } = options;
  const signal = options.signal ?? undefined;
  if (body !== undefined && body !== null && typeof body !== 'string')
    return Promise.reject(new TypeError('Only texts are sent.'));
  return new Promise((resolve, reject) => {
    const fail = (error: unknown): void => reject(signal?.aborted ? reasonOf(signal) : failed(error));
    try {
      signal?.throwIfAborted();
      const { request } = url.protocol === 'https:' ? https : http;
      const headers = {
        accept: '*/*',
        'user-agent': 'parallax',
        'accept-encoding': 'gzip, deflate, br',
        ...Object.fromEntries(new Headers(options.headers)),
      };
      const sending = request(url, { ...credentials, method, headers, signal }, (message) => {
        message.on('error', ignore);
        try {
          resolve(responseOf(message, signal));
        } catch (error) {
          message.destroy();
          fail(error);
        }
      });
      // Also after the answer has begun, when the body reports the error.
      sending.on('error', fail);
      // An answer that switches protocols ends the request without an error.
      sending.on('close', () => fail(new Error('closed without an answer')));
      sending.end(body ?? undefined);
    } catch (error) {
      fail(error);
    }
  });
}

function responseOf(message: http.IncomingMessage, signal: AbortSignal | undefined): Response {
  const { statusCode = 0, statusMessage = '' } = message;
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(message.headersDistinct))
    for (const value of values) headers.append(name, value);
  const answer = { status: statusCode, statusText: statusMessage, headers };
  if (WITHOUT_BODY.includes(statusCode)) {
    message.resume();
    return new Response(null, answer);
  }
  return new Response(bodyOf(unpacked(message), message, signal), answer);
}

/** @throws Error for an unknown encoding */
function unpacked(message: http.IncomingMessage): Readable {
  const names = (message.headers['content-encoding'] ?? '')
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '' && name !== 'identity');
  if (names.length > MAX_ENCODINGS) throw new Error(`more than ${MAX_ENCODINGS} content encodings`);
  const steps = names.toReversed().map((name) => {
    const unpack = Object.hasOwn(ENCODINGS, name) ? ENCODINGS[name] : undefined;
    if (!unpack) throw new Error(`unknown content encoding "${name}"`);
    return unpack();
  });
  if (steps.length === 0) return message;
  for (const step of steps) step.on('error', ignore);
  pipeline([message, ...steps], ignore);
  return steps.at(-1)!;
}

/** Pull-based, so that nothing is read ahead and each error rejects a promise. */
function bodyOf(
  parts: Readable,
  message: http.IncomingMessage,
  signal: AbortSignal | undefined,
): ReadableStream<Uint8Array> {
  const iterator = parts[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await iterator.next();
          if (done) controller.close();
          else controller.enqueue(new Uint8Array(value.buffer, value.byteOffset, value.byteLength));
        } catch (error) {
          message.destroy();
          throw signal?.aborted ? reasonOf(signal) : failed(error);
        }
      },
      cancel() {
        parts.destroy();
        message.destroy();
      },
    },
    { highWaterMark: 0 },
  );
}

/** The reader of the stream reports the error. */
function ignore(): void {}

const failed = (cause: unknown): Error => new TypeError('fetch failed', { cause });

const reasonOf = (signal: AbortSignal): Error => signal.reason as Error;
