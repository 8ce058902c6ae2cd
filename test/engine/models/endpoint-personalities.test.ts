/** Real endpoints: each of these servers deviates from the OpenAI protocol. */
import assert from 'node:assert/strict';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';
import { ParallaxError } from '../../../src/core/errors.ts';
import { pairForm, passageForm, WORD_FORM } from '../../../src/core/judging/answer-form.ts';
import { OpenAiEmbedder } from '../../../src/engine/embedders/openai-embedder.ts';
import { listModels, type OpenAiSettings } from '../../../src/engine/models/openai-client.ts';
import { createOpenAiModel, type ProbedModel } from '../../../src/engine/models/openai-model.ts';
import { embedderSchema } from '../../../src/shared/config.ts';

interface Asked {
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Record<string, unknown>;
}
type Reply = { readonly status?: number; readonly json: unknown };

/** A server with a peculiar protocol. */
async function personality(
  t: TestContext,
  answer: (asked: Asked) => Reply,
): Promise<{ readonly origin: string; readonly asked: Asked[] }> {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (part: string) => (text += part));
    request.on('end', () => {
      const one = { url: request.url!, headers: request.headers, body: JSON.parse(text) as Asked['body'] };
      asked.push(one);
      const { status = 200, json } = answer(one);
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

const model = (baseUrl: string, more: Partial<OpenAiSettings> = {}): ProbedModel =>
  createOpenAiModel({ baseUrl, model: 'm', keyName: 'k', maxRetries: 0, ...more });

const MESSAGES = [
  { role: 'system', content: 'Answer in JSON.' },
  { role: 'user', content: 'Does it?' },
] as const;
const OPTIONS = { timeoutMs: 5_000 };
const saying = (message: object, more: object = {}): Reply => ({
  json: { choices: [{ message, finish_reason: 'stop' }], ...more },
});
const refusing = (message: string, status = 400): Reply => ({ status, json: { error: { message } } });
const roles = ({ body }: Asked): string[] => (body['messages'] as { role: string }[]).map(({ role }) => role);

test('Azure OpenAI: the key in a header, the version after the deployment’s address', async (t) => {
  const { origin, asked } = await personality(t, () => saying({ content: '{}' }));
  const azure = model(`${origin}/openai/deployments/judge`, {
    apiKey: 'secret',
    keyHeader: 'api-key',
    query: { 'api-version': '2024-10-21' },
  });
  assert.equal((await azure.complete(MESSAGES, OPTIONS)).text, '{}');
  const [{ url, headers }] = asked as [Asked];
  assert.equal(url, '/openai/deployments/judge/chat/completions?api-version=2024-10-21');
  assert.deepEqual([headers['api-key'], headers.authorization], ['secret', undefined]);
});

test('custom headers are sent, for embedders, too', async (t) => {
  const { origin, asked } = await personality(t, ({ url }) =>
    url.includes('embeddings')
      ? { json: { data: [{ index: 0, embedding: [1, 0] }] } }
      : saying({ content: '' }),
  );
  const headers = { 'x-team': 'search' };
  await model(origin, { headers, apiKey: 'secret' }).complete(MESSAGES, OPTIONS);
  const config = {
    type: 'openai',
    baseUrl: origin,
    model: 'e',
    headers,
    keyHeader: 'api-key',
    query: { v: '1' },
  };
  const parsed = embedderSchema.parse(config);
  assert.ok(parsed.type === 'openai');
  await new OpenAiEmbedder('e', parsed, { apiKey: 'secret' }).embedQuery('x');
  assert.deepEqual(
    asked.map((one) => [one.headers['x-team'], one.headers.authorization, one.headers['api-key'], one.url]),
    [
      ['search', 'Bearer secret', undefined, '/chat/completions'],
      ['search', undefined, 'secret', '/embeddings?v=1'],
    ],
  );
});

test('a server without the system role gets one user message from then on', async (t) => {
  const { origin, asked } = await personality(t, (one) =>
    roles(one).includes('system') ? refusing('System role not supported') : saying({ content: 'yes' }),
  );
  const gemma = model(origin);
  assert.equal((await gemma.complete(MESSAGES, OPTIONS)).text, 'yes');
  await gemma.complete(MESSAGES, OPTIONS);
  assert.deepEqual(asked.map(roles), [['system', 'user'], ['user'], ['user']]);
  const [{ content }] = asked.at(-1)!.body['messages'] as [{ content: string }];
  assert.equal(content, 'Answer in JSON.\n\nDoes it?');
});

test('concurrent requests learn the same from their refusals, and none fails', async (t) => {
  const { origin } = await personality(t, (one) =>
    roles(one).includes('system') ? refusing('System role not supported') : saying({ content: 'yes' }),
  );
  const gemma = model(origin);
  const answers = await Promise.all([1, 2, 3].map(() => gemma.complete(MESSAGES, OPTIONS)));
  assert.deepEqual(
    answers.map(({ text }) => text),
    ['yes', 'yes', 'yes'],
  );
});

test('an error inside a successful answer is shown with its reason', async (t) => {
  const whole = { json: { error: { code: 402, message: 'Insufficient credits' } } };
  const inside = { json: { choices: [{ error: { code: 502, message: 'Provider is overloaded' } }] } };
  for (const [reply, said] of [
    [whole, /402: Insufficient credits/u],
    [inside, /502: Provider is overloaded/u],
  ] as const) {
    const { origin } = await personality(t, () => reply);
    await assert.rejects(
      model(origin).complete(MESSAGES, OPTIONS),
      (error) => ParallaxError.is(error, 'model-answer') && said.test(error.message),
    );
  }
});

test('content in parts is joined', async (t) => {
  const parts = [{ type: 'text', text: '{"a"' }, { type: 'image' }, { type: 'text', text: ': 1}' }];
  const { origin } = await personality(t, () => saying({ content: parts }));
  assert.equal((await model(origin).complete(MESSAGES, OPTIONS)).text, '{"a": 1}');
});

test('thoughts in another field are no answer, and an answer beside them is used', async (t) => {
  for (const field of ['reasoning', 'reasoning_content']) {
    const { origin } = await personality(t, ({ body }) =>
      saying({ [field]: '{"verdict": "yes"}? No.', content: body['model'] === 'm' ? null : 'no' }),
    );
    const silent = await model(origin).complete(MESSAGES, OPTIONS);
    assert.deepEqual([silent.text, silent.incomplete], ['', 'The model thought aloud and gave no answer.']);
    const spoken = await model(origin, { model: 'other' }).complete(MESSAGES, OPTIONS);
    assert.deepEqual([spoken.text, spoken.incomplete], ['no', undefined]);
  }
});

test('a model with the responses API only is asked there from then on', async (t) => {
  const { origin, asked } = await personality(t, ({ url }) =>
    url === '/responses'
      ? {
          json: {
            status: 'completed',
            output: [
              { type: 'reasoning', content: [] },
              { type: 'message', content: [{ type: 'output_text', text: '{"ok": true}' }] },
            ],
            usage: { input_tokens: 7, output_tokens: 2 },
          },
        }
      : refusing('This model is only supported in v1/responses and not in v1/chat/completions.', 404),
  );
  const pro = model(origin);
  const { text, usage } = await pro.complete(MESSAGES, OPTIONS);
  assert.deepEqual([text, usage], ['{"ok": true}', { prompt: 7, completion: 2 }]);
  await pro.complete(MESSAGES, OPTIONS);
  assert.deepEqual(
    asked.map(({ url }) => url),
    ['/chat/completions', '/responses', '/responses'],
  );
  assert.deepEqual(asked.at(-1)!.body['text'], { format: { type: 'json_object' } });
  await model(origin, { api: 'responses' }).complete(MESSAGES, OPTIONS);
  assert.deepEqual(
    asked.slice(3).map(({ url }) => url),
    ['/responses'],
    'who knows it beforehand asks there at once',
  );
});

test('one request finds out what a model can do, and unsupported features are omitted', async (t) => {
  const logprobs = { content: [{ token: '{', logprob: -0.1, top_logprobs: [] }] };
  const able = await personality(t, () => ({
    json: { choices: [{ message: { content: '{"ok": true}' }, logprobs }] },
  }));
  assert.deepEqual(await model(able.origin).probe(OPTIONS), { json: true, tokenProbabilities: true });
  assert.equal(able.asked.length, 1);
  const plain = await personality(t, ({ body }) => {
    if ('logprobs' in body) return refusing('logprobs is not supported');
    if ('response_format' in body) return refusing('response_format is not supported');
    return saying({ content: '{"ok": true}' });
  });
  assert.deepEqual(await model(plain.origin).probe(OPTIONS), { json: false, tokenProbabilities: false });
});

test('the models that an endpoint lists; if it lists none, the error omits the key', async (t) => {
  const server = createServer((request, response) => {
    const isKnown = request.url === '/v1/models' && request.headers.authorization === 'Bearer sk-hidden-0123';
    const json = isKnown
      ? { data: [{ id: 'b' }, { id: 'a' }] }
      : { error: { message: 'no sk-hidden-0123 here' } };
    response.writeHead(isKnown ? 200 : 404, { 'content-type': 'application/json' }).end(JSON.stringify(json));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const settings = {
    baseUrl: `${origin}/v1`,
    model: '',
    keyName: 'k',
    maxRetries: 0,
    apiKey: 'sk-hidden-0123',
  };
  assert.deepEqual(await listModels(settings, 5_000), ['b', 'a']);
  await assert.rejects(
    listModels({ ...settings, baseUrl: origin }, 5_000),
    (error) => ParallaxError.is(error, 'model-unreachable') && !error.message.includes('sk-hidden'),
  );
});

const FORM = pairForm({ explain: true });
const FORMED = { ...OPTIONS, form: FORM };
const formatOf = ({ body }: Asked): unknown =>
  (body['response_format'] as { type: string } | undefined)?.type;
const limitsOf = ({ body }: Asked): unknown =>
  Object.fromEntries(Object.entries(body).filter(([name]) => name.startsWith('max_')));

test('an endpoint with schema support gets a strict schema and a length limit', async (t) => {
  const { origin, asked } = await personality(t, () => saying({ content: '{}' }));
  await model(origin).complete(MESSAGES, FORMED);
  const { json_schema: schema } = asked[0]!.body['response_format'] as {
    json_schema: { strict: boolean; schema: { required: string[]; additionalProperties: boolean } };
  };
  assert.equal(schema.strict, true);
  assert.deepEqual(schema.schema.required, ['evidence', 'verdict', 'reason']);
  assert.equal(schema.schema.additionalProperties, false);
  assert.deepEqual(limitsOf(asked[0]!), { max_tokens: FORM.maxTokens });
});

test('every statement of a passage is in the schema, and adds to the length', () => {
  const { schema, maxTokens } = passageForm({ explain: false }, 3);
  assert.deepEqual(schema, {
    type: 'object',
    properties: Object.fromEntries(
      ['A', 'B', 'C'].map((key) => [key, { type: 'string', enum: ['yes', 'no'] }]),
    ),
    required: ['A', 'B', 'C'],
    additionalProperties: false,
  });
  assert.ok(maxTokens > passageForm({ explain: false }, 2).maxTokens);
});

for (const refusal of [
  "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.",
  'failed to parse grammar',
])
  test(`no schemas (${refusal.slice(0, 20)}…): JSON mode, and that is remembered`, async (t) => {
    const { origin, asked } = await personality(t, (one) =>
      formatOf(one) === 'json_schema' ? refusing(refusal) : saying({ content: '{}' }),
    );
    const own = model(origin);
    await own.complete(MESSAGES, FORMED);
    await own.complete(MESSAGES, FORMED);
    assert.deepEqual(asked.map(formatOf), ['json_schema', 'json_object', 'json_object']);
  });

test('no schemas, and no JSON mode: plain text, step by step, and that is remembered', async (t) => {
  const { origin, asked } = await personality(t, ({ body }) =>
    'response_format' in body
      ? refusing('response_format is not supported', 422)
      : saying({ content: 'yes' }),
  );
  const own = model(origin);
  await own.complete(MESSAGES, FORMED);
  await own.complete(MESSAGES, FORMED);
  assert.deepEqual(asked.map(formatOf), ['json_schema', 'json_object', undefined, undefined]);
});

test('schemas, and no JSON mode: requests without a schema get plain text, others keep theirs', async (t) => {
  const { origin, asked } = await personality(t, (one) =>
    formatOf(one) === 'json_object'
      ? refusing("'response_format.type' must be 'json_schema' or 'text'")
      : saying({ content: '{}' }),
  );
  const own = model(origin);
  await own.complete(MESSAGES, { ...OPTIONS, form: { maxTokens: 9 } });
  await own.complete(MESSAGES, FORMED);
  assert.deepEqual(asked.map(formatOf), ['json_object', undefined, 'json_schema']);
});

test('the length limit under its new name, or without one, and that is remembered', async (t) => {
  for (const [accepted, expected] of [
    ['max_completion_tokens', ['max_tokens', 'max_completion_tokens', 'max_completion_tokens']],
    ['none', ['max_tokens', 'max_completion_tokens', undefined, undefined]],
  ] as const) {
    const { origin, asked } = await personality(t, (one) => {
      const [name] = Object.keys(limitsOf(one) as object);
      return name === undefined || name === accepted
        ? saying({ content: '{}' })
        : refusing(`Unsupported parameter: '${name}' is not supported with this model.`);
    });
    const own = model(origin);
    await own.complete(MESSAGES, FORMED);
    await own.complete(MESSAGES, FORMED);
    assert.deepEqual(
      asked.map((one) => Object.keys(limitsOf(one) as object)[0]),
      expected,
    );
  }
});

test('known thinking models are asked without temperature, with room for their thoughts', async (t) => {
  const { origin, asked } = await personality(t, () => saying({ content: '{}' }));
  for (const name of ['o3-mini', 'openai/gpt-5-nano', 'gpt-4o', 'qwen-o3x'])
    await model(origin, { model: name }).complete(MESSAGES, FORMED);
  assert.deepEqual(
    asked.map(({ body }) => [body['temperature'], Object.keys(body).find((name) => name.startsWith('max_'))]),
    [
      [undefined, 'max_completion_tokens'],
      [undefined, 'max_completion_tokens'],
      [0, 'max_tokens'],
      [0, 'max_tokens'],
    ],
  );
  assert.ok(Number(asked[0]!.body['max_completion_tokens']) > 10 * FORM.maxTokens);
});

test('a model that turns out to think is asked again with room, and directly from then on', async (t) => {
  const cut = (content: string): Reply => ({
    json: { choices: [{ message: { content }, finish_reason: 'length' }] },
  });
  for (const thoughts of ['', '<think>The passage says']) {
    const { origin, asked } = await personality(t, ({ body }) =>
      Number(body['max_tokens']) > FORM.maxTokens ? saying({ content: '{}' }) : cut(thoughts),
    );
    const own = model(origin);
    assert.deepEqual((await own.complete(MESSAGES, FORMED)).incomplete, undefined);
    await own.complete(MESSAGES, FORMED);
    assert.equal(asked.length, 3);
  }
  // A model that only talks is cut, and not asked again.
  const { origin, asked } = await personality(t, () => cut('Well, let me see, the passage'));
  assert.match((await model(origin).complete(MESSAGES, FORMED)).incomplete!, /cut off at the length limit/u);
  assert.equal(asked.length, 1);
});

test('a one-word answer is requested with hardly more room', async (t) => {
  const { origin, asked } = await personality(t, () => saying({ content: 'yes' }));
  await model(origin).complete(MESSAGES, { ...OPTIONS, form: WORD_FORM });
  assert.deepEqual(limitsOf(asked[0]!), { max_tokens: 16 });
});
