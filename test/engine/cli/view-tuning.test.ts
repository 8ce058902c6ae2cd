import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { tuningView } from '../../../src/features/papers/cli/tuning-view.ts';
import { UsageError } from '../../../src/cli/presentation/terminal.ts';
import { splitQueries } from '../../../src/features/papers/core/query-split.ts';
import { ParallaxError } from '../../../src/core/errors.ts';
import type { JudgingReport } from '../../../src/shared/experiment.ts';
import { judgeServer } from './judging-support.ts';
import { debate, files, inputs, needsDebate, run, runJson, topics } from './support.ts';

interface Report {
  readonly param: string;
  readonly measure: string;
  readonly development: { queries: number; scores: { value: number; score: number }[] };
  readonly best: number;
  readonly pipeline: {
    rerank: { lambda?: number; datasetMaximum?: number }[];
    projection?: { weight: number };
  };
  readonly test: {
    queries: number;
    plain: number;
    tuned: number;
    difference: number;
    low: number;
    high: number;
    p: number;
    wins: number;
    losses: number;
    ties: number;
  };
}

const QUERIES = 24;
const pipeline = (...steps: readonly object[]): string[] => [
  '--pipeline',
  JSON.stringify({ name: 'tuned', retriever: { type: 'bm25' }, rerank: steps }),
];

test('λ is chosen on the development queries alone, and reported on the others', async (t) => {
  const places = await files(t, topics(QUERIES));
  // xQuAD with λ = 1 uses the perspectives alone, whose words identify the passages.
  const report = await runJson<Report>(
    tuningView,
    ...inputs(places),
    ...pipeline({ type: 'xquad' }),
    ...['--values', '0,1', '--measure', 'MRecall@2'],
  );
  const ids = Array.from({ length: QUERIES }, (_, i) => ({ id: `q${i + 1}` }));
  const { development, test: others } = splitQueries(ids);
  assert.deepEqual([report.param, report.measure], ['lambda', 'MRecall@2']);
  assert.equal(report.development.queries, development.length);
  assert.deepEqual(report.development.scores, [
    { value: 0, score: 0 },
    { value: 1, score: 1 },
  ]);
  assert.equal(report.best, 1);
  assert.equal(report.pipeline.rerank[0]!.lambda, 1);
  assert.deepEqual(report.test, {
    queries: others.length,
    plain: 0,
    tuned: 1,
    difference: 1,
    // With equal values: this number of queries misses at most this share of others.
    low: 1 - (1 - ((1 - 0.95) / 2) ** (1 / others.length)) * 2,
    high: 1,
    p: 2 / 2 ** others.length,
    wins: others.length,
    losses: 0,
    ties: 0,
  });
});

test('of equal values the first is used, and --share sets the number of choosing queries', async (t) => {
  const places = await files(t, topics(QUERIES));
  const argv = [...inputs(places), ...pipeline({ type: 'mmr' }), '--measure', 'R@3'];
  const report = await runJson<Report>(tuningView, ...argv, '--values', '0.9,0.5', '--share', '0.25');
  assert.equal(report.best, 0.9);
  assert.equal(report.development.queries + report.test.queries, QUERIES);
  assert.ok(report.development.queries < report.test.queries);
  const { stdout } = await run(tuningView, ...argv);
  assert.match(stdout, /^0\.99 +100\.0$/mu, 'the values of BERDS by default');
  assert.match(
    stdout,
    /^λ = 0\.5, on \d+ other questions: 100\.0 without, 100\.0 with;.*no effect is shown\.$/mu,
  );
});

test('the last reranker with a λ is tuned, at any position', async (t) => {
  const places = await files(t, topics(QUERIES));
  const steps = pipeline({ type: 'mmr', lambda: 0.3 }, { type: 'xquad' }, { type: 'coverage' });
  const report = await runJson<Report>(tuningView, ...inputs(places), ...steps, '--values', '0.6');
  assert.deepEqual(
    report.pipeline.rerank.map(({ lambda }) => lambda),
    [0.3, 0.6, undefined],
  );
});

test('the weight of a projection', async (t) => {
  const places = await files(t, topics(QUERIES));
  const projected = JSON.stringify({
    name: 'pap',
    retriever: { type: 'dense' },
    projection: { method: 'pap' },
  });
  const argv = [...inputs(places), '--pipeline', projected, '--param', 'weight'];
  const report = await runJson<Report>(tuningView, ...argv, '--values', '0.5,-1', '--measure', 'R@3');
  assert.deepEqual(
    report.development.scores.map(({ value }) => value),
    [0.5, -1],
  );
  assert.equal(report.pipeline.projection?.weight, report.best);
});

test('"datasetMaximum": "auto" is computed on the development queries', async (t) => {
  const places = await files(t, topics(QUERIES));
  const steps = pipeline({ type: 'mmr', datasetMaximum: 'auto' });
  const argv = [...inputs(places), ...steps, '--measure', 'R@3'];
  const report = await runJson<Report>(tuningView, ...argv);
  const { datasetMaximum } = report.pipeline.rerank[0]!;
  assert.equal(typeof datasetMaximum, 'number');
  assert.ok((await run(tuningView, ...argv)).stdout.includes(`"datasetMaximum": ${datasetMaximum}\n`));
});

describe('wrong usage', () => {
  for (const [what, message, argv] of [
    ['another parameter', /^--param is lambda, weight or fusion, not "k"\.$/u, ['--param', 'k']],
    ['no λ in the pipeline', /no reranker with a λ/u, ['--pipeline', 'bm25']],
    ['two pipelines', /one pipeline at a time/u, ['--pipeline', 'bm25', '--pipeline', 'dense']],
    [
      'no projection in the pipeline',
      /--param weight: the pipeline has no projection/u,
      ['--param', 'weight'],
    ],
    ['values that are no numbers', /--values takes numbers.*not "0.5,,1"/u, ['--values', '0.5,,1']],
    ['a share of everything', /--share is a number between 0 and 1, not "1"/u, ['--share', '1']],
  ] as const)
    test(what, async (t) => {
      const places = await files(t, topics(2));
      await assert.rejects(
        run(
          tuningView,
          ...inputs(places),
          ...(argv[0] === '--pipeline' ? [] : pipeline({ type: 'mmr' })),
          ...argv,
        ),
        (error) => error instanceof UsageError && message.test(error.message),
      );
    });

  test('a value outside the range is reported by field and value', async (t) => {
    const places = await files(t, topics(2));
    await assert.rejects(
      run(tuningView, ...inputs(places), ...pipeline({ type: 'mmr' }), '--values', '0.5,1.5'),
      (error) => ParallaxError.is(error, 'bad-pipeline') && /rerank\.0\.lambda: .*1\.5/u.test(error.message),
    );
  });

  test('too few queries to divide are refused', async (t) => {
    const places = await files(t, topics(1));
    await assert.rejects(
      run(tuningView, ...inputs(places), ...pipeline({ type: 'mmr' })),
      (error) =>
        ParallaxError.is(error, 'bad-argument') && /1 question with --share 0\.5 leaves/u.test(error.message),
    );
  });

  test('several data sets', async (t) => {
    const places = await files(t, topics(2));
    const more = ['--queries', `y=${places.queries}`, '--qrels', `y=${places.qrels}`];
    const first = [
      ...['--corpus', places.corpus, '--queries', `x=${places.queries}`],
      ...['--qrels', `x=${places.qrels}`],
    ];
    await assert.rejects(
      run(tuningView, ...first, ...more, ...pipeline({ type: 'mmr' })),
      (error) => error instanceof UsageError && /one data set at a time/u.test(error.message),
    );
  });

  test('a measure that plain judgements cannot give is refused', async (t) => {
    const { corpus, queries } = topics(4);
    const places = await files(t, { corpus, queries, qrels: 'q1 0 a1 1\nq2 0 a2 1\nq3 0 a3 1\nq4 0 a4 1\n' });
    await assert.rejects(
      run(tuningView, ...inputs(places), ...pipeline({ type: 'mmr' })),
      (error) =>
        ParallaxError.is(error, 'bad-argument') &&
        /MRecall@5 needs judgements by perspective/u.test(error.message),
    );
  });
});

test(
  'debate: MMR on BM25, chosen on 88 questions, changes nothing on the other 90',
  needsDebate,
  async () => {
    const report = await runJson<Report>(
      tuningView,
      ...debate,
      ...pipeline({ type: 'mmr', embedder: 'hashing' }),
    );
    assert.deepEqual([report.development.queries, report.test.queries, report.best], [88, 90, 0.9]);
    assert.equal((report.test.tuned * 100).toFixed(1), '54.4');
    assert.ok(report.test.high >= 0 && report.test.p > 0.05);
  },
);

describe('parallax eval --view tuning --judge', () => {
  const judged = (places: Readonly<Record<'corpus' | 'queries', string>>, ...more: readonly string[]) => [
    ...['--corpus', places.corpus, '--queries', places.queries],
    ...pipeline({ type: 'xquad' }),
    ...['--values', '0,1', '--measure', 'MRecall@2'],
    ...more,
  ];

  test('a judge that answers the gold chooses as the gold does, without qrels', async (t) => {
    const places = await files(t, topics(QUERIES));
    const { judge, server } = await judgeServer(t);
    const { judging, ...report } = await runJson<Report & { judging: readonly JudgingReport[] }>(
      tuningView,
      ...judged(places, '--judge', judge),
    );
    const gold = await runJson<Report>(tuningView, ...judged(places), '--qrels', places.qrels);
    assert.deepEqual(report, gold);
    assert.equal(judging.length, 2, 'to choose, and to report');
    assert.equal(
      server.chatRequests.length,
      judging.reduce((sum, { requests }) => sum + requests, 0),
    );
  });

  test('nothing is chosen on a part of the answers', async (t) => {
    const places = await files(t, topics(QUERIES));
    const { judge } = await judgeServer(t);
    const argv = judged(places, '--judge', judge, '--budget', 'requests=9');
    const { code, stdout, stderr } = await run(tuningView, ...argv);
    assert.equal(code, 3);
    assert.match(stderr, /The budget is spent/u);
    assert.match(stdout, /^Nothing is chosen before all is judged that it rests on\.$/mu);
    assert.doesNotMatch(stdout, /λ =/u);
    const report = await runJson<Partial<Report>>(tuningView, ...argv);
    assert.deepEqual([report.test, report.best], [undefined, undefined]);
  });

  test('unreadable answers choose nothing', async (t) => {
    const places = await files(t, topics(QUERIES));
    const { judge } = await judgeServer(t, () => ({ text: '' }));
    const { code, stdout, stderr } = await run(tuningView, ...judged(places, '--judge', judge));
    assert.equal(code, 1);
    assert.match(stderr, /^No result: /mu);
    assert.doesNotMatch(stdout, /λ =/u);
  });

  test('missing judgements are reported', async (t) => {
    const places = await files(t, topics(QUERIES));
    await assert.rejects(run(tuningView, ...judged(places)), /Nothing that was retrieved is judged/u);
  });

  test('a measure that counts everything has everything judged', async (t) => {
    const places = await files(t, topics(QUERIES));
    const { judge } = await judgeServer(t);
    const argv = judged(places, '--judge', judge, '--measure', 'nDCG@2');
    await assert.rejects(run(tuningView, ...argv, '--scope', 'figures'), UsageError);
    const { judging } = await runJson<{ judging: readonly JudgingReport[] }>(tuningView, ...argv);
    assert.deepEqual(
      judging.map(({ scope }) => scope),
      ['everything', 'everything'],
    );
  });
});
