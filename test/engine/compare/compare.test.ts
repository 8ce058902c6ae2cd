/** Pipelines compared on the sample workspace. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { PipelineInput } from '../../../src/core/pipeline.ts';
import { exactly } from '../../../src/core/measured.ts';
import type {
  Evaluation,
  DatasetEvaluation,
  MeasureEvaluation,
  QueryEvaluation,
} from '../../../src/evaluation/evaluation.ts';
import { measuredAt, rankAt, sumOf } from '../../../src/evaluation/reading.ts';
import { placeCounts } from '../../fixtures/evaluation.ts';
import {
  BM25,
  DENSE,
  evalQuery,
  only,
  refuses,
  sampleWorkspace,
  Workspace,
  type Pipelines,
} from './compare-support.ts';

const mRecallOf = (query: QueryEvaluation, place: number): number | undefined =>
  measuredAt(query, place, 'MRecall@5')?.value;

async function compareSample(t: TestContext, pipelines: Pipelines, judge = 'labels'): Promise<Evaluation> {
  const { workspace, queries } = await sampleWorkspace(t);
  return workspace.compare(pipelines, [{ corpus: 'handbook', queries }], { judge });
}

async function sample(t: TestContext, pipelines: Pipelines, judge?: string): Promise<DatasetEvaluation> {
  return only(await compareSample(t, pipelines, judge));
}

const COVERAGE: PipelineInput = { ...BM25, rerank: [{ type: 'coverage', judge: 'labels' }] };

test('in the sample, BM25 loses a perspective on five of nine questions', async (t) => {
  const { queries, pipelines, sources } = await sample(t, { bm25: BM25 });
  const lost = queries.filter((query) => mRecallOf(query, 0) === 0).map(({ id }) => id);
  for (const id of ['school-start', 'congestion-charge', 'monorepo', 'fasting', 'free-plan'])
    assert.ok(lost.includes(id), `${id} should lose a perspective; lost: ${lost.join(', ')}`);
  for (const id of ['code-review', 'ai-assistants', 'body-scan', 'open-source'])
    assert.ok(!lost.includes(id), `${id} should be covered`);
  assert.deepEqual(
    sources.map(({ source }) => source),
    ['human'],
  );
  assert.ok(pipelines[0]!.judged > 0.9, `judged ${pipelines[0]!.judged}`);
});

test('the coverage reranker with labels as judge covers all that the corpus has', async (t) => {
  const { queries, pipelines } = await sample(t, { bm25: BM25, coverage: COVERAGE });
  const lost = queries.filter((query) => mRecallOf(query, 1) === 0).map(({ id }) => id);
  assert.deepEqual(lost, ['congestion-charge'], 'the one perspective that nobody argues');
  const { difference } = pipelines[1]!.measures['MRecall@5']!;
  assert.ok(difference && difference.low > 0, 'a difference that the interval confirms');
  const gained = queries.filter((query) => mRecallOf(query, 1)! > mRecallOf(query, 0)!).length;
  assert.deepEqual(
    [difference.wins, difference.losses, difference.ties],
    [gained, 0, queries.length - gained],
  );
  assert.equal(
    pipelines[0]!.measures['MRecall@5']!.difference,
    undefined,
    'the baseline is not compared with itself',
  );
});

test('p-values are corrected for the number of pipelines that ran', async (t) => {
  const broken: PipelineInput = { retriever: { type: 'dense', embedder: 'nowhere' } };
  const pOf = ({ pipelines }: DatasetEvaluation): number =>
    pipelines.find(({ name }) => name === 'coverage')!.measures['MRecall@5']!.difference!.p!;
  const alone = pOf(await sample(t, { bm25: BM25, broken, coverage: COVERAGE }));
  const twice: PipelineInput = { ...COVERAGE, candidates: 99 };
  const among = pOf(await sample(t, { bm25: BM25, twice, coverage: COVERAGE }));
  assert.ok(alone > 0 && alone < 0.2, `p ${alone}`);
  assert.ok(Math.abs(among - 2 * alone) < 1e-9, `${among} is not twice ${alone}`);
});

test('a partly judged pipeline has bounds, and is compared on the judged queries', async (t) => {
  const workspace = new Workspace(t);
  await workspace.corpus('orchard', {
    a1: 'apples apples apples apples trees',
    a2: 'apples apples apples trees',
    a3: 'apples apples trees',
    b1: 'apples in the cider of Normandy',
    b2: 'apples that fell on a physicist',
    b3: 'apples as logos for computers',
  });
  const queries = [evalQuery('q', 'apples', 'p'), evalQuery('s', 'apples trees', 'p')];
  const whole = ['a1', '!a2', '!a3', 'b1', '!b2', '!b3'].map((passage) => `s p ${passage}`);
  workspace.labelQueries(queries, 'q p a1', 'q p !a2', 'q p !a3', ...whole);
  const others: Readonly<Record<string, PipelineInput>> = {
    bm25: BM25,
    same: { ...BM25, candidates: 99 },
    varied: { ...BM25, rerank: [{ type: 'mmr', lambda: 0 }] },
  };
  const { pipelines } = only(await workspace.compare(others, [{ corpus: 'orchard', queries }], { k: 3 }));
  const [, same, varied] = pipelines;
  assert.equal(same!.judged, 1);
  assert.deepEqual(comparedOn(same!.measures['Precision@3']), 2);
  assert.ok(varied!.judged > 0 && varied!.judged < 1, `judged ${varied!.judged}`);
  const { value, bound, difference } = varied!.measures['Precision@3']!;
  assert.ok(value > 0);
  assert.equal(bound, 'least');
  assert.equal(comparedOn({ difference }), 1, 'q is not judged whole');
  assert.equal(comparedOn(varied!.measures['nDCG@3']), 1);
});

function comparedOn(measure: Pick<MeasureEvaluation, 'difference'> | undefined): number | undefined {
  const difference = measure?.difference;
  return difference && difference.wins + difference.losses + difference.ties;
}

test('a miss is open while an unjudged passage of the top k may cover it', async (t) => {
  const workspace = new Workspace(t);
  await workspace.corpus('orchard', {
    a: 'apples apples apples',
    b: 'apples apples trees',
    c: 'apples in cider',
  });
  const queries = [evalQuery('q', 'apples', 'p', 'r'), evalQuery('s', 'apples', 'p', 'r')];
  workspace.labelQueries(queries, 'q p a', 'q r !a', 's p a', 's r !a', 's r !b');
  const { queries: shown, pipelines } = only(
    await workspace.compare({ bm25: BM25 }, [{ corpus: 'orchard', queries }], { k: 2 }),
  );
  assert.deepEqual(
    shown.map(({ id, results }) => [id, results[0]!.measures['MRecall@2']]),
    [
      ['q', { value: 0, bound: 'least', most: 1 }],
      ['s', exactly(0)],
    ],
  );
  const { places, open } = pipelines[0]!;
  assert.deepEqual(places, placeCounts({ covered: 2, 'not-found': 2 }));
  assert.deepEqual(open, placeCounts({ 'not-found': 1 }));
});

test('a query without results leaves nothing to judge and is compared', async (t) => {
  const workspace = new Workspace(t);
  await workspace.corpus('orchard', { a: 'apples apples', b: 'apples in cider' });
  const queries = [evalQuery('q', 'apples', 'p'), evalQuery('z', 'zebras', 'p')];
  workspace.labelQueries(queries, 'q p a', 'q p !b', 'z p a', 'z p !b');
  const dense: PipelineInput = { retriever: { type: 'dense' } };
  const { queries: shown, pipelines } = only(
    await workspace.compare({ dense, bm25: BM25 }, [{ corpus: 'orchard', queries }], { k: 2 }),
  );
  assert.deepEqual(
    pipelines.map(({ judged }) => judged),
    [1, 1],
  );
  assert.deepEqual(
    shown[1]!.results.map((result) => [result!.judged, result!.measures['MRecall@2']!.value]),
    [
      [1, 1],
      [1, 0],
    ],
  );
  const { value, difference } = pipelines[1]!.measures['MRecall@2']!;
  assert.deepEqual([value, difference?.losses], [0.5, 1]);
});

test('losses count every perspective of every query once', async (t) => {
  const { queries, pipelines } = await sample(t, { bm25: BM25, dense: DENSE });
  const perspectives = queries.reduce((sum, query) => sum + query.perspectives.length, 0);
  for (const { places } of pipelines) assert.equal(sumOf(places), perspectives);
});

test('the coverage curve passes through MRecall at k and ends at the covered share', async (t) => {
  const { queries, pipelines } = await sample(t, { bm25: BM25 });
  const { coverageCurve, measures, setSize, tooLittleJudged } = pipelines[0]!;
  assert.equal(coverageCurve.length, 100);
  assert.ok(Math.abs(coverageCurve[4]! - measures['MRecall@5']!.value) < 1e-12);
  const covered = queries.filter(({ perspectives }) =>
    perspectives.every((one) => rankAt(one, 0) !== undefined),
  );
  assert.equal(coverageCurve[99], covered.length / queries.length);
  // People labelled only the top of the sample.
  assert.equal(setSize, undefined);
  assert.ok(tooLittleJudged.some(({ view }) => view === 'set-size'));
});

test('a failing pipeline says why, and the others are compared', async (t) => {
  const broken: PipelineInput = { retriever: { type: 'dense', embedder: 'nowhere' } };
  const { pipelines, queries } = await sample(t, { broken, bm25: BM25 });
  assert.match(pipelines[0]!.error ?? '', /no embedder "nowhere"/u);
  assert.deepEqual([pipelines[0]!.measures, pipelines[0]!.coverageCurve], [{}, []]);
  assert.equal(queries[0]!.results.length, 2, 'a place for every pipeline');
  assert.ok(pipelines[1]!.measures['MRecall@5']!.value > 0);
  assert.equal(
    pipelines[1]!.measures['MRecall@5']!.difference,
    undefined,
    'the first that runs is the baseline',
  );
});

test('unlabelled pairs stay unjudged beside the offline heuristic', async (t) => {
  const { sources, pipelines } = await sample(t, { bm25: BM25 }, 'lexical');
  const labels = await sample(t, { bm25: BM25 }, 'labels');
  assert.equal(pipelines[0]!.judged, labels.pipelines[0]!.judged);
  assert.ok(sources.every(({ source }) => source === 'human'));
});

test('several data sets have results each, and a mean that counts each once', async (t) => {
  const workspace = new Workspace(t);
  await workspace.corpus('rivers', { a: 'the dam floods the valley', b: 'the dam gives power', c: 'fish' });
  await workspace.corpus('roads', { x: 'the toll is fair', y: 'the toll is unfair' });
  workspace.label('dam for b', 'dam against a', 'fish for c', 'toll for x', 'toll against !y');
  const comparison = await workspace.compare(
    { bm25: BM25, broken: { retriever: { type: 'dense', embedder: 'nowhere' } } },
    [
      {
        name: 'rivers',
        corpus: 'rivers',
        queries: [evalQuery('dam', 'dam', 'for', 'against'), evalQuery('fish', 'fish', 'for')],
      },
      { name: 'roads', corpus: 'roads', queries: [evalQuery('toll', 'toll', 'for', 'against')] },
    ],
  );
  const [rivers, roads] = comparison.datasets;
  assert.deepEqual(
    [rivers?.name, rivers?.corpus, roads?.name, roads?.corpus],
    ['rivers', 'rivers', 'roads', 'roads'],
  );
  assert.equal(rivers!.pipelines[0]!.measures['MRecall@5']!.value, 1);
  assert.equal(roads!.pipelines[0]!.measures['MRecall@5']!.value, 0);
  assert.equal(comparison.macro?.[0]?.['MRecall@5']?.value, 0.5, 'not 2/3, the mean over queries');
  assert.deepEqual(comparison.macro[1], {}, 'a pipeline that could not run has no mean');
});

test('a single data set has no macro-average', async (t) => {
  assert.equal((await compareSample(t, { bm25: BM25 })).macro, undefined);
});

test('with k beyond 100, everything is as deep', async (t) => {
  const workspace = new Workspace(t);
  const passages = Object.fromEntries(
    Array.from({ length: 130 }, (_, i) => [`d${i}`, `dam ${'x '.repeat(i)}`]),
  );
  await workspace.corpus('corpus', passages);
  workspace.label('dam for d120');
  const { pipelines, queries } = only(
    await workspace.compare({ bm25: BM25 }, [{ queries: [evalQuery('dam', 'dam', 'for')] }], { k: 130 }),
  );
  assert.equal(rankAt(queries[0]!.perspectives[0]!, 0), 121);
  assert.equal(pipelines[0]!.places.covered, 1);
  assert.equal(pipelines[0]!.measures['MRecall@130']!.value, 1);
  assert.equal(pipelines[0]!.coverageCurve.at(-1), 0);
});

test('invalid comparisons are refused in a sentence before a run', async (t) => {
  const workspace = new Workspace(t);
  await workspace.corpus('corpus', { a: 'a dam' });
  const queries = [evalQuery('dam', 'dam', 'for')];
  const compare = (...datasets: Parameters<Workspace['compare']>[1]) =>
    workspace.compare({ bm25: BM25 }, datasets);
  await refuses(
    compare({ queries: [evalQuery('q', 'q')] }),
    /No question of set\.jsonl has perspectives/u,
    'bad-argument',
  );
  await refuses(compare({ queries }, { queries }), /Two data sets are called "set"/u, 'bad-argument');
  await refuses(
    compare({ queries: [...queries, ...queries] }),
    /Two questions of set\.jsonl have the id "dam"/u,
    'bad-argument',
  );
  await refuses(compare({ queries, corpus: 'nowhere' }), /no corpus "nowhere"/u, 'not-found');
  await refuses(
    workspace.compare({ bm25: BM25 }, [{ queries }], { judge: 'nobody' }),
    /no judge "nobody"/u,
    'bad-argument',
  );
  await refuses(
    workspace.compare(
      [
        ['same', BM25],
        ['same', DENSE],
      ],
      [{ queries }],
    ),
    /Two pipelines are called "same"/u,
    'bad-argument',
  );
  await workspace.unindexedCorpus('unread', { a: 'a dam' });
  await refuses(compare({ queries, corpus: 'unread' }), /"unread" is not indexed yet/u, 'not-indexed');
  assert.deepEqual(await workspace.engine.keptComparisons(), { kept: [] });
});
