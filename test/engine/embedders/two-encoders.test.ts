/** Encoders by preset, and embedders with separate models for passages and queries. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import test, { type TestContext } from 'node:test';
import { ParallaxError } from '../../../src/core/errors.ts';
import { createEmbedder } from '../../../src/engine/embedders/create.ts';
import type { Embedder } from '../../../src/engine/embedders/embedder.ts';
import { embedderSchema } from '../../../src/shared/config.ts';
import { HIDDEN, makeWeights, VOCABULARY, writeTinyEncoder } from '../../fixtures/tiny-encoder/make.ts';
import { mean, runReference, unit, wordPieceIds } from '../../fixtures/tiny-encoder/reference.ts';
import '../../fixtures/built.ts';

const PASSAGES = makeWeights(7);
const QUESTIONS = makeWeights(8);
const TEXT = 'The city should ban cars.';

async function models(t: TestContext): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'parallax-encoders-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  await writeTinyEncoder(path.join(folder, 'passages'), { weights: PASSAGES });
  await writeTinyEncoder(path.join(folder, 'questions'), { weights: QUESTIONS });
  return folder;
}

function open(t: TestContext, folder: string, given: object): Embedder {
  const config = embedderSchema.parse({ type: 'onnx', path: 'passages', ...given });
  const embedder = createEmbedder('tiny', config, { apiKey: undefined, baseDir: folder });
  t.after(() => embedder.dispose());
  return embedder;
}

function assertClose(actual: Float32Array, expected: readonly number[]): void {
  assert.equal(actual.length, expected.length);
  actual.forEach((value, i) =>
    assert.ok(Math.abs(value - expected[i]!) <= 1e-5, `${value} is not ${expected[i]}`),
  );
}

test('queries and passages have different models', async (t) => {
  const folder = await models(t);
  const dpr = open(t, folder, { preset: 'dpr', query: 'questions' });
  const ids = wordPieceIds(VOCABULARY, TEXT);
  assertClose(await dpr.embedQuery(TEXT), runReference(QUESTIONS, ids).states[0]!);
  assert.equal(dpr.dimensions, HIDDEN);
  assertClose(await dpr.embedPassages([TEXT]), runReference(PASSAGES, ids).states[0]!);
  await dpr.dispose();
  assertClose(await dpr.embedQuery(TEXT), runReference(QUESTIONS, ids).states[0]!);
});

test('another model for queries keeps stored passages', async (t) => {
  const folder = await models(t);
  const written = { pooling: 'cls', maxTokens: 256, normalize: false };
  assert.equal(open(t, folder, { preset: 'dpr', query: 'questions' }).key, open(t, folder, written).key);
});

test('a preset equals its explicit settings', async (t) => {
  const folder = await models(t);
  const contriever = open(t, folder, { preset: 'contriever' });
  const { states } = runReference(PASSAGES, wordPieceIds(VOCABULARY, TEXT));
  assertClose(await contriever.embedPassages([TEXT]), mean(states));
  const simcse = open(t, folder, { preset: 'simcse' });
  assertClose(
    await simcse.embedQuery(TEXT),
    unit(runReference(PASSAGES, wordPieceIds(VOCABULARY, TEXT)).pooled),
  );
  const colbert = open(t, folder, { preset: 'tct-colbert' });
  const marked = runReference(PASSAGES, wordPieceIds(VOCABULARY, `[D] ${TEXT}`));
  // [CLS], [, D and ] are read, but are not part of the mean.
  assertClose(await colbert.embedPassages([TEXT]), mean(marked.states.slice(4)));
});

test('a folder without a query model is named', async (t) => {
  const folder = await models(t);
  assert.throws(
    () => open(t, folder, { query: 'nowhere' }),
    (error) => ParallaxError.is(error, 'model-missing') && error.message.includes('nowhere'),
  );
});

test('two models of different lengths are refused, each by name', async (t) => {
  const folder = await models(t);
  await writeTinyEncoder(path.join(folder, 'short'), { pooled: 16 });
  const embedder = open(t, folder, { pooling: 'pooler', query: 'short' });
  await embedder.embedPassages([TEXT]);
  await assert.rejects(
    embedder.embedQuery(TEXT),
    (error) =>
      ParallaxError.is(error, 'bad-file') &&
      /short.* of 16 numbers, and .*passages.* of 32:/u.test(error.message),
  );
});
