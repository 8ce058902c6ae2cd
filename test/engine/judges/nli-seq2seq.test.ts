/** NLI models that answer in words: TRUE's form, in a tiny model of the same layout. */
import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { ParallaxError, type ErrorId } from '../../../src/core/errors.ts';
import { NliModel, type Inference, type NliModelConfig } from '../../../src/engine/models/nli-model.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';
import { HIDDEN, makeWeights } from '../../fixtures/tiny-encoder/make.ts';
import { mean, runReference } from '../../fixtures/tiny-encoder/reference.ts';
import {
  headOf,
  pieceIds,
  PIECES,
  START,
  writeTinySeq2Seq,
  type TinySeq2SeqOptions,
} from '../../fixtures/tiny-encoder/seq2seq.ts';

const WEIGHTS = makeWeights();
const PAIRS: readonly Inference[] = [
  { premise: 'the city ban cars.', hypothesis: 'cars safe' },
  { premise: 'safe', hypothesis: 'the city' },
  { premise: 'the odd bus', hypothesis: 'ban cars' },
  { premise: 'the the the the the', hypothesis: 'safe.' },
];

/** P("1") against "0" by definition: the whole text in one, without padding or batches. */
function reference({ premise, hypothesis }: Inference): number {
  const ids = [...pieceIds(`premise: ${premise} hypothesis: ${hypothesis}`), PIECES.indexOf('</s>')];
  const start = WEIGHTS['words']!.subarray(START * HIDDEN, (START + 1) * HIDDEN);
  const state = mean(runReference(WEIGHTS, ids, false).states).map((value, i) => value + start[i]!);
  const { weight, bias } = headOf(WEIGHTS);
  const logit = (piece: string): number => {
    const out = PIECES.indexOf(piece);
    return state.reduce((sum, value, i) => sum + value * weight[i * PIECES.length + out]!, bias[out]!);
  };
  return 1 / (1 + Math.exp(logit('▁0') - logit('▁1')));
}

async function open(
  t: TestContext,
  options: TinySeq2SeqOptions = {},
  config: Partial<NliModelConfig> = {},
  change: (folder: string) => Promise<void> = () => Promise.resolve(),
): Promise<NliModel> {
  const folder = temporaryFolder(t);
  await writeTinySeq2Seq(folder, options);
  await change(folder);
  const model = new NliModel({ path: basename(folder), maxTokens: 64, ...config }, dirname(folder));
  t.after(() => model.dispose());
  return model;
}

async function probabilities(model: NliModel, pairs: readonly Inference[] = PAIRS): Promise<number[]> {
  const found: number[] = [];
  await model.entail(pairs, (index, { probability }) => (found[index] = probability));
  return found;
}

function assertClose(actual: readonly number[], expected: readonly number[]): void {
  assert.equal(actual.length, expected.length);
  actual.forEach((value, i) =>
    assert.ok(Math.abs(value - expected[i]!) < 1e-5, `pair ${i}: ${value} is not ${expected[i]}`),
  );
}

const isError = (id: ErrorId, message: RegExp) => (error: unknown) => {
  assert.ok(ParallaxError.is(error, id), String(error));
  assert.match(error.message, message);
  return true;
};

test('the probability is that of "1" against "0", for the whole text in TRUE’s form', async (t) => {
  const found = await probabilities(await open(t));
  assertClose(found, PAIRS.map(reference));
  assert.ok(Math.max(...found) - Math.min(...found) > 0.01);
});

test('files are found in the folder onnx, and a quantized encoder with its decoder', async (t) => {
  for (const file of ['onnx/encoder_model.onnx', 'encoder_model_quantized.onnx']) {
    const config = file.startsWith('onnx') ? {} : { file };
    assertClose(await probabilities(await open(t, { file }, config)), PAIRS.map(reference));
  }
});

test('a long passage is read in windows of sentences, and the best one counts', async (t) => {
  const [first, second, third] = [
    'the city ban cars.',
    'safe cars the the city.',
    'the odd bus ban the cars.',
  ];
  const hypothesis = 'cars safe';
  // "premise:", "hypothesis:" with two words, and the end leave 16 pieces: the first two sentences have 11, the last 13.
  const model = await open(t, {}, { maxTokens: 21 });
  const found = await probabilities(model, [{ premise: [first, second, third].join('\n\n'), hypothesis }]);
  const windows = [`${first} ${second}`, third!].map((premise) => reference({ premise, hypothesis }));
  assertClose(found, [Math.max(...windows)]);
});

test('a model with another first token is refused', async (t) => {
  const model = await open(t, { says: ['▁the'] });
  await assert.rejects(
    probabilities(model),
    isError('bad-file', /answers with a word other than 0 or 1, so it is not an entailment model like TRUE/u),
  );
});

test('missing files, or files of another form, are named, with how to export them', async (t) => {
  await assert.rejects(
    probabilities(await open(t, { decoder: false })),
    isError(
      'model-missing',
      /one half of a sequence-to-sequence model, and .*decoder_model\.onnx is missing.*optimum-cli/u,
    ),
  );
  await assert.rejects(
    probabilities(await open(t, { extraInput: 'past_key_values.0.key' })),
    isError('bad-file', /asks for the input past_key_values\.0\.key; a decoder is run here without a cache/u),
  );
  await assert.rejects(
    probabilities(
      await open(t, {}, {}, (folder) =>
        writeFile(join(folder, 'config.json'), '{"decoder_start_token_id": "pad"}'),
      ),
    ),
    isError('bad-file', /decoder_start_token_id is not the number of a token/u),
  );
  await assert.rejects(
    open(t, {}, {}, (folder) => rm(join(folder, 'encoder_model.onnx'))),
    isError('model-missing', /There is no .*model\.onnx.* The folder has decoder_model\.onnx/u),
  );
});

test('another decoder is another judge', async (t) => {
  const folder = temporaryFolder(t);
  await writeTinySeq2Seq(folder);
  const identity = () => new NliModel({ path: basename(folder), maxTokens: 64 }, dirname(folder)).identity;
  const before = identity();
  await writeTinySeq2Seq(folder, { says: ['▁0'] });
  assert.notEqual(identity(), before);
});
