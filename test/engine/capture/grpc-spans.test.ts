/** Spans by gRPC: the real exporter's, and other traffic over HTTP/2. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, constants, type ClientHttp2Session, type IncomingHttpHeaders } from 'node:http2';
import { connect as connectSocket } from 'node:net';
import { test, type TestContext } from 'node:test';
import { gzipSync } from 'node:zlib';
import { Metadata } from '@grpc/grpc-js';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-grpc';
import { BasicTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import type { CapturedRetrieval } from '../../../src/features/capture/core/span-reading.ts';
import { startSpanReceiver, type SpanReceiver } from '../../../src/features/capture/engine/span-receiver.ts';
import { captureEnvironment, TOKEN_HEADER } from '../../../src/features/capture/contract/environment.ts';

const EXPORT = '/opentelemetry.proto.collector.trace.v1.TraceService/Export';
const GRPC = { 'content-type': 'application/grpc', te: 'trailers' };

async function start(t: TestContext): Promise<{ receiver: SpanReceiver; captured: CapturedRetrieval[] }> {
  const captured: CapturedRetrieval[] = [];
  const receiver = await startSpanReceiver({
    port: 0,
    onRetrieval: (retrieval) => captured.push(retrieval),
    onUnused: () => undefined,
    onRefused: () => undefined,
    log: () => undefined,
  });
  t.after(() => receiver.close());
  return { receiver, captured };
}

/** A span of a retriever, as an instrumented program sends it. */
async function emit(exporter: OTLPTraceExporter): Promise<void> {
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  const attributes = {
    'openinference.span.kind': 'RETRIEVER',
    'input.value': 'Should we work remotely?',
    'retrieval.documents.0.document.content': 'Working from home …',
  };
  provider.getTracer('test').startSpan('VectorStoreRetriever', { attributes }).end();
  await provider.forceFlush();
  await provider.shutdown();
}

for (const compression of ['none', 'gzip'] as const)
  test(`a real exporter's spans arrive: gRPC, ${compression}`, async (t) => {
    const { receiver, captured } = await start(t);
    const metadata = new Metadata();
    metadata.set(TOKEN_HEADER, receiver.token);
    // The type of the setting is an enum that exists at compile time only.
    await emit(new OTLPTraceExporter({ url: receiver.url, metadata, compression: compression as never }));
    assert.deepEqual(
      captured.map(({ query, results }) => [query, results.map(({ text }) => text)]),
      [['Should we work remotely?', ['Working from home …']]],
    );
  });

test('a gRPC exporter that ignores the environment is received at the configured port', async (t) => {
  const { receiver, captured } = await start(t);
  const before = process.env;
  t.after(() => (process.env = before));
  process.env = { ...before, ...captureEnvironment(receiver.url) };
  await emit(new OTLPTraceExporter());
  assert.equal(captured.length, 1);
});

interface Answer {
  readonly headers: IncomingHttpHeaders;
  /** The gRPC status, in headers or trailers. `undefined` if the request ended without an answer. */
  readonly code: string | undefined;
}

function open(t: TestContext, { port }: SpanReceiver): ClientHttp2Session {
  const session = connect(`http://127.0.0.1:${port}`);
  session.on('error', () => undefined);
  t.after(() => session.destroy());
  return session;
}

/** Sends an already framed body instead of an exporter's. */
async function send(
  session: ClientHttp2Session,
  headers: Readonly<Record<string, string>>,
  body: Uint8Array,
): Promise<Answer> {
  const stream = session.request({ ':method': 'POST', ':path': EXPORT, ...GRPC, ...headers });
  let answered: IncomingHttpHeaders = {};
  let trailers: IncomingHttpHeaders = {};
  stream.on('response', (got) => (answered = got));
  stream.on('trailers', (got) => (trailers = got));
  stream.on('error', () => undefined);
  stream.resume().end(body);
  await once(stream, 'close');
  const code = trailers['grpc-status'] ?? answered['grpc-status'];
  return { headers: answered, code: typeof code === 'string' ? code : undefined };
}

function framed(message: Uint8Array, { packed = false, length = message.length } = {}): Buffer {
  const prefix = Buffer.alloc(5);
  prefix[0] = packed ? 1 : 0;
  prefix.writeUInt32BE(length, 1);
  return Buffer.concat([prefix, message]);
}

const NOTHING = new Uint8Array();

test('spans need the token, this machine, and the path of traces', async (t) => {
  const { receiver } = await start(t);
  const session = open(t, receiver);
  const token = { [TOKEN_HEADER]: receiver.token };
  const code = async (headers: Readonly<Record<string, string>>): Promise<string | undefined> =>
    (await send(session, headers, framed(NOTHING))).code;
  assert.equal(await code(token), '0');
  assert.equal(await code({}), '16');
  assert.equal(await code({ [TOKEN_HEADER]: 'wrong' }), '16');
  assert.equal(await code({ ...token, ':path': EXPORT.replace('trace', 'metrics') }), '12');
  assert.equal(await code({ ...token, ':authority': `evil.example:${receiver.port}` }), '7');
  assert.equal(await code({ ...token, origin: 'https://evil.example' }), '7');
});

test('invalid or oversized messages are refused, and the next one is read', async (t) => {
  const { receiver } = await start(t);
  const session = open(t, receiver);
  const code = async (body: Uint8Array, headers = {}): Promise<string | undefined> =>
    (await send(session, { [TOKEN_HEADER]: receiver.token, ...headers }, body)).code;
  const large = Buffer.alloc(33 * 2 ** 20);
  assert.equal(await code(NOTHING), '3');
  assert.equal(await code(framed(NOTHING, { length: 1 })), '3');
  assert.equal(await code(Buffer.concat([framed(NOTHING), framed(NOTHING)])), '3');
  assert.equal(await code(framed(Uint8Array.of(10, 255, 255, 255, 255, 15))), '3');
  assert.equal(await code(framed(large)), '8');
  assert.equal(await code(framed(gzipSync(large), { packed: true }), { 'grpc-encoding': 'gzip' }), '8');
  assert.equal(await code(framed(large.subarray(9), { packed: true }), { 'grpc-encoding': 'gzip' }), '8');
  assert.equal(await code(framed(Uint8Array.of(1), { packed: true }), { 'grpc-encoding': 'snappy' }), '12');
  assert.equal(await code(framed(NOTHING)), '0');
});

test('cancelled requests and bytes that are not HTTP do not affect the receiver', async (t) => {
  const { receiver } = await start(t);
  const session = open(t, receiver);
  const headers = { ':method': 'POST', ':path': EXPORT, ...GRPC, [TOKEN_HEADER]: receiver.token };
  for (let n = 0; n < 300; n++) {
    const stream = session.request(headers);
    stream.on('error', () => undefined);
    stream.close(constants.NGHTTP2_CANCEL);
  }
  for (const begin of ['PRI', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\nrubbish', 'PR', '\0\0\0', 'POST']) {
    const socket = connectSocket(receiver.port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.end(begin);
    await once(socket.resume(), 'close');
  }
  const { code } = await send(open(t, receiver), { [TOKEN_HEADER]: receiver.token }, framed(NOTHING));
  assert.equal(code, '0');
});
