/** Bytes and frames that no client sends. The receiver continues. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { startSpanReceiver, type SpanReceiver } from '../../../src/features/capture/engine/span-receiver.ts';
import { seededRandom } from '../../../bench/support/random.ts';
import { frame, HEADERS, PREFACE, randomFrames, sendRaw, SETTINGS } from './frames.ts';

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

async function assertListens({ port, token }: SpanReceiver): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${port}/${token}/v1/traces`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  });
  assert.equal(answer.status, 200);
}

test('a stream reset in the packet of its headers ends only itself', async (t) => {
  const receiver = await start(t);
  for (const code of [0, 1, 2, 7, 8, 92]) {
    const reset = frame(3, 0, 1, [0, 0, 0, code]);
    await sendRaw(receiver.port, Buffer.concat([PREFACE, SETTINGS, frame(1, 4, 1, HEADERS), reset]), true);
  }
  await assertListens(receiver);
});

test('random bytes and random frames end at most their connection', async (t) => {
  const receiver = await start(t);
  const random = seededRandom(20_261_128);
  for (let round = 0; round < 150; round++) await sendRaw(receiver.port, randomFrames(random), false);
  await assertListens(receiver);
});
