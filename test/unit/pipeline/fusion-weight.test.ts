import assert from 'node:assert/strict';
import test from 'node:test';
import { ParallaxError } from '../../../src/core/errors.ts';
import {
  BUILT_IN_PIPELINES,
  DEFAULT_PIPELINE,
  fusionWeights,
  parsePipeline,
  type HybridRetriever,
} from '../../../src/core/pipeline.ts';
import { pipelineLabel, pipelineTitle } from '../../../src/core/pipeline-label.ts';

const WORDS = { type: 'bm25' };
const MEANING = { type: 'dense', embedder: 'meaning' };

function hybrid(fields: object): HybridRetriever {
  const { retriever } = parsePipeline({
    retriever: { type: 'hybrid', retrievers: [WORDS, MEANING], ...fields },
  });
  assert.equal(retriever.type, 'hybrid');
  return retriever as HybridRetriever;
}

const isBad = (message: RegExp) => (error: unknown) => {
  assert.ok(ParallaxError.is(error, 'bad-pipeline'), String(error));
  assert.match(error.message, message);
  return true;
};

test('the weight applies to the second retriever; the first has the rest', () => {
  assert.deepEqual(fusionWeights(hybrid({ weight: 0.25 })), [0.75, 0.25]);
  assert.deepEqual(fusionWeights(hybrid({ weights: [2, 1] })), [2, 1]);
  assert.equal(fusionWeights(hybrid({})), undefined);
});

test('refuses an invalid weight in one sentence', () => {
  assert.throws(
    () => hybrid({ weight: 0.5, weights: [1, 1] }),
    isBad(/weight and retriever\.weights say the same/),
  );
  assert.throws(() => hybrid({ weight: 0.5, retrievers: [WORDS, WORDS, MEANING] }), isBad(/there are 3/));
  assert.throws(() => hybrid({ weight: 1.5 }), isBad(/weight/));
});

test('the default pipeline is a hybrid if the corpus is English', () => {
  assert.equal(pipelineTitle(DEFAULT_PIPELINE), 'Words and meaning');
  const titles = Object.entries(BUILT_IN_PIPELINES).map(([name, pipeline]) =>
    pipelineTitle({ name, pipeline }),
  );
  assert.deepEqual(titles, ['Words and meaning', 'Words', 'Meaning']);
  const { bm25: pipeline } = BUILT_IN_PIPELINES;
  assert.equal(pipelineTitle({ name: 'bm25', pipeline: { ...pipeline, k: 3 } }), 'bm25');
});

test('a hybrid with hashed words is not called meaning', () => {
  const hashed = parsePipeline({ retriever: { type: 'dense', embedder: 'hashing' } });
  assert.equal(pipelineLabel(hashed), 'Hashed words, k = 5');
  assert.equal(pipelineLabel(BUILT_IN_PIPELINES.dense), 'Meaning, k = 5');
});
