/** `--judge` of `parallax eval` and its analyses: first judge what the figures need. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { analysesView } from '../../../src/cli/commands/views/analyses.ts';
import { evalCommand } from '../../../src/cli/commands/eval-command.ts';
import { readBudget } from '../../../src/cli/figure-judging.ts';
import { UsageError } from '../../../src/cli/presentation/terminal.ts';
import { LIKENESS_MEASURES } from '../../../src/core/metrics/likeness-measures.ts';
import { readPairPrompt } from '../../fixtures/read-prompts.ts';
import type { RepeatsReport } from '../../../src/core/metrics/repeats.ts';
import { judgedReply, verdictReply, type ChatReply, type ChatRequest } from '../../fixtures/model-server.ts';
import { byTellingWord, judgeServer } from './judging-support.ts';
import { files, inputs, run, runJson, topics } from './support.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';

interface Report {
  readonly pipelines: { name: string; metrics: Record<string, number> }[];
  readonly judging?: {
    judge: string;
    heuristic: boolean;
    scope: string;
    pairs: number;
    known: number;
    asked: number;
    saved: number;
    settled: number;
    queries: number;
    mayRise?: Record<string, number>;
    requests: number;
    stopped: boolean;
    repeats?: RepeatsReport;
  }[];
}

/** Two pipelines with different tops. */
const PIPELINES = [
  ...['--pipeline', 'bm25', '--k', '2,3'],
  ...['--pipeline', '{"name":"words","retriever":{"type":"bm25","analyzer":"whitespace","b":1}}'],
];
/** Qrels with one pair of each query. */
const sparse = (count: number): ReturnType<typeof topics> => ({
  ...topics(count),
  qrels: Array.from({ length: count }, (_, i) => `q${i + 1} pro a${i + 1} 1\n`).join(''),
});

/** The same as `byTellingWord`, also for whole passages. */
const byWord = ({ messages }: Pick<ChatRequest, 'messages'>): ChatReply =>
  judgedReply(messages, (passage, statement) => {
    const isSaid = ['first', 'second', 'third'].some(
      (word) => passage.includes(word) && statement.includes(word),
    );
    return { verdict: isSaid ? 'yes' : 'no' };
  });

describe('parallax eval --judge', () => {
  test('the fewest calls give exactly the figures of judging everything', async (t) => {
    const places = await files(t, sparse(6));
    const argv = [...inputs(places), ...PIPELINES];
    const few = await judgeServer(t);
    const figures = await runJson<Report>(evalCommand, ...argv, '--judge', few.judge);
    const all = await judgeServer(t);
    const everything = await runJson<Report>(
      evalCommand,
      ...argv,
      '--judge',
      all.judge,
      '--scope',
      'everything',
    );

    const [judged] = figures.judging!;
    const [full] = everything.judging!;
    assert.equal(full!.asked, full!.pairs - full!.known);
    assert.equal(full!.saved, 0);
    assert.equal(judged!.known, 6);
    assert.ok(judged!.saved > 0, JSON.stringify(judged));
    assert.equal(judged!.asked + judged!.saved + judged!.known, judged!.pairs);
    assert.equal(few.server.chatRequests.length, judged!.requests);
    assert.ok(few.server.chatRequests.length < all.server.chatRequests.length);
    for (const [place, { metrics }] of figures.pipelines.entries()) {
      assert.deepEqual(
        Object.keys(metrics)
          .map((name) => name.split('@')[0]!)
          // Likeness of passages needs no judgement.
          .filter((name) => !LIKENESS_MEASURES.some(({ family }) => family === name))
          .sort(),
        [
          ...[
            'Judged',
            'Judged',
            'MRecall',
            'MRecall',
            'P',
            'P',
            'Precision',
            'Precision',
            'Success',
            'Success',
          ],
        ],
      );
      for (const [name, value] of Object.entries(metrics))
        assert.equal(value, everything.pipelines[place]!.metrics[name], name);
    }
    assert.equal(figures.pipelines[0]!.metrics['MRecall@3'], 1);
    assert.ok('nDCG@3' in everything.pipelines[0]!.metrics);
  });

  test('qrels override the judge', async (t) => {
    const { corpus, queries } = topics(1);
    const places = await files(t, { corpus, queries, qrels: 'q1 pro a1 0\nq1 pro b1 0\nq1 con a1 1\n' });
    const { server, judge } = await judgeServer(t);
    const { pipelines } = await runJson<Report>(
      evalCommand,
      ...[...inputs(places), '--pipeline', 'bm25', '--k', '2', '--judge', judge],
    );
    assert.equal(pipelines[0]!.metrics['MRecall@2'], 0);
    assert.equal(pipelines[0]!.metrics['Precision@2'], 0.5);
    // Only (b, con) is open.
    assert.equal(server.chatRequests.length, 1);
  });

  test('--repeats asks everything again, stores answers separately, and shows changes', async (t) => {
    const places = await files(t, sparse(8));
    const folder = temporaryFolder(t);
    const asked = new Map<string, number>();
    // Every second time, it says no about q1's passages.
    const { server, judge } = await judgeServer(t, (request) => {
      const { passage, statement } = readPairPrompt(request.messages);
      const times = (asked.get(`${passage} ${statement}`) ?? 0) + 1;
      asked.set(`${passage} ${statement}`, times);
      return times % 2 === 0 && passage.includes('1') ? verdictReply('no') : byTellingWord(request);
    });
    const argv = [...inputs(places), ...PIPELINES, '--judge', judge];
    const kept = ['--store', folder, '--scope', 'everything'];
    const first = await run(evalCommand, ...argv, ...kept);
    const once = server.chatRequests.length;
    const again = await run(evalCommand, ...argv, ...kept, '--repeats', '3');
    assert.match(again.stdout, /Questions of bm25 that change:\n  q1: MRecall@3 100\.0, 0\.0, 100\.0/u);
    assert.match(
      again.stderr,
      new RegExp(`${2 * once} of ${3 * (once + 8)} pairs are not judged in 3 repeats; ${2 * once} requests`),
    );
    assert.equal(server.chatRequests.length, 3 * once, 'the first answers are kept, the others are new');
    assert.match(
      again.stdout,
      /Judged 3 times; the figures above are of the first time\. .* contradicts itself on \d+ of \d+ pairs/,
    );
    assert.match(
      first.stdout,
      /^α-nDCG is against k passages that support every perspective\. .* at most 62\.0 at 2 and 65\.3 at 3\.$/mu,
    );
    const head = /bm25 .*\n/.exec(first.stdout)![0];
    assert.ok(again.stdout.includes(head), 'figures are those of the first time');

    const { judging } = await runJson<Report>(evalCommand, ...argv, ...kept, '--repeats', '3');
    assert.equal(server.chatRequests.length, 3 * once, 'nothing is paid for twice');
    const { complete, pairs, contradicted, pipelines } = judging![0]!.repeats!;
    assert.deepEqual([complete, pairs], [3, once + 8], 'those of the qrels among them');
    assert.ok(contradicted > 0 && contradicted < pairs / 2);
    const [bm25, words] = pipelines;
    const { values, mean, changed, theseQueries, otherQueries } = bm25!.figures['MRecall@3']!;
    assert.deepEqual(
      values.map((value) => value < 1),
      [false, true, false],
    );
    assert.equal(changed, 1);
    assert.ok(theseQueries.low < mean && otherQueries.low < mean);
    assert.equal(bm25!.differences, undefined);
    assert.equal(words!.differences!['MRecall@3']!.changed, 0, 'both are judged by the same answers');

    const { judging: short } = await runJson<Report>(
      ...[evalCommand, ...argv, '--scope', 'everything', '--repeats', '2', '--budget', String(once)],
    );
    assert.deepEqual([short![0]!.stopped, short![0]!.repeats!.complete], [true, 1]);
  });

  test('queries that are not in the qrels are judged and counted', async (t) => {
    const { corpus, queries } = topics(2);
    const places = await files(t, { corpus, queries, qrels: 'q1 pro a1 1\nq1 con b1 1\n' });
    const { judge } = await judgeServer(t);
    const { judging, pipelines } = await runJson<Report>(
      evalCommand,
      ...[...inputs(places), '--pipeline', 'bm25', '--k', '2', '--judge', judge],
    );
    assert.equal(judging![0]!.queries, 2);
    assert.equal(pipelines[0]!.metrics['Judged@2'], 1);
  });

  test('the cost is announced, and reported afterwards', async (t) => {
    const places = await files(t, sparse(2));
    const { judge } = await judgeServer(t);
    const { stdout, stderr, code } = await run(
      evalCommand,
      ...inputs(places),
      ...PIPELINES,
      '--judge',
      judge,
    );
    assert.equal(code, 0);
    assert.match(
      stderr,
      /^10 of 12 pairs are not judged; at most 10 requests, about [\d,]+ tokens \(up to as many again where quotations are not in the passage\)\.$/mu,
    );
    assert.match(stdout, /^2 questions; judgements: .*qrels\.txt and openai scripted\.$/mu);
    assert.match(
      stdout,
      /^12 pairs: 2 known before, \d put to openai scripted \(\d requests, [\d,]+ tokens\), \d saved\.$/mu,
    );
    assert.doesNotMatch(stdout, /nDCG/u);
  });

  test('it stops at the budget with exit code 3, and continues with --store', async (t) => {
    const places = await files(t, sparse(6));
    const store = temporaryFolder(t);
    const reference = await judgeServer(t);
    const whole = await runJson<Report>(
      evalCommand,
      ...inputs(places),
      ...PIPELINES,
      '--judge',
      reference.judge,
    );

    const { server, judge } = await judgeServer(t);
    const argv = [...inputs(places), ...PIPELINES, '--judge', judge, '--store', store];
    const stopped = await run(evalCommand, ...argv, '--budget', 'requests=5');
    assert.equal(stopped.code, 3);
    assert.match(stopped.stderr, /The budget is spent\. Run the same command again to go on from here\./u);
    assert.match(stopped.stdout, /The figures of \d of 6 questions are not settled\./u);
    assert.match(
      stopped.stdout,
      /^Differences between pipelines are given when all is judged that they rest on\./mu,
    );
    assert.doesNotMatch(stopped.stdout, /^Differences to bm25/mu);
    const sent = server.chatRequests.length;
    assert.equal(sent, 5);

    const rest = await runJson<Report>(evalCommand, ...argv);
    assert.deepEqual(
      rest.pipelines.map(({ metrics }) => metrics),
      whole.pipelines.map(({ metrics }) => metrics),
    );
    assert.equal(rest.judging![0]!.known, 6 + sent);
    // Known answers change the next questions, but nothing is asked twice.
    assert.ok(server.chatRequests.every(({ attempt }) => attempt === 1));
    const asked = server.chatRequests.length;
    const again = await run(evalCommand, ...argv, '--budget', 'requests=0');
    assert.equal(again.code, 0);
    assert.equal(server.chatRequests.length, asked);
  });

  for (const mode of ['pair', 'passage'])
    test(`by ${mode}, a run that ends early gives upper bounds for its figures`, async (t) => {
      const places = await files(t, sparse(6));
      const { judge } = await judgeServer(t, byWord);
      const argv = [...inputs(places), ...PIPELINES, '--judge', judge.replace('"pair"', `"${mode}"`)];
      const whole = await runJson<Report>(evalCommand, ...argv);
      assert.equal(whole.judging![0]!.mayRise, undefined);
      const { stdout: json } = await run(evalCommand, ...argv, '--budget', 'requests=5', '--json', '-');
      const cut = JSON.parse(json) as Report;
      const mayRise = cut.judging![0]!.mayRise!;
      assert.deepEqual(Object.keys(mayRise), ['MRecall@2', 'Precision@2', 'MRecall@3', 'Precision@3']);
      assert.ok(mayRise['MRecall@3']! > 0);
      for (const [measure, most] of Object.entries(mayRise)) {
        assert.ok(most >= 0 && most <= 1, measure);
        for (const [place, { metrics }] of cut.pipelines.entries()) {
          const exact = whole.pipelines[place]!.metrics[measure]!;
          assert.ok(metrics[measure]! <= exact && exact <= metrics[measure]! + most + 1e-12, measure);
        }
      }
      const { stdout } = await run(evalCommand, ...argv, '--budget', 'requests=5');
      assert.match(
        stdout,
        /are not settled\. With all answers there, figures may be higher, in points: .*MRecall@3 by up to \d+\.\d/u,
      );
    });

  test('without --store it says that nothing is kept', async (t) => {
    const places = await files(t, sparse(3));
    const { judge } = await judgeServer(t);
    const argv = [...inputs(places), ...PIPELINES, '--judge', judge, '--budget', 'tokens=1'];
    const { code, stderr } = await run(evalCommand, ...argv);
    assert.equal(code, 3);
    assert.match(stderr, /give --store a folder to go on from here next time/u);
  });

  test('one budget for all data sets', async (t) => {
    const places = await files(t, sparse(3));
    const { server, judge } = await judgeServer(t);
    const argv = [
      ...['--corpus', places.corpus, '--queries', `x=${places.queries}`, '--qrels', `x=${places.qrels}`],
      ...['--queries', `y=${places.queries}`, '--qrels', `y=${places.qrels}`],
      ...[...PIPELINES, '--judge', judge.replace('}', ',"concurrency":1}'), '--budget', 'requests=4'],
    ];
    const { code, stdout } = await run(evalCommand, ...argv, '--json', '-');
    assert.equal(code, 3);
    assert.equal(server.chatRequests.length, 4);
    assert.deepEqual(
      (JSON.parse(stdout) as { judging: { dataset: string }[] }).judging.map(({ dataset }) => dataset),
      ['x', 'y'],
    );
  });

  for (const [what, reply] of [
    ['empty answers', { text: '' }],
    ['tool calls in the place of answers', { toolCall: 'look_up' }],
    ['answers in other words', { text: 'I would rather not say.' }],
    ['answers that were cut off', { text: '{"evidence": "a', finish: 'length' }],
  ] as const)
    test(`${what} are no verdicts: there is no result, and it says so`, async (t) => {
      const places = await files(t, sparse(2));
      const store = temporaryFolder(t);
      const { judge, server } = await judgeServer(t, () => reply);
      const argv = [...inputs(places), ...PIPELINES, '--judge', judge, '--store', store];
      const { code, stdout, stderr } = await run(evalCommand, ...argv);
      assert.equal(code, 1);
      assert.match(stderr, /^No result: (\d+) of \1 answers could not be read/mu);
      assert.match(stderr, /more than a tenth, so the figures of this run are not usable/u);
      assert.doesNotMatch(stdout, /MRecall|Precision/u);
      const { stdout: json } = await run(evalCommand, ...argv, '--json', '-');
      const report = JSON.parse(json) as Report & { noResult: string };
      assert.match(report.noResult, /could not be read/u);
      assert.deepEqual(report.pipelines, []);
      const [first] = report.judging!;
      assert.equal(first!.known, 2, 'nothing was kept as a verdict');
      assert.ok(
        server.chatRequests.some(({ attempt }) => attempt > 1),
        'the next run asks again',
      );
    });

  test('a few unreadable answers are counted beside the figures, and the exit code is 1', async (t) => {
    const places = await files(t, sparse(12));
    let asked = 0;
    const { judge } = await judgeServer(t, (request) =>
      ++asked === 3 ? { text: '' } : byTellingWord(request),
    );
    const { code, stdout } = await run(evalCommand, ...inputs(places), ...PIPELINES, '--judge', judge);
    assert.equal(code, 1);
    assert.match(
      stdout,
      /^1 of \d\d answers could not be read: its pair stays unjudged\. The first: The model gave an empty answer\.$/mu,
    );
    assert.match(stdout, /MRecall@2/u);
  });

  test('pairs without an answer leave queries unsettled, and the exit code is 1', async (t) => {
    const places = await files(t, sparse(3));
    const { judge } = await judgeServer(t, (request) =>
      JSON.stringify(request.messages).includes('topic2')
        ? { fault: 'status', status: 400 }
        : byTellingWord(request),
    );
    const { code, stdout } = await run(evalCommand, ...inputs(places), ...PIPELINES, '--judge', judge);
    assert.equal(code, 1);
    assert.match(stdout, /The figures of 1 of 3 questions are not settled\. [1-9] pairs have no answer\. /u);
  });

  test('a named heuristic fills open pairs of the qrels, and its figures are no results', async (t) => {
    const places = await files(t, sparse(2));
    const argv = [...inputs(places), '--pipeline', 'bm25', '--k', '3'];
    const alone = await runJson<Report>(evalCommand, ...argv);
    const one = await files(t, topics(1));
    const single = await run(evalCommand, ...inputs(one), '--pipeline', 'bm25');
    assert.match(
      single.stdout,
      /^One question shows no difference between pipelines, .* how many would do\.$/mu,
    );
    const filled = await runJson<Report>(evalCommand, ...argv, '--judge', 'lexical');
    await assert.rejects(
      run(evalCommand, ...argv, '--judge', 'lexical', '--repeats', '2'),
      /"lexical" runs on this machine and always gives the same answer\. Repeat a judge that asks a model\./,
    );
    assert.equal(filled.judging![0]!.settled, 2);
    assert.equal(filled.judging![0]!.requests, 0);
    assert.equal(alone.judging, undefined);
    const { stdout } = await run(evalCommand, ...argv, '--judge', 'lexical');
    assert.match(stdout, /^2 questions; judgements: .*qrels\.txt and lexical \(heuristic\)\.$/mu);
    assert.match(stdout, /figures that rest on them are no results\./u);
    assert.equal(filled.judging![0]!.heuristic, true);
    assert.ok(filled.pipelines[0]!.metrics['Judged@3']! > alone.pipelines[0]!.metrics['Judged@3']!);
  });

  for (const [what, options, message] of [
    [
      'a budget without a judge',
      ['--budget', 'requests=3'],
      /--budget needs a --judge, or a pipeline that asks a model/u,
    ],
    ['repeats without a judge', ['--repeats', '2'], /--repeats needs a --judge/u],
    [
      'one repeat',
      ['--judge', 'lexical', '--repeats', '1'],
      /--repeats is a whole number from 2 to 20, not "1"/u,
    ],
    ['a scope without a judge', ['--scope', 'figures'], /--scope needs a --judge/u],
    [
      'an unknown scope',
      ['--judge', 'lexical', '--scope', 'some'],
      /--scope is figures or everything, not "some"/u,
    ],
    ['an unknown judge', ['--judge', 'nobody'], /no judge "nobody"\. Available: lexical/u],
    ['a budget of nothing', ['--judge', 'lexical', '--budget', 'dollars=3'], /--budget is like 500/u],
  ] as const)
    test(`${what} is wrong usage`, async (t) => {
      const places = await files(t, topics(1));
      await assert.rejects(
        run(evalCommand, ...inputs(places), '--pipeline', 'bm25', ...options),
        (error) => error instanceof UsageError && message.test(error.message),
      );
    });

  test('perspectives without text cannot be judged', async (t) => {
    const { corpus, queries } = topics(1);
    for (const [qrels, message] of [
      ['q1 0 a1 1\n', /does not tell perspectives apart/u],
      ['q1 elsewhere a1 1\n', /judges the perspective "elsewhere" of the question "q1"/u],
    ] as const) {
      const places = await files(t, { corpus, queries, qrels });
      await assert.rejects(run(evalCommand, ...inputs(places), '--pipeline', 'bm25', '--judge', 'lexical'), {
        id: 'bad-argument',
        message,
      });
    }
  });
});

test('a budget: either unit, in any order, each once', () => {
  assert.deepEqual(readBudget('tokens=5, requests=0'), { tokens: 5, requests: 0 });
  assert.deepEqual(readBudget(undefined), {});
  assert.deepEqual(readBudget('300'), { requests: 300 });
  for (const text of [
    '',
    'requests',
    'requests=',
    'requests=-1',
    'requests=1,requests=2',
    'requests=1.5',
    'tokens=1,',
  ])
    assert.throws(() => readBudget(text), UsageError, text);
});

describe('parallax eval --view analyses --judge', () => {
  test('judges the whole top k and analyses the verdicts', async (t) => {
    const places = await files(t, sparse(2));
    const { server, judge } = await judgeServer(t);
    const argv = [...inputs(places), '--pipeline', 'bm25', '--k', '3', '--view', 'leaning', '--judge', judge];
    const { datasets } = await runJson<{
      datasets: { judging: { scope: string; asked: number }; pipelines: { leaning: { both: number } }[] }[];
    }>(analysesView, ...argv);
    const [dataset] = datasets;
    assert.deepEqual([dataset!.judging.scope, dataset!.judging.asked], ['everything', 10]);
    assert.equal(server.chatRequests.length, 10);
    assert.equal(dataset!.pipelines[0]!.leaning.both, 1);
    const { stdout, code } = await run(analysesView, ...argv);
    assert.equal(code, 0);
    assert.match(stdout, /^12 pairs: 2 known before, 10 put to openai scripted/mu);
  });

  test('stops at the budget with exit code 3', async (t) => {
    const places = await files(t, sparse(2));
    const { judge } = await judgeServer(t);
    const argv = [...inputs(places), '--pipeline', 'bm25', '--judge', judge, '--budget', 'requests=1'];
    const { code, stderr } = await run(analysesView, ...argv);
    assert.equal(code, 3);
    assert.match(stderr, /The budget is spent/u);
  });
});

describe('figures over the perspectives of the queries', () => {
  test('no figure of a pipeline depends on which others are compared', async (t) => {
    const { corpus, queries } = topics(4);
    const places = await files(t, { corpus, queries });
    const { judge } = await judgeServer(t);
    const argv = ['--corpus', places.corpus, '--queries', places.queries, '--judge', judge, '--k', '2'];
    const other = [
      '--pipeline',
      '{"name":"words","retriever":{"type":"bm25"},"rerank":[{"type":"mmr","lambda":0.1}]}',
    ];
    const figuresOf = async (...more: readonly string[]) => {
      const asked = [...argv, '--scope', 'everything', '--pipeline', 'bm25', ...more];
      const { metrics } = (await runJson<Report>(evalCommand, ...asked)).pipelines[0]!;
      // These two are measures of a pool by definition, and marked.
      const { 'R@2': recall, AP: precision, ...rest } = metrics;
      assert.ok(recall !== undefined && precision !== undefined);
      return rest;
    };
    const alone = await figuresOf();
    assert.deepEqual(await figuresOf(...other), alone);
    // Half of the perspectives are covered, and no query completely.
    assert.equal(alone['MRecall@2'], 0);
    assert.equal(alone['StRecall@2'], 0.5);
    assert.ok(alone['alpha_nDCG@2']! < 0.6 && alone['ERR_IA@2']! < 0.6);
  });

  test('names the divisor; qrels without perspectives in the queries are a pool, as in ndeval', async (t) => {
    const { corpus, queries, qrels } = topics(1);
    const places = await files(t, { corpus, queries, qrels });
    const given = await run(evalCommand, ...inputs(places), '--pipeline', 'bm25');
    assert.match(given.stdout, /^Every perspective of the questions counts in StRecall/mu);
    const bare = await files(t, { corpus, queries: queries.replace(/,"perspectives":\[.*?\]/u, ''), qrels });
    const pooled = await run(evalCommand, ...inputs(bare), '--pipeline', 'bm25');
    assert.match(pooled.stdout, /^Perspectives are those that some passage of the qrels supports/mu);
  });
});

describe('parallax eval --corrected', () => {
  /** People labelled BM25's top 2 of the first topics, where `b` supports nothing, and `a` of the others. */
  const labelled = (count: number, of: number): ReturnType<typeof topics> => ({
    ...topics(of),
    qrels: Array.from({ length: of }, (_, i) => i + 1)
      .map((n) =>
        n > count
          ? `q${n} pro a${n} 1\n`
          : `q${n} pro a${n} 1\nq${n} con a${n} 0\nq${n} pro b${n} 0\nq${n} con b${n} 0\n`,
      )
      .join(''),
  });
  /** Says yes to everything, so that every top covers everything. */
  const generous = (t: Parameters<typeof judgeServer>[0]) => judgeServer(t, () => verdictReply('yes'));
  interface Corrected {
    readonly pipelines: readonly {
      readonly metrics: Record<string, number>;
      readonly corrected?: {
        readonly figures: Record<string, { value: number; low: number; high: number }>;
        readonly decided: number;
        readonly note: string;
      };
    }[];
  }
  const argv = ['--pipeline', 'bm25', '--k', '2', '--corrected'];

  test('shows figures as counted and without the judge’s errors', async (t) => {
    const places = await files(t, labelled(12, 24));
    const { judge } = await generous(t);
    const options = [...inputs(places), ...argv, '--judge', judge];
    const [{ metrics, corrected }] = (await runJson<Corrected>(evalCommand, ...options)).pipelines as [
      Corrected['pipelines'][number],
    ];
    assert.equal(metrics['MRecall@2'], 0.5);
    assert.equal(corrected!.decided, 12);
    assert.equal(corrected!.figures['MRecall@2']!.value, 0);
    assert.ok(corrected!.figures['MRecall@2']!.high < 0.4);
    assert.equal(corrected!.figures['Precision@2']!.value, 0.5);
    assert.match(corrected!.note, /12 of 24 questions/);
    const { stdout } = await run(evalCommand, ...options);
    assert.match(stdout, /as counted {2}corrected/);
    assert.match(stdout, /bm25 +MRecall@2 +50\.0 +0\.0 +\[0\.0, /);
  });

  test('a ranking that the judge made is certified by people, not by the judge', async (t) => {
    const places = await files(t, labelled(12, 24));
    const { judge } = await generous(t);
    const own = `{"name":"own","retriever":{"type":"bm25"},"rerank":[{"type":"coverage","judge":"openai scripted"}]}`;
    const { stdout } = await run(
      evalCommand,
      ...[...inputs(places), '--pipeline', own, '--k', '2', '--corrected', '--judge', judge],
    );
    assert.match(stdout, /own is circular: .* Corrected ones rest on people\./);
  });

  test('says how many more queries are needed if people decided too few', async (t) => {
    const places = await files(t, labelled(4, 24));
    const { judge } = await generous(t);
    const { stdout } = await run(evalCommand, ...inputs(places), ...argv, '--judge', judge);
    assert.match(stdout, /Not corrected .* 4 questions are labelled, and 10 are needed/);
  });

  test('asks nothing about labelled pairs without it, and needs a judge', async (t) => {
    const places = await files(t, labelled(12, 12));
    const { judge, server } = await generous(t);
    await run(evalCommand, ...inputs(places), '--pipeline', 'bm25', '--k', '2', '--judge', judge);
    assert.equal(server.chatRequests.length, 0);
    await assert.rejects(run(evalCommand, ...inputs(places), ...argv), /--corrected needs a --judge/);
  });
});
