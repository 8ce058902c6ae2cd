/** Files of spans, as programs and the Collector write them. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { test, type TestContext } from 'node:test';
import { gzipSync } from 'node:zlib';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { readSpanFile } from '../../../src/features/capture/engine/span-files.ts';

const TRACE = path.join(import.meta.dirname, '../../fixtures/traces/openinference-core.json');
const REQUEST = (JSON.parse(readFileSync(TRACE, 'utf8')) as { readonly request: object }).request;

async function inFile(t: TestContext, content: string | Uint8Array): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'parallax-spans-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const file = path.join(folder, 'spans');
  await writeFile(file, content);
  return file;
}

/** The exporter's request for these spans. */
async function protobuf(...names: readonly string[]): Promise<Buffer> {
  const bodies: Buffer[] = [];
  const server = createServer((request, response) => {
    void buffer(request).then((body) => {
      bodies.push(body);
      response.end();
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const exporter = new OTLPTraceExporter({ url: `http://127.0.0.1:${port}` });
  const provider = new BasicTracerProvider({ spanProcessors: [new BatchSpanProcessor(exporter)] });
  for (const name of names) provider.getTracer('test').startSpan(name).end();
  await provider.shutdown();
  server.close();
  return Buffer.concat(bodies);
}

function withLength(bytes: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

const [a, b, ab] = await Promise.all([protobuf('a'), protobuf('b'), protobuf('a', 'b')]);
const json = JSON.stringify(REQUEST);
const READABLE: readonly [string, string | Uint8Array, readonly string[]][] = [
  ['one request', json, ['search', 'search_docs']],
  ['one over several lines', JSON.stringify(REQUEST, null, 2), ['search', 'search_docs']],
  ['one with a byte order mark', `\uFEFF${json}`, ['search', 'search_docs']],
  ['one a line', `${json}\n\n${json}\r\n`, ['search', 'search_docs', 'search', 'search_docs']],
  ['gzip', gzipSync(json), ['search', 'search_docs']],
  ['protobuf', ab, ['a', 'b']],
  ['protobuf behind lengths', Buffer.concat([withLength(a), withLength(b)]), ['a', 'b']],
];
for (const [about, content, names] of READABLE)
  test(`spans are read from ${about}`, async (t) => {
    const spans = await readSpanFile(await inFile(t, content), 'x');
    assert.deepEqual(
      spans.map(({ name }) => name),
      names,
    );
  });

const UNREADABLE: readonly [string, string | Uint8Array][] = [
  ['nothing', ''],
  ['a text', 'No spans at all.\n'],
  ['other JSON', '{"hello": [1, 2]}'],
  ['a list', '[{"resourceSpans": []}]'],
  ['JSON that ends too soon', json.slice(0, -10)],
  ['JSON lines of which one is none', `${json}\n{nothing}`],
  ['protobuf that ends too soon', a.subarray(0, 20)],
  ['damaged gzip', gzipSync(json).subarray(0, 50)],
];
for (const [about, content] of UNREADABLE)
  test(`a file with ${about} is reported as one without spans`, async (t) => {
    await assert.rejects(readSpanFile(await inFile(t, content), 'x.json'), {
      id: 'bad-file',
      message: /^x\.json has no OpenTelemetry spans/u,
    });
  });

test('a missing file and a folder are reported', async () => {
  await assert.rejects(readSpanFile('/nowhere/at/all', 'x.json'), { id: 'not-found' });
  await assert.rejects(readSpanFile(import.meta.dirname, 'x.json'), { id: 'bad-file', message: /folder/u });
});

/** Some are a few kilobytes that decompress to hundreds of megabytes. None may use that much memory. */
const COSTLY: readonly [string, () => string | Uint8Array, RegExp][] = [
  ['lengths of nothing, packed', () => gzipSync(Buffer.alloc(100e6)), /1000000 resources and scopes/u],
  ['empty resources', () => Buffer.alloc(2_200_000, Buffer.from([0x0a, 0])), /1000000 resources and scopes/u],
  [
    'empty objects, packed',
    () => packed('{"resourceSpans":[', '{},', 12e6, '{}]}'),
    /10000000 lists and objects/u,
  ],
  ['empty objects', () => `{"resourceSpans":[${'{},'.repeat(1e6)}{}]}`, /1000000 resources and scopes/u],
  ['numbers, packed', () => packed('{"resourceSpans":[', '1,', 33e6, '1]}'), /32000000 entries/u],
  ['lists in lists', () => `{"resourceSpans":${'['.repeat(2e5)}${']'.repeat(2e5)}}`, /1000 levels/u],
  [
    'more than may be unpacked',
    () => gzipSync(Buffer.alloc(300 * 2 ** 20)),
    /^x: Unpacked, it is larger than 256 MB/u,
  ],
];
for (const [about, content, sentence] of COSTLY)
  test(`a file of ${about} is refused in a sentence before it uses memory`, async (t) => {
    await assert.rejects(readSpanFile(await inFile(t, content()), 'x'), {
      id: 'too-large',
      message: sentence,
    });
  });

function packed(begin: string, part: string, times: number, end: string): Buffer {
  return gzipSync(
    Buffer.concat([Buffer.from(begin), Buffer.alloc(part.length * times, part), Buffer.from(end)]),
  );
}

const WRONG: readonly [string, string][] = [
  ['resources', `{"resourceSpans":[${'1,'.repeat(2e6)}1]}`],
  ['attributes', `{"resourceSpans":[{"resource":{"attributes":[${'1,'.repeat(2e6)}1]}}]}`],
  ['empty lines', `{}\n${'\n'.repeat(20e6)}`],
];
for (const [about, content] of WRONG)
  test(`millions of invalid ${about} cost no more than the first one`, async (t) => {
    await assert.rejects(readSpanFile(await inFile(t, content), 'x'), { id: 'bad-file' });
  });

test('many spans of one request are read', async (t) => {
  const spans = Array.from({ length: 200_000 }, (_, place) => `{"traceId":"a","spanId":"${place}"}`).join(
    ',',
  );
  const file = await inFile(t, `{"resourceSpans":[{"scopeSpans":[{"spans":[${spans}]}]}]}`);
  assert.equal((await readSpanFile(file, 'x')).length, 200_000);
});
