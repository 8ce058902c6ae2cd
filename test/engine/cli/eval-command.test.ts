import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { evalCommand } from '../../../src/cli/commands/eval-command.ts';
import { UsageError } from '../../../src/cli/presentation/terminal.ts';
import { ParallaxError } from '../../../src/core/errors.ts';
import { COVERAGE, DEBATE, files, inputs, needsDebate, run, runJson, topics } from './support.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';

interface Report {
  readonly pipelines: {
    dataset?: string;
    name: string;
    pipeline: { rerank: { datasetMaximum?: number }[] };
    metrics: Record<string, number>;
    judged: Record<string, number>;
    queries: { id: string; metrics: Record<string, number> }[];
  }[];
  readonly comparisons: {
    dataset?: string;
    pipeline: string;
    baseline: string;
    metric: string;
    difference: number;
    ci: [number, number];
    p: number;
    wins: number;
    losses: number;
    ties: number;
  }[];
  readonly macro?: { pipeline: string; corpus?: string; metrics: Record<string, number> }[];
}

/** Ranks like BM25, under another name. */
const HASHED = '{"name":"hashed","retriever":{"type":"dense","embedder":"hashing"}}';
const TWIN = '{"name":"twin","retriever":{"type":"bm25"}}';

describe('comparisons', () => {
  test('by hand: six of six queries won, p corrected for two compared pipelines', async (t) => {
    const places = await files(t, topics(6));
    const pipelines = ['--pipeline', COVERAGE, '--pipeline', 'bm25', '--pipeline', TWIN];
    const report = await runJson<Report>(
      evalCommand,
      ...inputs(places),
      ...pipelines,
      ...['--compare-to', 'bm25', '--k', '2'],
    );
    const found = report.comparisons.filter(({ metric }) => metric === 'MRecall@2');
    assert.deepEqual(found, [
      {
        pipeline: 'coverage',
        baseline: 'bm25',
        metric: 'MRecall@2',
        difference: 1,
        ci: [1 - (1 - ((1 - 0.95) / 2) ** (1 / 6)) * 2, 1],
        p: 2 * (2 / 2 ** 6),
        wins: 6,
        losses: 0,
        ties: 0,
        queries: 6,
      },
      {
        pipeline: 'twin',
        baseline: 'bm25',
        metric: 'MRecall@2',
        difference: 0,
        ci: [0, 0],
        p: 1,
        wins: 0,
        losses: 0,
        ties: 6,
        queries: 6,
      },
    ]);
    // Every measure of every other pipeline.
    assert.equal(report.comparisons.length, 2 * Object.keys(report.pipelines[0]!.metrics).length);
  });

  test('without --compare-to, the first pipeline is the baseline; one pipeline has none', async (t) => {
    const places = await files(t, topics(2));
    const both = ['--pipeline', COVERAGE, '--pipeline', 'bm25'];
    const { comparisons } = await runJson<Report>(evalCommand, ...inputs(places), ...both, '--k', '2');
    assert.deepEqual([...new Set(comparisons.map(({ baseline }) => baseline))], ['coverage']);
    assert.equal(comparisons.find(({ metric }) => metric === 'MRecall@2')?.losses, 2);
    const alone = await runJson<Report>(evalCommand, ...inputs(places), '--pipeline', 'bm25');
    assert.deepEqual(alone.comparisons, []);
  });

  test('a table for people', async (t) => {
    const places = await files(t, topics(6));
    const pipelines = ['--pipeline', 'bm25', '--pipeline', COVERAGE];
    const { stdout } = await run(evalCommand, ...inputs(places), ...pipelines, '--k', '2');
    assert.match(stdout, /^6 questions; judgements: .*qrels\.txt\.$/mu);
    assert.match(stdout, /^bm25 +0\.0 /mu);
    assert.match(stdout, /^Differences to bm25 in percentage points/mu);
    assert.match(stdout, /^coverage +MRecall@2 +\+100\.0 +\[\+8\.1, \+100\.0\] +0\.031 +6 +0 +0$/mu);
    assert.doesNotMatch(stdout, /disagree/u);
  });

  test('a disagreement of interval and p-value is noted in the table', async (t) => {
    const places = await files(t, topics(6));
    const pipelines = ['--pipeline', 'bm25', '--pipeline', COVERAGE, '--pipeline', TWIN];
    const { stdout } = await run(evalCommand, ...inputs(places), ...pipelines, '--k', '2');
    assert.match(stdout, /\[\+8\.1, \+100\.0\] +0\.063 +6 +0 +0$/mu);
    assert.match(stdout, /^On some differences the interval and the p-value disagree/mu);
  });

  test('with fewer than six queries an interval decides nothing', async (t) => {
    const places = await files(t, topics(5));
    const pipelines = ['--pipeline', 'bm25', '--pipeline', COVERAGE];
    const { stdout } = await run(evalCommand, ...inputs(places), ...pipelines, '--k', '2');
    assert.match(stdout, /^coverage +MRecall@2 +\+100\.0 +\[−100\.0, \+100\.0\] +0\.063 +5 +0 +0$/mu);
    assert.doesNotMatch(stdout, /disagree/u);
  });

  test('questions without results are named', async (t) => {
    const { queries, ...others } = topics(2);
    const places = await files(t, {
      ...others,
      queries: queries.replace('"text":"topic2"', '"text":"unheard"'),
    });
    const { stderr } = await run(evalCommand, ...inputs(places), '--pipeline', 'bm25', '--k', '2');
    assert.match(
      stderr,
      /^bm25 found nothing for 1 of 2 questions \(q2\): it counts 0 in every figure except Judged@k/mu,
    );
    const none = await files(t, {
      ...others,
      queries: queries.replaceAll(/"text":"topic\d"/gu, '"text":"unheard"'),
    });
    const argv = [...inputs(none), '--pipeline', 'bm25', '--k', '2'];
    assert.doesNotMatch((await run(evalCommand, ...argv)).stdout, /Judged@2/u, 'no share of nothing');
    assert.deepEqual((await runJson<Report>(evalCommand, ...argv)).pipelines[0]!.judged, {});
    const all = await run(
      evalCommand,
      ...inputs(await files(t, topics(2))),
      '--pipeline',
      'bm25',
      '--k',
      '2',
    );
    assert.doesNotMatch(all.stderr, /found nothing/u);
  });

  test('an unknown name is wrong usage, and the known ones are listed', async (t) => {
    const places = await files(t, topics(1));
    const argv = [...inputs(places), '--pipeline', 'bm25', '--pipeline', TWIN, '--compare-to', 'tiwn'];
    await assert.rejects(
      run(evalCommand, ...argv),
      (error) =>
        error instanceof UsageError &&
        /no pipeline "tiwn" here\. Available: bm25, twin\./u.test(error.message),
    );
  });

  test('two pipelines with one name are refused', async (t) => {
    const places = await files(t, topics(1));
    await assert.rejects(
      run(evalCommand, ...inputs(places), '--pipeline', 'bm25', '--pipeline', 'bm25'),
      (error) => error instanceof UsageError && /Two pipelines are called bm25/u.test(error.message),
    );
  });
});

describe('data sets', () => {
  test('one data set: the same shape as before', async (t) => {
    const places = await files(t, topics(2));
    const report = await runJson<Report>(evalCommand, ...inputs(places), '--pipeline', 'bm25', '--k', '3');
    assert.deepEqual(Object.keys(report), ['pipelines', 'comparisons']);
    const [bm25] = report.pipelines;
    assert.deepEqual(Object.keys(bm25!), ['name', 'pipeline', 'basis', 'metrics', 'judged', 'queries']);
    assert.deepEqual(bm25!.judged, { '@3': 1 });
    assert.equal(bm25!.metrics['MRecall@3'], 1);
    assert.deepEqual(
      bm25!.queries.map(({ id }) => id),
      ['q1', 'q2'],
    );
  });

  test('two sets of queries on one corpus have a row each, and an average that counts each once', async (t) => {
    const { corpus, queries, qrels } = topics(4);
    // In the second, the first two passages support a perspective each.
    const places = await files(t, {
      corpus,
      queries,
      qrels,
      others:
        '{"_id":"x","text":"topic1","perspectives":[{"id":"pro","text":"p"},{"id":"con","text":"c"}]}\n',
      judged: 'x pro a1 1\nx con b1 1\n',
    });
    const argv = [
      ...[
        '--corpus',
        places.corpus,
        '--queries',
        `kialo=${places.queries}`,
        '--qrels',
        `kialo=${places.qrels}`,
      ],
      ...['--queries', `arguana=${places.others}`, '--qrels', `arguana=${places.judged}`],
      ...['--pipeline', 'bm25', '--pipeline', COVERAGE, '--k', '2'],
    ];
    const report = await runJson<Report>(evalCommand, ...argv);
    assert.deepEqual(
      report.pipelines.map(({ dataset, name, metrics }) => [dataset, name, metrics['MRecall@2']]),
      [
        ['kialo', 'bm25', 0],
        ['kialo', 'coverage', 1],
        ['arguana', 'bm25', 1],
        ['arguana', 'coverage', 1],
      ],
    );
    assert.deepEqual(
      report.macro?.map(({ pipeline, corpus: own, metrics }) => [pipeline, own, metrics['MRecall@2']]),
      [
        ['bm25', undefined, 0.5],
        ['coverage', undefined, 1],
      ],
    );
    assert.deepEqual([...new Set(report.comparisons.map(({ dataset }) => dataset))], ['kialo', 'arguana']);
    const { stdout } = await run(evalCommand, ...argv);
    assert.match(stdout, /^arguana +bm25 +100\.0/mu);
    assert.match(stdout, /^macro-average +bm25 +50\.0/mu);
  });

  test('all queries on all corpora: averages per corpus, an index each', async (t) => {
    const { corpus, queries, qrels } = topics(2);
    const folder = temporaryFolder(t);
    const places = await files(t, { corpus, queries, qrels, small: '{"_id":"a1","text":"topic1"}\n' });
    const report = await runJson<Report>(
      evalCommand,
      ...['--corpus', `wiki=${places.corpus}`, '--corpus', `web=${places.small}`],
      ...['--queries', `x=${places.queries}`, '--queries', `y=${places.queries}`],
      ...['--qrels', `x=${places.qrels}`, '--qrels', `y=${places.qrels}`],
      ...['--pipeline', 'bm25', '--k', '3', '--store', folder],
    );
    assert.deepEqual(
      report.pipelines.map(({ dataset, metrics }) => [dataset, metrics['MRecall@3']]),
      [
        ['x/wiki', 1],
        ['y/wiki', 1],
        ['x/web', 0],
        ['y/web', 0],
      ],
    );
    assert.deepEqual(
      report.macro?.map(({ corpus: own, metrics }) => [own, metrics['MRecall@3']]),
      [
        ['wiki', 1],
        ['web', 0],
      ],
    );
    assert.ok(existsSync(path.join(folder, 'wiki')) && existsSync(path.join(folder, 'web')));
  });

  test('an unjudged perspective still has to be covered', async (t) => {
    const { corpus, queries } = topics(1);
    const places = await files(t, { corpus, queries, qrels: 'q1 pro a1 1\n' });
    const report = await runJson<Report>(evalCommand, ...inputs(places), '--pipeline', 'bm25', '--k', '5');
    assert.equal(report.pipelines[0]!.metrics['MRecall@5'], 0);
  });

  test('unjudged queries are omitted, missing judged ones count zero, both with a warning', async (t) => {
    const { corpus, queries, qrels } = topics(3);
    const places = await files(t, {
      corpus,
      queries: queries.replace('"_id":"q3"', '"_id":"z"'),
      qrels: `${qrels}q1 con nowhere 1\n`,
    });
    const argv = [...inputs(places), '--pipeline', 'bm25', '--k', '3'];
    const report = await runJson<Report>(evalCommand, ...argv);
    assert.equal(report.pipelines[0]!.metrics['MRecall@3'], 2 / 3);
    const { stderr } = await run(evalCommand, ...argv);
    assert.match(
      stderr,
      /warning: 1 of 3 judged questions of .*qrels.txt are not among the questions and count zero/u,
    );
    assert.match(stderr, /warning: 1 of 3 questions of .*queries.jsonl have no judgements and are left out/u);
    assert.match(stderr, /warning: 1 of 10 judged passages of .*qrels.txt are not in the corpus/u);
  });

  test('qrels with numbered parts of documents are reported to depend on the split', async (t) => {
    const places = await files(t, {
      corpus: '{"_id":"d","text":"# A\\n\\nWolves hunt elk.\\n\\n# B\\n\\nElk eat willow."}\n',
      queries: '{"_id":"q1","text":"wolves and elk","perspectives":[{"id":"pro","text":"Wolves hunt."}]}\n',
      qrels: 'q1 pro d#p1 1\nq1 pro d#p2 0\n',
    });
    const argv = [...inputs(places), '--pipeline', 'bm25'];
    const { stderr } = await run(evalCommand, ...argv, '--split', 'words:4');
    assert.match(stderr, /warning: 2 of 2 judged passages of .*qrels\.txt are named by their number/u);
    assert.doesNotMatch((await run(evalCommand, ...argv)).stderr, /by their number/u, 'not one is there');
  });

  test('queries and judgements of different sets are refused', async (t) => {
    const { corpus, queries } = topics(1);
    const places = await files(t, { corpus, queries, qrels: 'other pro a1 1\n' });
    await assert.rejects(
      run(evalCommand, ...inputs(places), '--pipeline', 'bm25'),
      (error) =>
        ParallaxError.is(error, 'bad-argument') &&
        /share no question.*\("q1", "other"\)/u.test(error.message),
    );
  });
});

test('"datasetMaximum": "auto" becomes the greatest relevance of any query, and is shown', async (t) => {
  const places = await files(t, {
    ...topics(2),
    corpus: `${topics(2).corpus}{"_id":"n","text":"noise"}\n`,
  });
  const mmr = (maximum: unknown): string =>
    JSON.stringify({
      name: `mmr ${String(maximum)}`,
      retriever: { type: 'bm25' },
      rerank: [{ type: 'mmr', lambda: 0.5, embedder: 'hashing', datasetMaximum: maximum }],
    });
  const argv = [...inputs(places), '--pipeline', mmr('auto'), '--k', '2'];
  const { pipelines } = await runJson<Report>(evalCommand, ...argv);
  const found = pipelines[0]!.pipeline.rerank[0]!.datasetMaximum!;
  assert.ok(found > 0);
  const { stdout } = await run(evalCommand, ...argv);
  assert.ok(stdout.includes(`mmr auto: MMR with "datasetMaximum": ${found}.`), stdout);
  const given = await runJson<Report>(evalCommand, ...inputs(places), '--pipeline', mmr(found), '--k', '2');
  assert.deepEqual(given.pipelines[0]!.metrics, pipelines[0]!.metrics);
});

describe('the JSON file', () => {
  test('is replaced as a whole, without leftovers beside it', async (t) => {
    const places = await files(t, topics(1));
    const target = path.join(temporaryFolder(t), 'out.json');
    await writeFile(target, 'before');
    const { stdout } = await run(evalCommand, ...inputs(places), '--pipeline', 'bm25', '--json', target);
    assert.match(stdout, /bm25/u);
    const report = JSON.parse(await readFile(target, 'utf8')) as Report;
    assert.equal(report.pipelines[0]!.name, 'bm25');
    assert.deepEqual(await readdir(path.dirname(target)), ['out.json']);
  });

  test('is not touched if no pipeline can be run', async (t) => {
    const { corpus, qrels } = topics(2);
    const places = await files(t, {
      corpus,
      qrels,
      queries: '{"_id":"q1","text":"topic1"}\n{"_id":"q2","text":"topic2"}\n',
    });
    const target = path.join(temporaryFolder(t), 'out.json');
    await writeFile(target, 'before');
    const xquad = '{"retriever":{"type":"bm25"},"rerank":[{"type":"xquad"}]}';
    await assert.rejects(run(evalCommand, ...inputs(places), '--pipeline', xquad, '--json', target));
    assert.equal(await readFile(target, 'utf8'), 'before');
    assert.deepEqual(await readdir(path.dirname(target)), ['out.json']);
  });
});

test(
  'debate: BM25 against hashed words, with the qrels as labels for the coverage reranker',
  needsDebate,
  async (t) => {
    const queries = (await readFile(`${DEBATE}/queries.jsonl`, 'utf8')).split('\n').slice(0, 20);
    const ids = new Set(queries.map((line) => (JSON.parse(line) as { _id: string })._id));
    const qrels = (await readFile(`${DEBATE}/qrels.diversity.txt`, 'utf8')).split('\n');
    const { pipelines, comparisons } = await runJson<Report>(
      evalCommand,
      ...inputs({
        ...(await files(t, {
          queries: queries.join('\n'),
          qrels: qrels.filter((line) => ids.has(line.split(' ')[0]!)).join('\n'),
        })),
        corpus: `${DEBATE}/corpus.jsonl`,
      }),
      ...['--pipeline', 'bm25', '--pipeline', HASHED, '--pipeline', COVERAGE, '--compare-to', 'bm25'],
      ...['--k', '5'],
    );
    assert.deepEqual(
      pipelines.map(({ metrics }) => (metrics['MRecall@5']! * 100).toFixed(1)),
      ['55.0', '45.0', '90.0'],
    );
    const hashed = comparisons.find(
      ({ pipeline, metric }) => pipeline === 'hashed' && metric === 'MRecall@5',
    )!;
    assert.deepEqual([hashed.wins, hashed.losses, hashed.ties], [1, 3, 16]);
  },
);

describe('without --queries', () => {
  const sets = topics(2);
  /** A folder with a parallax.json, and two eval sets in a folder that it names. */
  async function workspace(t: TestContext, evalSets: readonly string[]): Promise<string[]> {
    const folder = temporaryFolder(t);
    const within = (name: string): string => path.join(folder, name);
    await mkdir(within('eval'));
    await writeFile(within('parallax.json'), JSON.stringify({ version: 2, evalSets }));
    await writeFile(within('corpus.jsonl'), sets.corpus);
    await writeFile(within('qrels.txt'), sets.qrels);
    for (const name of ['ours', 'theirs'])
      await writeFile(within(`eval/${name}.parallax.jsonl`), sets.queries);
    const [corpus, qrels, config] = ['corpus.jsonl', 'qrels.txt', 'parallax.json'].map(within);
    return ['--corpus', corpus!, '--qrels', qrels!, '--config', config!, '--pipeline', 'bm25', '--k', '2'];
  }

  test('the eval sets of parallax.json are used, by the names of the gate', async (t) => {
    const all = await runJson<Report>(evalCommand, ...(await workspace(t, ['eval'])));
    assert.deepEqual(
      all.pipelines.map(({ dataset, queries }) => [dataset, queries.length]),
      [
        ['ours', 2],
        ['theirs', 2],
      ],
    );
    const one = await runJson<Report>(evalCommand, ...(await workspace(t, ['eval/o*.jsonl'])));
    assert.equal(one.pipelines.length, 1);
  });

  test('without eval sets nothing is guessed', async (t) => {
    const none = await workspace(t, ['eval/x*.jsonl']);
    await assert.rejects(run(evalCommand, ...none), /--queries is missing, and no parallax\.json/u);
  });
});
