/** A pipeline's run with failing searches, by hand. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ParallaxError, type ErrorId } from '../../../src/core/errors.ts';
import type { Query } from '../../../src/core/model.ts';
import { parsePipeline, type PipelineInput } from '../../../src/core/pipeline.ts';
import type { CachedSearches } from '../../../src/engine/experiment/cached-searches.ts';
import { ExperimentProgress } from '../../../src/engine/experiment/experiment-progress.ts';
import {
  plannedSearches,
  runPipeline,
  type Beyond,
  type PipelineRuns,
} from '../../../src/engine/experiment/pipeline-runs.ts';
import type { FoundPassages } from '../../../src/engine/experiment/search-cache.ts';
import type { PipelineQuery } from '../../../src/engine/retrieval/pipeline-services.ts';
import type { Progress } from '../../../src/shared/requests/progress.ts';
import '../../fixtures/built.ts';

const BM25: PipelineInput = { retriever: { type: 'bm25' } };
const queryOf = (id: string): Query => ({ id, text: `${id}?`, perspectives: [{ id: 'p', text: 'P.' }] });
const SIDED: Query = {
  id: 'sided',
  text: 'sided?',
  perspectives: [
    { id: 'pro', text: 'Pro.', stance: 'support', group: 'left' },
    { id: 'con', text: 'Con.', stance: 'oppose', group: 'right' },
  ],
};

interface Ran {
  readonly run: PipelineRuns;
  /** The searched texts. */
  readonly asked: readonly string[];
  readonly depths: readonly number[];
  readonly told: readonly Progress[];
}

/** @param failing by text, the error of a search */
async function ran(
  queries: readonly Query[],
  failing: Readonly<Record<string, ErrorId>> = {},
  {
    input = BM25,
    k = 5,
    search = 'exact',
    ...beyond
  }: Beyond & { input?: PipelineInput; k?: number; search?: FoundPassages['search'] } = {},
): Promise<Ran> {
  const [asked, depths, told]: [string[], number[], Progress[]] = [[], [], []];
  const searches = {
    prepare: (pipeline: { retriever: { search?: string } }, depth: number) => {
      depths.push(depth);
      const kind = pipeline.retriever.search === 'exact' ? 'exact' : search;
      return Promise.resolve(({ text }: PipelineQuery) => {
        asked.push(text);
        const id = failing[text];
        if (id) return Promise.reject(new ParallaxError(id, `${text} failed.`));
        return Promise.resolve({ slots: [asked.length], scores: [1], search: kind, milliseconds: 7 });
      });
    },
  } as unknown as CachedSearches;
  const pipeline = parsePipeline(input);
  const progress = new ExperimentProgress((one) => told.push(one));
  progress.expect(plannedSearches(pipeline, queries, beyond));
  const run = await runPipeline({ name: 'mine', pipeline }, queries, {
    k,
    beyond,
    unanswerable: [],
    searches,
    resolve: (one) => Promise.resolve(one),
    progress,
    signal: undefined,
  });
  return { run, asked, depths, told };
}

for (const id of ['bad-argument', 'model-answer', 'not-found', 'retriever-failed'] as const)
  test(`a question that fails with ${id} is named, and the others are asked`, async () => {
    const { run, asked, told } = await ran(['q', 'r', 's'].map(queryOf), { 'q?': id });
    assert.deepEqual(asked, ['q?', 'r?', 's?']);
    assert.deepEqual(run.queryErrors, [{ query: 'q', message: 'q? failed.' }]);
    assert.deepEqual(
      [...run.questions],
      [
        ['r', [2]],
        ['s', [3]],
      ],
    );
    assert.deepEqual(
      [...run.times],
      [
        ['r', 7],
        ['s', 7],
      ],
    );
    assert.equal(run.error, undefined);
    assert.deepEqual(told.at(-1), { done: 3, total: 3, detail: 'mine' });
  });

test('an error that affects every question ends the pipeline and names the question', async () => {
  const { run, asked } = await ran(['q', 'r', 's'].map(queryOf), { 'r?': 'model-unreachable' });
  assert.deepEqual(asked, ['q?', 'r?']);
  assert.equal(run.error!.message, 'Question "r": r? failed.');
  assert.deepEqual([run.questions.size, run.queryErrors, run.searchErrors], [0, [], []]);
});

test('a pipeline without a possible question fails; an unreachable retriever is asked 3 times', async () => {
  const queries = ['q', 'r', 's', 't'].map(queryOf);
  const all = (id: ErrorId): Record<string, ErrorId> =>
    Object.fromEntries(queries.map(({ text }) => [text, id]));
  const vain = await ran(queries, all('bad-argument'));
  assert.deepEqual([vain.asked.length, vain.run.error!.message], [4, 'Question "t": t? failed.']);
  const gone = await ran(queries, all('retriever-failed'));
  assert.deepEqual([gone.asked.length, gone.run.error!.message], [3, 'Question "s": s? failed.']);
  // A retriever that has answered once is reachable.
  const late = await ran(queries, { ...all('retriever-failed'), 'q?': undefined as unknown as ErrorId });
  assert.deepEqual([late.asked.length, late.run.queryErrors.length, late.run.error], [4, 3, undefined]);
});

test('sides, and groups with their root, are asked with the questions on request', async () => {
  const all = { sides: true, groups: true };
  const { run, asked, told } = await ran([queryOf('q'), SIDED], {}, all);
  assert.deepEqual(asked, [...['q?', 'sided?', 'Pro.', 'Con.'], ...['sided? Pro.', 'sided? Con.', 'sided?']]);
  assert.deepEqual([[...run.sides!.support], [...run.sides!.oppose]], [[['sided', [3]]], [['sided', [4]]]]);
  assert.deepEqual(
    [[...run.perspectives!.full.values()], [...run.perspectives!.root]],
    [[[5], [6]], [['sided', [7]]]],
  );
  assert.deepEqual(told.at(-1), { done: 7, total: 7, detail: 'mine' });
  const none = await ran([queryOf('q')], {}, all);
  assert.deepEqual([none.asked, none.run.sides, none.run.perspectives], [['q?'], undefined, undefined]);
  const unwanted = await ran([SIDED]);
  assert.deepEqual(
    [unwanted.asked, unwanted.run.sides, unwanted.run.perspectives],
    [['sided?'], undefined, undefined],
  );
});

test('texts written for a question are not used for a side or a group', async () => {
  const input: PipelineInput = { ...BM25, expansion: { type: 'hyde', model: 'm' } };
  const { asked, told } = await ran([SIDED], {}, { input, sides: true, groups: true });
  assert.deepEqual([asked, told.at(-1)!.total], [['sided?'], 1]);
});

test('a further search that fails found nothing, and is named with its purpose', async () => {
  const { run } = await ran(
    [SIDED],
    { 'Con.': 'bad-argument', 'sided? Pro.': 'not-found' },
    { sides: true, groups: true },
  );
  assert.deepEqual(
    run.searchErrors.map(({ search, query, message }) => [search, query, message]),
    [
      ['oppose', 'sided', 'Con. failed.'],
      ['perspective', JSON.stringify(['sided', 'pro']), 'sided? Pro. failed.'],
    ],
  );
  assert.deepEqual([run.sides!.support.size, run.sides!.oppose.size, run.perspectives!.full.size], [1, 0, 1]);
  const ended = await ran([SIDED], { 'Con.': 'model-unreachable' }, { sides: true });
  assert.equal(ended.run.error!.message, 'Question "sided": Con. failed.');
});

test('an approximate search is repeated exactly on request, which adds to the work', async () => {
  const input: PipelineInput = { retriever: { type: 'dense', search: 'approximate' } };
  const { run, asked, told } = await ran([queryOf('q')], {}, { input, search: 'approximate', exact: true });
  assert.deepEqual([run.search, [...run.exact!], asked], ['approximate', [['q', [2]]], ['q?', 'q?']]);
  assert.deepEqual(told.at(-1), { done: 2, total: 2, detail: 'mine' });
  const unwanted = await ran([queryOf('q')], {}, { input, search: 'approximate' });
  assert.deepEqual([unwanted.run.exact, unwanted.asked.length], [undefined, 1]);
  const exact = await ran([queryOf('q')], {}, { input, exact: true });
  assert.deepEqual([exact.run.search, exact.run.exact], ['exact', undefined]);
});

test('searches are as deep as the deepest of curve, cutoff and candidates', async () => {
  const depths = async (candidates: number, k: number): Promise<readonly number[]> =>
    (await ran([queryOf('q')], {}, { input: { ...BM25, candidates }, k })).depths;
  const [curve] = await depths(10, 5);
  assert.deepEqual(await depths(curve! + 50, 5), [curve! + 50]);
  assert.deepEqual(await depths(10, curve! + 7), [curve! + 7]);
});

test('a run that is cancelled, or whose corpus is closed, ends as cancelled', async () => {
  await assert.rejects(ran([queryOf('q')], { 'q?': 'cancelled' }), { id: 'cancelled' });
});

test('failures are listed for either side and for the root', async () => {
  const failing = { 'Pro.': 'bad-argument', 'sided?': 'bad-argument' } as const;
  const { run } = await ran([queryOf('q'), SIDED], failing, { sides: true, groups: true });
  assert.deepEqual(
    run.queryErrors.map(({ query }) => query),
    ['sided'],
  );
  assert.deepEqual(
    run.searchErrors.map(({ search }) => search),
    ['support', 'root'],
  );
});

test('a store is asked several questions at once, and answers keep the order of the questions', async () => {
  const STORE = { type: 'postgres', database: 'd', user: 'u', table: 't', embedder: 'hashing' } as const;
  const queries = ['q', 'r', 's', 't', 'u', 'v'].map(queryOf);
  const mostOf = async (input: PipelineInput): Promise<{ most: number; run: PipelineRuns }> => {
    let [atOnce, most, begun] = [0, 0, 0];
    const prepare =
      (): unknown =>
      async ({ text }: PipelineQuery) => {
        const place = begun++;
        most = Math.max(most, ++atOnce);
        // The later it began, the sooner it ends.
        for (let turn = 0; turn < 20 - place; turn++) await Promise.resolve();
        atOnce--;
        if (text === 's?') throw new ParallaxError('not-found', 'Gone.');
        return { slots: [place], scores: [1], search: 'exact', milliseconds: 7 };
      };
    const run = await runPipeline({ name: 'mine', pipeline: parsePipeline(input) }, queries, {
      k: 5,
      beyond: {},
      unanswerable: [],
      searches: { prepare: () => Promise.resolve(prepare()) } as unknown as CachedSearches,
      resolve: (one) => Promise.resolve(one),
      progress: new ExperimentProgress(() => undefined),
      signal: undefined,
    });
    return { most, run };
  };
  const { most, run } = await mostOf({ retriever: STORE });
  assert.equal(most, 4);
  assert.deepEqual([...run.questions.keys()], ['q', 'r', 't', 'u', 'v']);
  assert.deepEqual(run.queryErrors, [{ query: 's', message: 'Gone.' }]);
  assert.equal((await mostOf({ retriever: { ...STORE, connections: 2 } })).most, 2);
  for (const retriever of [
    { type: 'chroma', collection: 'c', embedder: 'hashing' },
    { type: 'opensearch', index: 'i' },
    { type: 'pinecone', url: 'https://i.example', embedder: 'hashing' },
    { type: 'lancedb', uri: 'd', table: 't', embedder: 'hashing' },
    { type: 'mongodb', database: 'd', collection: 'c', embedder: 'hashing' },
  ] as const)
    assert.equal((await mostOf({ retriever })).most, 4, retriever.type);
  // Local searches would not be faster, and models are counted by request.
  const mixed: PipelineInput['retriever'] = { type: 'hybrid', retrievers: [STORE, { type: 'bm25' }] };
  assert.equal((await mostOf({ retriever: mixed })).most, 1);
  assert.equal((await mostOf({ retriever: STORE, rerank: [{ type: 'coverage', judge: 'j' }] })).most, 1);
});
