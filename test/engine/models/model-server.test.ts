import assert from 'node:assert/strict';
import { test } from 'node:test';
import OpenAI from 'openai';
import { hashedVector } from '../../fixtures/model-server.ts';
import { serverFor } from '../judges/support.ts';

test('the scripted server speaks the protocol to the real client', async (t) => {
  const server = await serverFor(t, {
    models: ['a', 'b'],
    chat: [{ text: 'one' }, { text: 'two' }],
    key: 'sk',
  });
  const client = new OpenAI({ baseURL: server.url, apiKey: 'sk', maxRetries: 0 });
  assert.deepEqual(
    (await client.models.list()).data.map(({ id }) => id),
    ['a', 'b'],
  );
  const ask = async (): Promise<string | null | undefined> =>
    (await client.chat.completions.create({ model: 'a', messages: [{ role: 'user', content: 'Hi' }] }))
      .choices[0]?.message.content;
  assert.deepEqual([await ask(), await ask(), await ask()], ['one', 'two', 'two']);
  assert.deepEqual(
    server.chatRequests.map(({ index, attempt }) => [index, attempt]),
    [
      [0, 1],
      [1, 2],
      [2, 3],
    ],
  );
  const embedded = await client.embeddings.create({
    model: 'a',
    input: ['red fish', 'red fish', 'blue sky'],
  });
  const [first, second, third] = embedded.data.map(({ embedding }) => embedding);
  assert.deepEqual(first, second);
  assert.notDeepEqual(first, third);
  assert.deepEqual(first, [...Float32Array.from(hashedVector('red fish'))]);
  const stranger = new OpenAI({ baseURL: server.url, apiKey: 'wrong', maxRetries: 0 });
  await assert.rejects(
    stranger.models.list().then(() => undefined),
    { status: 401 },
  );
});
