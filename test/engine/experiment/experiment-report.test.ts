/** The report of an evaluating command: figures, requested views, omitted views, and the cost of judging. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { parsePipeline } from '../../../src/core/pipeline.ts';
import type { ExperimentReport } from '../../../src/shared/experiment.ts';
import { judgeSchema } from '../../../src/shared/judge-config.ts';
import type { Params, ProgressNote } from '../../../src/shared/rpc.ts';
import { BM25, context, DENSE, evalQuery, type EvalQueries } from '../compare/compare-support.ts';
import { serverFor } from '../judges/support.ts';
import { judgedWorkspace, saysYesTo, type JudgedWorkspace } from './support.ts';

/** Finds all but `n2`; either side finds its passages. */
const DAM: EvalQueries[number] = evalQuery(
  'dam',
  'dam',
  { id: 'pro', stance: 'support', group: 'gains', text: 'power' },
  { id: 'con', stance: 'oppose', group: 'harms', text: 'floods' },
);
const PASSAGES = { p1: 'dam dam dam power', n1: 'dam dam floods', x: 'dam', n2: 'floods floods' };
const VIEWS = ['lost', 'set-size', 'union', 'leaning', 'sycophancy', 'groups'] as const;
const TWIN = { ...BM25, candidates: 50 };

/** The judge says yes to a passage that contains the perspective's word. */
async function open(t: TestContext, ...labels: readonly string[]): Promise<JudgedWorkspace> {
  const bench = await judgedWorkspace(
    t,
    PASSAGES,
    saysYesTo((statement) => statement),
  );
  bench.workspace.labelQueries([DAM], ...labels);
  return bench;
}

type Wanted = Partial<Omit<Params<'experiment'>, 'dataset' | 'pipelines'>> & {
  readonly queries?: EvalQueries;
  readonly inputs?: Readonly<Record<string, Parameters<typeof parsePipeline>[0]>>;
};

async function report(
  { workspace }: JudgedWorkspace,
  { queries = [DAM], inputs = { bm25: BM25 }, ...wanted }: Wanted,
  notes: ProgressNote[] = [],
): Promise<ExperimentReport> {
  const pipelines = Object.entries(inputs).map(([name, input]) => ({ name, pipeline: parsePipeline(input) }));
  const dataset = { name: 'set', corpus: 'corpus', evalSet: 'set.jsonl', queries };
  const asked = { k: 2, measures: [], views: [], pool: false, judge: 'labels', ...wanted };
  return workspace.engine.experiment(
    { dataset, pipelines, ...asked },
    { ...context, report: (note) => notes.push(note) },
  );
}

const ALL = ['p1', 'n1', 'x', 'n2'].flatMap((passage) => [
  `dam pro ${passage === 'p1' ? '' : '!'}${passage}`,
  `dam con ${passage.startsWith('n') ? '' : '!'}${passage}`,
]);

test('figures of every query and their means, without views unless requested', async (t) => {
  const found = await report(await open(t, ...ALL), { measures: ['MRecall@2', 'Precision@1'] });
  const metrics = { 'MRecall@2': 1, 'Precision@1': 1 };
  assert.deepEqual(found, {
    basis: 'open',
    queries: 1,
    leftOut: [],
    ofDocuments: 0,
    spent: { requests: 0, tokens: 0 },
    pipelines: [
      {
        name: 'bm25',
        pipeline: parsePipeline(BM25),
        queryErrors: [],
        searchErrors: [],
        judged: 1,
        metrics,
        queries: [{ id: 'dam', metrics }],
        analyses: {},
      },
    ],
    viewsLeftOut: [],
    failed: [],
  });
});

test('with full judgements every requested view has results, with its judged share', async (t) => {
  const bench = await open(t, ...ALL);
  const found = await report(bench, { inputs: { bm25: BM25, twin: TWIN }, views: [...VIEWS] });
  assert.deepEqual(found.viewsLeftOut, []);
  assert.deepEqual(found.union, {
    depth: 100,
    union: 1,
    runs: { bm25: { alone: 1, withoutIt: 1 }, twin: { alone: 1, withoutIt: 1 } },
    uncovered: [],
    queries: 1,
    judged: 1,
  });
  const { lost, setSize, leaning, sycophancy, groups } = found.pipelines[0]!.analyses;
  assert.deepEqual(lost!.perQuery, [
    {
      id: 'dam',
      mrecall: 1,
      unjudgedPassages: 0,
      perspectives: [
        { where: 'covered', perspectiveId: 'pro', rank: 1, firstRank: 1 },
        { where: 'covered', perspectiveId: 'con', rank: 2, firstRank: 2 },
      ],
    },
  ]);
  assert.deepEqual(
    [lost!.comparedWithExact, lost!.queries.covered, lost!.perspectives.covered],
    [false, 1, 2],
  );
  assert.deepEqual(setSize, {
    average: 2,
    coveredShare: 1,
    covered: 1,
    queries: 1,
    perQuery: { dam: 2 },
    judged: { question: 1 },
  });
  assert.deepEqual([leaning!.both, leaning!.queries, leaning!.judged], [1, 1, { question: 1 }]);
  assert.deepEqual(sycophancy!.judged, { question: 1, support: 1, oppose: 1 });
  assert.deepEqual([sycophancy!.queries, sycophancy!.oppose.supporting], [1, 0]);
  assert.deepEqual(groups!.judged, { question: 1, perspective: 1 });
  assert.deepEqual([groups!.shares, groups!.passages, groups!.roots], [{ gains: 0.5, harms: 0.5 }, 2, 1]);
  assert.deepEqual(Object.keys(groups!.heatMap), ['gains', 'harms']);
  assert.deepEqual(groups!.recall, { pRecall: 1, byGroup: { gains: 1, harms: 1 }, rootRecall: 1 });
});

test('a view with too few judgements is withheld from each pipeline, with the shares', async (t) => {
  // Enough judgements of what the question finds, and none of `n2`, which "con" finds.
  const bench = await open(t, 'dam pro p1', 'dam con !p1', 'dam pro !n1', 'dam con n1', 'dam con !x');
  const views = ['leaning', 'sycophancy', 'groups', 'set-size', 'union'] as const;
  const found = await report(bench, { inputs: { bm25: BM25, twin: TWIN }, views: [...views] });
  for (const { analyses } of found.pipelines)
    assert.deepEqual(Object.keys(analyses).sort(), ['leaning', 'setSize']);
  const refused = (view: string, shares: string, judged: object): object[] =>
    ['bm25', 'twin'].map((pipeline) => ({
      view,
      pipeline,
      reason: `Of what it rests on, ${shares} is judged, and below 90% no figure is given.`,
      judged,
    }));
  assert.deepEqual(found.viewsLeftOut, [
    ...refused('sycophancy', '100.0% (question), 100.0% (support), 50.0% (oppose)', {
      question: 1,
      support: 1,
      oppose: 0.5,
    }),
    ...refused('groups', '100.0% (question), 75.0% (perspective)', { question: 1, perspective: 0.75 }),
  ]);
  const unlabelled = await open(t);
  const nothing = async (inputs: NonNullable<Wanted['inputs']>): Promise<unknown[]> => {
    const { union, viewsLeftOut } = await report(unlabelled, { inputs, views: ['set-size', 'union'] });
    assert.equal(union, undefined);
    return viewsLeftOut.map(({ view, pipeline, judged: share }) => [view, pipeline, share]);
  };
  const none = { question: 0 };
  assert.deepEqual(await nothing({ bm25: BM25, twin: TWIN }), [
    ['set-size', 'bm25', none],
    ['set-size', 'twin', none],
    ['union', undefined, none],
  ]);
  assert.deepEqual(await nothing({ bm25: BM25 }), [
    ['union', undefined, undefined],
    ['set-size', 'bm25', none],
  ]);
});

test('a view that questions or pipelines do not allow is named once, with the reason', async (t) => {
  const bench = await open(t, ...ALL);
  const plain = [evalQuery('dam', 'dam', { id: 'pro', text: 'power' })];
  const found = await report(bench, { queries: plain, views: [...VIEWS] });
  const reasons = found.viewsLeftOut.map(({ view, pipeline, reason }) => [
    view,
    pipeline,
    reason.slice(0, 40),
  ]);
  assert.deepEqual(reasons, [
    ['sycophancy', undefined, 'No question has perspectives on both sid'],
    ['groups', undefined, 'No perspective has a group.'],
    ['leaning', undefined, 'No question has perspectives on both sid'],
    ['union', undefined, 'There is one pipeline; a union takes sev'],
  ]);
  const writer = await serverFor(t, { chat: () => ({ text: 'A dam has power.' }) });
  const model = judgeSchema.parse({ type: 'openai', mode: 'pair', baseUrl: writer.url, model: 'm' });
  await bench.workspace.configure({ judges: { model } });
  const written = { ...BM25, expansion: { type: 'hyde', model: 'model' } } as const;
  const leftOut = async (more: Wanted, from = bench): Promise<unknown[]> =>
    (await report(from, { inputs: { bm25: BM25, written }, ...more })).viewsLeftOut.map(
      ({ view, pipeline }) => [view, pipeline],
    );
  const views: Wanted['views'] = ['sycophancy', 'groups', 'leaning'];
  const named = [
    ['sycophancy', 'written'],
    ['groups', 'written'],
  ];
  assert.deepEqual(await leftOut({ views }), named);
  assert.deepEqual(await leftOut({ views: ['leaning'] }), [], 'of views that nobody wants nothing is said');
  const none = await leftOut({ queries: plain, views: ['sycophancy', 'groups'] });
  assert.deepEqual(none, [
    ['sycophancy', undefined],
    ['groups', undefined],
  ]);
  const unlabelled = await open(t);
  await unlabelled.workspace.configure({ judges: { model } });
  const unjudged = (await leftOut({ views }, unlabelled)).filter(
    (each) => (each as string[])[1] === 'written',
  );
  assert.deepEqual(unjudged, [...named, ['leaning', 'written']], 'one reason is enough');
});

test('the number of requests is announced before judging, and their cost reported after it', async (t) => {
  const bench = await open(t);
  const judging = { scope: 'everything' as const, cutoffs: [1, 2], budget: {} };
  const notes: ProgressNote[] = [];
  const found = await report(bench, { measures: ['MRecall@2'], judge: 'local', judging }, notes);
  const effort = notes.find(({ type }) => type === 'effort');
  assert.ok(effort?.type === 'effort');
  assert.deepEqual([effort.pairs, effort.known, effort.effort.requests], [4, 0, { least: 4, most: 4 }]);
  const { tokens, ...judged } = found.judging!;
  assert.deepEqual(judged, {
    judge: 'local',
    heuristic: false,
    scope: 'everything',
    ...{ pairs: 4, known: 0, asked: 4, answered: 4, failed: 0, unreadable: 0, requests: 4 },
    ...{ saved: 0, settled: 1, queries: 1, stopped: false, evidenceNotFound: 0 },
  });
  assert.deepEqual(found.spent, { requests: 4, tokens });
  assert.equal(bench.server.chatRequests.length, 4);
  assert.equal(found.pipelines[0]!.metrics['MRecall@2'], 1);
});

test('comparing the judge with labels is part of the announcement and of the cost', async (t) => {
  const bench = await open(t, 'dam pro p1', 'dam con !p1');
  const judging = { scope: 'figures' as const, cutoffs: [2], budget: {}, corrected: true };
  const notes: ProgressNote[] = [];
  const found = await report(bench, { measures: ['MRecall@2'], judge: 'local', judging }, notes);
  const effort = notes.find(({ type }) => type === 'effort');
  assert.ok(effort?.type === 'effort');
  assert.deepEqual([effort.pairs, effort.known], [4, 2]);
  assert.deepEqual(effort.effort.requests, { least: 6, most: 6 }, 'two that are open, four held against');
  // One answer settles the other passage; then the judge is asked about all the rest.
  const { requests, held, answered } = found.judging!;
  assert.deepEqual({ requests, held, answered }, { requests: 4, held: 3, answered: 1 });
  assert.equal(found.judging!.tokens, found.spent.tokens);
  assert.deepEqual([found.spent.requests, bench.server.chatRequests.length], [4, 4]);
  assert.deepEqual(
    [found.pipelines[0]!.correction!.labels, found.pipelines[0]!.correction!.positives],
    [2, 1],
  );
});

test('only pairs of the requested views are judged, and no other figures reported', async (t) => {
  const bench = await open(t);
  const plain = evalQuery('plain', 'dam', { id: 'pro', text: 'power' });
  const judging = { scope: 'everything' as const, cutoffs: [2], budget: { requests: 0 } };
  const wanted = { queries: [DAM, plain], judge: 'local', judging };
  const sided = await report(bench, { ...wanted, views: ['leaning'] });
  assert.deepEqual([sided.judging!.queries, sided.judging!.stopped], [1, true]);
  assert.equal(sided.judging!.mayRise, undefined);
  const quiet: ProgressNote[] = [];
  const none = await report(bench, { ...wanted, views: ['unreached'] }, quiet);
  assert.ok(quiet.every(({ type }) => type !== 'effort'));
  assert.deepEqual([none.judging!.queries, none.judging!.pairs], [0, 0]);
  assert.deepEqual(
    [none.unreached!.passages, none.unreached!.reachedPassages, none.unreached!.unreached.length],
    [4, 2, 2],
  );
  const both = await report(bench, {
    ...wanted,
    judging: { ...judging, budget: { requests: 0 } },
    measures: ['MRecall@2'],
  });
  assert.deepEqual(
    [both.judging!.queries, Object.keys(both.judging!.mayRise!)],
    [2, ['MRecall@2', 'Precision@2']],
  );
});

test('judging is as deep as the deepest figure, and all pairs with a listed judge are judged', async (t) => {
  // A label of the second passage, which the judge is compared with.
  const bench = await open(t, 'dam con n1');
  const judging = { scope: 'everything' as const, cutoffs: [2, 1], budget: {}, corrected: true };
  const found = await report(bench, { k: 1, judge: 'local', lines: true, judging });
  const { queries, pairs, known, held } = found.judging!;
  assert.deepEqual({ queries, pairs, known, held }, { queries: 1, pairs: 4, known: 1, held: 1 });
  assert.equal(found.lines!.length, 4);
});

test('unjudged pairs and judges are listed on request', async (t) => {
  const bench = await open(t, ...ALL);
  const bare = await report(bench, {});
  assert.deepEqual([bare.pool, bare.lines, bare.unreached], [undefined, undefined, undefined]);
  const found = await report(bench, { pool: true, lines: true, inputs: { bm25: BM25, dense: DENSE } });
  assert.deepEqual([found.pool!.holes, found.pool!.judgedBefore], [0, found.pool!.judgedAfter]);
  assert.equal(found.lines!.length, ALL.length);
});

test('a missing judge ends it, and so do pipelines that all fail', async (t) => {
  const bench = await open(t);
  const judging = { scope: 'figures' as const, cutoffs: [2], budget: {} };
  await assert.rejects(report(bench, { judging }), { id: 'bad-argument' });
  const broken = { retriever: { type: 'run', file: 'absent.run' } } as const;
  await assert.rejects(report(bench, { inputs: { broken } }), /absent\.run/u);
  const { pipelines, failed } = await report(bench, { inputs: { bm25: BM25, broken } });
  assert.deepEqual(
    [pipelines.map(({ name }) => name), failed.map(({ name }) => name)],
    [['bm25'], ['broken']],
  );
});

test('a failing judge is named with its error, and the rest is reported', async (t) => {
  const bench = await judgedWorkspace(t, PASSAGES, {
    chat: () => ({ fault: 'status', status: 400, message: 'Not today' }),
  });
  const judging = { scope: 'everything' as const, cutoffs: [2], budget: {} };
  const found = await report(bench, { measures: ['MRecall@2'], judge: 'local', judging });
  assert.match(found.judging!.error!, /Not today/u);
  assert.ok(found.judging!.failed > 0);
  assert.deepEqual([found.judging!.answered, found.judging!.settled], [0, 0]);
  assert.equal(found.pipelines[0]!.metrics['MRecall@2'], 0);
});

test('a view that was not requested is not listed as omitted', async (t) => {
  const bench = await open(t, ...ALL);
  const plain = [evalQuery('dam', 'dam', { id: 'pro', text: 'power' })];
  for (const inputs of [{ bm25: BM25 }, { bm25: BM25, twin: TWIN }]) {
    const found = await report(bench, { queries: plain, inputs, views: ['lost'] });
    assert.deepEqual([found.viewsLeftOut, found.union], [[], undefined]);
  }
});

test('losses show where an unjudged passage may cover them, and what an approximate search missed', async (t) => {
  const bench = await open(t, 'dam con !p1', 'dam con !n1', 'dam con !x', 'dam con !n2');
  const int8 = { retriever: { type: 'dense', search: 'int8' } } as const;
  const found = await report(bench, { inputs: { bm25: BM25, int8 }, views: ['lost'] });
  const [exact, approximate] = found.pipelines.map(({ analyses }) => analyses.lost!);
  assert.deepEqual([exact!.comparedWithExact, approximate!.comparedWithExact], [false, true]);
  assert.deepEqual(
    exact!.perQuery[0]!.perspectives.map(({ perspectiveId, where, firstRank, open }) => [
      perspectiveId,
      where,
      firstRank,
      open,
    ]),
    [
      ['pro', 'unjudged', null, 2],
      ['con', 'not-found', null, undefined],
    ],
  );
});

test('corrected figures are compared with a named pipeline only', async (t) => {
  const bench = await open(t, 'dam pro p1', 'dam con !p1');
  const judging = { scope: 'figures' as const, cutoffs: [2], budget: {}, corrected: true };
  const asked = { inputs: { bm25: BM25, twin: TWIN }, measures: ['MRecall@2'], judge: 'local', judging };
  const differences = async (more: Wanted): Promise<unknown[]> =>
    (await report(bench, { ...asked, ...more })).pipelines.map(({ correction }) => correction!.differences);
  assert.deepEqual(await differences({}), [undefined, undefined]);
  assert.deepEqual(await differences({ compareTo: 'bm25' }), [undefined, {}]);
  assert.deepEqual(await differences({ compareTo: 'twin' }), [{}, undefined]);
});

test('a judge that guesses is marked', async (t) => {
  const judging = { scope: 'everything' as const, cutoffs: [2], budget: {} };
  const found = await report(await open(t), { measures: ['MRecall@2'], judge: 'lexical', judging });
  assert.deepEqual([found.judging!.judge, found.judging!.heuristic], ['lexical', true]);
});
