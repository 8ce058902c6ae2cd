/** `fetch` over connections with certificates of one's own, which Node's `fetch` does not take. */
import type { IncomingMessage } from 'node:http';
import { request, type RequestOptions } from 'node:https';
import { Readable } from 'node:stream';
import { createSecureContext } from 'node:tls';

/** In PEM. */
export interface Credentials {
  /** Authorities that vouch for the server, in place of those that the system knows. */
  readonly ca?: string;
  /** The client's own certificate, and its private key. */
  readonly cert?: string;
  readonly key?: string;
}

/** Statuses whose answers have no body (Fetch standard, 2.2.3). */
const WITHOUT_BODY: readonly number[] = [101, 204, 205, 304];

/** @throws Error where they cannot be read, or do not belong together */
export function requireUsable(credentials: Credentials): void {
  createSecureContext(credentials);
}

/** Redirects are handed back, never followed. @param body a text; nothing else is sent */
export function secureFetch(credentials: Credentials, url: URL, options: RequestInit): Promise<Response> {
  const { method = 'GET', headers, body, signal } = options;
  // Answers that are not compressed need not be unpacked.
  const sent = { ...Object.fromEntries(new Headers(headers)), 'accept-encoding': 'identity' };
  const asked: RequestOptions = { ...credentials, method, headers: sent, ...(signal ? { signal } : {}) };
  return new Promise((resolve, reject) => {
    const asking = request(url, asked, (message) => {
      try {
        resolve(responseOf(message));
      } catch (error) {
        message.destroy();
        reject(error as Error);
      }
    });
    asking.on('error', reject);
    asking.end(typeof body === 'string' ? body : undefined);
  });
}

function responseOf(message: IncomingMessage): Response {
  const { statusCode = 0, statusMessage = '' } = message;
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(message.headersDistinct))
    for (const value of values) headers.append(name, value);
  const answer = { status: statusCode, statusText: statusMessage, headers };
  if (WITHOUT_BODY.includes(statusCode)) {
    message.resume();
    return new Response(null, answer);
  }
  return new Response(Readable.toWeb(message) as ReadableStream<Uint8Array>, answer);
}
