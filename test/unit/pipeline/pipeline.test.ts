/** Valid pipelines, and the messages for invalid ones. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ParallaxError } from '../../../src/core/errors.ts';
import {
  externalParts,
  isExternal,
  leastSure,
  parsePipeline,
  searchesByVector,
} from '../../../src/core/pipeline.ts';

const BM25 = { type: 'bm25' };
const DENSE = { type: 'dense' };
const HTTP = { type: 'http', url: 'http://localhost' };
const COMMAND = { type: 'command', command: ['search'] };
const RUN = { type: 'run', file: 'run.jsonl' };
const CHROMA = { type: 'chroma', collection: 'c', embedder: 'e' };
const OPENSEARCH = { type: 'opensearch', index: 'i' };
const hybrid = (...retrievers: object[]): object => ({ type: 'hybrid', retrievers });

function refusal(pipeline: object): string {
  try {
    parsePipeline({ retriever: DENSE, ...pipeline });
    return '';
  } catch (error) {
    assert.ok(ParallaxError.is(error, 'bad-pipeline'), String(error));
    return error.message;
  }
}

const FROM_FILE = { perspectives: 'file' };
const refusals: readonly [object, RegExp | ''][] = [
  [{ k: 0 }, /^Pipeline: k: /u],
  [
    { retriever: { ...hybrid(BM25, DENSE), weights: [1] } },
    /^Pipeline: retriever\.weights has 1 values for 2 retrievers\.$/u,
  ],
  [{ retriever: { ...hybrid(BM25, DENSE), weights: [1, 2] } }, ''],
  [{ retriever: BM25, projection: {} }, /works on embeddings; retriever\.type is "bm25"/u],
  [{ retriever: OPENSEARCH, projection: {} }, /retriever\.type is "opensearch"/u],
  [{ retriever: CHROMA, projection: {} }, ''],
  [{ projection: {}, expansion: { type: 'perspectives' } }, /use one of them\.$/u],
  [{ expansion: { type: 'perspectives' } }, ''],
  [
    { projection: { split: 'model', perspectives: 'model' } },
    /projection\.split "model" .* projection\.perspectives "model"/u,
  ],
  [{ projection: { split: 'model' } }, ''],
  [{ projection: { perspectives: 'model' } }, ''],
  [{ expansion: { type: 'perspectives', ...FROM_FILE } }, /^Pipeline: expansion\.file is missing/u],
  [{ projection: FROM_FILE }, /^Pipeline: projection\.file is missing/u],
  [
    { rerank: [{ type: 'mmr' }, { type: 'pm2', ...FROM_FILE }] },
    /^Pipeline: rerank\.1\.file is missing: it names/u,
  ],
  [{ rerank: [{ type: 'pm2', ...FROM_FILE, file: 'p.jsonl' }] }, ''],
  [
    { rerank: [{ type: 'xquad', count: 'many' }] },
    /rerank\.0\.count: expected a whole number from 1 to 16, or "auto"/u,
  ],
  [{ rerank: [{ type: 'mmr', datasetMaximum: 'most' }] }, /expected a number above 0 or "auto"/u],
  [
    { rerank: [{ type: 'coverage', errors: { yesOfSupport: 0.5, yesOfNone: 0.5 } }] },
    /not more frequent where passages support tells nothing/u,
  ],
  [{ rerank: [{ type: 'coverage', errors: { yesOfSupport: 0.6, yesOfNone: 0.5 } }] }, ''],
];
for (const [pipeline, message] of refusals)
  test(`${JSON.stringify(pipeline)} ${message === '' ? 'is a pipeline' : 'is refused'}`, () =>
    message === '' ? assert.equal(refusal(pipeline), '') : assert.match(refusal(pipeline), message));

test('a search of several parts is as certain as the least certain part', () => {
  assert.equal(leastSure([]), 'exact');
  assert.equal(leastSure(['exact', 'int8']), 'int8');
  assert.equal(leastSure(['approximate', 'int8', 'exact']), 'approximate');
});

test('finds a retriever of the user, also in a hybrid', () => {
  const retriever = (input: object) => parsePipeline({ retriever: input }).retriever;
  const external = [COMMAND, HTTP, RUN, CHROMA, OPENSEARCH];
  for (const own of external) {
    assert.ok(isExternal(retriever(own)), own.type);
    assert.deepEqual(externalParts(retriever(own)), [retriever(own)]);
  }
  for (const own of [BM25, DENSE, hybrid(BM25, DENSE)])
    assert.deepEqual(
      [isExternal(retriever(own)), externalParts(retriever(own))],
      [false, []],
      JSON.stringify(own),
    );
  assert.deepEqual(externalParts(retriever(hybrid(BM25, HTTP, CHROMA))), [
    retriever(HTTP),
    retriever(CHROMA),
  ]);
  assert.deepEqual(
    [DENSE, CHROMA, BM25, OPENSEARCH, hybrid(DENSE, DENSE)].map((own) => searchesByVector(retriever(own))),
    [true, true, false, false, false],
  );
});
