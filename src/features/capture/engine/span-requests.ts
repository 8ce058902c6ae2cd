/** Checks requests with spans, whichever protocol they use. */
import { timingSafeEqual } from 'node:crypto';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { CapturedSpan } from '../core/spans.ts';
import { messageOf, ParallaxError } from '../../../core/errors.ts';
import { isLoopback } from '../contract/listening.ts';

/** Longer requests are aborted. */
export const REQUEST_TIMEOUT_MS = 30_000;

const unzip = promisify(gunzip);

export interface Receiving {
  readonly token: string;
  /** Whether only this machine may connect. */
  readonly isLocal: boolean;
  /** Of one request, before and after decompression. */
  readonly maxBytes: number;
  readonly receive: (spans: readonly CapturedSpan[]) => void;
  readonly onRefused: () => void;
  readonly log: (message: string) => void;
}

/** A request that is refused, with the HTTP status. */
export class Refusal extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** The HTTP status for an error of a request. */
export function statusOf(error: unknown): number {
  if (error instanceof Refusal) return error.status;
  return ParallaxError.is(error, 'too-large') ? 413 : 400;
}

/** Reports a refused batch, since exporters do not repeat it. Requests without the token are ignored. */
export function noteRefused({ onRefused, log }: Receiving, status: number, error: unknown): void {
  if (![400, 413, 415].includes(status)) return;
  log(`A span request could not be read: ${messageOf(error)}`);
  onRefused();
}

/** The sender, according to the request and its connection. */
export interface Sender {
  /** The address of the other end. */
  readonly peer: string | undefined;
  /** The name that it used for this machine, with or without a port. */
  readonly host: string | undefined;
  /** The sending web page. `undefined` for programs. */
  readonly origin: string | undefined;
}

/**
 * Listening on loopback excludes other machines. Checking the host name excludes web pages with rebound names.
 *
 * @throws Refusal 403
 */
export function checkSender({ peer = '', host = '', origin }: Sender, isLocal: boolean): void {
  const name = host.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1');
  const isFromHere = (peer === '::1' || /^(?:::ffff:)?127\./.test(peer)) && isLoopback(name);
  if (isLocal && !isFromHere) throw new Refusal(403, 'Spans are received from this machine only.');
  if (origin !== undefined) throw new Refusal(403, 'Spans are not received from web pages.');
}

/** @throws Refusal 401 */
export function checkToken(candidate: unknown, token: string): void {
  if (typeof candidate !== 'string' || !isSame(candidate, token))
    throw new Refusal(401, 'The token is wrong or missing.');
}

/** Takes the same time wherever the first difference is. */
function isSame(candidate: string, token: string): boolean {
  const [a, b] = [Buffer.from(candidate), Buffer.from(token)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** @throws Refusal 413 */
export async function readBody(body: Readable, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  // Does not destroy the stream, so that a client that sends too much still receives the answer.
  for await (const chunk of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** @throws Refusal 400, 413, and 415 for any compression other than gzip */
export async function unpacked(body: Buffer, encoding: string, maxBytes: number): Promise<Buffer> {
  if (encoding === 'identity') return body;
  if (encoding !== 'gzip') throw new Refusal(415, `The encoding ${encoding} is not known; use gzip or none.`);
  try {
    return await unzip(body, { maxOutputLength: maxBytes });
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
      ? tooLarge(maxBytes)
      : new Refusal(400, 'The request is not valid gzip.');
  }
}

function tooLarge(maxBytes: number): Refusal {
  return new Refusal(413, `A request may have ${maxBytes >> 20} MB at most.`);
}
