/** Vectors of endpoints, kept between runs. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VectorCache } from '../../../src/engine/models/vector-cache.ts';
import { OpenAiEmbedder } from '../../../src/engine/embedders/openai-embedder.ts';
import { openDatabase } from '../../../src/engine/store/database.ts';
import { embedderSchema, type OpenAiEmbedderConfig } from '../../../src/shared/config.ts';
import { serverFor } from '../judges/support.ts';

test('returns what was stored for the same model and text', (t) => {
  const database = openDatabase(':memory:');
  t.after(() => database.close());
  const cache = new VectorCache(database);
  // A view into a larger array must not be stored with its neighbours.
  cache.put('m', [['cats', new Float32Array([9, 0, 1, 9]).subarray(1, 3)]]);
  assert.deepEqual([...cache.get('m', 'cats')!], [0, 1]);
  assert.deepEqual([cache.get('m', 'dogs'), cache.get('other', 'cats')], [undefined, undefined]);
});

test('returns no damaged vector', (t) => {
  const database = openDatabase(':memory:');
  t.after(() => database.close());
  const cache = new VectorCache(database);
  for (const damaged of ["x'00'", "x'0000c07f0000803f'", "x'0000003f'", "x''", "'text'"]) {
    cache.put('m', [['cats', new Float32Array([0, 1])]]);
    database.exec(`UPDATE vectors_1 SET vector = ${damaged}`);
    assert.equal(cache.get('m', 'cats'), undefined, damaged);
  }
});

test('an endpoint is sent only the texts that are new, and each finished batch is kept', async (t) => {
  let failing = false;
  const server = await serverFor(t, {
    embeddings: ({ input }) =>
      failing && input.includes('e')
        ? { fault: 'status', status: 400 }
        : input.map((text) => [text.charCodeAt(0), 1]),
  });
  const database = openDatabase(':memory:');
  t.after(() => database.close());
  const kept = { cache: new VectorCache(database), passages: true };
  const config = embedderSchema.parse({
    type: 'openai',
    baseUrl: server.url,
    model: 'vectors',
    batchSize: 2,
  }) as OpenAiEmbedderConfig;
  const embedder = (): OpenAiEmbedder =>
    new OpenAiEmbedder('paid', config, { apiKey: undefined, maxRetries: 0, kept });
  const sent = (): unknown[] => server.requests.map(({ body }) => body['input']);
  const first = await embedder().embedPassages(['a', 'b']);
  const progress: number[] = [];
  const again = await embedder().embedPassages(['b', 'c', 'a'], {
    onProgress: ({ done }) => progress.push(done),
  });
  assert.deepEqual(sent(), [['a', 'b'], ['c']]);
  assert.deepEqual(progress, [3]);
  assert.deepEqual([...again.subarray(0, 2)], [...first.subarray(2)]);
  assert.deepEqual([...again.subarray(4)], [...first.subarray(0, 2)]);

  failing = true;
  await assert.rejects(embedder().embedPassages(['d', 'f', 'e']));
  failing = false;
  await embedder().embedPassages(['d', 'f', 'e']);
  assert.deepEqual(sent().slice(2), [['d', 'f'], ['e'], ['e']]);
  const cached = embedder();
  await cached.embedQuery('a');
  assert.equal(cached.dimensions, 2);
  assert.equal(server.requests.length, 5);
});
