import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { describe, test, type TestContext } from 'node:test';
import { ParallaxError } from '../../../src/core/errors.ts';
import type { ChatMessage } from '../../../src/core/judging/chat-message.ts';
import type { ChatAnswer } from '../../../src/engine/models/chat-model.ts';
import type { OpenAiSettings } from '../../../src/engine/models/openai-client.ts';
import { createOpenAiModel } from '../../../src/engine/models/openai-model.ts';
import { systemTiming } from '../../../src/engine/models/retry.ts';
import type { ChatReply, Fault, ModelServer } from '../../fixtures/model-server.ts';
import { QuickTiming, serverFor } from '../judges/support.ts';

const MESSAGES: ChatMessage[] = [
  { role: 'system', content: 'Be brief. Answer with one JSON object.' },
  { role: 'user', content: 'Hello' },
];
const OK: ChatReply = { text: 'Hi', usage: { prompt: 7, completion: 2 } };

interface Asked {
  readonly answer?: ChatAnswer;
  readonly error?: unknown;
  readonly requests: number;
  readonly timing: QuickTiming;
}

async function ask(
  server: Pick<ModelServer, 'url'>,
  settings: Partial<OpenAiSettings> = {},
  timeoutMs = 5_000,
): Promise<Asked> {
  const timing = new QuickTiming();
  const model = createOpenAiModel(
    { baseUrl: server.url, model: 'scripted', keyName: 'work', maxRetries: 4, ...settings },
    timing,
  );
  let requests = 0;
  try {
    const answer = await model.complete(MESSAGES, { timeoutMs, onRequest: () => requests++ });
    return { answer, requests, timing };
  } catch (error) {
    return { error, requests, timing };
  }
}

function assertFails(asked: Asked, id: string, message: RegExp): void {
  assert.ok(ParallaxError.is(asked.error), String(asked.error));
  assert.equal(asked.error.id, id);
  assert.match(asked.error.message, message);
}

describe('OpenAI-compatible chat model', () => {
  test('sends the messages at temperature 0 in JSON mode, with the given key', async (t) => {
    const server = await serverFor(t, { chat: [OK], key: 'sk-test' });
    const { answer } = await ask(server, { apiKey: 'sk-test' });
    assert.deepEqual(answer, { text: 'Hi', incomplete: undefined, usage: { prompt: 7, completion: 2 } });
    const { body } = server.requests[0]!;
    assert.deepEqual(body, {
      model: 'scripted',
      messages: MESSAGES,
      temperature: 0,
      response_format: { type: 'json_object' },
    });
  });

  test('sends a chosen temperature, and counts as another model then', async (t) => {
    const server = await serverFor(t, { chat: [OK] });
    await ask(server, { temperature: 0.6 });
    assert.equal(server.requests[0]!.body['temperature'], 0.6);
    const idAt = (temperature?: number) =>
      createOpenAiModel({ baseUrl: server.url, model: 'm', keyName: 'k', maxRetries: 0, temperature }).id;
    assert.equal(idAt(0), idAt());
    assert.notEqual(idAt(0.6), idAt());
  });

  test('fails if a chosen temperature is refused', async (t) => {
    const refusal = { fault: 'status', status: 400, message: "Unsupported value: 'temperature'." } as const;
    const wanting = await serverFor(t, { chat: [refusal] });
    assertFails(await ask(wanting, { temperature: 1 }), 'bad-config', /takes no temperature/);
    const thinking = await serverFor(t, { chat: [OK] });
    await ask(thinking, { model: 'o3', temperature: 1 });
    assert.equal(thinking.requests[0]!.body['temperature'], 1);
  });

  test('requests token probabilities if needed, with plain text', async (t) => {
    const top = [
      { token: 'yes', logprob: -0.25 },
      { token: 'no', logprob: -1.5 },
    ];
    const tokens = ['yes', ...'abcdefghij'].map((token) => ({ token, logprob: -0.25, top_logprobs: top }));
    const server = await serverFor(t, { chat: [{ text: 'yes', logprobs: tokens }] });
    const model = createOpenAiModel({ baseUrl: server.url, model: 'm', keyName: 'k', maxRetries: 0 });
    const answer = await model.complete(MESSAGES, { timeoutMs: 5_000, tokenProbabilities: true });
    assert.deepEqual(answer.tokens?.[0], { token: 'yes', logprob: -0.25, alternatives: top });
    assert.ok(answer.tokens.length < tokens.length, 'a whole answer is kept token by token');
    const { body } = server.requests[0]!;
    assert.deepEqual([body['logprobs'], body['top_logprobs'], body['response_format']], [true, 5, undefined]);
    const plain = await model.complete(MESSAGES, { timeoutMs: 5_000 });
    assert.equal(plain.tokens, undefined);
    assert.equal('logprobs' in server.requests[1]!.body, false);
  });

  test('keeps other features if token probabilities are refused', async (t) => {
    const refusal = {
      fault: 'status',
      status: 400,
      message: "Unsupported parameter: 'logprobs'",
      param: 'logprobs',
    } as const;
    const server = await serverFor(t, { chat: [refusal, OK] });
    const model = createOpenAiModel({ baseUrl: server.url, model: 'm', keyName: 'k', maxRetries: 4 });
    await assert.rejects(
      model.complete(MESSAGES, { timeoutMs: 5_000, tokenProbabilities: true }),
      (error) => ParallaxError.is(error, 'bad-config') && /gives no token probabilities/.test(error.message),
    );
    assert.equal(server.requests.length, 1);
    await model.complete(MESSAGES, { timeoutMs: 5_000 });
    assert.deepEqual(server.requests[1]!.body['response_format'], { type: 'json_object' });
  });

  test('requests JSON only if the instructions do, whatever the texts contain', async (t) => {
    const server = await serverFor(t, { chat: [OK] });
    const model = createOpenAiModel({ baseUrl: server.url, model: 'm', keyName: 'k', maxRetries: 0 });
    const prose: ChatMessage[] = [
      { role: 'system', content: 'Write a passage.' },
      { role: 'user', content: 'What is JSON?' },
    ];
    await model.complete(prose, { timeoutMs: 5_000 });
    assert.equal(server.requests[0]!.body['response_format'], undefined);
  });

  test('reads nothing from the environment: neither key, organization, project nor address', async (t) => {
    const server = await serverFor(t, { chat: [OK] });
    const variables = [
      'OPENAI_API_KEY',
      'OPENAI_ORG_ID',
      'OPENAI_PROJECT_ID',
      'OPENAI_ADMIN_KEY',
      'OPENAI_BASE_URL',
    ];
    for (const name of variables) process.env[name] = 'http://stray.invalid/secret';
    t.after(() => variables.forEach((name) => Reflect.deleteProperty(process.env, name)));
    const { answer } = await ask(server);
    assert.equal(answer?.text, 'Hi');
    const { headers } = server.requests[0]!;
    assert.equal(headers.authorization, undefined);
    assert.ok(!JSON.stringify(headers).includes('secret'));
  });

  const passing: readonly Fault[] = [
    { fault: 'rate-limit' },
    { fault: 'status', status: 500 },
    { fault: 'status', status: 503 },
    { fault: 'disconnect' },
    { fault: 'garbage' },
    { fault: 'truncated' },
    { fault: 'other-protocol' },
  ];
  for (const fault of passing) {
    const name = 'status' in fault ? `${fault.status}` : fault.fault;
    test(`retries after: ${name}`, async (t) => {
      const server = await serverFor(t, { chat: [fault, fault, OK] });
      const { answer, requests } = await ask(server);
      assert.equal(answer?.text, 'Hi');
      assert.equal(requests, 3);
      assert.equal(server.requests.length, 3);
    });
    test(`gives up after retries: ${name}`, async (t) => {
      const server = await serverFor(t, { chat: [fault] });
      const asked = await ask(server, { maxRetries: 2 });
      assertFails(asked, 'model-answer', /./);
      assert.equal(asked.requests, 3);
      assert.equal(server.requests.length, 3);
      // Exponential with jitter: 75% of 500 ms and 1 s at random() = 0.5.
      assert.deepEqual(asked.timing.sleeps, [375, 750]);
    });
  }

  test('cancels a request that hangs, and retries', async (t) => {
    const server = await serverFor(t, { chat: [{ fault: 'hang' }, OK] });
    const { answer, requests } = await ask(server, {}, 100);
    assert.equal(answer?.text, 'Hi');
    assert.equal(requests, 2);
    const silent = await serverFor(t, { chat: [{ fault: 'hang' }] });
    assertFails(await ask(silent, { maxRetries: 0 }, 100), 'model-answer', /in time/);
  });

  test('waits for Retry-After, in seconds or until a date', async (t) => {
    const seconds = await serverFor(t, { chat: [{ fault: 'rate-limit', retryAfter: '7' }, OK] });
    const first = await ask(seconds);
    assert.equal(first.answer?.text, 'Hi');
    assert.deepEqual(first.timing.sleeps, [7_037.5]);
    const date = new Date(Date.UTC(2026, 0, 1) + 9_000).toUTCString();
    const until = await serverFor(t, { chat: [{ fault: 'rate-limit', retryAfter: date }, OK] });
    assert.deepEqual((await ask(until)).timing.sleeps, [9_037.5]);
  });

  test('does not wait for a quarter of an hour', async (t) => {
    const server = await serverFor(t, { chat: [{ fault: 'rate-limit', retryAfter: '900' }, OK] });
    const asked = await ask(server);
    assertFails(asked, 'model-answer', /Rate limit/);
    assert.equal(asked.requests, 1);
    assert.deepEqual(asked.timing.sleeps, []);
  });

  test('delays other requests by Retry-After, too', async (t) => {
    const server = await serverFor(t, { chat: [{ fault: 'rate-limit', retryAfter: '5' }, OK] });
    const timing = new QuickTiming();
    const model = createOpenAiModel({ baseUrl: server.url, model: 'm', keyName: 'k', maxRetries: 0 }, timing);
    await assert.rejects(model.complete(MESSAGES, { timeoutMs: 5_000 }));
    await model.complete(MESSAGES, { timeoutMs: 5_000 });
    assert.deepEqual(timing.sleeps, [5_000]);
  });

  for (const parameter of ['response_format', 'temperature'])
    test(`omits ${parameter} once it is refused`, async (t) => {
      const server = await serverFor(t, {
        chat: ({ body }) =>
          parameter in body
            ? {
                fault: 'status',
                status: 400,
                message: `Unsupported value: '${parameter}' is not supported`,
                param: parameter,
              }
            : OK,
      });
      const model = createOpenAiModel(
        { baseUrl: server.url, model: 'm', keyName: 'k', maxRetries: 0 },
        new QuickTiming(),
      );
      for (let i = 0; i < 2; i++)
        assert.equal((await model.complete(MESSAGES, { timeoutMs: 5_000 })).text, 'Hi');
      assert.deepEqual(
        server.requests.map(({ body }) => parameter in body),
        [true, false, false],
      );
    });

  test('names the refused key without showing it', async (t) => {
    const server = await serverFor(t, {
      chat: [{ fault: 'status', status: 401, message: 'Incorrect API key provided: sk-secret-1' }],
    });
    const refused = await ask(server, { apiKey: 'sk-secret-1' });
    assertFails(refused, 'model-key', /the API key "work"/);
    assert.ok(!(refused.error as Error).message.includes('sk-secret-1'));
    assert.equal(refused.requests, 1);
    assertFails(await ask(server), 'model-key', /none is stored under "work"/);
  });

  test('names the missing model', async (t) => {
    const server = await serverFor(t, {
      chat: [{ fault: 'status', status: 404, message: 'model not found' }],
    });
    const asked = await ask(server, { model: 'llama-9' });
    assertFails(asked, 'model-missing', /"llama-9".*model not found/);
    assert.equal(asked.requests, 1);
  });

  test('does not retry a rejected request or one without quota', async (t) => {
    const rejecting = await serverFor(t, {
      chat: [{ fault: 'status', status: 400, message: 'context too long' }],
    });
    const rejected = await ask(rejecting);
    assertFails(rejected, 'model-answer', /context too long/);
    assert.equal(rejected.requests, 1);
    const poor = await serverFor(t, {
      chat: [{ fault: 'status', status: 429, message: 'Pay', code: 'insufficient_quota' }],
    });
    const unpaid = await ask(poor);
    assertFails(unpaid, 'model-unreachable', /quota/);
    assert.equal(unpaid.requests, 1);
  });

  test('stops after three failures to connect, naming the address', async (t) => {
    const url = await deadUrl(t);
    const asked = await ask({ url }, { maxRetries: 20 });
    assertFails(asked, 'model-unreachable', /ECONNREFUSED/);
    assert.ok((asked.error as Error).message.includes(url));
    assert.equal(asked.requests, 3);
  });

  test('treats an unknown host name as no connection', async () => {
    const asked = await ask({ url: 'http://no-such-host.invalid/v1' }, { maxRetries: 0 });
    assertFails(asked, 'model-unreachable', /no-such-host\.invalid/);
  });

  test('says why an answer is incomplete', async (t) => {
    const server = await serverFor(t, {
      chat: [
        { refusal: 'I cannot.' },
        { text: 'cut', finish: 'length' },
        { text: '', finish: 'content_filter' },
      ],
    });
    assert.match((await ask(server)).answer?.incomplete ?? '', /refused: I cannot/);
    assert.match((await ask(server)).answer?.incomplete ?? '', /cut off/);
    assert.match((await ask(server)).answer?.incomplete ?? '', /filter/);
  });

  test('cancels a request under way and a wait between two', async (t) => {
    const server = await serverFor(t, { chat: [{ fault: 'hang' }] });
    const busy = new AbortController();
    const quick = new QuickTiming();
    const model = createOpenAiModel({ baseUrl: server.url, model: 'm', keyName: 'k', maxRetries: 4 }, quick);
    const hanging = model.complete(MESSAGES, {
      timeoutMs: 60_000,
      signal: busy.signal,
      onRequest: () => setTimeout(() => busy.abort(), 50),
    });
    await assert.rejects(hanging, { id: 'cancelled' });
    assert.deepEqual(quick.sleeps, [10_000]);

    const limited = await serverFor(t, { chat: [{ fault: 'rate-limit', retryAfter: '100' }] });
    const waiting = new AbortController();
    const timing = {
      ...systemTiming,
      sleep: (ms: number, signal: AbortSignal | undefined) => {
        setTimeout(() => waiting.abort(), 10);
        return systemTiming.sleep(ms, signal);
      },
    };
    const patient = createOpenAiModel(
      { baseUrl: limited.url, model: 'm', keyName: 'k', maxRetries: 4 },
      timing,
    );
    await assert.rejects(patient.complete(MESSAGES, { timeoutMs: 60_000, signal: waiting.signal }), {
      id: 'cancelled',
    });
    assert.equal(limited.requests.length, 1);
  });
});

/** An address without a listener. */
async function deadUrl(t: TestContext): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise<void>((resolve) => server.close(() => resolve()));
  if (address === null || typeof address === 'string') return t.skip('no port') as never;
  return `http://127.0.0.1:${address.port}/v1`;
}
