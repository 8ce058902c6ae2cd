/** Files of spans, as programs and the Collector write them. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { test, type TestContext } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { DatabaseSync } from 'node:sqlite';
import { retrievalOf } from '../../../src/features/capture/core/conventions.ts';
import { SpanLimits } from '../../../src/features/capture/core/spans.ts';
import { spansOfDatabase } from '../../../src/features/capture/engine/span-database.ts';
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

/** Written by the agent host of VS Code 1.139, from what Copilot CLI sent: see the README of the traces. */
const DATABASE = gunzipSync(readFileSync(path.join(path.dirname(TRACE), 'agent-host-traces.db.gz')));
const QUERIES = ['Do night trams bring workers home?', 'Do night trams wake people?'];

async function queriesIn(file: string): Promise<readonly (string | undefined)[]> {
  const spans = await readSpanFile(file, 'x.db');
  return spans.map((span) => retrievalOf(span)?.query).filter((query) => query !== undefined);
}

test('the database of agent traces that VS Code exports is read, also while its spans are in the log beside it', async (t) => {
  const file = await inFile(t, DATABASE);
  assert.deepEqual(await queriesIn(file), QUERIES);
  assert.deepEqual(await readdir(path.dirname(file)), ['spans'], 'nothing is left beside it');
  const db = new DatabaseSync(file);
  t.after(() => db.close());
  db.exec("PRAGMA journal_mode = WAL; UPDATE span_attributes SET value = replace(value, 'people', 'cats')");
  assert.deepEqual(await queriesIn(file), [QUERIES[0], 'Do night trams wake cats?']);
});

const OTHER_DATABASES: readonly [string, (db: DatabaseSync) => void][] = [
  ['other tables', (db) => db.exec('DROP TABLE span_events')],
  [
    'a view that never ends',
    (db) =>
      db.exec(`DROP VIEW sessions; ALTER TABLE spans RENAME TO real;
        CREATE VIEW spans AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
        SELECT i AS trace_id, i AS span_id, i AS name, i AS start_time_ms FROM n`),
  ],
  [
    'a computed column',
    (db) => db.exec('ALTER TABLE span_events ADD COLUMN more AS (hex(zeroblob(1000000)))'),
  ],
];
for (const [about, change] of OTHER_DATABASES)
  test(`a database with ${about} is reported as one without spans`, async (t) => {
    const file = await inFile(t, DATABASE);
    const db = new DatabaseSync(file);
    change(db);
    db.close();
    await assert.rejects(readSpanFile(file, 'x.db'), { id: 'bad-file', message: /^x\.db has no/u });
  });

test(
  'a device or a pipe at the place of the log of a database is refused',
  { skip: process.platform === 'win32' },
  async (t) => {
    const file = await inFile(t, DATABASE);
    await symlink('/dev/zero', `${file}-wal`);
    await assert.rejects(readSpanFile(file, 'x.db'), { id: 'bad-file' });
    await rm(`${file}-wal`);
    execFileSync('mkfifo', [`${file}-wal`]);
    await assert.rejects(readSpanFile(file, 'x.db'), { id: 'bad-file' });
  },
);

test('a database whose texts are too long together is refused', async (t) => {
  const file = await inFile(t, DATABASE);
  const limits = new SpanLimits();
  await assert.rejects(spansOfDatabase(await readFile(file), file, limits, 1_000), { id: 'too-large' });
  assert.notEqual((await spansOfDatabase(await readFile(file), file, limits, 100_000)).length, 0);
});

test('a time that no date has does not make a database unreadable', async (t) => {
  const file = await inFile(t, DATABASE);
  const db = new DatabaseSync(file);
  db.exec('UPDATE spans SET start_time_ms = 9e999');
  db.close();
  const spans = await readSpanFile(file, 'x.db');
  assert.deepEqual(new Set(spans.map(({ startedAt }) => startedAt)), new Set([0]));
});

test('a damaged database is reported as one without spans', async (t) => {
  const damaged = Buffer.from(DATABASE).fill(7, 200, 4_000);
  await assert.rejects(readSpanFile(await inFile(t, damaged), 'x.db'), { id: 'bad-file' });
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
