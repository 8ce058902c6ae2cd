/** Perspective-aware retrieval on a small task, and maxima over its queries. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parsePirTask, type PirQuery } from '../../../src/core/formats/pir.ts';
import { parsePipeline, type PipelineInput } from '../../../src/core/pipeline.ts';
import { withDatasetMaximum } from '../../../src/engine/experiment/dataset-maximum.ts';
import { pirReports } from '../../../src/features/papers/engine/pir/pir-task.ts';
import type { Progress } from '../../../src/shared/requests/progress.ts';
import { openBench } from '../retrieval/support.ts';

const CORPUS = [
  'trams trams trams are loud for neighbours',
  'workers ride trams home',
  'cats sleep',
  'dogs bark at the moon',
];
/** Trams from two sides, and pets from one. */
const QUERIES = [
  ...parsePirTask(
    JSON.stringify({
      corpus: CORPUS,
      queries: ['trams workers ride home', 'loud trams neighbours', 'cats sleep'],
      source_queries: ['trams', 'trams', 'cats'],
      perspectives: ['workers ride home', 'loud neighbours', 'sleep'],
      query_labels: ['for', 'against', 'for'],
      key_ref: { 0: [1], 1: [0], 2: [3] },
    }),
    'task',
  ).queries,
];
const BM25: PipelineInput = { retriever: { type: 'bm25' } };
const named = (
  name: string,
  input: PipelineInput,
): { name: string; pipeline: ReturnType<typeof parsePipeline> } => ({
  name,
  pipeline: parsePipeline({ ...input, k: 1 }),
});
const unasked = (): never => assert.fail('no model is asked');

test('recall of the full queries by root and by perspective, and recall of the roots alone', async (t) => {
  const parts = await openBench(t, CORPUS, unasked);
  const told: Progress[] = [];
  const params = { queries: QUERIES, pipelines: [named('bm25', BM25)], k: 1 };
  const [report] = await pirReports(params, parts, { onProgress: (progress) => told.push(progress) });
  assert.deepEqual(report, {
    name: 'bm25',
    pipeline: parsePipeline({ ...BM25, k: 1 }),
    // Both queries about trams succeed; the cats do not match.
    pRecall: 0.5,
    pRecallAuthors: 0.5,
    recall: 2 / 3,
    byPerspective: { for: 0.5, against: 1 },
    // "trams" finds the loud ones.
    rootRecall: 0.5,
    rootShares: { for: 0, against: 1 },
    heatMap: { for: { for: 0.5 }, against: { against: 1 } },
    rootPassages: { for: 0, against: 1 },
  });
  const steps = (total: number): Progress[] =>
    Array.from({ length: total }, (_, at) => ({ done: at + 1, total, detail: 'bm25' }));
  assert.deepEqual(told, [...steps(3), ...steps(2)]);
});

test('roots are asked without the steps that need a perspective', async (t) => {
  const parts = await openBench(t, CORPUS, unasked);
  const steps: PipelineInput = {
    ...BM25,
    expansion: { type: 'perspectives' },
    rerank: [{ type: 'coverage', judge: 'lexical' }],
  };
  const pipelines = [named('bare', BM25), named('given', steps)];
  const [bare, given] = await pirReports({ queries: QUERIES, pipelines, k: 1 }, parts, {});
  assert.deepEqual([given!.rootRecall, given!.rootShares], [bare!.rootRecall, bare!.rootShares]);
  assert.equal(given!.recall, bare!.recall);
});

test('a projection gets root, perspective and full query separately', async (t) => {
  const parts = await openBench(t, CORPUS, unasked);
  const projected = named('projected', { retriever: { type: 'dense', embedder: 'hashing' }, projection: {} });
  const asked = async (change: Partial<PirQuery> = {}): Promise<number> => {
    const queries = QUERIES.slice(2).map((query) => ({ ...query, ...change }));
    return (await pirReports({ queries, pipelines: [projected], k: 1 }, parts, {}))[0]!.recall;
  };
  assert.equal(await asked(), 0);
  assert.equal(await asked({ text: 'dogs bark at the moon' }), 1);
  assert.equal(await asked({ text: 'trams', root: 'dogs bark at the moon' }), 0);
});

test('a named model splits the queries, and its work is reported as such', async (t) => {
  const parts = await openBench(t, CORPUS, () => ({ text: 'No idea.' }));
  const told = new Set<string | undefined>();
  const params = { queries: QUERIES, pipelines: [named('bm25', BM25)], k: 1, extract: 'local' };
  const work = { onProgress: ({ detail }: Progress): unknown => told.add(detail) };
  const [report] = await pirReports(params, parts, {
    onProgress: (progress) => void work.onProgress(progress),
  });
  assert.equal(report!.extraction!.queries, 3);
  assert.equal(report!.extraction!.unsplit.length, 3);
  assert.deepEqual([...told], ['bm25', 'bm25, extraction']);
});

test('a cancelled task asks nothing more', async (t) => {
  const parts = await openBench(t, CORPUS, unasked);
  const abort = new AbortController();
  const told: Progress[] = [];
  const work = {
    signal: abort.signal,
    onProgress: (progress: Progress) => {
      told.push(progress);
      abort.abort();
    },
  };
  const params = { queries: QUERIES, pipelines: [named('bm25', BM25)], k: 1 };
  await assert.rejects(pirReports(params, parts, work), { id: 'cancelled' });
  assert.equal(told.length, 1);
});

const MMR = { type: 'mmr', embedder: 'hashing', datasetMaximum: 'auto' } as const;

test('the greatest relevance of any query replaces every "auto", even if some cannot be asked', async (t) => {
  const { corpus, services } = await openBench(t, CORPUS, unasked);
  const dense = parsePipeline({ retriever: { type: 'dense', embedder: 'hashing' }, rerank: [MMR] });
  const query = (text: string): { text: string; perspectives: [] } => ({ text, perspectives: [] });
  const maximumOf = async (...texts: readonly string[]): Promise<unknown> => {
    const resolved = await withDatasetMaximum(corpus, dense, texts.map(query), services);
    return resolved.rerank.map((step) => (step as { datasetMaximum?: number }).datasetMaximum)[0];
  };
  const exact = await maximumOf('cats sleep');
  assert.ok(Math.abs((exact as number) - 1) < 1e-6, 'the passage itself');
  const lower = (await maximumOf('cats')) as number;
  assert.ok(lower > 0 && lower < 1);
  assert.equal(await maximumOf('cats', 'cats sleep'), exact);
  assert.equal(await maximumOf('cats sleep', 'cats'), exact);
  // Without words there is no vector to search with.
  assert.equal(await maximumOf('?!', 'cats'), lower);
  await assert.rejects(maximumOf('?!'), {
    id: 'bad-argument',
    message: /^rerank\.0\.datasetMaximum cannot be worked out/u,
  });
});

test('the report names the maximum that the task used', async (t) => {
  const parts = await openBench(t, CORPUS, unasked);
  const pipelines = [named('mmr', { retriever: { type: 'dense', embedder: 'hashing' }, rerank: [MMR] })];
  const [report] = await pirReports({ queries: QUERIES, pipelines, k: 1 }, parts, {});
  const step = report!.pipeline.rerank[0] as { datasetMaximum?: unknown };
  assert.ok(Math.abs((step.datasetMaximum as number) - 1) < 1e-6, 'a question is a passage');
});

test('the maximum of a later step uses the output of the steps before it', async (t) => {
  const { corpus, services } = await openBench(t, CORPUS, unasked);
  const queries = [{ text: 'trams', perspectives: [] }];
  const told: Progress[] = [];
  const twice = parsePipeline({ ...BM25, rerank: [{ type: 'mmr', embedder: 'hashing' }, MMR, MMR] });
  const resolved = await withDatasetMaximum(corpus, twice, queries, services, {
    onProgress: (progress) => told.push(progress),
  });
  const [first, second, third] = resolved.rerank as readonly { datasetMaximum?: unknown }[];
  assert.deepEqual(first, twice.rerank[0]);
  const maxima = [second!.datasetMaximum, third!.datasetMaximum];
  assert.ok(maxima.every((maximum) => typeof maximum === 'number' && maximum > 0));
  assert.deepEqual(told, [
    { done: 1, total: 1 },
    { done: 1, total: 1 },
  ]);
  assert.equal(await withDatasetMaximum(corpus, resolved, queries, services), resolved);
});
