import assert from 'node:assert/strict';
import test from 'node:test';
import { ParallaxError } from '../../../src/core/errors.ts';
import { HashingEmbedder } from '../../../src/engine/embedders/hashing-embedder.ts';
import '../../fixtures/built.ts';

test('passages and queries with the same words are similar', async () => {
  const embedder = new HashingEmbedder(384);
  const passages = await embedder.embedPassages(['Cities should ban cars.', 'Vaccines are safe.']);
  const query = await embedder.embedQuery('Should cities ban cars?');
  const score = (row: number): number =>
    query.reduce((sum, value, i) => sum + value * passages[row * 384 + i]!, 0);
  assert.ok(score(0) > 0.6);
  assert.ok(Math.abs(score(1)) < 0.3);
  assert.equal(embedder.heuristic, true);
  assert.notEqual(embedder.key, new HashingEmbedder(256).key);
});

test('a passage without words has a vector, a query without words has none', async () => {
  const embedder = new HashingEmbedder(64);
  const passages = await embedder.embedPassages(['***', '']);
  assert.equal(Math.hypot(...passages.subarray(0, 64)), 1);
  assert.deepEqual(passages.subarray(0, 64), passages.subarray(64));
  assert.deepEqual(await embedder.embedQuery('?!'), new Float32Array(64));
});

test('embedding many passages reports progress, yields and can be cancelled', async () => {
  const embedder = new HashingEmbedder(384);
  const texts = Array.from({ length: 20_000 }, (_, i) =>
    `passage number ${i} about cars and cities `.repeat(5),
  );
  const controller = new AbortController();
  let turns = 0;
  const ticker = setInterval(() => turns++, 1);
  const steps: number[] = [];
  await embedder.embedPassages(texts, { onProgress: ({ done }) => steps.push(done) });
  clearInterval(ticker);
  assert.equal(steps.at(-1), 20_000);
  assert.ok(steps.length > 2 && turns > 2);
  const work = embedder.embedPassages(texts, {
    signal: controller.signal,
    onProgress: () => controller.abort(),
  });
  await assert.rejects(work, (error) => ParallaxError.is(error, 'cancelled'));
});
