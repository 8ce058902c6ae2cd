/** Bytes and frames that no client sends, against the port of the receiver: it goes on. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test, type TestContext } from 'node:test';
import { startSpanReceiver, type SpanReceiver } from '../../../src/engine/capture/span-receiver.ts';
import { seededRandom } from '../../../bench/support/random.ts';

const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
const SETTINGS = frame(4, 0, 0, []);
/** `:method GET`, `:scheme http`, `:path /` of the static table of HPACK, and `:authority a`. */
const HEADERS = [0x82, 0x86, 0x84, 0x41, 0x01, 0x61];

function frame(type: number, flags: number, stream: number, payload: readonly number[]): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, Buffer.from(payload)]);
}

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

/** Sends bytes in one packet, and closes the connection once the receiver has answered, or has closed it. */
async function sendRaw({ port }: SpanReceiver, bytes: Buffer, isAnswered: boolean): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  const closed = once(socket, 'close');
  socket.once('data', () => setImmediate(() => socket.end()));
  socket.resume().write(bytes);
  if (!isAnswered) socket.end();
  await closed;
}

async function assertListens({ port, token }: SpanReceiver): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${port}/${token}/v1/traces`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  });
  assert.equal(answer.status, 200);
}

test('a stream that is reset in the packet of its headers ends nothing but itself', async (t) => {
  const receiver = await start(t);
  for (const code of [0, 1, 2, 7, 8, 92]) {
    const reset = frame(3, 0, 1, [0, 0, 0, code]);
    await sendRaw(receiver, Buffer.concat([PREFACE, SETTINGS, frame(1, 4, 1, HEADERS), reset]), true);
  }
  await assertListens(receiver);
});

test('random bytes and random frames end their connection at most', async (t) => {
  const receiver = await start(t);
  const random = seededRandom(20_261_128);
  const int = (below: number): number => Math.floor(random() * below);
  const noise = (length: number): number[] => Array.from({ length }, () => int(256));
  const begins = [PREFACE, Buffer.concat([PREFACE, SETTINGS]), Buffer.from('POST / HTTP/1.1\r\nhost: x\r\n')];
  for (let round = 0; round < 150; round++) {
    const begin = begins[int(begins.length)]!;
    const rest =
      int(3) === 0
        ? [Buffer.from(noise(int(200)))]
        : Array.from({ length: 1 + int(6) }, () =>
            frame(int(11), int(256), int(4), int(3) === 0 ? HEADERS : noise(int(12))),
          );
    await sendRaw(receiver, Buffer.concat([int(8) === 0 ? Buffer.alloc(0) : begin, ...rest]), false);
  }
  await assertListens(receiver);
});
