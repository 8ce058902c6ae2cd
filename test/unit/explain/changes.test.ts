/** The changes tried so that a document is retrieved. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  possibleChanges,
  type Change,
  type PassageRanks,
} from '../../../src/features/explain/core/changes.ts';
import { filterText, withoutFilter } from '../../../src/features/explain/core/store-filter.ts';
import {
  BUILT_IN_PIPELINES,
  fusionWeights,
  parsePipeline,
  type PipelineInput,
} from '../../../src/core/pipeline.ts';

const dense = (embedder: string) => parsePipeline({ retriever: { type: 'dense', embedder } }).retriever;

function changes(
  input: PipelineInput,
  ranks: PassageRanks = {},
  embedders: readonly string[] = [],
): Change[] {
  return possibleChanges(parsePipeline(input), ranks, embedders.map(dense));
}

const labels = (found: readonly Change[], kind: Change['kind']): string[] =>
  found.filter((change) => change.kind === kind).map(({ label }) => label);

test('every change is a pipeline that can be saved', () => {
  const pipelines: PipelineInput[] = [
    BUILT_IN_PIPELINES.hybrid,
    { retriever: { type: 'bm25' }, rerank: [{ type: 'mmr' }], expansion: { type: 'hyde' } },
    { retriever: { type: 'chroma', collection: 'c', embedder: 'hashing', where: { lang: 'en' } } },
  ];
  for (const input of pipelines) {
    const isFiltered = filterText(parsePipeline(input).retriever) !== '';
    const found = changes(input, { rank: 12, retrievedRank: 3, isFiltered }, ['hashing', 'e5']);
    assert.ok(found.length > 0);
    for (const { label, pipeline } of found) {
      assert.deepEqual(parsePipeline(pipeline), pipeline, label);
      assert.notDeepEqual(pipeline, parsePipeline(input), label);
    }
  }
});

test('a changed weight of a hybrid applies to the search, too', () => {
  const { retriever } = BUILT_IN_PIPELINES.hybrid;
  assert.ok(retriever.type === 'hybrid');
  const before = fusionWeights(retriever)!;
  const found = changes(BUILT_IN_PIPELINES.hybrid).filter(({ kind }) => kind === 'weights');
  const weights = found.map(
    ({ pipeline }) => pipeline.retriever.type === 'hybrid' && fusionWeights(pipeline.retriever),
  );
  assert.ok(weights.length >= 6);
  for (const each of weights) assert.notDeepEqual(each, before);
  const distances = weights.map((each) => Math.abs((each as number[])[1]! - before[1]!));
  assert.deepEqual(
    distances,
    distances.toSorted((a, b) => a - b),
    'the nearest first',
  );
});

test('another embedder replaces the present one', () => {
  assert.deepEqual(labels(changes(BUILT_IN_PIPELINES.hybrid, {}, ['e5']), 'embedder'), [
    'Meaning → Meaning (e5)',
  ]);
  const plain = changes({ retriever: { type: 'dense', embedder: 'e5' } }, {}, ['e5', 'hashing']);
  assert.deepEqual(labels(plain, 'embedder'), ['Meaning (e5) → Hashed words']);
  assert.deepEqual(labels(plain, 'retriever'), []);
  assert.deepEqual(labels(changes({ retriever: { type: 'bm25' } }, {}, ['e5']), 'embedder'), []);
});

test('removes or replaces an expansion, and adds none', () => {
  const expansion = { type: 'perspectives' } as const;
  assert.deepEqual(labels(changes({ retriever: { type: 'bm25' }, expansion }), 'expansion'), [
    'queryText question-perspective → perspective',
    'without expansion (given perspectives)',
  ]);
  assert.deepEqual(labels(changes({ retriever: { type: 'bm25' } }), 'expansion'), []);
});

test('removes a filter first, and only for a passage that it excludes', () => {
  const qdrant = { type: 'qdrant', collection: 'c', embedder: 'hashing', filter: { must: [] } } as const;
  const [first] = changes({ retriever: qdrant }, { isFiltered: true });
  assert.deepEqual([first!.label, filterText(first!.pipeline.retriever)], ['without the filter', '']);
  assert.deepEqual(labels(changes({ retriever: qdrant }, { rank: 9 }), 'filter'), []);
});

test('finds filters under the names of each store', () => {
  const chroma = { type: 'chroma', collection: 'c', embedder: 'hashing', where: { lang: 'en' } } as const;
  const place = { type: 'postgres', database: 'd', user: 'u', table: 't', embedder: 'hashing' } as const;
  const postgres = { ...place, where: { even: true } };
  const milvus = { type: 'milvus', collection: 'c', embedder: 'hashing', filter: 'lang == "en"' } as const;
  const texts: [PipelineInput['retriever'], string][] = [
    [chroma, '{"lang":"en"}'],
    [postgres, '{"even":true}'],
    [place, ''],
    [milvus, 'lang == "en"'],
    [{ type: 'bm25' }, ''],
    [{ type: 'hybrid', retrievers: [{ type: 'bm25' }, chroma] }, '{"lang":"en"}'],
  ];
  for (const [input, text] of texts) {
    const { retriever } = parsePipeline({ retriever: input });
    assert.equal(filterText(retriever), text);
    const open = withoutFilter(retriever);
    assert.equal(filterText(open), '');
    assert.deepEqual(parsePipeline({ retriever: open }).retriever, open);
  }
});
