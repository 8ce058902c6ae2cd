import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { ParallaxError, type ErrorId } from '../../../src/core/errors.ts';
import { EncoderTokenizer } from '../../../src/engine/encoders/encoder-tokenizer.ts';
import {
  createCrossEncoder,
  type CrossEncoder,
  type CrossEncoderConfig,
} from '../../../src/engine/rerankers/cross-encoder.ts';
import {
  specialPart,
  textPart,
  writeTinyCrossEncoder,
  writeTinyEncoder,
  HIDDEN,
  type TinyEncoderOptions,
} from '../../fixtures/tiny-encoder/make.ts';
import { wordPieceIds } from '../../fixtures/tiny-encoder/reference.ts';
import { bareIds, bertPair, CLS, logitsOf, logOdds, SEP, WEIGHTS } from './support.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';

const QUERY = 'Should the city ban cars?';
/** From no tokens to many, in no order of length, more than one batch. */
const PASSAGES = [
  'Because unsafe cars, helping and helpful; are cars safe? The city should ban cars and help the cafe.',
  'safe',
  '',
  'The city should ban cars.',
  'vaccine',
  'Unsafe vaccines helped?',
  'the the the the the the the the the the',
  'café zebra',
  'car',
  'cars',
  'ban car',
];

/** The tiny model's limit is 64 tokens. */
function open(t: TestContext, folder: string, config: Partial<CrossEncoderConfig> = {}): CrossEncoder {
  const encoder = createCrossEncoder(
    { path: basename(folder), maxTokens: 64, ...config },
    { baseDir: dirname(folder) },
  );
  t.after(() => encoder.dispose());
  return encoder;
}

async function openTiny(
  t: TestContext,
  model: TinyEncoderOptions = {},
  config: Partial<CrossEncoderConfig> = {},
): Promise<CrossEncoder> {
  const folder = temporaryFolder(t);
  await writeTinyCrossEncoder(folder, model);
  return open(t, folder, config);
}

const isError = (id: ErrorId, message: RegExp) => (error: unknown) => {
  assert.ok(ParallaxError.is(error, id), String(error));
  assert.match(error.message, message);
  return true;
};

function assertClose(actual: Float64Array, expected: readonly number[]): void {
  assert.equal(actual.length, expected.length);
  actual.forEach((value, i) =>
    assert.ok(Math.abs(value - expected[i]!) <= 1e-5, `${i}: ${value} is not ${expected[i]}`),
  );
}

const pairs = PASSAGES.map((passage) => bertPair(bareIds(QUERY), bareIds(passage)));

test('a single output is the score, in batches of different lengths', async (t) => {
  const encoder = await openTiny(t, { classes: 1 });
  const progress: number[] = [];
  const scores = await encoder.score(QUERY, PASSAGES, { onProgress: ({ done }) => progress.push(done) });
  assertClose(
    scores,
    pairs.map((pair) => logitsOf(pair, 1)[0]!),
  );
  assert.ok(progress.length > 1 && progress.length < PASSAGES.length);
  assert.equal(progress.at(-1), PASSAGES.length);
});

test('of two classes the second is relevant, unless positiveLabel says otherwise', async (t) => {
  const folder = temporaryFolder(t);
  await writeTinyCrossEncoder(folder, { classes: 2 });
  const expected = (positive: number): number[] => pairs.map((pair) => logOdds(logitsOf(pair, 2), positive));
  assertClose(await open(t, folder).score(QUERY, PASSAGES), expected(1));
  assertClose(await open(t, folder, { positiveLabel: 0 }).score(QUERY, PASSAGES), expected(0));
});

test('more classes need positiveLabel, a number or a name in config.json', async (t) => {
  const folder = temporaryFolder(t);
  await writeTinyCrossEncoder(folder, { classes: 3 });
  const unnamed = /3 classes \(0, 1, 2\) and needs positiveLabel/;
  await assert.rejects(open(t, folder).score(QUERY, PASSAGES), isError('bad-file', unnamed));
  const id2label = { 0: 'contradiction', 1: 'neutral', 2: 'ENTAILMENT' };
  await writeFile(join(folder, 'config.json'), JSON.stringify({ id2label, hidden_size: HIDDEN }));
  const named = /0 contradiction, 1 neutral, 2 ENTAILMENT\) and needs positiveLabel/;
  await assert.rejects(open(t, folder).score(QUERY, PASSAGES), isError('bad-file', named));
  const expected = pairs.map((pair) => logOdds(logitsOf(pair, 3), 2));
  for (const positiveLabel of [2, 'entailment'])
    assertClose(await open(t, folder, { positiveLabel }).score(QUERY, PASSAGES), expected);
  for (const [positiveLabel, problem] of [
    [3, /has no class 3/],
    ['relevant', /has no "relevant"/],
  ] as const)
    await assert.rejects(
      open(t, folder, { positiveLabel }).score(QUERY, PASSAGES),
      isError('bad-file', problem),
    );
});

test('graphs without token types, with 32-bit integers, or of another name are read, too', async (t) => {
  const encoder = await openTiny(
    t,
    { classes: 1, tokenTypes: false, integers: 'int32', file: 'onnx/model_quantized.onnx' },
    { file: 'onnx/model_quantized.onnx' },
  );
  assertClose(
    await encoder.score(QUERY, PASSAGES),
    pairs.map((pair) => logitsOf(pair, 1, false)[0]!),
  );
});

test('a special token written in the query is that token', async (t) => {
  const encoder = await openTiny(t, { classes: 1 });
  const query = [...bareIds('help the city'), SEP, ...bareIds(QUERY)];
  assertClose(
    await encoder.score(`help the city [SEP] ${QUERY}`, PASSAGES),
    PASSAGES.map((passage) => logitsOf(bertPair(query, bareIds(passage)), 1)[0]!),
  );
});

test('the two texts are joined as the tokenizer specifies', async (t) => {
  // Like RoBERTa: two separators between the texts, and no types.
  const pair = [
    specialPart('[CLS]', 0),
    textPart('A', 0),
    specialPart('[SEP]', 0),
    specialPart('[SEP]', 0),
    textPart('B', 0),
    specialPart('[SEP]', 0),
  ];
  const encoder = await openTiny(t, { classes: 1, pair });
  const expected = PASSAGES.map((passage) => {
    const ids = [CLS, ...bareIds(QUERY), SEP, SEP, ...bareIds(passage), SEP];
    return logitsOf({ ids, types: ids.map(() => 0) }, 1)[0]!;
  });
  assertClose(await encoder.score(QUERY, PASSAGES), expected);
});

test('a tokenizer that cannot join two texts is refused', async (t) => {
  const encoder = await openTiny(t, { pair: [textPart('A', 0)] });
  await assert.rejects(
    encoder.score(QUERY, PASSAGES),
    isError('bad-file', /tokenizer\.json does not define how two texts are joined/),
  );
});

const LONG = 'help the city and ban the car because cars help the city and the cafe';

/** [query, passage, tokens kept of the query, tokens kept of the passage], with 13 tokens of room. */
const CUTS: Record<string, [string, string, number, number]> = {
  'the passage is cut, and the query stays whole': ['ban the car', LONG, 3, 10],
  'a query of half the room stays whole': ['the the the the the the the', LONG, 7, 6],
  'a longer query is cut to half of the room when the passage needs the other half': [LONG, LONG, 7, 6],
  'a longer query gives no more than the passage needs': [LONG, 'ban car', 11, 2],
  'a pair that just fits is not cut': ['the the the the the the the the the', 'ban the car help', 9, 4],
};
for (const [name, [query, passage, queryTokens, passageTokens]] of Object.entries(CUTS))
  test(`too long: ${name}`, async (t) => {
    const encoder = await openTiny(t, { classes: 1 }, { maxTokens: 16 });
    const pair = bertPair(bareIds(query).slice(0, queryTokens), bareIds(passage).slice(0, passageTokens));
    assert.equal(pair.ids.length, 16);
    assertClose(await encoder.score(query, [passage]), logitsOf(pair, 1));
  });

test('a passage of megabytes costs no more than the part that is read', async (t) => {
  const encoder = await openTiny(t, { classes: 1 }, { maxTokens: 16 });
  const [huge] = await encoder.score('ban', ['cars '.repeat(1_000_000)]);
  assertClose(Float64Array.of(huge!), [
    logitsOf(bertPair(bareIds('ban'), bareIds('cars '.repeat(12))), 1)[0]!,
  ]);
});

test('missing files are named', async (t) => {
  const folder = temporaryFolder(t);
  assert.throws(() => open(t, folder), isError('model-missing', /model\.onnx and no .*onnx.model\.onnx/));
  await writeTinyCrossEncoder(folder, { tokenizer: false });
  assert.throws(() => open(t, folder), isError('model-missing', /tokenizer\.json is missing/));
  assert.throws(
    () => open(t, folder, { file: 'other.onnx' }),
    isError('model-missing', /The folder has model\.onnx/),
  );
});

test('models that are no cross-encoders, and inputs that do not fit, are refused by name', async (t) => {
  const folder = temporaryFolder(t);
  const failsWith = async (message: RegExp): Promise<void> => {
    await assert.rejects(open(t, folder).score(QUERY, PASSAGES), isError('bad-file', message));
  };
  await writeTinyEncoder(folder, { outputs: ['last_hidden_state'] });
  await failsWith(/has the outputs last_hidden_state, none of which is a score per pair/);
  await writeTinyCrossEncoder(folder, { extraInput: 'decoder_input_ids' });
  await failsWith(/asks for the input decoder_input_ids .*takes input_ids, attention_mask/);
  await writeTinyEncoder(folder, { outputs: ['pooler_output'] });
  await failsWith(/has 32 classes .*needs positiveLabel/);
  await writeTinyCrossEncoder(folder);
  await writeFile(join(folder, 'config.json'), '{"id2label": [3]}');
  await failsWith(/config\.json: id2label does not map/);
  await writeFile(join(folder, 'config.json'), '{"id2label": ');
  await failsWith(/config\.json cannot be read/);
  await writeTinyCrossEncoder(folder);
  await writeFile(join(folder, 'config.json'), '{}');
  const tokenizer = JSON.parse(await readFile(join(folder, 'tokenizer.json'), 'utf8')) as {
    post_processor: object;
  };
  const odd = { ...tokenizer, post_processor: { ...tokenizer.post_processor, pair: 1 } };
  await writeFile(join(folder, 'tokenizer.json'), JSON.stringify(odd));
  await failsWith(/tokenizer\.json is not a tokenizer that can be read/);
});

test('a maxTokens beyond the model’s limit is a clear error, and shorter pairs still work', async (t) => {
  const encoder = await openTiny(t, {}, { maxTokens: 512 });
  await assert.rejects(
    encoder.score(QUERY, ['the '.repeat(100)]),
    isError('bad-file', /109 tokens.*maxTokens/s),
  );
  assert.equal((await encoder.score(QUERY, ['the'])).length, 1);
});

test('scores that are not numbers are reported', async (t) => {
  const bias = Float32Array.of(NaN, 0);
  const encoder = await openTiny(t, { weights: { ...WEIGHTS, 'classifier2.bias': bias } });
  await assert.rejects(encoder.score(QUERY, PASSAGES), isError('model-answer', /not numbers/));
});

test('a very certain model does not overflow', async (t) => {
  const bias = Float32Array.of(-400, 400);
  const encoder = await openTiny(t, { weights: { ...WEIGHTS, 'classifier2.bias': bias } });
  const scores = await encoder.score(QUERY, PASSAGES);
  assert.ok(scores.every((score) => score > 700 && score < 900));
  assert.equal(new Set(scores).size, PASSAGES.length, 'saturated scores would tie');
});

test('cancelling ends scoring between batches', async (t) => {
  const encoder = await openTiny(t);
  const controller = new AbortController();
  let calls = 0;
  const onProgress = (): void => {
    calls++;
    controller.abort();
  };
  const isCancelled = (error: unknown): boolean => ParallaxError.is(error, 'cancelled');
  await assert.rejects(
    encoder.score(QUERY, PASSAGES, { signal: controller.signal, onProgress }),
    isCancelled,
  );
  assert.equal(calls, 1);
  await assert.rejects(encoder.score(QUERY, PASSAGES, { signal: AbortSignal.abort() }), isCancelled);
});

test('after dispose, the model is loaded again; a repaired one works without a restart', async (t) => {
  const folder = temporaryFolder(t);
  await writeTinyCrossEncoder(folder, { classes: 1 });
  const encoder = open(t, folder);
  assert.equal((await encoder.score(QUERY, [])).length, 0);
  const before = await encoder.score(QUERY, PASSAGES);
  await encoder.dispose();
  await writeFile(join(folder, 'model.onnx'), 'not a model');
  await assert.rejects(encoder.score(QUERY, PASSAGES), isError('bad-file', /is not a model/));
  await writeTinyCrossEncoder(folder, { classes: 1 });
  assert.deepEqual(await encoder.score(QUERY, PASSAGES), before);
});

const MINILM = join(import.meta.dirname, '../../../../shared/data/tokenizers/all-MiniLM-L6-v2');
const skip = existsSync(MINILM) ? false : 'cannot run here: ../shared/data is absent';

test('a real tokenizer joins pairs like BERT', { skip }, async () => {
  const vocabulary = (await readFile(join(MINILM, 'vocab.txt'), 'utf8')).trimEnd().split('\n');
  const pair = (await EncoderTokenizer.load(MINILM, 32)).pairsWith(
    'Find an argument against it [SEP] Ban cars?',
  );
  const instruction = wordPieceIds(vocabulary, 'Find an argument against it');
  const query = wordPieceIds(vocabulary, 'Ban cars?').slice(1);
  for (const passage of ['Café naïveté — “déjà vu”.', '', 'retrieval '.repeat(100)]) {
    const second = wordPieceIds(vocabulary, passage).slice(1, -1);
    const first = [...instruction, ...query];
    const ids = [...first, ...second.slice(0, 32 - first.length - 1), query.at(-1)!];
    const { ids: actual, types } = pair(passage);
    assert.deepEqual([...actual], ids);
    assert.deepEqual(
      types,
      ids.map((_, i) => (i < first.length ? 0 : 1)),
    );
  }
});
