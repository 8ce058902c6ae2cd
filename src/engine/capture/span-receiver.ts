/**
 * An OTLP/HTTP receiver on loopback: a program that is instrumented with OpenTelemetry sends its spans here, and
 * the retriever's among them are handed on. It hears nobody but this machine, and only who knows its token.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import * as l10n from '@vscode/l10n';
import { hear } from '../../core/capture/conventions.ts';
import {
  isRetrieval,
  type CapturedRetrieval,
  type Heard,
  type HeardRetrieval,
  type UnusedSpan,
} from '../../core/capture/heard.ts';
import { spansOfJson, type CapturedSpan } from '../../core/capture/spans.ts';
import { messageOf, ParallaxError } from '../../core/errors.ts';
import { spansOfProtobuf } from './otlp-protobuf.ts';

export interface SpanReceiverOptions {
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
/** Spans that exporters send again after a lost answer are told from new ones among the last this many. */
const REMEMBERED_SPANS = 10_000;

const unzip = promisify(gunzip);

/** A request that is refused, with the status that says so. */
class Refusal extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** @throws ParallaxError `bad-argument` when the port is taken */
export async function startSpanReceiver({
  port,
  maxBytes = DEFAULT_MAX_BYTES,
  onRetrieval,
  onUnused,
  log,
}: SpanReceiverOptions): Promise<SpanReceiver> {
  const token = randomBytes(24).toString('base64url');
  const seen = new Set<string>();
  const retrieved = new Set<string>();
  const receive = (spans: readonly CapturedSpan[]): void => {
    const told = spans
      .filter(({ traceId, spanId }) => isNew(`${traceId}:${spanId}`, seen))
      .map(hear)
      .map((heard) => (isRetrieval(heard) ? toldOnce(heard, retrieved) : heard));
    for (const heard of told) if (isRetrieval(heard)) onRetrieval(heard.retrieval);
    const unused = told.flatMap((heard) => (isRetrieval(heard) ? [] : [heard.unused]));
    if (unused.length > 0) onUnused(unused);
  };
  const server = createServer((request, response) => {
    answer(request, response, { token, maxBytes, receive }).catch((error: unknown) => {
      const status = statusOf(error);
      if (status === 400 || status === 413) log(`A span request could not be read: ${messageOf(error)}`);
      respond(response, status, { message: messageOf(error) });
    });
  });
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  await listen(server, port);
  const bound = (server.address() as AddressInfo).port;
  return {
    token,
    port: bound,
    url: `http://${HOST}:${bound}/${token}${TRACES_PATH}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A tool's call that returned what its retriever did is not counted again: spans end from the inside out. */
function toldOnce(heard: HeardRetrieval, retrieved: Set<string>): Heard {
  const { retrieval, call } = heard;
  const trace = retrieval.id.split(':', 1)[0];
  const texts = retrieval.results.map(({ text }) => text);
  const content = JSON.stringify([trace, retrieval.query, texts]);
  const isFirst = isNew(createHash('sha256').update(content).digest('base64'), retrieved);
  return isFirst || call === undefined ? heard : { unused: { kind: call, reason: 'repeated' } };
}

/** Remembers what is new, and forgets the oldest for it. */
function isNew(id: string, known: Set<string>): boolean {
  if (known.has(id)) return false;
  known.add(id);
  if (known.size > REMEMBERED_SPANS) known.delete(known.values().next().value!);
  return true;
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) =>
      reject(
        new ParallaxError(
          'bad-argument',
          l10n.t`Spans cannot be received on port ${port}: ${error.message}.`,
        ),
      ),
    );
    server.listen(port, HOST, resolve);
  });
}

interface Receiving {
  readonly token: string;
  readonly maxBytes: number;
  readonly receive: (spans: readonly CapturedSpan[]) => void;
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { token, maxBytes, receive }: Receiving,
): Promise<void> {
  checkPeer(request);
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
  const host = (headers.host ?? '').replace(/:\d+$/, '');
  if (!/^(?:::ffff:)?127\./.test(peer) || (host !== HOST && host !== 'localhost'))
    throw new Refusal(403, 'Spans are received from this machine only.');
  if (headers.origin !== undefined) throw new Refusal(403, 'Spans are not received from web pages.');
}

function checkTarget({ url = '', method, headers }: IncomingMessage, token: string): void {
  const { pathname } = new URL(url, `http://${HOST}`);
  const inPath = pathname.endsWith(TRACES_PATH) ? pathname.slice(1, -TRACES_PATH.length) : undefined;
  const given = inPath === undefined || inPath === '' ? headers[TOKEN_HEADER] : inPath;
  if (inPath === undefined) throw new Refusal(404, `Send spans to ${TRACES_PATH}.`);
  if (typeof given !== 'string' || !isSame(given, token))
    throw new Refusal(401, 'The token is wrong or missing.');
  if (method !== 'POST') throw new Refusal(405, 'Send spans with POST.');
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
