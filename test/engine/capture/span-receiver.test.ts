import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { networkInterfaces } from 'node:os';
import { test, type TestContext } from 'node:test';
import { gzipSync } from 'node:zlib';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { BasicTracerProvider, SimpleSpanProcessor, type SpanExporter } from '@opentelemetry/sdk-trace-base';
import fc from 'fast-check';
import { PbfWriter } from 'pbf';
import type { CapturedRetrieval } from '../../../src/features/capture/core/span-reading.ts';
import { ParallaxError } from '../../../src/core/errors.ts';
import { spansOfProtobuf } from '../../../src/features/capture/engine/otlp-protobuf.ts';
import { startSpanReceiver, type SpanReceiver } from '../../../src/features/capture/engine/span-receiver.ts';
import { TOKEN_HEADER } from '../../../src/features/capture/contract/environment.ts';

interface Started {
  readonly receiver: SpanReceiver;
  readonly captured: CapturedRetrieval[];
  /** How many requests could not be read. */
  readonly refused: () => number;
}

async function start(t: TestContext): Promise<Started> {
  const captured: CapturedRetrieval[] = [];
  let refused = 0;
  const receiver = await startSpanReceiver({
    port: 0,
    onRetrieval: (retrieval) => captured.push(retrieval),
    onUnused: () => undefined,
    onRefused: () => refused++,
    log: () => undefined,
  });
  t.after(() => receiver.close());
  return { receiver, captured, refused: () => refused };
}

/** A span of an instrumented retriever. */
async function emit(exporter: SpanExporter): Promise<void> {
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  const tracer = provider.getTracer('test');
  tracer.startSpan('ChatOpenAI', { attributes: { 'openinference.span.kind': 'LLM' } }).end();
  tracer
    .startSpan('VectorStoreRetriever', {
      startTime: 1_700_000_000_123,
      attributes: {
        'openinference.span.kind': 'RETRIEVER',
        'input.value': 'Should we work remotely? ü',
        'retrieval.documents.0.document.content': 'Working from home …',
        'retrieval.documents.0.document.id': 'a',
        'retrieval.documents.0.document.score': 0.75,
        'retrieval.documents.1.document.content': 'Offices …',
        'retrieval.documents.1.document.metadata': '{"source": "b.md"}',
        'code.filepath': '/app/rag.py',
        'code.lineno': 12,
      },
    })
    .end();
  await provider.forceFlush();
  await provider.shutdown();
}

for (const [form, Exporter] of [
  ['JSON', JsonExporter],
  ['protobuf', ProtobufExporter],
] as const)
  for (const compression of ['none', 'gzip'] as const)
    test(`a real exporter's spans arrive: ${form}, ${compression}`, async (t) => {
      const { receiver, captured } = await start(t);
      // The type of the setting is an enum that exists at compile time only.
      await emit(new Exporter({ url: receiver.url, compression: compression as never }));
      assert.equal(captured.length, 1);
      const [{ id, ...retrieval }] = captured as [CapturedRetrieval];
      assert.match(id, /^[0-9a-f]{32}:[0-9a-f]{16}$/);
      assert.match(retrieval.service, /^unknown_service/);
      assert.deepEqual(
        { ...retrieval, service: '' },
        {
          name: 'VectorStoreRetriever',
          service: '',
          scope: 'test',
          at: 1_700_000_000_123,
          step: 'retriever',
          query: 'Should we work remotely? ü',
          results: [
            { id: 'a', text: 'Working from home …', score: 0.75 },
            { text: 'Offices …', about: { source: 'b.md', fields: { source: 'b.md' } } },
          ],
          code: { file: '/app/rag.py', line: 12 },
        },
      );
    });

const SPANS = JSON.stringify({
  resourceSpans: [
    {
      scopeSpans: [
        {
          spans: [
            {
              traceId: 'ab',
              spanId: 'cd',
              attributes: [
                { key: 'openinference.span.kind', value: { stringValue: 'RETRIEVER' } },
                { key: 'input.value', value: { stringValue: 'why?' } },
              ],
            },
          ],
        },
      ],
    },
  ],
});
const JSON_TYPE = { 'content-type': 'application/json' };

test('a span that is sent twice counts once', async (t) => {
  const { receiver, captured } = await start(t);
  for (let i = 0; i < 2; i++)
    assert.equal(
      (await fetch(receiver.url, { method: 'POST', headers: JSON_TYPE, body: SPANS })).status,
      200,
    );
  assert.equal(captured.length, 1);
});

test('an id that is no id is refused, because ids are remembered', async (t) => {
  const { receiver, captured, refused } = await start(t);
  const body = SPANS.replace('"cd"', JSON.stringify('c'.repeat(201)));
  const { status } = await fetch(receiver.url, { method: 'POST', headers: JSON_TYPE, body });
  assert.deepEqual([status, captured.length, refused()], [400, 0, 1]);
  const request = new PbfWriter();
  const id = new Uint8Array(101);
  const span = (_: unknown, writer: PbfWriter): void => writer.writeBytesField(2, id);
  const scope = (_: unknown, writer: PbfWriter): void => writer.writeMessage(2, span, undefined);
  const resource = (_: unknown, writer: PbfWriter): void => writer.writeMessage(2, scope, undefined);
  request.writeMessage(1, resource, undefined);
  assert.throws(
    () => spansOfProtobuf(request.finish()),
    (error) => ParallaxError.is(error, 'bad-argument'),
  );
});

test('the token is required, in the path or in the header', async (t) => {
  const { receiver, captured } = await start(t);
  const base = `http://127.0.0.1:${receiver.port}`;
  const post = async (url: string, headers: Record<string, string> = {}): Promise<number> =>
    (await fetch(url, { method: 'POST', headers: { ...JSON_TYPE, ...headers }, body: SPANS })).status;
  assert.equal(await post(`${base}/v1/traces`), 401);
  const almost = receiver.token.slice(0, -1) + (receiver.token.endsWith('x') ? 'y' : 'x');
  assert.equal(await post(`${base}/${almost}/v1/traces`), 401);
  assert.equal(await post(`${base}/v1/traces`, { [TOKEN_HEADER]: 'wrong' }), 401);
  assert.equal(await post(`${base}/${receiver.token}/v1/metrics`), 404);
  assert.equal((await fetch(receiver.url)).status, 405);
  assert.equal(captured.length, 0);
  assert.equal(await post(`${base}/v1/traces`, { [TOKEN_HEADER]: receiver.token }), 200);
  assert.equal(captured.length, 1);
});

test('no request without the token counts as one that could not be read', async (t) => {
  const { receiver, refused } = await start(t);
  for (const target of ['//', '/%', '/%ff/v1/traces', '*', 'http://[', '/v1/traces']) {
    const { port } = receiver;
    const request = httpRequest({ host: '127.0.0.1', port, path: target, method: 'POST' });
    request.end('{');
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    response.resume();
    assert.ok([401, 404].includes(response.statusCode!), `${target}: ${response.statusCode}`);
  }
  assert.equal(refused(), 0);
});

test('other machines and web pages are refused', async (t) => {
  const { receiver, captured } = await start(t);
  const page = await fetch(receiver.url, {
    method: 'POST',
    headers: { ...JSON_TYPE, origin: 'https://example.org' },
    body: SPANS,
  });
  assert.equal(page.status, 403);
  // A name that a web page has rebound to loopback shows in the Host header.
  const rebound = await new Promise<number | undefined>((resolve, reject) => {
    const { port, pathname } = new URL(receiver.url);
    const headers = { ...JSON_TYPE, host: `evil.example:${port}` };
    const call = httpRequest(
      { host: '127.0.0.1', port, path: pathname, method: 'POST', headers },
      (response) => {
        response.resume();
        resolve(response.statusCode);
      },
    );
    call.on('error', reject).end(SPANS);
  });
  assert.equal(rebound, 403);
  const outside = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ internal, family }) => !internal && family === 'IPv4');
  if (outside)
    await assert.rejects(fetch(receiver.url.replace('127.0.0.1', outside.address), { method: 'POST' }));
  assert.equal(captured.length, 0);
});

test('oversized, overcompressed and invalid bodies are refused, and the next one is read', async (t) => {
  const { receiver, captured } = await start(t);
  const post = async (body: BodyInit, headers: Record<string, string>): Promise<number> =>
    (await fetch(receiver.url, { method: 'POST', headers, body })).status;
  const large = Buffer.alloc(33 * 2 ** 20, 'a');
  const status = await post(large, JSON_TYPE).catch(() => 413); // the connection may end before all is sent
  assert.equal(status, 413);
  assert.equal(await post(gzipSync(large), { ...JSON_TYPE, 'content-encoding': 'gzip' }), 413);
  assert.equal(await post('no gzip', { ...JSON_TYPE, 'content-encoding': 'gzip' }), 400);
  assert.equal(await post('x', { ...JSON_TYPE, 'content-encoding': 'br' }), 415);
  assert.equal(await post('{"resourceSpans": 4}', JSON_TYPE), 400);
  assert.equal(await post('{', JSON_TYPE), 400);
  assert.equal(
    await post(new Uint8Array([10, 255, 255, 255, 255, 15]), { 'content-type': 'application/x-protobuf' }),
    400,
  );
  assert.equal(await post(SPANS, JSON_TYPE), 200);
  assert.equal(captured.length, 1);
});

/** Fields of protobuf with a length: `field`, then as many bytes. */
function nested(field: number, body: Uint8Array): Uint8Array {
  const length: number[] = [];
  for (let rest = body.length; rest > 0 || length.length === 0; rest >>>= 7)
    length.push((rest & 127) | (rest > 127 ? 128 : 0));
  return Uint8Array.from([(field << 3) | 2, ...length, ...body]);
}

test('a small request that decompresses to very many spans is refused early', async (t) => {
  const { receiver, captured } = await start(t);
  const post = async (body: BodyInit, type: string): Promise<number> => {
    const headers = { 'content-type': type, 'content-encoding': 'gzip' };
    return (await fetch(receiver.url, { method: 'POST', headers, body })).status;
  };
  const spansOf = (spans: string): Buffer<ArrayBuffer> =>
    gzipSync(`{"resourceSpans":[{"scopeSpans":[{"spans":[${spans}]}]}]}`);
  const valid = '{"traceId":"a","spanId":"b"}';
  const JSON_FORM = 'application/json';
  assert.equal(await post(spansOf(Array(10_001).fill(valid).join()), JSON_FORM), 413);
  assert.equal(await post(spansOf(Array(10_000).fill(valid).join()), JSON_FORM), 200);
  // The first invalid one ends it: otherwise there would be 600,000 messages.
  assert.equal(await post(spansOf(Array(600_000).fill('{}').join()), JSON_FORM), 400);
  const attribute = '{"key":"k"}';
  const wide = valid.replace('}', `,"attributes":[${Array(10_001).fill(attribute).join()}]}`);
  assert.equal(await post(spansOf(wide), JSON_FORM), 413);

  const empty = new Uint8Array(20_002).map((_, at) => (at % 2 === 0 ? (2 << 3) | 2 : 0));
  const request = nested(1, nested(2, empty));
  assert.equal(await post(gzipSync(request), 'application/x-protobuf'), 413);
  assert.equal(await post(gzipSync(nested(1, nested(2, empty.slice(2)))), 'application/x-protobuf'), 200);
  assert.equal(captured.length, 0);
});

test('endless brackets, and a span with 150,000 documents, are refused, compressed or not', async (t) => {
  const { receiver, captured } = await start(t);
  const post = async (body: Buffer<ArrayBuffer>, isPacked: boolean): Promise<number> => {
    const packing = isPacked ? { 'content-encoding': 'gzip' } : {};
    const headers = { 'content-type': 'application/json', ...packing };
    return (await fetch(receiver.url, { method: 'POST', headers, body })).status;
  };
  for (const bytes of [34e6, 14e6]) {
    const brackets = Buffer.from('['.repeat(bytes));
    const refused = bytes > 32 * 2 ** 20 ? 413 : 400;
    assert.equal(await post(gzipSync(brackets), true), refused);
    assert.equal(await post(brackets, false), refused);
  }
  const documents = Array.from({ length: 150_000 }, (_, n) => ({
    key: `retrieval.documents.${n}.document.content`,
    value: { stringValue: 'x' },
  }));
  const attributes = [
    { key: 'openinference.span.kind', value: { stringValue: 'RETRIEVER' } },
    { key: 'input.value', value: { stringValue: 'What?' } },
    ...documents,
  ];
  const wide = { traceId: 'a', spanId: 'b', attributes };
  const one = { traceId: 'a', spanId: 'c' };
  const inOneValue = JSON.stringify(Array(150_000).fill({ id: '' }));
  const value = { key: 'output.value', value: { stringValue: inOneValue } };
  for (const spans of [
    [wide],
    [{ ...one, attributes: attributes.slice(0, 12_000) }],
    [{ ...one, attributes: [...attributes.slice(0, 2), value] }],
  ]) {
    const body = gzipSync(JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] }));
    assert.ok([413, 200].includes(await post(body, true)));
  }
  assert.ok(captured.every(({ results }) => results.length <= 10_000));
});

test('a request decompresses to 32 MB at most', async (t) => {
  const { receiver } = await start(t);
  const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
  const body = gzipSync(SPANS.padEnd(32 * 2 ** 20 + 1));
  assert.equal((await fetch(receiver.url, { method: 'POST', headers, body })).status, 413);
});

test('a used port is an error', async (t) => {
  const { receiver } = await start(t);
  await assert.rejects(
    startSpanReceiver({
      port: receiver.port,
      onRetrieval: () => undefined,
      onUnused: () => undefined,
      onRefused: () => undefined,
      log: () => undefined,
    }),
    { id: 'bad-argument', message: /cannot be received on port/ },
  );
});

test('any bytes are read or refused by the protobuf reader', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      try {
        assert.ok(Array.isArray(spansOfProtobuf(bytes)));
      } catch (error) {
        assert.ok(ParallaxError.is(error, 'bad-argument'), String(error));
      }
    }),
    { numRuns: 2000 },
  );
});

test('other machines are accepted only if configured, with a token', async (t) => {
  const onEvents = {
    onRetrieval: () => undefined,
    onUnused: () => undefined,
    onRefused: () => undefined,
    log: () => undefined,
  };
  await assert.rejects(startSpanReceiver({ port: 0, host: '0.0.0.0', ...onEvents }), { id: 'bad-argument' });
  const token = 'a token / of somebody';
  const receiver = await startSpanReceiver({ port: 0, host: '0.0.0.0', token, ...onEvents });
  t.after(() => receiver.close());
  const own = Object.values(networkInterfaces())
    .flatMap((each) => each ?? [])
    .find(({ family, internal }) => family === 'IPv4' && !internal)?.address;
  const at = (path: string): string => `http://${own ?? '127.0.0.1'}:${receiver.port}${path}`;
  const send = async (path: string, headers: Record<string, string> = {}): Promise<number> =>
    (
      await fetch(at(path), {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: '{}',
      })
    ).status;
  assert.equal(await send('/v1/traces', { [TOKEN_HEADER]: token }), 200);
  assert.equal(await send(`/${encodeURIComponent(token)}/v1/traces`), 200);
  assert.equal(await send('/v1/traces'), 401);
  assert.equal(await send('/%E0%A4%A/v1/traces'), 401);
  assert.equal(await send('/v1/traces', { [TOKEN_HEADER]: 'another' }), 401);
  assert.equal(await send('/v1/traces', { [TOKEN_HEADER]: token, origin: 'http://a.example' }), 403);
});
