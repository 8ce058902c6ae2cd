/** What a pipeline needs besides its corpus. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  canSearchExactly,
  dependsOnWriting,
  likenessEmbedder,
  likensWholeCorpus,
  needsOf,
  queriesAtOnce,
  storeOfPipelines,
  withExactSearch,
  withoutGivenPerspectives,
  type PipelineNeeds,
} from '../../../src/core/pipeline-needs.ts';
import { storeRetrieverSchema } from '../../../src/core/external/stores.ts';
import { DEFAULT_PIPELINE, parsePipeline } from '../../../src/core/pipeline.ts';

const BM25 = { type: 'bm25' };
const DENSE = { type: 'dense', embedder: 'minilm' };
const HTTP = { type: 'http', url: 'http://localhost', connections: 3 };
const CHROMA = { type: 'chroma', collection: 'c', embedder: 'e' };
const QDRANT = { type: 'qdrant', collection: 'c', embedder: 'e' };
const hybrid = (...retrievers: object[]): object => ({ type: 'hybrid', retrievers });
const pipeline = (steps: object) => parsePipeline({ retriever: DENSE, ...steps });
const from = (perspectives: string, more: object = {}): object => ({ perspectives, ...more });

const NOTHING: PipelineNeeds = {
  givenPerspectives: false,
  writers: [],
  files: [],
  judges: [],
  embedders: ['minilm'],
  external: false,
  crossEncoders: [],
};
const needs: readonly [object, Partial<PipelineNeeds>][] = [
  [{}, {}],
  [{ retriever: BM25 }, { embedders: [] }],
  [{ retriever: hybrid(BM25, DENSE, HTTP) }, { external: true }],
  [{ expansion: { type: 'perspectives' } }, { givenPerspectives: true }],
  [{ expansion: { type: 'perspectives', ...from('model', { model: 'gpt' }) } }, { writers: ['gpt'] }],
  [{ expansion: { type: 'hyde', passages: 2 } }, { writers: [undefined, undefined] }],
  [{ expansion: { type: 'query2doc', model: 'gpt' } }, { writers: ['gpt'] }],
  [{ expansion: { type: 'mugi', passages: 3, model: 'gpt' } }, { writers: ['gpt', 'gpt', 'gpt'] }],
  [{ projection: {} }, { givenPerspectives: true }],
  [{ projection: { split: 'model' } }, { writers: [undefined] }],
  [{ projection: from('file', { file: 'p.jsonl' }) }, { files: ['p.jsonl'] }],
  [{ rerank: [{ type: 'xquad' }] }, { givenPerspectives: true }],
  [{ rerank: [{ type: 'pm2', ...from('given', { file: 'p.jsonl' }) }] }, { givenPerspectives: true }],
  [{ rerank: [{ type: 'mmr', embedder: 'bge' }] }, { embedders: ['minilm', 'bge'] }],
  [{ rerank: [{ type: 'projection' }] }, { givenPerspectives: true, embedders: ['minilm', 'meaning'] }],
  [
    { rerank: [{ type: 'projection', split: 'model' }] },
    { writers: [undefined], embedders: ['minilm', 'meaning'] },
  ],
  [{ rerank: [{ type: 'coverage', judge: 'gpt' }] }, { givenPerspectives: true, judges: ['gpt'] }],
];
describe('the needs of', () => {
  for (const [steps, wanted] of needs)
    test(JSON.stringify(steps), () => assert.deepEqual(needsOf(pipeline(steps)), { ...NOTHING, ...wanted }));

  test('a cross-encoder', () => {
    const { crossEncoders } = needsOf(
      pipeline({ rerank: [{ type: 'cross-encoder', path: 'm' }, { type: 'mmr' }] }),
    );
    assert.deepEqual(
      crossEncoders.map(({ path }) => path),
      ['m'],
    );
  });
});

test('text written for each query comes from a model or a file', () => {
  const depends = (steps: object): boolean => dependsOnWriting(needsOf(pipeline(steps)));
  assert.equal(depends({ projection: {} }), false);
  assert.equal(depends({ expansion: { type: 'hyde' } }), true);
  assert.equal(depends({ projection: from('file', { file: 'p.jsonl' }) }), true);
});

test('without given perspectives only the steps that read them are removed', () => {
  const all = pipeline({
    expansion: { type: 'perspectives' },
    rerank: [{ type: 'mmr' }, { type: 'xquad' }, { type: 'pm2', ...from('model') }, { type: 'coverage' }],
  });
  const { expansion, rerank, ...kept } = withoutGivenPerspectives(all);
  assert.equal(expansion, undefined);
  assert.deepEqual(
    rerank.map(({ type }) => type),
    ['mmr', 'pm2'],
  );
  assert.deepEqual(kept.retriever, all.retriever);
  assert.equal(withoutGivenPerspectives(pipeline({ projection: {} })).projection, undefined);
  const own = pipeline({ projection: from('model') });
  assert.deepEqual(withoutGivenPerspectives(own).projection, own.projection);
});

test('every part that can search exactly does, and the result says whether all can', () => {
  const own = pipeline({ retriever: hybrid(BM25, DENSE, QDRANT) });
  assert.ok(canSearchExactly(own));
  const { retriever } = withExactSearch(own);
  assert.deepEqual(
    retriever,
    pipeline({ retriever: hybrid(BM25, { ...DENSE, search: 'exact' }, { ...QDRANT, exact: true }) })
      .retriever,
  );
  assert.deepEqual(
    withExactSearch(pipeline({ retriever: CHROMA })).retriever,
    pipeline({ retriever: CHROMA }).retriever,
  );
  assert.equal(canSearchExactly(pipeline({ retriever: hybrid(BM25, CHROMA) })), false);
  assert.ok(canSearchExactly(pipeline({ projection: {} })));
});

test('concurrency is that of the slowest part; models and judges run one query at a time', () => {
  const atOnce = (steps: object): number => queriesAtOnce(pipeline(steps));
  assert.equal(atOnce({ retriever: HTTP }), 3);
  assert.equal(atOnce({ retriever: { ...QDRANT, connections: 2 } }), 2);
  assert.equal(atOnce({ retriever: hybrid(HTTP, { ...QDRANT, connections: 2 }) }), 2);
  assert.equal(atOnce({ retriever: hybrid(HTTP, BM25) }), 1);
  assert.equal(atOnce({ retriever: HTTP, expansion: { type: 'hyde' } }), 1);
  assert.equal(atOnce({ retriever: HTTP, rerank: [{ type: 'coverage' }] }), 1);
});

test('likeness uses the searched vectors, else the compared ones, else those of the corpus', () => {
  const mmr = { rerank: [{ type: 'xquad' }, { type: 'mmr', embedder: 'bge' }] };
  assert.equal(likenessEmbedder(pipeline(mmr)), 'minilm');
  assert.equal(likenessEmbedder(pipeline({ retriever: BM25, ...mmr })), 'bge');
  assert.equal(likenessEmbedder(pipeline({ retriever: HTTP })), undefined);
  assert.equal(
    likenessEmbedder(DEFAULT_PIPELINE.pipeline),
    undefined,
    'its meaning is left out where words are not English',
  );
  assert.deepEqual(
    [{}, { retriever: BM25 }, { retriever: BM25, ...mmr }].map((steps) => likensWholeCorpus(pipeline(steps))),
    [true, true, false],
  );
});

test('a searched store is missing as a corpus unless a corpus has the same place', () => {
  const store = storeRetrieverSchema.parse(QDRANT);
  const pipelines = {
    words: pipeline({ retriever: BM25 }),
    own: pipeline({ retriever: hybrid(HTTP, QDRANT) }),
  };
  assert.deepEqual(storeOfPipelines({ corpora: { docs: {} }, pipelines }), store);
  assert.equal(storeOfPipelines({ corpora: { docs: {}, articles: { store } }, pipelines }), undefined);
  const other = storeRetrieverSchema.parse({ ...QDRANT, collection: 'other' });
  assert.deepEqual(storeOfPipelines({ corpora: { articles: { store: other } }, pipelines }), store);
});
