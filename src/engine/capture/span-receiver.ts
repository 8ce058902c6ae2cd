/**
 * An OTLP/HTTP receiver: a program that is instrumented with OpenTelemetry sends its spans here, and the retriever's among
 * them are handed on. It hears only who knows its token, and nobody but this machine unless it was told to listen elsewhere.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { isIPv6, type AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import * as l10n from '@vscode/l10n';
import type { CapturedRetrieval, UnusedSpan } from '../../core/capture/heard.ts';
import type { ToolsByName } from '../../core/capture/own-tools.ts';
import { spansOfJson, type CapturedSpan } from '../../core/capture/spans.ts';
import { messageOf, ParallaxError } from '../../core/errors.ts';
import { isLoopback } from '../../shared/capture/listening.ts';
import { spansOfProtobuf } from './otlp-protobuf.ts';
import { SpanHearing } from './span-hearing.ts';

export interface SpanReceiverOptions {
  /** Where to listen; on this machine alone when left out. */
  readonly host?: string | undefined;
  /** Needed where others can reach the host; a new one when left out. */
  readonly token?: string | undefined;
  /** Tools whose answers have a form of their own. */
  readonly tools?: ToolsByName | undefined;
  /** 0 for any free port. */
  readonly port: number;
  /** Of one request, before and after decompression; 2 MB when left out. */
  readonly maxBytes?: number | undefined;
  readonly onRetrieval: (retrieval: CapturedRetrieval) => void;
  /** Called once for a request, where some of its spans cannot be shown as retrievals. */
  readonly onUnused: (spans: readonly UnusedSpan[]) => void;
  readonly log: (message: string) => void;
}

export interface SpanReceiver {
  /** For OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: the token is part of the path. */
  readonly url: string;
  readonly port: number;
  /** May stand in the header {@link TOKEN_HEADER} instead of the path. */
  readonly token: string;
  close(): Promise<void>;
}

export const TOKEN_HEADER = 'x-parallax-token';
const HOST = '127.0.0.1';
const TRACES_PATH = '/v1/traces';
/** Of one request, before and after decompression. */
const DEFAULT_MAX_BYTES = 2 * 1024 * 1024;
const REQUEST_TIMEOUT_MS = 30_000;

const unzip = promisify(gunzip);

/** A request that is refused, with the status that says so. */
class Refusal extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** @throws ParallaxError `bad-argument` when the port is taken, and without a token where others can reach the host */
export async function startSpanReceiver({
  host = HOST,
  token: given,
  tools,
  port,
  maxBytes = DEFAULT_MAX_BYTES,
  onRetrieval,
  onUnused,
  log,
}: SpanReceiverOptions): Promise<SpanReceiver> {
  const isLocal = isLoopback(host);
  if (!isLocal && given === undefined)
    throw new ParallaxError(
      'bad-argument',
      l10n.t`Others can reach ${host}: spans are received there only with a token.`,
    );
  const token = given ?? randomBytes(24).toString('base64url');
  const hearing = new SpanHearing(tools);
  const receive = (spans: readonly CapturedSpan[]): void => {
    const { retrievals, unused } = hearing.hear(spans);
    for (const retrieval of retrievals) onRetrieval(retrieval);
    if (unused.length > 0) onUnused(unused);
  };
  const server = createServer((request, response) => {
    answer(request, response, { token, isLocal, maxBytes, receive }).catch((error: unknown) => {
      const status = statusOf(error);
      if (status === 400 || status === 413) log(`A span request could not be read: ${messageOf(error)}`);
      respond(response, status, { message: messageOf(error) });
    });
  });
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  await listen(server, host, port);
  const bound = (server.address() as AddressInfo).port;
  return {
    token,
    port: bound,
    url: `http://${isIPv6(host) ? `[${host}]` : host}:${bound}/${encodeURIComponent(token)}${TRACES_PATH}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) =>
      reject(
        new ParallaxError(
          'bad-argument',
          l10n.t`Spans cannot be received on port ${port}: ${error.message}.`,
        ),
      ),
    );
    server.listen(port, host, resolve);
  });
}

interface Receiving {
  readonly token: string;
  /** Nobody but this machine is heard. */
  readonly isLocal: boolean;
  readonly maxBytes: number;
  readonly receive: (spans: readonly CapturedSpan[]) => void;
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { token, isLocal, maxBytes, receive }: Receiving,
): Promise<void> {
  if (isLocal) checkPeer(request);
  checkOrigin(request);
  checkTarget(request, token);
  const body = await readBody(request, maxBytes);
  const isJson = (request.headers['content-type'] ?? '').startsWith('application/json');
  receive(isJson ? spansOfJson(body.toString('utf8')) : spansOfProtobuf(body));
  // An empty answer means in either form that all was accepted.
  if (isJson) respond(response, 200, {});
  else response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
}

/** Listening on loopback keeps other machines out; the Host header keeps web pages with rebound names out. */
function checkPeer({ socket, headers }: IncomingMessage): void {
  const peer = socket.remoteAddress ?? '';
  const host = (headers.host ?? '').replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1');
  if (!(peer === '::1' || /^(?:::ffff:)?127\./.test(peer)) || !isLoopback(host))
    throw new Refusal(403, 'Spans are received from this machine only.');
}

function checkOrigin({ headers }: IncomingMessage): void {
  if (headers.origin !== undefined) throw new Refusal(403, 'Spans are not received from web pages.');
}

function checkTarget({ url = '', method, headers }: IncomingMessage, token: string): void {
  const { pathname } = new URL(url, `http://${HOST}`);
  const inPath = pathname.endsWith(TRACES_PATH) ? decoded(pathname.slice(1, -TRACES_PATH.length)) : undefined;
  const given = inPath === undefined || inPath === '' ? headers[TOKEN_HEADER] : inPath;
  if (inPath === undefined) throw new Refusal(404, `Send spans to ${TRACES_PATH}.`);
  if (typeof given !== 'string' || !isSame(given, token))
    throw new Refusal(401, 'The token is wrong or missing.');
  if (method !== 'POST') throw new Refusal(405, 'Send spans with POST.');
}

/** Bytes that are no valid encoding are no token. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Takes the same time wherever the first difference is. */
function isSame(given: string, token: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(token)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function statusOf(error: unknown): number {
  if (error instanceof Refusal) return error.status;
  return ParallaxError.is(error, 'too-large') ? 413 : 400;
}

async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk);
  }
  const body = Buffer.concat(chunks);
  const encoding = request.headers['content-encoding'] ?? 'identity';
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

function respond(response: ServerResponse, status: number, body: object): void {
  // A refused body is not read to its end; the connection cannot be used again.
  response.writeHead(status, {
    'content-type': 'application/json',
    ...(status === 413 ? { connection: 'close' } : {}),
  });
  response.end(JSON.stringify(body));
}
