/**
 * Spans by gRPC, which most exporters use by default: one message in, one message out, over HTTP/2. PROTOCOL-HTTP2.md
 * of gRPC describes what surrounds the message.
 */
import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import { messageOf } from '../../../core/errors.ts';
import { TOKEN_HEADER } from '../contract/environment.ts';
import type { Connection } from './connections.ts';
import { logsOfProtobuf, spansOfProtobuf } from './otlp-protobuf.ts';
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

const READERS: Readonly<Record<string, typeof spansOfProtobuf>> = {
  '/opentelemetry.proto.collector.trace.v1.TraceService/Export': spansOfProtobuf,
  '/opentelemetry.proto.collector.logs.v1.LogsService/Export': logsOfProtobuf,
};
/** Before each message: whether it is compressed, and its length in four bytes. */
const PREFIX_BYTES = 5;
/** An empty message: everything was accepted. */
const ACCEPTED = Buffer.alloc(PREFIX_BYTES);
const ANSWER = { ':status': 200, 'content-type': 'application/grpc' };

const OK = 0;
const UNKNOWN = 2;
/** gRPC's numbers for HTTP statuses. */
const CODES: Readonly<Record<number, number>> = { 400: 3, 401: 16, 403: 7, 404: 12, 413: 8, 415: 12 };

/** Reads the spans of a request, and answers it. */
export async function answerGrpc(
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  receiving: Receiving,
  connection: Connection,
): Promise<void> {
  const end = setTimeout(() => stream.close(), REQUEST_TIMEOUT_MS);
  // A client that disconnects in between receives no answer.
  stream.on('error', () => undefined);
  try {
    await receiveSpans(stream, headers, receiving, connection);
    accept(stream);
  } catch (error) {
    const status = statusOf(error);
    noteRefused(receiving, status, error);
    refuse(stream, CODES[status] ?? UNKNOWN, messageOf(error));
  } finally {
    clearTimeout(end);
  }
}

async function receiveSpans(
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  { token, isLocal, maxBytes, receive }: Receiving,
  connection: Connection,
): Promise<void> {
  const { ':authority': host, origin } = headers;
  checkSender({ peer: stream.session?.socket.remoteAddress, host, origin }, isLocal);
  const read = Object.hasOwn(READERS, headers[':path'] ?? '') ? READERS[headers[':path']!] : undefined;
  if (!read) throw new Refusal(404, 'Only traces and logs are received.');
  checkToken(headers[TOKEN_HEADER], token);
  connection.begins();
  stream.once('close', () => connection.ends());
  const body = await readBody(stream, maxBytes + PREFIX_BYTES);
  if (body.length < PREFIX_BYTES || body.readUInt32BE(1) !== body.length - PREFIX_BYTES)
    throw new Refusal(400, 'The request is not one whole message.');
  const encoding = headers['grpc-encoding'];
  const packing = body[0] === 0 ? 'identity' : typeof encoding === 'string' ? encoding : '';
  receive(read(await unpacked(body.subarray(PREFIX_BYTES), packing, maxBytes)));
}

function accept(stream: ServerHttp2Stream): void {
  if (stream.destroyed) return;
  stream.respond(ANSWER, { waitForTrailers: true });
  stream.once('wantTrailers', () => stream.sendTrailers({ 'grpc-status': String(OK) }));
  stream.end(ACCEPTED);
}

function refuse(stream: ServerHttp2Stream, code: number, message: string): void {
  if (stream.destroyed) return;
  const trailers = { 'grpc-status': String(code), 'grpc-message': encodeURIComponent(message) };
  stream.respond({ ...ANSWER, ...trailers }, { endStream: true });
  // Further messages of the sender are not read.
  stream.close();
}
