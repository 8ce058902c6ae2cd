/** However a server compresses, truncates or closes, the request gets the error, which is never uncaught. */
import assert from 'node:assert/strict';
import { createServer, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { describe, test, type TestContext } from 'node:test';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { outgoingFetch } from '../../../src/engine/network/outgoing.ts';

const TEXT = JSON.stringify({ vectors: Array.from({ length: 200_000 }, (_, n) => Math.sin(n)) });
const PACKED = {
  identity: Buffer.from(TEXT),
  gzip: gzipSync(TEXT),
  deflate: deflateSync(TEXT),
  br: brotliCompressSync(TEXT, { params: { 0: 0, 1: 1 } }),
  zstd: zstdCompressSync(TEXT),
  'gzip, gzip': gzipSync(gzipSync(TEXT)),
} as const;

/** Answers each request with raw bytes. */
async function serve(t: TestContext, answer: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.once('data', () => answer(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

const send = outgoingFetch({ maxBytes: 64 * 2 ** 20 });
const textOf = async (url: string, init?: RequestInit): Promise<string> => (await send(url, init)).text();

const FRAMINGS = {
  'a length': (bytes: Buffer) => `content-length: ${bytes.length}\r\n`,
  'the end of the connection': () => '',
} as const;

for (const [encoding, bytes] of Object.entries(PACKED))
  for (const [framing, header] of Object.entries(FRAMINGS))
    describe(`${encoding}, until ${framing}`, () => {
      const head = `HTTP/1.1 200 OK\r\ncontent-encoding: ${encoding}\r\n${header(bytes)}connection: close\r\n\r\n`;

      test('an answer with a regular end is read', async (t) => {
        const url = await serve(t, (socket) => socket.end(Buffer.concat([Buffer.from(head), bytes])));
        assert.equal(await textOf(url), TEXT);
      });

      test('a slow reader gets all of it', async (t) => {
        const url = await serve(t, (socket) => socket.end(Buffer.concat([Buffer.from(head), bytes])));
        const response = await send(url);
        let text = '';
        for await (const part of response.body!.pipeThrough(new TextDecoderStream())) {
          text += part;
          await new Promise((resolve) => setImmediate(resolve));
        }
        assert.equal(text, TEXT);
      });

      test('a cut or reset answer rejects', async (t) => {
        const half = Buffer.concat([Buffer.from(head), bytes.subarray(0, bytes.length / 2)]);
        for (const stop of ['destroySoon', 'resetAndDestroy'] as const) {
          const url = await serve(t, (socket) => socket.write(half, () => socket[stop]()));
          const text = await textOf(url).catch((error: unknown) => error);
          // A text until the end of the connection may end anywhere.
          if (encoding === 'identity' && header(bytes) === '' && typeof text === 'string')
            assert.equal(TEXT.startsWith(text), true);
          else assert.ok(text instanceof Error);
        }
      });
    });

test('an invalid answer rejects with its cause', async (t) => {
  const begun = 'HTTP/1.1 200 OK\r\n';
  for (const bytes of [
    '',
    'SSH-2.0-x\r\n',
    `${begun}content-length: x\r\n\r\n`,
    'HTTP/1.1 999 No\r\n\r\n',
    `HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n`,
    `${begun}content-encoding: snappy\r\n\r\nabc`,
    `${begun}content-encoding: gzip, gzip, gzip\r\n\r\nabc`,
    `${begun}content-encoding: gzip\r\n\r\nabc`,
    `${begun}transfer-encoding: chunked\r\n\r\nzz\r\n`,
    `${begun}x: ${'y'.repeat(100_000)}\r\n\r\n`,
  ]) {
    const url = await serve(t, (socket) => socket.end(bytes));
    const error = await textOf(url).catch((thrown: unknown) => thrown);
    assert.ok(
      error instanceof TypeError && error.cause !== undefined,
      `${bytes.slice(0, 60)}: ${String(error)}`,
    );
  }
});

test('an abort rejects with its reason, before and during the answer', async (t) => {
  const silent = await serve(t, () => undefined);
  const begun = await serve(t, (socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nabc'));
  const reason = new DOMException('It took too long.', 'TimeoutError');
  await assert.rejects(textOf(silent, { signal: AbortSignal.abort(reason) }), reason);
  const waiting = new AbortController();
  const answer = textOf(silent, { signal: waiting.signal });
  setImmediate(() => waiting.abort(reason));
  await assert.rejects(answer, reason);
  const within = new AbortController();
  const response = await send(begun, { signal: within.signal });
  const body = response.text();
  setImmediate(() => within.abort(reason));
  await assert.rejects(body, reason);
});
