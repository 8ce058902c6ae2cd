/** Compares a projection that reorders candidates with the projected search, on the same vectors. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { parsePipeline } from '../../../src/core/pipeline.ts';
import { PROJECTION_METHODS } from '../../../src/core/projection/project.ts';
import { searchCorpus } from '../../../src/engine/retrieval/search-query.ts';
import { openBench, type Bench } from './support.ts';

const TEXTS = [
  'Fasting helps to lose weight.',
  'Fasting harms muscles and sleep.',
  'A diet helps to lose weight slowly.',
  'Sleep matters more than a diet.',
  'Muscles grow with protein.',
  'Weight returns after fasting ends.',
];
const QUERY = {
  text: 'Is fasting a good way to lose weight?',
  perspectives: [
    { id: 'pro', text: 'Fasting helps to lose weight' },
    { id: 'con', text: 'Fasting harms muscles' },
  ],
};
const DENSE = { type: 'dense', embedder: 'hashing' };

async function ranking({ corpus, services }: Bench, pipeline: object, query = QUERY): Promise<string[]> {
  const parsed = parsePipeline({ k: TEXTS.length, ...pipeline });
  const { hits } = await searchCorpus(corpus, parsed, query, TEXTS.length, services);
  return hits.map(({ item }) => corpus.passageId(item));
}

const open = (t: TestContext): Promise<Bench> => openBench(t, TEXTS, [{ text: '{}' }]);

test('over all passages, it orders like the search with the same projection', async (t) => {
  const bench = await open(t);
  for (const method of PROJECTION_METHODS)
    for (const perspectives of [QUERY.perspectives, QUERY.perspectives.slice(0, 1)]) {
      const query = { ...QUERY, perspectives };
      const projection = { method, weight: 0.7 };
      assert.deepEqual(
        await ranking(
          bench,
          { retriever: DENSE, rerank: [{ type: 'projection', embedder: 'hashing', ...projection }] },
          query,
        ),
        await ranking(bench, { retriever: DENSE, projection }, query),
        `${method}, ${perspectives.length} perspectives`,
      );
    }
});

test('after a word search, it orders the candidates only, and lower passages stay below', async (t) => {
  const bench = await open(t);
  const words = { retriever: { type: 'bm25' }, candidates: 3 };
  const before = await ranking(bench, words);
  const after = await ranking(bench, { ...words, rerank: [{ type: 'projection', embedder: 'hashing' }] });
  assert.deepEqual(after.slice(0, 3).toSorted(), before.slice(0, 3).toSorted());
  assert.notDeepEqual(after.slice(0, 3), before.slice(0, 3));
  assert.deepEqual(after.slice(3), before.slice(3));
});

test('a question without perspectives is reported', async (t) => {
  const bench = await open(t);
  await assert.rejects(
    ranking(bench, { retriever: DENSE, rerank: [{ type: 'projection' }] }, { ...QUERY, perspectives: [] }),
    /The step "projection" needs perspectives, and this question has none\. Add some\./u,
  );
});

test('a pipeline whose model splits queries cannot use other perspectives', () => {
  assert.throws(
    () =>
      parsePipeline({
        retriever: DENSE,
        rerank: [{ type: 'mmr' }, { type: 'projection', split: 'model', perspectives: 'model' }],
      }),
    /rerank\.1\.split "model" takes the perspective out of the query/u,
  );
});
