import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_BM25, type DenseRetriever, type SearchKind } from '../../../src/core/pipeline.ts';
import { RememberedSearches } from '../../../src/engine/retrieval/remembered-searches.ts';
import type { Retrieval } from '../../../src/engine/retrieval/retrieve.ts';
import type { PipelineIndexes } from '../../../src/engine/retrieval/run-pipeline.ts';

const dense = (search: DenseRetriever['search']): DenseRetriever => ({
  type: 'dense',
  embedder: 'hashing',
  search,
  ef: 100,
});

/** Ranks the slots 0, 1, 2 … and records its calls. */
function searches(kind: SearchKind): { readonly asked: string[]; readonly remembered: RememberedSearches } {
  const asked: string[] = [];
  const search = (what: string, depth: number): Promise<Retrieval> => {
    asked.push(`${what} ${depth}`);
    const hits = Array.from({ length: depth }, (_, item) => ({ item, score: -item }));
    return Promise.resolve({ hits, search: kind });
  };
  const none = (): Promise<never> => Promise.reject(new Error('not asked here'));
  const indexes: PipelineIndexes = {
    bm25: (query, _, depth) => search(`words ${query}`, depth),
    dense: (query, _, depth) => search(`meaning ${JSON.stringify(query)}`, depth),
    external: ({ text }, _, depth) => search(`elsewhere ${text}`, depth),
    projected: none,
    vectors: none,
    projectedScores: none,
    relevance: none,
  };
  return { asked, remembered: new RememberedSearches(indexes) };
}

test('a shallower exact search is a prefix of a deeper one', async () => {
  const { asked, remembered } = searches('exact');
  await remembered.bm25('a', DEFAULT_BM25, 10, {});
  assert.equal((await remembered.bm25('a', DEFAULT_BM25, 3, {})).hits.length, 3);
  await remembered.bm25('a', { ...DEFAULT_BM25, b: 0 }, 3, {});
  await remembered.bm25('b', DEFAULT_BM25, 3, {});
  assert.deepEqual(asked, ['words a 10', 'words a 3', 'words b 3']);
  await remembered.bm25('a', DEFAULT_BM25, 11, {});
  await remembered.bm25('a', DEFAULT_BM25, 11, {});
  assert.deepEqual(asked.slice(3), ['words a 11']);
});

test('an automatic search that was exact serves an exact one, but not the reverse', async () => {
  const { asked, remembered } = searches('exact');
  await remembered.dense('a', dense('exact'), 5, {});
  await remembered.dense('a', dense('auto'), 5, {});
  await remembered.dense('a', dense('exact'), 5, {});
  assert.equal(asked.length, 2);
  const graph = searches('approximate');
  await graph.remembered.dense('a', dense('auto'), 5, {});
  await graph.remembered.dense('a', dense('exact'), 5, {});
  await graph.remembered.dense('a', dense('auto'), 4, {});
  assert.equal(graph.asked.length, 3);
});

test('an external program is called again for another number of passages', async () => {
  const { asked, remembered } = searches('exact');
  const spec = { type: 'run', file: 'run.jsonl' } as const;
  await remembered.external({ text: 'a' }, spec, 5, {});
  await remembered.external({ text: 'a' }, spec, 5, {});
  await remembered.external({ text: 'a' }, spec, 3, {});
  assert.deepEqual(asked, ['elsewhere a 5', 'elsewhere a 3']);
});
