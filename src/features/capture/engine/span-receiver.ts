/**
 * An OTLP receiver: a program with OpenTelemetry sends its spans here, by HTTP or by gRPC on the same port, and the
 * spans of retrievers are passed on. It accepts only clients with its token, and only from this machine unless it is
 * configured to listen elsewhere.
 */
import { randomBytes } from 'node:crypto';
import * as http from 'node:http';
import * as http2 from 'node:http2';
import { createServer, isIPv6, type AddressInfo, type Server } from 'node:net';
import * as l10n from '@vscode/l10n';
import type { CapturedRetrieval, UnusedSpan } from '../core/span-reading.ts';
import type { ToolsByName } from '../core/own-tools.ts';
import { RunQuestions } from '../core/root-question.ts';
import { spansOfJson, type CapturedSpan } from '../core/spans.ts';
import { messageOf, ParallaxError } from '../../../core/errors.ts';
import { TOKEN_HEADER } from '../contract/environment.ts';
import { isLoopback } from '../contract/listening.ts';
import { Connections, type Connection } from './connections.ts';
import { answerGrpc } from './grpc-spans.ts';
import { logsOfProtobuf, spansOfProtobuf } from './otlp-protobuf.ts';
import { SpanHearing } from './span-hearing.ts';
import {
  checkSender,
  checkToken,
  noteRefused,
  readBody,
  Refusal,
  REQUEST_TIMEOUT_MS,
  statusOf,
  unpacked,
  type Receiving,
} from './span-requests.ts';

export interface SpanReceiverOptions {
  /** Where to listen. Defaults to this machine only. */
  readonly host?: string | undefined;
  /** Needed if others can reach the host. Defaults to a new one. */
  readonly token?: string | undefined;
  /** Tools whose answers have a special form. */
  readonly tools?: ToolsByName | undefined;
  /** The questions of runs. Arriving spans add to them. */
  readonly questions?: RunQuestions | undefined;
  /** 0 for any free port. */
  readonly port: number;
  /** Of one request, before and after decompression. Defaults to 32 MB. */
  readonly maxBytes?: number | undefined;
  readonly onRetrieval: (retrieval: CapturedRetrieval) => void;
  /**
   * Called once per request if some of its spans cannot be shown as retrievals.
   *
   * @param used earlier ones that can be shown after all
   */
  readonly onUnused: (spans: readonly UnusedSpan[], used: readonly UnusedSpan[]) => void;
  /** Called for a request of a client with the token that could not be read. Its spans are lost. */
  readonly onRefused: () => void;
  readonly log: (message: string) => void;
}

export interface SpanReceiver {
  /** For OTEL_EXPORTER_OTLP_TRACES_ENDPOINT. The token is part of the path. */
  readonly url: string;
  readonly port: number;
  /** Accepted in the header {@link TOKEN_HEADER}, too, instead of the path. */
  readonly token: string;
  close(): Promise<void>;
}

const HOST = '127.0.0.1';
const TRACES_PATH = '/v1/traces';
const LOGS_PATH = '/v1/logs';
/**
 * The most bytes of one request, before and after decompression. Exporters send up to 512 spans at once, and do not
 * repeat a refused batch.
 */
const DEFAULT_MAX_BYTES = 32 * 2 ** 20;
/** The beginning of HTTP/2, which no request of HTTP/1 shares. */
const HTTP2_BEGINS = 'PRI';
/** Exporters send one batch after the other. */
const HTTP2_SETTINGS = { enablePush: false, maxConcurrentStreams: 16, maxHeaderListSize: 16_384 };

/** @throws ParallaxError `bad-argument` if the port is taken, and without a token if others can reach the host */
export async function startSpanReceiver({
  host = HOST,
  token: presetToken,
  tools,
  questions = new RunQuestions(),
  port,
  maxBytes = DEFAULT_MAX_BYTES,
  onRetrieval,
  onUnused,
  onRefused,
  log,
}: SpanReceiverOptions): Promise<SpanReceiver> {
  const isLocal = isLoopback(host);
  if (!isLocal && presetToken === undefined)
    throw new ParallaxError(
      'bad-argument',
      l10n.t`Other machines can reach ${host}: spans need a token there.`,
    );
  const token = presetToken ?? randomBytes(24).toString('base64url');
  const hearing = new SpanHearing(tools, questions);
  const receive = (spans: readonly CapturedSpan[]): void => {
    const { retrievals, unused, used } = hearing.hear(spans);
    for (const retrieval of retrievals) onRetrieval(retrieval);
    if (unused.length + used.length > 0) onUnused(unused, used);
  };
  const connections = new Connections();
  const serve = speakers({ token, isLocal, maxBytes, receive, onRefused, log });
  const server = createServer((socket) => serve(connections.take(socket)));
  await listen(server, host, port);
  // A connection could not be accepted. The others continue.
  server.on('error', (error) => log(`A connection could not be accepted: ${messageOf(error)}`));
  const bound = (server.address() as AddressInfo).port;
  return {
    token,
    port: bound,
    url: `http://${isIPv6(host) ? `[${host}]` : host}:${bound}/${encodeURIComponent(token)}${TRACES_PATH}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        connections.close();
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

/** Accepts connections of both protocols, which differ in their first bytes. */
function speakers(receiving: Receiving): (connection: Connection) => void {
  const connections = new WeakMap<object, Connection>();
  const one = http.createServer((request, response) => {
    answer(request, response, receiving, connections.get(request.socket)!).catch((error: unknown) => {
      const status = statusOf(error);
      noteRefused(receiving, status, error);
      respond(response, status, { message: messageOf(error) });
    });
  });
  one.requestTimeout = REQUEST_TIMEOUT_MS;
  // It never listens itself, and checks the time limits of its requests after this event.
  one.emit('listening');
  const two = http2.createServer({ settings: HTTP2_SETTINGS });
  two.on('stream', (stream, headers) => {
    // First of all: a reset stream has no session any more, and its error would end the process.
    stream.on('error', () => stream.destroy());
    const connection = stream.session && connections.get(stream.session);
    if (connection) void answerGrpc(stream, headers, receiving, connection);
    else stream.destroy();
  });
  two.on('sessionError', () => undefined);
  const beginTwo = (connection: Connection): void => {
    // A session hides its socket, and is created while this event is emitted.
    const named = (session: http2.ServerHttp2Session): void => void connections.set(session, connection);
    two.once('session', named);
    two.emit('connection', connection.socket);
    two.off('session', named);
  };
  return (connection) => {
    const { socket } = connection;
    socket.on('error', () => socket.destroy());
    const look = (): void => {
      const begin = socket.read(HTTP2_BEGINS.length) as Buffer | null;
      if (begin === null) return;
      socket.off('readable', look);
      socket.unshift(begin);
      connections.set(socket, connection);
      if (begin.toString('latin1') === HTTP2_BEGINS) beginTwo(connection);
      else one.emit('connection', socket);
    };
    socket.on('readable', look);
  };
}

async function answer(
  request: http.IncomingMessage,
  response: http.ServerResponse,
  { token, isLocal, maxBytes, receive }: Receiving,
  connection: Connection,
): Promise<void> {
  const { socket, headers } = request;
  checkSender({ peer: socket.remoteAddress, host: headers.host, origin: headers.origin }, isLocal);
  const target = checkTarget(request, token);
  connection.begins();
  response.once('close', () => connection.ends());
  const packed = await readBody(request, maxBytes);
  const body = await unpacked(packed, headers['content-encoding'] ?? 'identity', maxBytes);
  const isJson = (headers['content-type'] ?? '').startsWith('application/json');
  const readBytes = target === LOGS_PATH ? logsOfProtobuf : spansOfProtobuf;
  receive(isJson ? spansOfJson(body.toString('utf8')) : readBytes(body));
  // In both forms, an empty answer means that everything was accepted.
  if (isJson) respond(response, 200, {});
  else response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
}

/** @returns the path without the token */
function checkTarget({ url = '', method, headers }: http.IncomingMessage, token: string): string {
  // `//` is no URL. A stranger may send it, so it is no error.
  const { pathname } = URL.parse(url, `http://${HOST}`) ?? { pathname: '' };
  const target = [TRACES_PATH, LOGS_PATH].find((each) => pathname.endsWith(each));
  if (target === undefined) throw new Refusal(404, `Send spans to ${TRACES_PATH}.`);
  const inPath = decoded(pathname.slice(1, -target.length));
  checkToken(inPath === '' ? headers[TOKEN_HEADER] : inPath, token);
  if (method !== 'POST') throw new Refusal(405, 'Send spans with POST.');
  return target;
}

/** Bytes with an invalid encoding are no token. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function respond(response: http.ServerResponse, status: number, body: object): void {
  // A refused body is not read to its end, so the connection cannot be reused.
  response.writeHead(status, {
    'content-type': 'application/json',
    ...(status === 413 ? { connection: 'close' } : {}),
  });
  response.end(JSON.stringify(body));
}
