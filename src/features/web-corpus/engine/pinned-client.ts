/**
 * One GET at a time, over a connection to an address that was checked: a name is resolved once, and the connection
 * goes to the result. Changing the name's address in between, or resolving it differently every time, has no effect.
 * Proxies and kept connections, which would bypass that, are not used.
 */
import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { LookupFunction } from 'node:net';
import type { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { messageOf, throwIfCancelled } from '../../../core/errors.ts';
import { addressIn, PUBLIC_WEB, type Reach } from '../core/page-url.ts';
import { PageSkipped } from './page-skipped.ts';

/** Identifies the client, as robots.txt and site owners expect; no version, no claim to be a browser. */
export const USER_AGENT = 'Parallax (retrieval evaluation; fetches pages when a user asks for it)';
/** The name for rules in robots.txt. */
export const ROBOT_NAME = 'parallax';

/** All addresses of a name. @throws an error of `node:dns` */
export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>;

const systemResolve: Resolve = (hostname) => lookup(hostname, { all: true });

export interface AnswerHead {
  readonly status: number;
  readonly headers: Headers;
}

export interface Answer extends AnswerHead {
  /** Decompressed. Empty if it was not read. */
  readonly body: Buffer;
}

export interface GetOptions {
  readonly accept: string;
  readonly timeoutMs: number;
  /** The most bytes of the body, decompressed. */
  readonly maxBytes: number;
  readonly signal: AbortSignal | undefined;
  /** Whether to read the body, given the head. @throws PageSkipped */
  wantsBody(head: AnswerHead): boolean;
}

export interface ClientOptions {
  /** Only tests reach further than {@link PUBLIC_WEB}. */
  readonly reach?: Reach | undefined;
  readonly resolve?: Resolve | undefined;
}

export class PinnedClient {
  readonly reach: Reach;
  readonly #resolve: Resolve;

  constructor({ reach = PUBLIC_WEB, resolve = systemResolve }: ClientOptions = {}) {
    this.reach = reach;
    this.#resolve = resolve;
  }

  /**
   * @param url that `readPageUrl` returned
   * @throws PageSkipped, ParallaxError `cancelled`
   */
  async get(url: URL, { accept, timeoutMs, maxBytes, signal, wantsBody }: GetOptions): Promise<Answer> {
    throwIfCancelled(signal);
    const timeout = AbortSignal.timeout(timeoutMs);
    const end = signal ? AbortSignal.any([timeout, signal]) : timeout;
    try {
      const addresses = await unlessAborted(this.#allowedAddresses(url), end);
      const message = await send(url, addresses, accept, end);
      try {
        const head = headOf(message);
        const body = wantsBody(head) ? await readBody(message, maxBytes) : Buffer.alloc(0);
        return { ...head, body };
      } finally {
        message.destroy();
      }
    } catch (error) {
      throwIfCancelled(signal);
      if (error instanceof PageSkipped) throw error;
      if (timeout.aborted)
        throw new PageSkipped('timeout', `It did not arrive within ${timeoutMs / 1000} s.`, {
          passing: true,
          cause: error,
        });
      throw new PageSkipped('unreachable', `Its server cannot be reached: ${reasonOf(error)}.`, {
        passing: true,
        cause: error,
      });
    }
  }

  /** @throws PageSkipped `address` if none is left */
  async #allowedAddresses(url: URL): Promise<readonly LookupAddress[]> {
    const literal = addressIn(url);
    const all = literal === undefined ? await this.#resolve(url.hostname) : [asLookedUp(literal)];
    const allowed = all.filter(({ address }) => this.reach.allowsAddress(address));
    if (allowed.length === 0)
      throw new PageSkipped(
        'address',
        `${url.hostname} is at ${all.map(({ address }) => address).join(', ') || 'no address'}, which is not on the public internet.`,
      );
    return allowed;
  }
}

function asLookedUp(address: string): LookupAddress {
  return { address, family: address.includes(':') ? 6 : 4 };
}

/** Resolving a name cannot be stopped, but its result can be ignored. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(signal.reason as Error);
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

function send(
  url: URL,
  addresses: readonly LookupAddress[],
  accept: string,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const headers = {
    'user-agent': USER_AGENT,
    accept,
    'accept-encoding': 'gzip, deflate, br',
    'accept-language': '*',
  };
  const { request } = url.protocol === 'https:' ? https : http;
  request(url, { agent: false, headers, lookup: pinnedTo(addresses), signal }, resolve)
    .on('error', reject)
    .end();
  return promise;
}

/** Returns the checked addresses, whatever the name resolves to now. */
function pinnedTo(addresses: readonly LookupAddress[]): LookupFunction {
  return (_hostname, { all }, callback) => {
    const [{ address, family }] = addresses as readonly [LookupAddress];
    if (all) callback(null, [...addresses]);
    else callback(null, address, family);
  };
}

function headOf({ statusCode = 0, headers }: IncomingMessage): AnswerHead {
  const plain = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    typeof value === 'string' ? [[name, value]] : [],
  );
  return { status: statusCode, headers: new Headers(plain) };
}

const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** Limits the decompressed size, so that a small answer cannot become a huge one. */
async function readBody(message: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const tooLarge = (): PageSkipped =>
    new PageSkipped('too-large', `It is larger than ${Math.round(maxBytes / 1024)} kB.`);
  if (Number(message.headers['content-length'] ?? 0) > maxBytes) throw tooLarge();
  const chunks: Buffer[] = [];
  let size = 0;
  const collect = async (source: AsyncIterable<Buffer>): Promise<void> => {
    for await (const chunk of source) {
      size += chunk.length;
      if (size > maxBytes) throw tooLarge();
      chunks.push(chunk);
    }
  };
  const decoder = decoderFor(message.headers['content-encoding']);
  try {
    await (decoder ? pipeline(message, decoder, collect) : pipeline(message, collect));
  } catch (error) {
    if (
      error instanceof Error &&
      'code' in error &&
      /^(?:Z_|ERR_BROTLI|ERR_ZLIB|ERR__ERROR)/.test(String(error.code))
    )
      throw new PageSkipped('broken', `It cannot be decompressed (${error.message}).`, { cause: error });
    throw error;
  }
  return Buffer.concat(chunks);
}

/** @throws PageSkipped for encodings that were not requested */
function decoderFor(encoding = ''): Transform | undefined {
  const name = encoding.trim().toLowerCase();
  if (name === '' || name === 'identity') return undefined;
  const create = Object.hasOwn(DECODERS, name) ? DECODERS[name] : undefined;
  if (!create) throw new PageSkipped('broken', `It is compressed as "${name}", which was not asked for.`);
  return create();
}

function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  return messageOf(error);
}
