/**
 * Files and answers of models: tokenizers, class names and calibrations in files, and answers of chat and embedding
 * models from a test server that returns each input.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { OpenAiEmbedder } from '../../src/engine/embedders/openai-embedder.ts';
import { EncoderTokenizer } from '../../src/engine/encoders/encoder-tokenizer.ts';
import { calibratedThreshold } from '../../src/engine/judges/nli-judge.ts';
import { NliModel } from '../../src/engine/models/nli-model.ts';
import { createOpenAiModel } from '../../src/engine/models/openai-model.ts';
import { retryAfterMs } from '../../src/engine/network/retry-after.ts';
import { embedderSchema } from '../../src/shared/config.ts';
import { SPECIAL, tokenizerOf, writeTinyNli } from '../fixtures/tiny-encoder/make.ts';
import { answering } from './answering-server.ts';
import { takes, textOf, type FuzzedBytes } from './fuzzed-bytes.ts';

const FOLDER = mkdtempSync(path.join(tmpdir(), 'parallax-fuzz-'));
process.once('exit', () => rmSync(FOLDER, { recursive: true, force: true }));

/** Short, so that most changes affect something. */
const TOKENIZER = JSON.stringify(tokenizerOf([...SPECIAL, 'one', 'two', '##s']));

const tokenizer: FuzzedBytes = {
  name: 'tokenizer.json',
  examples: [TOKENIZER],
  cost: 1,
  survives: (text) =>
    takes(async () => {
      writeFileSync(path.join(FOLDER, 'tokenizer.json'), text);
      const read = await EncoderTokenizer.load(FOLDER, 16);
      for (const id of read.encode('one twos \u00e9 [SEP]')) assert.ok(Number.isInteger(id), String(id));
      const { ids } = read.pairsWith('one')('twos');
      assert.ok(ids.length <= 16);
    }),
};

const NLI = path.join(FOLDER, 'nli');
await writeTinyNli(NLI);
const MODEL_CONFIG = path.join(NLI, 'config.json');

/** The names of its classes determine which output is read. */
const modelConfig: FuzzedBytes = {
  name: 'config.json of a model',
  examples: [textOf(readFileSync(MODEL_CONFIG))],
  cost: 5,
  survives: (text) =>
    takes(async () => {
      writeFileSync(MODEL_CONFIG, text);
      const model = new NliModel({ path: NLI, maxTokens: 64 }, FOLDER);
      try {
        await model.entail([{ premise: 'Cars help.', hypothesis: 'Ban cars.' }], (_, { probability }) =>
          assert.ok(probability >= 0 && probability <= 1, String(probability)),
        );
      } finally {
        await model.dispose();
      }
    }),
};

const CALIBRATION = path.join(FOLDER, 'calibration.json');
const FIGURES = {
  pairs: 4,
  accuracy: 1,
  balancedAccuracy: 1,
  f1: 1,
  macroF1: 1,
  precision: 1,
  kappa: 1,
  recall: { yes: 1, no: 1 },
  positiveShare: 0.5,
  referencePositiveShare: 0.5,
};
const CALIBRATED = {
  judge: 'nli',
  judgeKey: 'the model',
  threshold: 0.4,
  objective: 'f1',
  leftOut: 0,
  counts: { yes: 2, no: 2 },
  figures: FIGURES,
  heldOut: null,
};

const calibration: FuzzedBytes = {
  name: 'calibration of a judge',
  examples: [JSON.stringify(CALIBRATED)],
  cost: 1,
  survives: (text) =>
    takes(async () => {
      writeFileSync(CALIBRATION, text);
      const threshold = await calibratedThreshold(CALIBRATION, CALIBRATED.judgeKey)();
      assert.ok(threshold >= 0 && threshold <= 1, String(threshold));
    }),
};

const COMPLETION = {
  choices: [
    {
      message: { role: 'assistant', content: 'Yes.', refusal: null },
      finish_reason: 'stop',
      logprobs: { content: [{ token: 'Yes', logprob: -0.1, top_logprobs: [{ token: 'no', logprob: -3 }] }] },
    },
  ],
  usage: { prompt_tokens: 3, completion_tokens: 1 },
};

const completion: FuzzedBytes = {
  name: 'answer of a chat endpoint',
  examples: [JSON.stringify(COMPLETION)],
  cost: 2,
  survives: (text) =>
    takes(async () => {
      const baseUrl = await answering(() => text);
      const model = createOpenAiModel({
        baseUrl,
        model: 'm',
        keyName: 'k',
        apiKey: undefined,
        maxRetries: 0,
      });
      const said = await model.complete([{ role: 'user', content: 'Q?' }], { timeoutMs: 10_000 });
      assert.equal(typeof said.text, 'string');
      for (const { logprob } of said.tokens ?? []) assert.equal(typeof logprob, 'number');
    }),
};

const EMBEDDINGS = JSON.stringify({ data: [{ index: 0, embedding: [0.6, 0.8, 0] }, { index: 1, embedding: [0, 1, 0] }] }); // oxfmt-ignore

const embeddings: FuzzedBytes = {
  name: 'answer of an embeddings endpoint',
  examples: [EMBEDDINGS],
  cost: 2,
  survives: (text) =>
    takes(async () => {
      const baseUrl = await answering(() => text);
      const config = embedderSchema.parse({ type: 'openai', baseUrl, model: 'm' });
      assert.ok(config.type === 'openai');
      const embedder = new OpenAiEmbedder('it', config, {
        apiKey: undefined,
        maxRetries: 0,
        timeoutMs: 10_000,
      });
      const vectors = await embedder.embedPassages(['one', 'two']);
      assert.ok(vectors.length > 0 && vectors.every((value) => Number.isFinite(value)), 'finite');
    }),
};

const NOW = Date.UTC(2026, 0, 1);
const retryAfter: FuzzedBytes = {
  name: 'how long a server asks to be left alone',
  examples: ['120', 'Thu, 01 Jan 2026 00:01:00 GMT', '0.5'],
  cost: 1,
  survives: async (text) => {
    // The client does not transmit other characters.
    const value = text.replaceAll(/[^\x20-\x7e]/gu, '');
    const waits = ['retry-after', 'retry-after-ms'].map((name) =>
      retryAfterMs(new Headers({ [name]: value }), NOW),
    );
    for (const wait of waits)
      assert.ok(wait === undefined || (wait >= 0 && Number.isFinite(wait)), String(wait));
    return waits[0] !== undefined;
  },
};

export const MODEL_PARSERS: readonly FuzzedBytes[] = [
  ...[tokenizer, modelConfig, calibration],
  ...[completion, embeddings, retryAfter],
];
