/** Silent connections of the span receiver, and more connections than there are programs. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import { connect as connectHttp2, type ClientHttp2Session } from 'node:http2';
import { connect, type Socket } from 'node:net';
import { test, type TestContext } from 'node:test';
import { startSpanReceiver, type SpanReceiver } from '../../../src/features/capture/engine/span-receiver.ts';
import { TOKEN_HEADER } from '../../../src/features/capture/contract/environment.ts';

const EXPORT = '/opentelemetry.proto.collector.trace.v1.TraceService/Export';
const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';
/** An empty SETTINGS frame, which a client sends first. */
const SETTINGS = Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]);

async function start(t: TestContext): Promise<SpanReceiver> {
  const receiver = await startSpanReceiver({
    port: 0,
    onRetrieval: () => undefined,
    onUnused: () => undefined,
    onRefused: () => undefined,
    log: () => undefined,
  });
  t.after(() => receiver.close());
  return receiver;
}

/** A connection that sends something and is then silent. */
async function silent(t: TestContext, { port }: SpanReceiver, said: Uint8Array | string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  t.after(() => socket.destroy());
  socket.on('error', () => undefined).resume();
  await once(socket, 'connect');
  if (said.length > 0) socket.write(said);
  return socket;
}

const closed = (socket: Socket): Promise<unknown> =>
  socket.closed ? Promise.resolve() : once(socket, 'close');

/** Resolves once everything sent before has arrived and was answered. */
const settled = (): Promise<unknown> => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

/** The status of spans that are sent over another connection. */
function send(receiver: SpanReceiver, token: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const options = {
      method: 'POST',
      agent: false,
      headers: { 'content-type': 'application/json', [TOKEN_HEADER]: token },
    };
    const sent = request(`http://127.0.0.1:${receiver.port}/v1/traces`, options, (answer) => {
      answer.resume().once('end', () => resolve(answer.statusCode!));
    });
    sent.once('error', reject).end('{"resourceSpans":[]}');
  });
}

const SILENT: Readonly<Record<string, Uint8Array | string>> = {
  nothing: '',
  'two letters': 'PR',
  'half a preface of HTTP/2': 'PRI * HT',
  'the preface, and no settings': PREFACE,
  'a whole beginning of HTTP/2, and no request': Buffer.concat([Buffer.from(PREFACE), SETTINGS]),
  'half a request line': 'POST /v1',
  'half of the headers': 'POST /v1/traces HTTP/1.1\r\nHost: 127.0.0.1\r\nX-A: ',
  'a request without the token': 'GET /v1/traces HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n',
};

for (const [what, said] of Object.entries(SILENT))
  test(`a connection that sends ${what} is closed after half a minute`, async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const receiver = await start(t);
    const socket = await silent(t, receiver, said);
    // Other connections are served in the meantime, and their spans have arrived.
    assert.equal(await send(receiver, receiver.token), 200);
    await settled();
    t.mock.timers.tick(29_000);
    await settled();
    assert.equal(socket.closed, false);
    t.mock.timers.tick(1_000);
    await closed(socket);
  });

test('a connection without the token gets no more time by sending more', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const receiver = await start(t);
  const session = connectHttp2(`http://127.0.0.1:${receiver.port}`);
  session.on('error', () => undefined);
  t.after(() => session.destroy());
  await once(session, 'connect');
  for (let second = 0; second < 29; second++) {
    await new Promise((resolve) => session.ping(resolve));
    t.mock.timers.tick(1_000);
  }
  const refused = session.request({ ':method': 'POST', ':path': EXPORT, [TOKEN_HEADER]: 'wrong' });
  refused.on('error', () => undefined).resume();
  const [headers] = (await once(refused, 'response')) as [Record<string, string>];
  assert.equal(headers['grpc-status'], '16');
  assert.equal(session.closed, false);
  t.mock.timers.tick(1_000);
  await once(session, 'close');
});

/** A program that speaks HTTP/2 over one connection. */
async function program(t: TestContext, { port, token }: SpanReceiver): Promise<Program> {
  const session = connectHttp2(`http://127.0.0.1:${port}`);
  session.on('error', () => undefined);
  t.after(() => session.destroy());
  return {
    session,
    ask: async () => {
      const stream = session.request({ ':method': 'POST', ':path': EXPORT, [TOKEN_HEADER]: token });
      stream.resume().end(Buffer.alloc(5));
      await once(stream, 'close');
      await settled();
    },
  };
}

interface Program {
  readonly session: ClientHttp2Session;
  ask(): Promise<void>;
}

test('connections with the token may be idle for five minutes between requests', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { session, ask } = await program(t, await start(t));
  await ask();
  t.mock.timers.tick(4 * 60_000);
  await ask();
  t.mock.timers.tick(4 * 60_000);
  await settled();
  assert.equal(session.closed, false);
  t.mock.timers.tick(60_000);
  await once(session, 'close');
});

test('idle connections without the token do not block those with it, which stay', async (t) => {
  const receiver = await start(t);
  const own = await program(t, receiver);
  await own.ask();
  const beginning = Buffer.concat([Buffer.from(PREFACE), SETTINGS]);
  const strangers: Socket[] = [];
  for (let i = 0; i < 300; i++) strangers.push(await silent(t, receiver, i % 2 ? beginning : ''));
  assert.equal(await send(receiver, receiver.token), 200);
  await own.ask();
  assert.equal(own.session.closed, false);
  await Promise.all(strangers.slice(0, 44).map(closed));
  assert.equal(strangers.at(-1)!.closed, false);
});

test('if all connections have shown the token, a new one is refused', async (t) => {
  const receiver = await start(t);
  for (let i = 0; i < 256; i++) await (await program(t, receiver)).ask();
  await assert.rejects(send(receiver, receiver.token));
});
