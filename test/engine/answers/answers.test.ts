/** Whether retrieval helps the answer, through the engine's requests, on a real index and a scripted endpoint. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { parsePipeline, type PipelineInput } from '../../../src/core/pipeline.ts';
import { answerReportSchema, type AnswerReport } from '../../../src/shared/answers.ts';
import { judgeSchema } from '../../../src/shared/judge-config.ts';
import { engineMethods, type Params } from '../../../src/shared/rpc.ts';
import { BM25, context, Workspace } from '../compare/compare-support.ts';
import { serverFor } from '../judges/support.ts';
import type { ChatRequest, ChatReply, ModelServer } from '../../fixtures/model-server.ts';
import { partIn, plainModel } from './support.ts';

const PASSAGES = {
  bread1: 'bread bread bread is tasty',
  bread2: 'bread is healthy',
  cheese1: 'cheese cheese cheese is tasty',
  cheese2: 'cheese is healthy',
  other: 'nothing to do with any of it',
};
const QUERIES = ['bread', 'cheese'].map((food) => ({
  id: food,
  text: food,
  perspectives: ['tasty', 'healthy'].map((word) => ({ id: word, text: `${food} is ${word}.` })),
}));
/** Finds only the passages that say "tasty". */
const NARROW: PipelineInput = { retriever: { type: 'run', file: 'narrow.run' } };
const ABSENT: PipelineInput = { retriever: { type: 'run', file: 'absent.run' } };

interface Bench {
  readonly workspace: Workspace;
  readonly server: ModelServer;
  readonly params: Params<'answers'>;
}

async function open(
  t: TestContext,
  chat: (request: ChatRequest) => ChatReply = plainModel,
  k = 2,
): Promise<Bench> {
  const workspace = new Workspace(t);
  const server = await serverFor(t, { chat });
  const local = { type: 'openai', baseUrl: server.url, model: 'scripted', maxRetries: 0 };
  await workspace.configure({
    judges: { local: judgeSchema.parse(local), lexical2: judgeSchema.parse({ type: 'lexical' }) },
  });
  await workspace.corpus('corpus', PASSAGES);
  writeFileSync(
    path.join(workspace.folder, 'narrow.run'),
    'bread Q0 bread1 1 2 narrow\ncheese Q0 cheese1 1 2 narrow\n',
  );
  workspace.label(
    'bread tasty bread1',
    'bread healthy bread2',
    'cheese tasty cheese1',
    'cheese healthy cheese2',
    'bread healthy !bread1',
    'cheese healthy !cheese1',
  );
  const params = engineMethods.answers.params.parse({
    judge: 'local',
    k,
    datasets: [{ name: 'food', corpus: 'corpus', evalSet: 'food.jsonl', queries: QUERIES }],
    pipelines: [
      { name: 'bm25', pipeline: parsePipeline({ ...BM25, k }) },
      { name: 'narrow', pipeline: parsePipeline(NARROW) },
    ],
  });
  return { workspace, server, params };
}

const answer = async (
  { workspace, params }: Bench,
  change: Partial<Params<'answers'>> = {},
): Promise<AnswerReport> =>
  answerReportSchema.parse(await workspace.engine.answers({ ...params, ...change }, context));

test('figures by hand: two pipelines, no retrieval and gold passages', async (t) => {
  const bench = await open(t);
  const report = await answer(bench);
  const [dataset] = report.datasets;
  assert.deepEqual(
    dataset!.sources.map(({ kind, name, asked, judged, success, share }) => [
      kind,
      name,
      asked,
      judged,
      success?.value,
      share?.value,
    ]),
    [
      ['pipeline', 'bm25', 2, 2, 1, 1],
      ['pipeline', 'narrow', 2, 2, 0, 0.5],
      ['none', 'none', 2, 2, 0, 0.5],
      ['gold', 'gold', 2, 2, 1, 1],
    ],
  );
  const [bm25, narrow, none, gold] = dataset!.sources;
  assert.deepEqual(
    dataset!.sources.map(({ attribution }) => attribution?.value),
    [1, 1, undefined, 1],
    'the model by itself is given nothing to cite',
  );
  assert.equal(narrow!.balance?.value, 0);
  assert.equal(bm25!.balance?.value, 1, 'its only sentence cites a passage for each');
  assert.deepEqual(
    [bm25!.retrieval['MRecall@2'], narrow!.retrieval['MRecall@2'], gold!.retrieval['MRecall@2']],
    [1, 0, 1],
  );
  assert.deepEqual(none!.retrieval, {});
  // Retrieval and answers agree on every query, under both pipelines.
  assert.deepEqual(
    [bm25!.alignment?.ragAlign, narrow!.alignment?.ragAlign, none!.alignment],
    [1, 1, undefined],
  );
  assert.deepEqual(
    bm25!.differences.map(({ to, success, share }) => [to, success?.value, share?.value]),
    [
      ['none', 1, 0.5],
      ['gold', 0, 0],
    ],
  );
  assert.equal(narrow!.differences[1]!.success?.value, -1);
  assert.deepEqual(dataset!.correlations, []);
  assert.deepEqual(dataset!.normalised, [
    { name: 'narrow', retrieval: 0, answers: 0 },
    { name: 'bm25', retrieval: 1, answers: 1 },
  ]);
  const [bread] = dataset!.queries;
  assert.deepEqual(
    bread!.answers.map(({ passages, cited }) => [passages, cited]),
    [
      [
        ['bread1', 'bread2'],
        ['bread1', 'bread2'],
      ],
      [['bread1'], ['bread1']],
      [[], []],
      [
        ['bread1', 'bread2'],
        ['bread1', 'bread2'],
      ],
    ],
  );
  assert.equal(bread!.answers[2]!.missing, 'What it costs.');
  assert.deepEqual([report.generator.prompt, report.judge.prompt], ['answer-1', 'representation-1']);
  assert.deepEqual([report.generator.name, report.generator.model], ['local', 'scripted']);
});

test('three pipelines correlate, and a failing one says why and does not affect them', async (t) => {
  const bench = await open(t);
  const pipelines = [
    ...bench.params.pipelines,
    { name: 'dense', pipeline: parsePipeline({ retriever: { type: 'dense' }, k: 2 }) },
    { name: 'broken', pipeline: parsePipeline(ABSENT) },
  ];
  const [dataset] = (await answer(bench, { pipelines })).datasets;
  const broken = dataset!.sources[3]!;
  assert.deepEqual([broken.asked, broken.success], [0, null]);
  assert.match(broken.error ?? '', /absent\.run/);
  assert.equal(dataset!.queries[0]!.answers[3]!.state, 'not-asked');
  const mrecall = dataset!.correlations.find(({ measure }) => measure === 'MRecall@2');
  assert.ok(mrecall?.pipelines === 3 && Math.abs(mrecall.success! - 1) < 1e-12, JSON.stringify(mrecall));
});

test('unsure, unreadable and failed answers are counted separately', async (t) => {
  const bench = await open(t, (request) => {
    const part = partIn(request);
    if (part.kind === 'write' && part.passages?.length === 1 && part.question === 'bread')
      return { refusal: 'No.' };
    if (part.kind === 'judge' && part.question === 'cheese' && part.answer.includes('healthy'))
      return { text: '{"A": "yes", "B": "unsure"}' };
    if (part.kind === 'write' && !part.passages && part.question === 'cheese')
      return { fault: 'status', status: 400, message: 'not today' };
    return plainModel(request);
  });
  const report = await answer(bench);
  const counts = report.datasets[0]!.sources.map(
    ({ judged, unreadable, failed, undecided, success, share }) => ({
      counts: [judged, unreadable, failed, undecided],
      success: success && [success.value, success.queries],
      share: share && [share.value, share.queries],
    }),
  );
  assert.deepEqual(counts, [
    { counts: [2, 0, 0, 1], success: [1, 1], share: [1, 1] },
    { counts: [1, 1, 0, 0], success: [0, 1], share: [0.5, 1] },
    { counts: [1, 0, 1, 0], success: [0, 1], share: [0.5, 1] },
    { counts: [2, 0, 0, 1], success: [1, 1], share: [1, 1] },
  ]);
  assert.match(report.error ?? '', /not today/);
  const cheese = report.datasets[0]!.queries[1]!;
  assert.deepEqual([cheese.answers[2]!.state, cheese.answers[0]!.verdicts[1]!.verdict], ['failed', 'unsure']);
});

describe('the cost', () => {
  test('is announced, and zero the second time, also after a restart', async (t) => {
    const bench = await open(t);
    const { params } = bench;
    const cost = (): Promise<unknown> => bench.workspace.engine.answersCost(params, context);
    // Gold passages and the wide pipeline give the same prompts.
    const before = (await cost()) as {
      answers: number;
      known: number;
      effort: { requests: { most: number } };
    };
    assert.deepEqual([before.answers, before.known, before.effort.requests.most], [6, 0, 12]);
    const first = await answer(bench);
    assert.equal(bench.server.chatRequests.length, 12);
    assert.equal(first.work.requests, 12);
    await bench.workspace.restart();
    const after = (await cost()) as typeof before;
    assert.deepEqual([after.known, after.effort.requests.most], [6, 0]);
    const second = await answer(bench);
    assert.equal(bench.server.chatRequests.length, 12);
    assert.deepEqual(second, { ...first, work: { requests: 0, promptTokens: 0, completionTokens: 0 } });
  });

  test('is limited by a budget: the first queries are answered from every source', async (t) => {
    const bench = await open(t);
    const report = await answer(bench, { budget: { requests: 4 } });
    assert.equal(report.stopped, true);
    const states = report.datasets[0]!.queries.map(({ answers }) => answers.map(({ state }) => state));
    assert.ok(states[0]!.filter((state) => state === 'judged').length >= 2, JSON.stringify(states));
    assert.ok(states.flat().includes('open'));
    assert.equal((await answer(bench)).stopped, false);
    assert.equal(bench.server.chatRequests.length, 12);
  });
});

test('a named model writes, otherwise the workspace’s generator', async (t) => {
  const bench = await open(t);
  const writer = await serverFor(t, { chat: plainModel });
  const { judges } = bench.workspace.config;
  await bench.workspace.configure({
    judges: { ...judges, writer: judgeSchema.parse({ type: 'openai', baseUrl: writer.url, model: 'pen' }) },
    generator: 'writer',
  });
  const report = await answer(bench, { baselines: [] });
  assert.deepEqual([report.generator.model, report.judge.model], ['pen', 'scripted']);
  assert.ok(writer.chatRequests.every((request) => partIn(request).kind === 'write'));
  assert.ok(bench.server.chatRequests.every((request) => partIn(request).kind === 'judge'));
  assert.deepEqual(
    report.datasets[0]!.sources.map(({ name }) => name),
    ['bm25', 'narrow'],
  );
  const named = await answer(bench, { generator: 'local' });
  assert.equal(named.generator.model, 'scripted');
});

test('without gold passages a query has no gold answer', async (t) => {
  const bench = await open(t);
  const unknown = { id: 'tea', text: 'tea', perspectives: [{ id: 'tasty', text: 'tea is tasty.' }] };
  const [dataset] = (
    await answer(bench, { datasets: [{ ...bench.params.datasets[0]!, queries: [...QUERIES, unknown] }] })
  ).datasets;
  assert.deepEqual([dataset!.sources[3]!.asked, dataset!.sources[0]!.asked], [2, 3]);
  assert.equal(dataset!.queries[2]!.answers[3]!.state, 'not-asked');
});

test('judges without a chat model, unknown judges, and cancelling', async (t) => {
  const bench = await open(t);
  for (const judge of ['lexical', 'labels'])
    await assert.rejects(answer(bench, { judge }), {
      id: 'model-missing',
      message: /no chat model.*judge answers|write answers/,
    });
  await assert.rejects(answer(bench, { generator: 'lexical2' }), {
    id: 'model-missing',
    message: /write answers/,
  });
  await assert.rejects(answer(bench, { judge: 'nobody' }), { id: 'bad-argument' });
  const abort = new AbortController();
  abort.abort();
  await assert.rejects(bench.workspace.engine.answers(bench.params, { ...context, signal: abort.signal }), {
    id: 'cancelled',
  });
  assert.equal(bench.server.chatRequests.length, 0);
});
