import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { ParallaxError, type ErrorId } from '../../../src/core/errors.ts';
import { createEmbedder } from '../../../src/engine/embedders/create.ts';
import { EncoderTokenizer } from '../../../src/engine/encoders/encoder-tokenizer.ts';
import type { Embedder } from '../../../src/engine/embedders/embedder.ts';
import { embedderSchema } from '../../../src/shared/config.ts';
import { HIDDEN, makeWeights, VOCABULARY, writeTinyEncoder } from '../../fixtures/tiny-encoder/make.ts';
import { mean, runReference, unit, wordPieceIds } from '../../fixtures/tiny-encoder/reference.ts';
import '../../fixtures/built.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';

const WEIGHTS = makeWeights();
/** From one token to more than a batch of short ones, in no order of length. */
const TEXTS = [
  'The city should ban cars.',
  'safe',
  'Because unsafe cars, helping and helpful; are cars safe? The city should ban cars and help the cafe.',
  '',
  'vaccine',
  'Unsafe vaccines helped?',
  'the the the the the the the the the the',
  'café zebra',
  'car',
  'cars',
  'ban car',
];

function openEmbedder(t: TestContext, path: string, config: object = {}): Embedder {
  const parsed = embedderSchema.parse({ type: 'onnx', path, ...config });
  const embedder = createEmbedder('tiny', parsed, { apiKey: undefined, baseDir: join(path, '..') });
  t.after(() => embedder.dispose());
  return embedder;
}

const isError = (id: ErrorId, message: RegExp) => (error: unknown) => {
  assert.ok(ParallaxError.is(error, id), String(error));
  assert.match(error.message, message);
  return true;
};

function assertClose(actual: Float32Array, expected: readonly number[]): void {
  assert.equal(actual.length, expected.length);
  actual.forEach((value, i) =>
    assert.ok(Math.abs(value - expected[i]!) <= 1e-5, `${value} is not ${expected[i]}`),
  );
}

const rowOf = (vectors: Float32Array, row: number): Float32Array =>
  vectors.subarray(row * HIDDEN, (row + 1) * HIDDEN);

type Pool = (ids: readonly number[], tokenTypes?: boolean) => number[];
const POOLINGS: Record<string, Pool> = {
  mean: (ids, tokenTypes) => mean(runReference(WEIGHTS, ids, tokenTypes).states),
  cls: (ids, tokenTypes) => runReference(WEIGHTS, ids, tokenTypes).states[0]!,
  pooler: (ids, tokenTypes) => runReference(WEIGHTS, ids, tokenTypes).pooled,
};

for (const [pooling, pool] of Object.entries(POOLINGS))
  for (const normalize of [true, false])
    test(`${pooling} pooling equals the plain implementation${normalize ? ', normalized' : ''}`, async (t) => {
      const folder = temporaryFolder(t);
      await writeTinyEncoder(folder);
      const embedder = openEmbedder(t, folder, { pooling, normalize });
      const progress: number[] = [];
      const vectors = await embedder.embedPassages(TEXTS, { onProgress: ({ done }) => progress.push(done) });
      assert.equal(embedder.dimensions, HIDDEN);
      assert.equal(embedder.heuristic, false);
      assert.ok(progress.length > 1 && progress.length < TEXTS.length);
      TEXTS.forEach((text, row) => {
        const expected = pool(wordPieceIds(VOCABULARY, text));
        assertClose(rowOf(vectors, row), normalize ? unit(expected) : expected);
      });
    });

test('graphs without token types, with 32-bit integers, or in the onnx folder are read, too', async (t) => {
  const folder = temporaryFolder(t);
  await writeTinyEncoder(folder, { tokenTypes: false, integers: 'int32', file: 'onnx/model.onnx' });
  const vector = await openEmbedder(t, folder, { normalize: false }).embedQuery(TEXTS[0]!);
  assertClose(vector, POOLINGS['mean']!(wordPieceIds(VOCABULARY, TEXTS[0]!), false));
});

test('the graph’s sentence embedding is used only without token states', async (t) => {
  const folder = temporaryFolder(t);
  const ids = wordPieceIds(VOCABULARY, TEXTS[0]!);
  await writeTinyEncoder(folder, { outputs: ['sentence_embedding', 'last_hidden_state'] });
  assertClose(
    await openEmbedder(t, folder, { normalize: false }).embedQuery(TEXTS[0]!),
    POOLINGS['mean']!(ids),
  );
  await writeTinyEncoder(folder, { outputs: ['sentence_embedding'] });
  for (const pooling of ['mean', 'pooler']) {
    const embedder = openEmbedder(t, folder, { normalize: false, pooling });
    assertClose(await embedder.embedQuery(TEXTS[0]!), POOLINGS['cls']!(ids));
  }
});

test('prefixes precede the text, and only the passage prefix is part of the key', async (t) => {
  const folder = temporaryFolder(t);
  await writeTinyEncoder(folder);
  const plain = openEmbedder(t, folder);
  const prefixed = openEmbedder(t, folder, { queryPrefix: 'help the ', passagePrefix: 'ban ' });
  assert.deepEqual(await prefixed.embedQuery('city'), await plain.embedQuery('help the city'));
  assert.deepEqual(await prefixed.embedPassages(['city']), await plain.embedPassages(['ban city']));
  assert.notEqual(prefixed.key, plain.key);
  assert.equal(openEmbedder(t, folder, { queryPrefix: 'help' }).key, plain.key);
});

test('a prefix that is not pooled is read by the model and left out of the mean', async (t) => {
  const folder = temporaryFolder(t);
  await writeTinyEncoder(folder);
  const prefix = 'help the city: ';
  const config = { passagePrefix: prefix, poolPrefix: false, normalize: false };
  const embedder = openEmbedder(t, folder, config);
  const texts = ['ban cars', '', 'because unsafe cars help'];
  const vectors = await embedder.embedPassages(texts);
  // [CLS] help the city [UNK], as the colon is not in the vocabulary.
  const skipped = 5;
  texts.forEach((text, row) => {
    const { states } = runReference(WEIGHTS, wordPieceIds(VOCABULARY, prefix + text));
    assertClose(rowOf(vectors, row), mean(states.slice(skipped)));
  });
  // Without a prefix there is nothing to leave out.
  const plain = openEmbedder(t, folder, { normalize: false });
  assert.deepEqual(await embedder.embedQuery('cars'), await plain.embedQuery('cars'));
  assert.notEqual(embedder.key, openEmbedder(t, folder, { ...config, poolPrefix: true }).key);
});

test('the last token of a prefix counts if it merged with the text', async (t) => {
  const folder = temporaryFolder(t);
  await writeTinyEncoder(folder);
  const embedder = openEmbedder(t, folder, { queryPrefix: 'help car', poolPrefix: false, normalize: false });
  const { states } = runReference(WEIGHTS, wordPieceIds(VOCABULARY, 'help cars ban'));
  assertClose(await embedder.embedQuery('s ban'), mean(states.slice(2)));
});

test('only a mean can leave the prefix out', async (t) => {
  const folder = temporaryFolder(t);
  const parsed = embedderSchema.safeParse({ type: 'onnx', path: folder, pooling: 'cls', poolPrefix: false });
  assert.match(parsed.error?.issues[0]?.message ?? '', /needs pooling "mean"/);
  await writeTinyEncoder(folder, { outputs: ['sentence_embedding'] });
  await assert.rejects(
    openEmbedder(t, folder, { poolPrefix: false }).embedQuery('cars'),
    isError('bad-file', /pools by itself, prefix included/),
  );
});

test('instructions with separators and line breaks reach the model unchanged', async (t) => {
  const folder = temporaryFolder(t);
  await writeTinyEncoder(folder);
  const separator = VOCABULARY.indexOf('[SEP]');
  const [instruction, query] = [
    wordPieceIds(VOCABULARY, 'help the city'),
    wordPieceIds(VOCABULARY, 'ban cars'),
  ];
  const tart = openEmbedder(t, folder, { queryPrefix: 'help the city [SEP] ', normalize: false });
  assert.equal(instruction.at(-1), separator);
  assertClose(await tart.embedQuery('ban cars'), POOLINGS['mean']!([...instruction, ...query.slice(1)]));
  const e5 = openEmbedder(t, folder, { queryPrefix: 'Help: the city\nban: ', normalize: false });
  const ids = wordPieceIds(VOCABULARY, 'help: the city ban: cars');
  assertClose(await e5.embedQuery('cars'), POOLINGS['mean']!(ids));
});

test('the key depends on the model and its settings, not on its path', async (t) => {
  const [one, two, other] = [temporaryFolder(t), temporaryFolder(t), temporaryFolder(t)];
  await writeTinyEncoder(one);
  await cp(one, two, { recursive: true });
  await writeTinyEncoder(other, { weights: makeWeights(8) });
  const { key } = openEmbedder(t, one);
  assert.equal(openEmbedder(t, two).key, key);
  const variants = [{ pooling: 'cls' }, { maxTokens: 10 }, { normalize: false }].map(
    (config) => openEmbedder(t, one, config).key,
  );
  assert.equal(new Set([key, openEmbedder(t, other).key, ...variants]).size, 5);
});

test('long texts are cut, and keep their last special token', async (t) => {
  const folder = temporaryFolder(t);
  await writeTinyEncoder(folder);
  const embedder = openEmbedder(t, folder, { maxTokens: 8, normalize: false });
  const ids = wordPieceIds(VOCABULARY, TEXTS[2]!);
  assertClose(await embedder.embedQuery(TEXTS[2]!), POOLINGS['mean']!([...ids.slice(0, 7), ids.at(-1)!]));
  assert.deepEqual(
    await embedder.embedQuery(`${'cars '.repeat(100_000)}`),
    await embedder.embedQuery('cars '.repeat(6)),
  );
});

test('a text longer than the model’s limit is a clear error', async (t) => {
  const folder = temporaryFolder(t);
  await writeTinyEncoder(folder);
  const embedder = openEmbedder(t, folder);
  await assert.rejects(
    embedder.embedQuery('the '.repeat(100)),
    isError('bad-file', /102 tokens.*maxTokens/s),
  );
  assert.equal((await embedder.embedQuery('the')).length, HIDDEN);
});

test('weights that are not numbers are reported', async (t) => {
  const folder = temporaryFolder(t);
  const words = WEIGHTS['words']!.map((value, i) => (i < 6 * HIDDEN ? value : NaN));
  await writeTinyEncoder(folder, { weights: { ...WEIGHTS, words } });
  await assert.rejects(openEmbedder(t, folder).embedQuery('city'), isError('model-answer', /not numbers/));
});

test('missing files are named', async (t) => {
  const folder = temporaryFolder(t);
  assert.throws(
    () => openEmbedder(t, folder),
    isError('model-missing', /model\.onnx and no .*onnx.model\.onnx/),
  );
  assert.throws(() => openEmbedder(t, join(folder, 'none')), isError('model-missing', /none/));
  await writeTinyEncoder(folder, { file: 'onnx/model_quantized.onnx', tokenizer: false });
  assert.throws(
    () => openEmbedder(t, folder),
    isError('model-missing', /The folder has onnx.model_quantized\.onnx/),
  );
  const config = { file: 'onnx/model_quantized.onnx' };
  assert.throws(
    () => openEmbedder(t, folder, config),
    isError('model-missing', /tokenizer\.json is missing/),
  );
});

test('invalid files and graphs are explained, and repaired ones work without a restart', async (t) => {
  const folder = temporaryFolder(t);
  const write = (file: string, text: string): Promise<void> => writeFile(join(folder, file), text);
  const failsWith = async (message: RegExp, config: object = {}): Promise<void> => {
    await assert.rejects(openEmbedder(t, folder, config).embedQuery('city'), isError('bad-file', message));
  };
  await writeTinyEncoder(folder);
  await write('model.onnx', 'not a model');
  await failsWith(/model\.onnx is not a model/);
  await writeTinyEncoder(folder, { extraInput: 'pixel_values' });
  await failsWith(/asks for the input pixel_values/);
  await writeTinyEncoder(folder, { outputs: ['last_hidden_state'] });
  await failsWith(/has the outputs last_hidden_state; pooling "pooler" needs pooler_output/, {
    pooling: 'pooler',
  });
  await write('tokenizer.json', '{"model": ');
  await failsWith(/tokenizer\.json cannot be read/);
  await write('tokenizer.json', '{}');
  await failsWith(/tokenizer\.json is not a tokenizer/);
  for (const other of ['[]', '7']) {
    await write('tokenizer.json', other);
    await failsWith(/tokenizer\.json is not a JSON object/);
  }

  const embedder = openEmbedder(t, folder);
  await assert.rejects(embedder.embedQuery('city'));
  await writeTinyEncoder(folder);
  assert.equal((await embedder.embedQuery('city')).length, HIDDEN);
});

test('a cancelled embedding ends between batches', async (t) => {
  const folder = temporaryFolder(t);
  await writeTinyEncoder(folder);
  const embedder = openEmbedder(t, folder);
  const controller = new AbortController();
  let calls = 0;
  const onProgress = (): void => {
    calls++;
    controller.abort();
  };
  const work = embedder.embedPassages(TEXTS, { signal: controller.signal, onProgress });
  await assert.rejects(work, (error) => ParallaxError.is(error, 'cancelled'));
  assert.equal(calls, 1);
});

test('after dispose, the model is loaded again on use', async (t) => {
  const folder = temporaryFolder(t);
  await writeTinyEncoder(folder);
  const embedder = openEmbedder(t, folder);
  const before = await embedder.embedQuery('city');
  await embedder.dispose();
  assert.deepEqual(await embedder.embedQuery('city'), before);
  assert.equal((await embedder.embedPassages([])).length, 0);
});

const MINILM = join(import.meta.dirname, '../../../../shared/data/tokenizers/all-MiniLM-L6-v2');
const skip = existsSync(MINILM) ? false : 'cannot run here: ../shared/data is absent';

test('a real tokenizer gives the same ids as plain WordPiece over its vocabulary', { skip }, async () => {
  const vocabulary = (await readFile(join(MINILM, 'vocab.txt'), 'utf8')).trimEnd().split('\n');
  const tokenizer = await EncoderTokenizer.load(MINILM, 128);
  const sentences = [
    'Should cities ban private cars from their centres?',
    'Vaccination mandates: unconstitutional overreach, or common-sense public health?',
    'Café naïveté — “déjà vu”, 30,522 tokens & $5.00!',
    'Antidisestablishmentarianism isn’t qwrtzpl.',
    '地球 is round',
    '',
  ];
  for (const sentence of sentences)
    assert.deepEqual([...tokenizer.encode(sentence)], wordPieceIds(vocabulary, sentence));
  const long = 'retrieval '.repeat(400);
  const ids = tokenizer.encode(long);
  assert.equal(ids.length, 128);
  assert.equal(vocabulary[ids.at(-1)!], '[SEP]');
  assert.deepEqual(ids.slice(0, 127), wordPieceIds(vocabulary, long).slice(0, 127));
  assert.equal(vocabulary[tokenizer.padId], '[PAD]');
});
