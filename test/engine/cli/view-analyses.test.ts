import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { evalCommand } from '../../../src/cli/commands/eval-command.ts';
import { analysesView } from '../../../src/cli/commands/views/analyses.ts';
import type { AnalysesTogether } from '../../../src/features/validation/cli/describe-together.ts';
import type { DatasetAnalyses } from '../../../src/cli/presentation/describe-analyses.ts';
import { UsageError } from '../../../src/cli/presentation/terminal.ts';
import { COVERAGE, debate, files, inputs, lines, needsDebate, run, runJson, topics } from './support.ts';

interface Report {
  readonly k: number;
  readonly datasets: readonly DatasetAnalyses[];
}

const BM25 = ['--pipeline', 'bm25'];

test('losses: ranked below k, with the first rank of each perspective', async (t) => {
  const places = await files(t, topics(2));
  const { datasets } = await runJson<Report>(analysesView, ...inputs(places), ...BM25, '--k', '2');
  const [bm25] = datasets[0]!.pipelines;
  assert.deepEqual(bm25!.lost!.perspectives, {
    covered: 2,
    'below-k': 2,
    'approximate-miss': 0,
    'not-retrieved': 0,
    unjudged: 0,
    'not-found': 0,
  });
  assert.deepEqual(bm25!.lost!.perQuery[0], {
    id: 'q1',
    mrecall: 0,
    unjudgedPassages: 0,
    perspectives: [
      { where: 'covered', perspectiveId: 'pro', rank: 1, firstRank: 1 },
      { where: 'below-k', perspectiveId: 'con', rank: 3, passageId: 'c1', unjudgedAbove: 1, firstRank: 3 },
    ],
  });
  const { stdout } = await run(analysesView, ...inputs(places), ...BM25, '--k', '2');
  assert.match(stdout, /^bm25 +2 +2 +0 +0 +0 +0\.0$/mu);
  assert.match(stdout, /^ {2}q1, con: supported at rank 3, below 2; 1 above it is unjudged$/mu);
});

test('not retrieved, unjudged and not found yet are distinct', async (t) => {
  const places = await files(t, {
    corpus: lines([
      { _id: 'a', text: 'cats purr' },
      { _id: 'b', text: 'dogs bark' },
    ]),
    queries: lines([
      { _id: 'far', text: 'cats', perspectives: [{ id: 'p', text: 'x' }] },
      { _id: 'none', text: 'cats', perspectives: [{ id: 'p', text: 'x' }] },
      { _id: 'elsewhere', text: 'cats', perspectives: [{ id: 'p', text: 'x' }] },
      {
        _id: 'unknown',
        text: 'cats',
        perspectives: [
          { id: 'p', text: 'x' },
          { id: 'o', text: 'y' },
        ],
      },
    ]),
    qrels: 'far p b 1\nnone p a 0\nelsewhere p missing 1\nelsewhere p a 0\nunknown o a 1\n',
  });
  const { datasets } = await runJson<Report>(analysesView, ...inputs(places), ...BM25, '--view', 'lost');
  const places_ = datasets[0]!.pipelines[0]!.lost!.perQuery.map(({ id, perspectives }) => [
    id,
    ...perspectives.map(({ perspectiveId, where }) => `${perspectiveId} ${where}`),
  ]);
  assert.deepEqual(places_, [
    ['far', 'p not-retrieved'],
    ['none', 'p not-found'],
    ['elsewhere', 'p not-found'],
    ['unknown', 'o covered', 'p unjudged'],
  ]);
});

test('set sizes cover covered questions only, beside the share that is covered', async (t) => {
  const { corpus, queries, qrels } = topics(2);
  const places = await files(t, { corpus, queries, qrels: qrels.replace('q2 con c2 1\n', 'q2 con c1 1\n') });
  const { datasets } = await runJson<Report>(analysesView, ...inputs(places), ...BM25);
  assert.deepEqual(datasets[0]!.pipelines[0]!.setSize, {
    average: 3,
    coveredShare: 0.5,
    covered: 1,
    queries: 2,
    perQuery: { q1: 3 },
    judged: { question: 5 / 8 },
  });
});

test('the union takes several pipelines, and says so if there is one', async (t) => {
  const { corpus, queries, qrels } = topics(1);
  // Only this analyzer keeps stop words, so it finds what the other does not.
  const places = await files(t, {
    corpus: `${corpus}{"_id":"d","text":"the"}\n`,
    queries: queries.replace('"text":"topic1"', '"text":"the topic1"'),
    qrels: `${qrels.replace('q1 con c1 1\n', '')}q1 con d 1\n`,
  });
  const simple = '{"name":"simple","retriever":{"type":"bm25","analyzer":"simple"}}';
  const argv = [...inputs(places), ...BM25];
  const two = await runJson<Report>(analysesView, ...argv, '--pipeline', simple, '--view', 'union');
  assert.deepEqual(two.datasets[0]!.union, {
    depth: 100,
    union: 1,
    runs: { bm25: { alone: 0, withoutIt: 1 }, simple: { alone: 1, withoutIt: 0 } },
    uncovered: [],
    queries: 1,
    judged: 4 / 7,
  });
  const one = await runJson<Report>(analysesView, ...argv, '--view', 'union');
  assert.equal(one.datasets[0]!.union, undefined);
  assert.deepEqual(one.datasets[0]!.leftOut, [
    { view: 'union', reason: 'There is one pipeline; a union takes several.' },
  ]);
});

test('unreached: passages in no top k of any pipeline', async (t) => {
  const { corpus, queries, qrels } = topics(1);
  const places = await files(t, { corpus: `${corpus}{"_id":"d","text":"something else"}\n`, queries, qrels });
  const argv = [...inputs(places), ...BM25, '--view', 'unreached'];
  const { datasets } = await runJson<Report>(analysesView, ...argv, '--k', '2');
  assert.deepEqual(datasets[0]!.unreached, {
    documents: 4,
    reachedDocuments: 2,
    passages: 4,
    reachedPassages: 2,
    folders: [{ folder: '', documents: 4, reached: 2 }],
    unreached: [
      { path: 'c1', documents: 1, passages: 1 },
      { path: 'd', documents: 1, passages: 1 },
    ],
  });
  const { stdout } = await run(analysesView, ...argv, '--k', '2');
  assert.match(stdout, /reach 2 of 4 documents and 2 of 4 passages within the top 2/u);
  assert.match(stdout, /^c1 +1 +1$/mu);
});

describe('sides', () => {
  test('leaning, and sycophancy with each perspective as the query', async (t) => {
    const { corpus, queries, qrels } = topics(1);
    const places = await files(t, { corpus, queries, qrels });
    const { datasets } = await runJson<Report>(analysesView, ...inputs(places), ...BM25, '--k', '2');
    const [bm25] = datasets[0]!.pipelines;
    assert.deepEqual(bm25!.leaning, {
      onlySupport: 1,
      onlyOppose: 0,
      both: 0,
      neither: 0,
      queries: 1,
      supporting: 2,
      opposing: 0,
      delta: 1,
      judged: { question: 0.75 },
    });
    // "first or second" finds a and b, "third" finds c alone, for which Δ is undefined.
    assert.deepEqual(bm25!.sycophancy, {
      question: { supporting: 2, opposing: 0, delta: 1 },
      support: { supporting: 2, opposing: 0, delta: 1 },
      oppose: { supporting: 0, opposing: 1 },
      queries: 1,
      judged: { question: 0.75, support: 0.75, oppose: 0.5 },
    });
    const { stdout } = await run(
      analysesView,
      ...inputs(places),
      ...BM25,
      '--k',
      '2',
      '--view',
      'sycophancy',
    );
    assert.match(stdout, /^bm25 +\+1\.000 +\+1\.000 +no support +75\.0 \/ 75\.0 \/ 50\.0$/mu);
    assert.doesNotMatch(stdout, /Where coverage is lost/u);
  });

  test('ids support and oppose are stances; without sides the views say why', async (t) => {
    const { corpus, queries, qrels } = topics(1);
    const bare = queries.replace(/,"stance":"\w+"/gu, '');
    const named = (text: string): string =>
      text.replace(/\bpro\b/gu, 'support').replace(/\bcon\b/gu, 'oppose');
    const places = await files(t, { corpus, queries: named(bare), qrels: named(qrels) });
    const { datasets } = await runJson<Report>(analysesView, ...inputs(places), ...BM25, '--k', '2');
    assert.equal(datasets[0]!.pipelines[0]!.leaning!.delta, 1);

    const unsided = await files(t, { corpus, queries: bare, qrels });
    const { stdout } = await run(analysesView, ...inputs(unsided), ...BM25);
    for (const view of ['leaning', 'sycophancy'])
      assert.match(
        stdout,
        new RegExp(`^${view} is left out: No question has perspectives on both sides`, 'mu'),
      );
    assert.match(stdout, /^groups is left out: No perspective has a group\.$/mu);
  });

  test('a pipeline with query texts written for each question is not asked other texts', async (t) => {
    const places = await files(t, {
      ...topics(1),
      proposed: '{"question":"topic1","generated":["third"]}\n',
    });
    const expansion = { type: 'perspectives', perspectives: 'file', file: places.proposed };
    const pipeline = JSON.stringify({ name: 'expanded', retriever: { type: 'bm25' }, expansion });
    const { datasets } = await runJson<Report>(analysesView, ...inputs(places), '--pipeline', pipeline);
    assert.ok(datasets[0]!.pipelines[0]!.leaning);
    assert.deepEqual(
      datasets[0]!.leftOut.filter(({ view }) => view === 'sycophancy'),
      [
        {
          view: 'sycophancy',
          pipeline: 'expanded',
          reason: 'What it searches for is written for each question by a model or a file.',
        },
      ],
    );
  });
});

test('groups: shares without a perspective, and results when a group is asked for', async (t) => {
  const places = await files(t, {
    corpus: lines([
      { _id: 'l', text: 'tax left left' },
      { _id: 'r', text: 'tax right right' },
      { _id: 'n', text: 'tax' },
    ]),
    queries: lines([
      {
        _id: 'q',
        text: 'tax',
        perspectives: [
          { id: '1', text: 'left', group: 'L' },
          { id: '2', text: 'right', group: 'R' },
        ],
      },
    ]),
    qrels: 'q 1 l 1\nq 2 r 1\n',
  });
  const argv = [...inputs(places), ...BM25, '--view', 'groups'];
  const first = (await runJson<Report>(analysesView, ...argv, '--k', '1')).datasets[0]!.pipelines[0]!;
  // The shortest passage is the best for "tax" alone, and belongs to no group.
  assert.deepEqual(first.groups, {
    shares: {},
    passages: 0,
    successful: 0,
    roots: 1,
    heatMap: { L: { L: 1 }, R: { R: 1 } },
    recall: { pRecall: 1, byGroup: { L: 1, R: 1 }, rootRecall: 0 },
    judged: { question: 0, perspective: 0.5 },
  });
  const all = (await runJson<Report>(analysesView, ...argv, '--k', '3')).datasets[0]!.pipelines[0]!;
  assert.deepEqual(all.groups!.shares, { L: 0.5, R: 0.5 });
  const { stdout } = await run(analysesView, ...argv, '--k', '1', '--view', 'leaning');
  assert.match(stdout, /^leaning is left out: .* For more sides, groups shows the share of each/mu);
  assert.match(stdout, /^bm25: groups of the passages in the top 1/mu);
});

test('fields: what the top k come from, and what is found when a country is asked for', async (t) => {
  const places = await files(t, {
    corpus: lines([
      { _id: '1', text: 'tax tax Brazil', country: 'Brazil' },
      { _id: '2', text: 'tax Brazil cuts', country: 'Brazil' },
      { _id: '3', text: 'a longer text about a tax in France', country: 'France' },
      { _id: '4', text: 'no word of it' },
    ]),
    queries: lines([
      {
        _id: 'q',
        text: 'tax',
        perspectives: [
          { id: 'b', text: 'in Brazil', group: 'Brazil' },
          { id: 'f', text: 'in France', group: 'France' },
        ],
      },
    ]),
    qrels: 'q b 1 1\n',
  });
  const argv = [...inputs(places), ...BM25, '--view', 'fields', '--k', '2'];
  const { fields } = (await runJson<Report>(analysesView, ...argv)).datasets[0]!.pipelines[0]!;
  assert.deepEqual(fields, [
    {
      field: 'country',
      passages: 2,
      counts: { Brazil: 2 },
      asked: { Brazil: { Brazil: 1 }, France: { France: 0.5, Brazil: 0.5 } },
    },
  ]);
  const { stdout } = await run(analysesView, ...argv);
  assert.match(stdout, /^bm25: country of the passages in the top 2, by the group asked for/mu);
  assert.match(stdout, /^any +100\.0/mu);
  const bare = await files(t, topics(2));
  assert.match(
    (await run(analysesView, ...inputs(bare), ...BM25, '--view', 'fields')).stdout,
    /^fields is left out: The documents have no fields/mu,
  );
});

test('several data sets, one section each', async (t) => {
  const places = await files(t, topics(2));
  const argv = [
    ...['--corpus', places.corpus, '--queries', `x=${places.queries}`, '--queries', `y=${places.queries}`],
    ...['--qrels', `x=${places.qrels}`, '--qrels', `y=${places.qrels}`, ...BM25, '--pipeline', COVERAGE],
  ];
  const { datasets } = await runJson<Report>(analysesView, ...argv);
  assert.deepEqual(
    datasets.map(({ dataset, pipelines }) => [dataset.name, pipelines.map(({ name }) => name)]),
    [
      ['x', ['bm25', 'coverage']],
      ['y', ['bm25', 'coverage']],
    ],
  );
  const { stdout } = await run(analysesView, ...argv);
  assert.match(stdout, /^y: 2 questions/mu);
  assert.match(
    stdout,
    /^All data sets together\n\nPassages needed .*\n\npipeline +average size.*data sets\n[^]*^bm25 .* 2 of 2$/mu,
  );
  const { together } = await runJson<{ together: AnalysesTogether }>(analysesView, ...argv);
  const [x, y] = datasets.map(({ pipelines }) => pipelines[0]!.setSize!);
  assert.equal(together.pipelines[0]!.setSize!.covered, x!.covered + y!.covered);
  assert.equal(together.union!.datasets, 2);
});

test('an unknown view is wrong usage, and so are two that are shown one at a time', async (t) => {
  const places = await files(t, topics(1));
  for (const [view, message] of [
    ['lost,found', /^--view is one of figures, .*unreached, not "found"/u],
    ['lost,tuning', /^--view analyses and --view tuning are shown one at a time/u],
  ] as const)
    await assert.rejects(
      run(evalCommand, ...inputs(places), ...BM25, '--view', view),
      (error) => error instanceof UsageError && message.test(error.message),
    );
});

test('debate: an approximate search is compared with an exact one', needsDebate, async () => {
  const approximate =
    '{"name":"graph","retriever":{"type":"dense","embedder":"hashing","search":"approximate","ef":1},"candidates":20}';
  const argv = [...debate, ...BM25, '--pipeline', approximate, '--view', 'lost,set-size'];
  const { datasets } = await runJson<Report>(analysesView, ...argv);
  const [bm25, graph] = datasets[0]!.pipelines;
  assert.equal(bm25!.lost!.comparedWithExact, false);
  assert.equal(bm25!.lost!.perspectives['approximate-miss'], 0);
  assert.equal(graph!.lost!.comparedWithExact, true);
  assert.ok(graph!.lost!.perspectives['approximate-miss'] > 0);
  assert.equal((bm25!.lost!.mrecall! * 100).toFixed(1), '59.0');
  assert.equal((bm25!.setSize!.coveredShare * 100).toFixed(1), '94.9');
  assert.equal(bm25!.setSize!.average!.toFixed(1), '8.9');
});
