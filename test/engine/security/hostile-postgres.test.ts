/** Servers that speak PostgreSQL's protocol, but send more than fits in memory, or never finish. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { test, type TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { storeRetrieverSchema } from '../../../src/core/external/stores.ts';
import { createStore } from '../../../src/engine/external/stores/create-store.ts';
import type { RemoteStore } from '../../../src/engine/external/stores/remote-store.ts';

/** Answers a greeting, and then the first request again and again while the client reads. */
async function flooding(
  t: TestContext,
  greeting: Buffer,
  flood: Buffer,
): Promise<{ port: number; sent: () => number }> {
  let sent = 0;
  const port = await listening(t, (socket) => {
    const write = (): void => {
      while (!socket.destroyed) {
        sent += flood.length;
        if (!socket.write(flood)) return void socket.once('drain', write);
      }
    };
    socket.once('data', () => {
      if (greeting.length === 0) return write();
      socket.write(greeting);
      socket.once('data', write);
    });
  });
  return { port, sent: () => sent };
}

async function listening(t: TestContext, converse: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    converse(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

function storeAt(t: TestContext, port: number, host = '127.0.0.1'): RemoteStore {
  const spec = { type: 'postgres', host, port, database: 'd', user: 'u', table: 'places', mode: 'text' };
  const store = createStore(storeRetrieverSchema.parse(spec), 'a-password', () =>
    assert.fail('No query is embedded.'),
  );
  t.after(() => store.close());
  return store;
}

function message(letter: string, body: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(body.length + 4);
  return Buffer.concat([Buffer.from(letter), length, body]);
}

const WELCOME = Buffer.concat([message('R', Buffer.alloc(4)), message('Z', Buffer.from('I'))]);
const NO_COLUMNS = Buffer.alloc(2);
const EMPTY_ROW = message('D', NO_COLUMNS);
const MEGABYTE = 2 ** 20;

/** The header of one row of almost 4 GB. */
const ENDLESS_ROW = Buffer.from([...Buffer.from('D'), 0xff, 0xff, 0xff, 0xf0]);

const TOO_MUCH = /^PostgreSQL at 127\.0\.0\.1:\d+ sent more than 128 MB\.$/u;
const TOO_MANY = /^PostgreSQL at 127\.0\.0\.1:\d+ sent more messages in one answer than Parallax accepts\.$/u;

const FLOODS: Readonly<Record<string, readonly [greeting: Buffer, flood: Buffer, said: RegExp]>> = {
  'rows without end': [WELCOME, Buffer.concat(Array.from({ length: 9_000 }, () => EMPTY_ROW)), TOO_MANY],
  // All but the first one are parts of it.
  'one row without end': [WELCOME, Buffer.concat([ENDLESS_ROW, Buffer.alloc(MEGABYTE)]), TOO_MUCH],
  'notices without end, before the welcome': [
    Buffer.alloc(0),
    Buffer.concat(Array.from({ length: 1_000 }, () => message('N', Buffer.from('Mx\0\0')))),
    TOO_MANY,
  ],
};

for (const [name, [greeting, flood, said]] of Object.entries(FLOODS))
  test(`${name} are cancelled`, async (t) => {
    const { port, sent } = await flooding(t, greeting, flood);
    const store = storeAt(t, port);
    const before = process.memoryUsage().rss;
    await assert.rejects(store.count(), {
      id: 'too-large',
      message: said,
    });
    assert.ok(sent() < 400 * MEGABYTE, `${sent()} bytes were read`);
    assert.ok(process.memoryUsage().rss - before < 3_000 * MEGABYTE);
  });

const ODD: Readonly<Record<string, Buffer>> = {
  'an error without an end': message('E', Buffer.from('SERROR\0Mnever ends')),
  'an error without anything': message('E', Buffer.alloc(0)),
  'a notice without an end': message('N', Buffer.from('M')),
  'a row that is shorter than it says': message('D', Buffer.from([0x7f, 0xff])),
  'a row with fewer columns than none': message('D', Buffer.from([0xff, 0xff])),
  'a way of access that nobody knows': message('R', Buffer.from([0, 0, 0, 99])),
};

for (const [name, odd] of Object.entries(ODD))
  for (const when of ['before', 'after'] as const)
    test(`${name} ${when} the welcome is reported, without other effects`, async (t) => {
      const port = await listening(t, (socket) =>
        socket.once('data', () => {
          if (when === 'before') return socket.write(odd);
          socket.write(WELCOME);
          socket.once('data', () => {
            // Byte by byte: a message may come in many parts.
            for (const byte of odd) socket.write(Buffer.of(byte));
          });
          return undefined;
        }),
      );
      await assert.rejects(storeAt(t, port).count(), {
        id: 'retriever-failed',
        message: /^PostgreSQL at 127\.0\.0\.1:\d+ gave an answer of an unexpected form\.$/u,
      });
    });

test('a connection that is lost during a search is reported', async (t) => {
  const port = await listening(t, (socket) =>
    socket.once('data', () => {
      socket.write(WELCOME);
      socket.once('data', () => socket.resetAndDestroy());
    }),
  );
  await assert.rejects(storeAt(t, port).count(), {
    id: 'retriever-failed',
    message: /could not be reached: .*is it running\?$/u,
  });
});

/** Asks for a password in this way, and records what it receives. */
async function asking(t: TestContext, way: Buffer): Promise<{ port: number; heard: () => string }> {
  let heard = '';
  const port = await listening(t, (socket) => {
    socket.on('data', (chunk) => {
      if (heard === '') socket.write(message('R', way));
      heard += chunk.toString('latin1');
      if (heard.includes('a-password')) socket.write(WELCOME);
    });
  });
  return { port, heard: () => heard };
}

const CLEARTEXT = Buffer.from([0, 0, 0, 3]);

test('a password is never sent in plain text to another machine', async (t) => {
  const { port, heard } = await asking(t, CLEARTEXT);
  // A name that is not loopback, but means this machine.
  await assert.rejects(storeAt(t, port, '0.0.0.0').count(), {
    id: 'retriever-failed',
    message: /^PostgreSQL at 0\.0\.0\.0:\d+ asks for the password in plain text .*set "ssl" to "verify"/u,
  });
  assert.match(heard(), /user/u);
  assert.doesNotMatch(heard(), /a-password/u);
});

test('a password is sent as requested on this machine', async (t) => {
  const { port, heard } = await asking(t, CLEARTEXT);
  void storeAt(t, port)
    .count()
    .catch(() => undefined);
  for (let tries = 0; tries < 200 && !heard().includes('a-password'); tries++) await delay(25);
  assert.match(heard(), /a-password/u);
});
