import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { answersView } from '../../../src/features/papers/cli/answers-view.ts';
import { UsageError } from '../../../src/cli/presentation/terminal.ts';
import { answerReportSchema, type AnswerReport } from '../../../src/shared/answers.ts';
import { partIn, repeating, type Part } from '../answers/support.ts';
import { serverFor } from '../judges/support.ts';
import type { ChatReply, ChatRequest, ModelServer } from '../../fixtures/model-server.ts';
import { COVERAGE, files, inputs, lines, run, topics } from './support.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';

/** A statement is represented if the answer has one of its telling words. */
function represented({ answer, statements }: Extract<Part, { kind: 'judge' }>): ChatReply {
  const entries = Object.entries(statements).map(([letter, statement]) => {
    const said = ['first', 'second', 'third'].some(
      (word) => answer.includes(word) && statement.includes(word),
    );
    return [letter, said ? 'yes' : 'no'];
  });
  return { text: JSON.stringify(Object.fromEntries(entries)) };
}

function plain(request: ChatRequest): ChatReply {
  const part = partIn(request);
  return part.kind === 'write' ? repeating(part) : represented(part);
}

interface Bench {
  readonly server: ModelServer;
  readonly argv: readonly string[];
  readonly judge: string;
}

/** Three topics. Within the top 2, BM25 covers one perspective of two, the coverage reranker both. */
async function open(t: TestContext, chat: (request: ChatRequest) => ChatReply = plain): Promise<Bench> {
  const places = await files(t, topics(3));
  const server = await serverFor(t, { chat });
  const judge = JSON.stringify({ type: 'openai', baseUrl: server.url, model: 'scripted', maxRetries: 0 });
  const pipelines = ['--pipeline', 'bm25', '--pipeline', COVERAGE, '--k', '2'];
  return { server, judge, argv: [...inputs(places), ...pipelines, '--judge', judge] };
}

/** The same topics. The first query names its third passage, the second something that no passage has. */
async function withGold(t: TestContext): Promise<readonly string[]> {
  const given = topics(3);
  const gold = [['Third, other'], { text: ['elsewhere'] }, undefined];
  const queries = given.queries
    .trim()
    .split('\n')
    .map((line, n) => ({ ...(JSON.parse(line) as object), ...(gold[n] ? { answers: gold[n] } : {}) }));
  const places = await files(t, { ...given, queries: lines(queries) });
  const server = await serverFor(t, { chat: plain });
  const judge = JSON.stringify({ type: 'openai', baseUrl: server.url, model: 'scripted', maxRetries: 0 });
  return [...inputs(places), '--pipeline', 'bm25', '--pipeline', COVERAGE, '--k', '2', '--judge', judge];
}

async function answers(...argv: readonly string[]): Promise<AnswerReport> {
  return answerReportSchema.parse(JSON.parse((await run(answersView, ...argv, '--json', '-')).stdout));
}

test('a run without readable answers is no result, and fails', async (t) => {
  const unwritten = await open(t, () => ({ text: '' }));
  const { code, stderr } = await run(answersView, ...unwritten.argv);
  assert.equal(code, 1);
  assert.match(stderr, /^No result: (\d+) of \1 answers of openai scripted could not be read\. Look at/mu);

  const unread = await open(t, (request) => {
    const part = partIn(request);
    return part.kind === 'write' ? repeating(part) : { text: 'I would rather not say.' };
  });
  const judged = await run(answersView, ...unread.argv);
  assert.equal(judged.code, 1);
  assert.match(
    judged.stderr,
    /^No result: (\d+) of \1 verdicts of openai scripted on answers could not be read\./mu,
  );
});

test('retrieval that covers more gives answers that represent more', async (t) => {
  const { argv, server } = await open(t);
  const report = await answers(...argv);
  const [dataset] = report.datasets;
  assert.deepEqual(
    dataset!.sources.map(({ name, success, share, retrieval, alignment }) => [
      name,
      success?.value,
      share?.value,
      retrieval['MRecall@2'],
      alignment?.ragAlign,
    ]),
    [
      ['bm25', 0, 0.5, 0, 1],
      ['coverage', 1, 1, 1, 1],
      ['none', 0, 0, undefined, undefined],
      ['gold', 1, 1, 1, undefined],
    ],
  );
  assert.deepEqual(
    dataset!.sources[1]!.differences.map(({ to, success }) => [to, success?.value]),
    [
      ['none', 1],
      ['gold', 0],
    ],
  );
  // Gold passages and the coverage reranker agree: one request for both.
  assert.equal(server.chatRequests.length, 3 * 3 * 2);
});

test('the table follows an announcement of the cost', async (t) => {
  const { argv } = await open(t);
  const { stdout, stderr, code } = await run(answersView, ...argv);
  assert.equal(code, 0);
  assert.match(stderr, /^9 answers, 0 of them known; 18 requests, about [\d,]+ tokens for the rest\.$/mu);
  assert.match(
    stdout,
    /^Answers of scripted \(openai scripted\) from 2 passages, judged by scripted .*; 18 requests now\.$/mu,
  );
  assert.match(
    stdout,
    /^bm25 +3 +0 +0 +0 +0 +0\.0 \[0\.0, 100\.0\] +50\.0 \[0\.0, 100\.0\] +0\.0 +100\.0 +1\.00 +0\.00$/mu,
  );
  assert.match(stdout, /^no retrieval +3 +0 +0 +0 +0 +0\.0 \[0\.0, 100\.0\] +0\.0 \[0\.0, 100\.0\]$/mu);
  assert.match(stdout, /^coverage +no retrieval +\+100\.0 \[−100\.0, \+100\.0\] .* 3$/mu);
  assert.match(stdout, /Correlation over pipelines takes three of them with answers; there are 2\./u);
});

test('unjudged retrieval has not failed: no RAGAlign, and no figure', async (t) => {
  const places = await files(t, topics(3));
  const server = await serverFor(t, { chat: plain });
  const judge = JSON.stringify({ type: 'openai', baseUrl: server.url, model: 'scripted', maxRetries: 0 });
  const argv = ['--corpus', places.corpus, '--queries', places.queries, '--pipeline', 'bm25', '--k', '2'];
  const [dataset] = (await answers(...argv, '--judge', judge)).datasets;
  const { alignment, retrieval } = dataset!.sources[0]!;
  assert.equal(alignment, undefined);
  assert.equal(retrieval['Judged@2'], 0);
  assert.ok(!('MRecall@2' in retrieval));
  const { stdout } = await run(answersView, ...argv, '--judge', judge);
  assert.match(
    stdout,
    /^bm25: 0\.0% of what it retrieved is judged, and below 90% no RAGAlign is given\.$/mu,
  );
});

test('three pipelines correlate', async (t) => {
  const { argv } = await open(t);
  const { stdout } = await run(
    answersView,
    ...argv,
    '--pipeline',
    '{"name":"twin","retriever":{"type":"bm25"}}',
  );
  assert.match(stdout, /^Correlation with retrieval over 3 pipelines:$/mu);
  assert.match(stdout, /^MRecall@2 +1\.00 +1\.00$/mu);
});

describe('gold answers and a chosen measure', () => {
  test('an answer succeeds by its gold answer, and without one by perspectives', async (t) => {
    const argv = await withGold(t);
    const report = await answers(...argv, '--align-measure', 'Precision@1', '--align-threshold', '1');
    assert.deepEqual(report.alignBy, { measure: 'Precision@1', least: 1 });
    assert.deepEqual(
      report.datasets[0]!.sources.map(({ name, judged, byGold, success, share }) => [
        name,
        judged,
        byGold,
        success?.value,
        share?.value,
      ]),
      [
        ['bm25', 3, 2, 0, 0.5],
        // By perspectives alone all three would succeed.
        ['coverage', 3, 2, 2 / 3, 1],
        ['none', 3, 2, 0, 0],
        ['gold', 3, 2, 2 / 3, 1],
      ],
    );
    // The first passage of either supports. Two answers of `coverage` succeed, and none of `bm25`.
    const [bm25, coverage] = report.datasets[0]!.sources;
    assert.equal(bm25!.retrieval['Precision@1'], 1);
    assert.deepEqual([bm25!.alignment!.chosen, coverage!.alignment!.chosen], [0, 2 / 3]);
    assert.deepEqual([bm25!.alignment!.ragAlign, coverage!.alignment!.ragAlign], [1, 2 / 3]);
  });

  test('both have columns, and the definition of success is above the table', async (t) => {
    const argv = await withGold(t);
    const { stdout } = await run(answersView, ...argv, '--align-measure', 'Hit@1');
    assert.match(
      stdout,
      /^If a query has gold answers, an answer succeeds if it contains one of them, word for word/mu,
    );
    assert.match(stdout, /judged +by gold +undecided.* RAGAlign +by Hit +by Success@1 +graded/u);
    assert.match(stdout, /^bm25 +3 +2 +0 .* +1\.00 +0\.00 +0\.00$/mu);
  });
});

describe('budget and store', () => {
  test('it stops with exit code 3 and then continues', async (t) => {
    const { argv, server } = await open(t);
    const kept = [...argv, '--store', temporaryFolder(t)];
    const stopped = await run(answersView, ...kept, '--budget', 'requests=6');
    assert.equal(stopped.code, 3);
    assert.match(stopped.stderr, /The budget is spent\. Run the same command again/u);
    assert.ok(server.chatRequests.length >= 6 && server.chatRequests.length < 10);
    const { code, stdout } = await run(answersView, ...kept);
    assert.equal(code, 0);
    assert.equal(server.chatRequests.length, 18);
    const again = await run(answersView, ...kept);
    assert.match(again.stderr, /^9 answers, 9 of them known; 0 requests, about 0 tokens for the rest\.$/mu);
    assert.equal(again.stdout.replace('0 requests now', ''), stdout.replace(/\d+ requests now/u, ''));
    assert.equal(server.chatRequests.length, 18);
  });

  test('failures are reported, and the exit code is 1', async (t) => {
    const { argv } = await open(t, (request) =>
      partIn(request).question === 'topic2'
        ? { fault: 'status', status: 400, message: 'not this one' }
        : plain(request),
    );
    const { code, stderr, stdout } = await run(answersView, ...argv);
    assert.equal(code, 1);
    assert.match(stderr, /Some answers failed\. .*not this one/u);
    assert.match(stdout, /^bm25 +2 +0 +0 +1 +0 /mu);
  });
});

describe('options', () => {
  test('another generator, no baselines, a JSON file', async (t) => {
    const { argv, server } = await open(t);
    const writer = await serverFor(t, { chat: plain });
    const generator = JSON.stringify({ type: 'openai', baseUrl: writer.url, model: 'pen' });
    const target = path.join(temporaryFolder(t), 'answers.json');
    await run(answersView, ...argv, '--generator', generator, '--baseline', 'no', '--json', target);
    const report = answerReportSchema.parse(JSON.parse(await readFile(target, 'utf8')));
    assert.deepEqual([report.generator.model, report.judge.model], ['pen', 'scripted']);
    assert.deepEqual(
      report.datasets[0]!.sources.map(({ name }) => name),
      ['bm25', 'coverage'],
    );
    assert.ok(server.chatRequests.every((request) => partIn(request).kind === 'judge'));
  });

  for (const [what, change, message] of [
    ['no judge', (argv: readonly string[]) => argv.slice(0, -2), /--judge is missing/u],
    [
      'an unknown baseline',
      (argv: readonly string[]) => [...argv, '--baseline', 'silver'],
      /--baseline is none or gold/u,
    ],
    [
      'an unknown generator',
      (argv: readonly string[]) => [...argv, '--generator', 'nobody'],
      /no judge "nobody"/u,
    ],
    [
      'a measure that needs a threshold',
      (argv: readonly string[]) => [...argv, '--align-measure', 'nDCG@2'],
      /--align-measure: nDCG@2 is not yes or no/u,
    ],
    [
      'a threshold without a measure',
      (argv: readonly string[]) => [...argv, '--align-threshold', '0.5'],
      /--align-threshold needs an --align-measure/u,
    ],
    [
      'a threshold that is no number',
      (argv: readonly string[]) => [...argv, '--align-measure', 'nDCG@2', '--align-threshold', 'half'],
      /--align-threshold is a number such as 0\.5, not "half"/u,
    ],
    ['a strange budget', (argv: readonly string[]) => [...argv, '--budget', 'five'], /--budget is like/u],
  ] as const)
    test(`${what} is wrong usage`, async (t) => {
      const { argv } = await open(t);
      await assert.rejects(
        run(answersView, ...change(argv)),
        (error) => error instanceof UsageError && message.test(error.message),
      );
    });

  test('a judge without a chat model cannot judge answers', async (t) => {
    const { argv } = await open(t);
    await assert.rejects(run(answersView, ...argv.slice(0, -1), 'lexical'), { id: 'model-missing' });
  });

  test('--help explains itself', async () => {
    const { stdout, code } = await run(answersView, '--help');
    assert.equal(code, 0);
    assert.match(stdout, /asks neither for several views nor for one/u);
  });
});
