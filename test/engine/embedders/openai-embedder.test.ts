import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import test, { type TestContext } from 'node:test';
import { ParallaxError, type ErrorId } from '../../../src/core/errors.ts';
import { createEmbedder } from '../../../src/engine/embedders/create.ts';
import type { Embedder } from '../../../src/engine/embedders/embedder.ts';
import type { Endpoint } from '../../../src/engine/embedders/openai-embedder.ts';
import { embedderSchema } from '../../../src/shared/config.ts';
import '../../fixtures/built.ts';

interface Request {
  readonly headers: IncomingHttpHeaders;
  readonly body: {
    readonly model: string;
    readonly input: string[];
    readonly encoding_format: string;
    readonly dimensions?: number;
  };
}
type Reply = (response: ServerResponse, request: Request) => void;

/** The vector of a text: its length, and 1. */
const vectorOf = (text: string): number[] => [text.length, 1];

const json =
  (status: number, value: unknown, headers: Record<string, string> = {}): Reply =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));
  };
const failing = (status: number, message = 'Scripted failure'): Reply =>
  json(status, { error: { message } }, { 'retry-after-ms': '1' });
const rows = (embeddings: readonly (readonly unknown[])[], order = embeddings.map((_, i) => i)): Reply =>
  json(200, { object: 'list', data: embeddings.map((embedding, i) => ({ index: order[i], embedding })) });
const correct: Reply = (response, request) => rows(request.body.input.map(vectorOf))(response, request);
const hanging: Reply = () => undefined;

/** A scripted endpoint that repeats its last reply, and an embedder that uses it. */
async function start(
  t: TestContext,
  script: readonly Reply[],
  config: object = {},
  endpoint: Partial<Endpoint> = {},
): Promise<{ embedder: Embedder; requests: Request[] }> {
  const requests: Request[] = [];
  const server = createServer((message, response) => {
    let raw = '';
    message.setEncoding('utf8').on('data', (chunk: string) => (raw += chunk));
    message.on('end', () => {
      const request = { headers: message.headers, body: JSON.parse(raw) as Request['body'] };
      requests.push(request);
      script[Math.min(requests.length, script.length) - 1]!(response, request);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const parsed = embedderSchema.parse({ type: 'openai', baseUrl, model: 'scripted', ...config });
  return {
    embedder: createEmbedder('remote', parsed, { apiKey: 'sk-secret', baseDir: '/', ...endpoint }),
    requests,
  };
}

const isError = (id: ErrorId, message: RegExp) => (error: unknown) => {
  assert.ok(ParallaxError.is(error, id), String(error));
  assert.match(error.message, message);
  assert.doesNotMatch(error.message, /sk-secret/);
  return true;
};

const unit = (x: number, y: number): number[] =>
  Array.from(Float32Array.of(x / Math.hypot(x, y), y / Math.hypot(x, y)));
const assertClose = (actual: Float32Array, expected: number[]): void => {
  assert.equal(actual.length, expected.length);
  actual.forEach((value, i) =>
    assert.ok(Math.abs(value - expected[i]!) < 1e-6, `${value} is not ${expected[i]}`),
  );
};

test('texts are sent in batches with their prefix, and return as unit vectors in order', async (t) => {
  const config = { batchSize: 2, passagePrefix: 'p: ', queryPrefix: 'question: ', dimensions: 2 };
  const { embedder, requests } = await start(t, [correct], config);
  const progress: number[] = [];
  const vectors = await embedder.embedPassages(['a', 'bb', 'ccc'], {
    onProgress: ({ done }) => progress.push(done),
  });
  assertClose(vectors, [...unit(4, 1), ...unit(5, 1), ...unit(6, 1)]);
  assertClose(await embedder.embedQuery('why'), unit(13, 1));
  assert.deepEqual(progress, [2, 3]);
  assert.deepEqual(
    requests.map((request) => request.body.input),
    [['p: a', 'p: bb'], ['p: ccc'], ['question: why']],
  );
  const { body, headers } = requests[0]!;
  assert.equal(body.model, 'scripted');
  assert.equal(body.encoding_format, 'float');
  assert.equal(body.dimensions, 2);
  assert.equal(headers.authorization, 'Bearer sk-secret');
  assert.equal((await embedder.embedPassages([])).length, 0);
});

test('without a key none is sent, whatever the environment contains', async (t) => {
  const environment = {
    OPENAI_API_KEY: 'from-environment',
    OPENAI_ORG_ID: 'org',
    OPENAI_PROJECT_ID: 'project',
  };
  Object.assign(process.env, environment);
  t.after(() => Object.keys(environment).forEach((name) => Reflect.deleteProperty(process.env, name)));
  const { embedder, requests } = await start(t, [correct], {}, { apiKey: undefined });
  await embedder.embedQuery('x');
  const { headers } = requests[0]!;
  assert.equal(headers.authorization, undefined);
  assert.doesNotMatch(JSON.stringify(headers), /from-environment|"org"|"project"/);
  assert.equal('dimensions' in requests[0]!.body, false);
});

test('embeddings are placed by their index, not by their order', async (t) => {
  const { embedder } = await start(t, [
    rows(
      [
        [3, 0],
        [0, 1],
        [-2, 0],
      ],
      [2, 0, 1],
    ),
  ]);
  assertClose(await embedder.embedPassages(['a', 'b', 'c']), [0, 1, -1, 0, 1, 0]);
});

test('overload and server errors are retried after a wait', async (t) => {
  const { embedder, requests } = await start(t, [failing(429), failing(500), failing(503), correct]);
  assertClose(await embedder.embedQuery('abc'), unit(3, 1));
  assert.equal(requests.length, 4);
});

test('a failing endpoint is given up after the last retry', async (t) => {
  const { embedder, requests } = await start(t, [failing(500, 'on fire, sk-secret')], {}, { maxRetries: 2 });
  await assert.rejects(
    embedder.embedQuery('abc'),
    isError('model-unreachable', /gave no embeddings: .*on fire, …/),
  );
  assert.equal(requests.length, 3);
});

test('a silent endpoint times out', async (t) => {
  const { embedder } = await start(t, [hanging], {}, { timeoutMs: 50, maxRetries: 0 });
  await assert.rejects(embedder.embedQuery('abc'), isError('model-unreachable', /timed out/));
  const closed = embedderSchema.parse({ type: 'openai', baseUrl: 'http://127.0.0.1:9/v1', model: 'none' });
  const nobody = createEmbedder('nobody', closed, { apiKey: undefined, baseDir: '/', maxRetries: 0 });
  await assert.rejects(nobody.embedQuery('abc'), isError('model-unreachable', /127\.0\.0\.1:9/));
});

test('a request that hangs can be cancelled', async (t) => {
  const controller = new AbortController();
  const { embedder, requests } = await start(t, [() => controller.abort()]);
  const work = embedder.embedPassages(['abc'], { signal: controller.signal });
  await assert.rejects(work, (error) => ParallaxError.is(error, 'cancelled'));
  await assert.rejects(embedder.embedPassages(['abc'], { signal: controller.signal }), (error) =>
    ParallaxError.is(error, 'cancelled'),
  );
  assert.equal(requests.length, 1);
});

test('cancelling works during an answer, too', async (t) => {
  const controller = new AbortController();
  const { embedder } = await start(t, [
    (response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{"data":[', () => setTimeout(() => controller.abort(), 20));
    },
  ]);
  const work = embedder.embedQuery('abc', { signal: controller.signal });
  await assert.rejects(work, (error) => ParallaxError.is(error, 'cancelled'));
});

test('refusals come with advice', async (t) => {
  const refused = async (reply: Reply, endpoint: Partial<Endpoint> = {}): Promise<Embedder> =>
    (await start(t, [reply], { key: 'work' }, endpoint)).embedder;
  const bad = isError('model-key', /does not accept the API key "work" \(401\)/);
  await assert.rejects((await refused(failing(401, 'Incorrect key sk-secret'))).embedQuery('x'), bad);
  const none = isError('model-key', /needs an API key \(401\), and none is stored under "work"/);
  await assert.rejects((await refused(failing(401), { apiKey: undefined })).embedQuery('x'), none);
  const missing = isError('model-missing', /has no embedding model "scripted".*pull it first/);
  await assert.rejects((await refused(failing(404, 'pull it first'))).embedQuery('x'), missing);
  const long = isError('model-unreachable', /too long/);
  await assert.rejects(
    (await refused(failing(400, `too long ${'x'.repeat(5000)}`))).embedQuery('x'),
    (error) => {
      assert.ok((error as Error).message.length < 400);
      return long(error);
    },
  );
});

const WRONG_ANSWERS: [what: string, reply: Reply, id: ErrorId, message: RegExp][] = [
  [
    'a web page',
    (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
    'model-answer',
    /not a list/,
  ],
  [
    'half an answer',
    (response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{"da'),
    'model-unreachable',
    /gave no/,
  ],
  ['another protocol', json(200, { embeddings: [[1, 2]] }), 'model-answer', /not a list/],
  [
    'text for numbers',
    rows([
      ['a', 'b'],
      [1, 2],
    ]),
    'model-answer',
    /not a list/,
  ],
  [
    'nothing for numbers',
    rows([
      [null, 1],
      [1, 2],
    ]),
    'model-answer',
    /not a list/,
  ],
  ['too few', rows([[1, 2]]), 'model-answer', /1 embeddings for 2 texts/],
  [
    'too many',
    rows([
      [1, 2],
      [1, 2],
      [1, 2],
    ]),
    'model-answer',
    /3 embeddings for 2 texts/,
  ],
  [
    'an index twice',
    rows(
      [
        [1, 2],
        [1, 2],
      ],
      [0, 0],
    ),
    'model-answer',
    /numbers them wrongly/,
  ],
  [
    'an index beyond',
    rows(
      [
        [1, 2],
        [1, 2],
      ],
      [0, 2],
    ),
    'model-answer',
    /numbers them wrongly/,
  ],
  [
    'mixed dimensions',
    rows([
      [1, 2],
      [1, 2, 3],
    ]),
    'model-answer',
    /3 dimensions instead of 2/,
  ],
  [
    'zeros',
    rows([
      [1, 2],
      [0, 0],
    ]),
    'model-answer',
    /zeros/,
  ],
  [
    'numbers that are zeros in single precision',
    rows([
      [1, 2],
      [1e-60, 0],
    ]),
    'model-answer',
    /zeros/,
  ],
  [
    'a number beyond single precision',
    rows([
      [1, 2],
      [1, 1e39],
    ]),
    'model-answer',
    /too large/,
  ],
];
for (const [what, reply, id, message] of WRONG_ANSWERS)
  test(`an answer with ${what} is refused`, async (t) => {
    const { embedder } = await start(t, [reply]);
    await assert.rejects(embedder.embedPassages(['a', 'b']), isError(id, message));
  });

test('the dimension must be the requested one, and stay the same', async (t) => {
  const asked = await start(t, [correct], { dimensions: 3 });
  await assert.rejects(asked.embedder.embedQuery('x'), isError('model-answer', /2 dimensions instead of 3/));
  const { embedder } = await start(t, [correct, rows([[1, 2, 3]])]);
  assert.equal(embedder.dimensions, undefined);
  await embedder.embedQuery('x');
  assert.equal(embedder.dimensions, 2);
  await assert.rejects(embedder.embedQuery('x'), isError('model-answer', /3 dimensions instead of 2/));
});

test('the key of stored vectors has all settings that affect them, and no secret', async (t) => {
  const { embedder } = await start(t, [correct]);
  const open = (config: object): string =>
    createEmbedder('other', embedderSchema.parse({ type: 'openai', model: 'm', ...config }), {
      apiKey: 'k',
      baseDir: '/',
    }).key;
  assert.doesNotMatch(embedder.key, /sk-secret/);
  const keys = [
    {},
    { model: 'n' },
    { dimensions: 8 },
    { passagePrefix: 'p' },
    { baseUrl: 'http://localhost:1/v1' },
  ].map(open);
  assert.equal(new Set(keys).size, 5);
  assert.equal(open({ queryPrefix: 'q', batchSize: 3 }), keys[0]);
});
