import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { parsePipeline } from '../../../src/core/pipeline.ts';
import type { Engine } from '../../../src/engine/engine.ts';
import type { RequestContext } from '../../../src/engine/requests/request.ts';
import type { Params } from '../../../src/shared/rpc.ts';
import { judgedReply, startModelServer, type ModelServer } from '../../fixtures/model-server.ts';
import { readFenced, readPassagePrompt } from '../../fixtures/read-prompts.ts';
import { records, testWorkspace } from '../../fixtures/workspace.ts';

const context: RequestContext = { signal: new AbortController().signal, report: () => undefined };
const TOPICS = ['bread', 'cheese', 'butter'];
const k = 5;

/** A passage supports a perspective if it contains the perspective's last word. */
const supports = (passage: string, perspective: string): boolean =>
  passage.includes(perspective.split(' ').at(-1)!.replace('.', ''));

interface Bench {
  readonly engine: Engine;
  readonly server: ModelServer;
  readonly params: Params<'compare'>;
}

async function open(
  t: TestContext,
  faulty: (passage: string) => boolean = () => false,
  mode: 'pair' | 'passage' = 'pair',
): Promise<Bench> {
  const server = await startModelServer({
    chat: ({ messages }) => {
      if (faulty(readFenced(messages).texts['passage']!))
        return { fault: 'status', status: 400, message: 'no' };
      return judgedReply(messages, (passage, statement) => ({
        verdict: supports(passage, statement) ? 'yes' : 'no',
      }));
    },
  });
  const texts = TOPICS.flatMap((topic) => [
    `${topic} is tasty, they say`,
    `${topic} is tasty, I found`,
    `${topic} is tasty, and no wonder`,
    `${topic} is healthy, they say`,
    `${topic} once more`,
  ]);
  const { engine } = await testWorkspace(t, {
    files: { 'corpus.jsonl': records(Object.fromEntries(texts.entries())) },
    corpora: { docs: { roots: ['corpus.jsonl'], split: { type: 'none' } } },
    judges: { local: { type: 'openai', mode, baseUrl: server.url, model: 'm', maxRetries: 0 } },
  });
  t.after(() => server.close());
  const queries = TOPICS.map((topic) => ({
    id: topic,
    text: `What is ${topic} like?`,
    perspectives: ['tasty', 'healthy'].map((word) => ({ id: word, text: `${topic} is ${word}.` })),
  }));
  const pipelines = [
    { name: 'bm25', pipeline: parsePipeline({ retriever: { type: 'bm25' } }) },
    { name: 'dense', pipeline: parsePipeline({ retriever: { type: 'dense' } }) },
  ];
  const datasets = [{ name: 'food', corpus: 'docs', evalSet: 'food.jsonl', queries }];
  return { engine, server, params: { judge: 'local', datasets, pipelines, k } };
}

const SHOWN = [`MRecall@${k}`, `Precision@${k}`];

async function figuresOf({ engine, params }: Bench): Promise<number[]> {
  const { datasets } = await engine.compare(params, context);
  return datasets[0]!.pipelines.flatMap(({ measures }) => SHOWN.map((name) => measures[name]!.value));
}

test('only pairs that figures depend on are asked, and the figures equal those of the full matrix', async (t) => {
  const few = await open(t);
  const cost = await few.engine.figuresCost({ ...few.params, scope: 'figures' }, context);
  assert.equal(cost.known, 0);
  assert.deepEqual(cost.effort.requests, { least: cost.pairs, most: cost.pairs });
  const report = await few.engine.judgeFigures({ ...few.params, scope: 'figures' }, context);
  assert.equal(report.settled, TOPICS.length);
  assert.equal(report.saved, report.pairs - few.server.chatRequests.length);
  assert.ok(report.saved > 0);

  const all = await open(t);
  const full = await all.engine.judgeFigures({ ...all.params, scope: 'everything' }, context);
  assert.equal(all.server.chatRequests.length, full.pairs);
  assert.deepEqual([full.saved, full.settled], [0, TOPICS.length]);
  assert.deepEqual(await figuresOf(few), await figuresOf(all));
});

test('settled figures are not judged again', async (t) => {
  const bench = await open(t);
  await bench.engine.judgeFigures({ ...bench.params, scope: 'figures' }, context);
  const asked = bench.server.chatRequests.length;
  const again = await bench.engine.judgeFigures({ ...bench.params, scope: 'figures' }, context);
  assert.deepEqual([again.asked, again.settled, bench.server.chatRequests.length], [0, TOPICS.length, asked]);
  // Judging everything continues from there.
  const rest = await bench.engine.judgeFigures({ ...bench.params, scope: 'everything' }, context);
  assert.equal(rest.known, asked);
  assert.equal(bench.server.chatRequests.length, rest.pairs);
});

for (const mode of ['pair', 'passage'] as const) {
  test(`by ${mode}, a budget stops judging, and the next run continues`, async (t) => {
    const bench = await open(t, () => false, mode);
    const stopped = await bench.engine.judgeFigures(
      { ...bench.params, scope: 'figures', budget: { requests: 5 } },
      context,
    );
    assert.equal(stopped.stopped, true);
    assert.equal(stopped.failed, 0);
    assert.equal(stopped.requests, 5);
    assert.equal(bench.server.abandoned, 0);
    const rest = await bench.engine.judgeFigures({ ...bench.params, scope: 'figures' }, context);
    assert.equal(rest.known, stopped.answered);
    assert.deepEqual([rest.stopped, rest.settled], [false, TOPICS.length]);
    assert.equal(bench.server.chatRequests.length, stopped.requests + rest.requests);
  });

  for (const budget of [{}, { requests: 100 }])
    test(`by ${mode}, a failed pair leaves only its query unsettled, with ${JSON.stringify(budget)}`, async (t) => {
      const bench = await open(t, (passage) => passage.startsWith('cheese once more'), mode);
      const report = await bench.engine.judgeFigures({ ...bench.params, scope: 'figures', budget }, context);
      assert.equal(report.failed, mode === 'pair' ? 1 : 2);
      assert.equal(report.settled, TOPICS.length - 1);
      assert.equal(report.stopped, false);
      assert.match(report.error ?? '', /400|no/);
      const texts = bench.server.chatRequests.map(({ messages }) => readFenced(messages).texts['passage']);
      assert.equal(texts.filter((text) => text?.startsWith('cheese once more')).length, 1);
    });
}

for (const [what, budget, topics] of [
  ['a budget that may end it goes to one passage of each query first', TOPICS.length, TOPICS.length],
  ['with a budget for everything, one query is asked about after the other', 100, 1],
] as const)
  test(`by passage, ${what}`, async (t) => {
    const bench = await open(t, () => false, 'passage');
    const { params } = bench;
    await bench.engine.judgeFigures({ ...params, scope: 'figures', budget: { requests: budget } }, context);
    const first = bench.server.chatRequests
      .slice(0, TOPICS.length)
      .map(({ messages }) => readPassagePrompt(messages).passage.split(' ')[0]);
    assert.equal(new Set(first).size, topics);
  });

test('it can be cancelled', async (t) => {
  const bench = await open(t);
  const abort = new AbortController();
  abort.abort();
  await assert.rejects(
    bench.engine.judgeFigures({ ...bench.params, scope: 'figures' }, { ...context, signal: abort.signal }),
    { id: 'cancelled' },
  );
  await assert.rejects(
    bench.engine.judgeFigures({ ...bench.params, judge: 'labels', scope: 'figures' }, context),
    { id: 'bad-argument' },
  );
});

test('by passage, all open pairs of a passage are asked in one request', async (t) => {
  const few = await open(t);
  const byPair = await few.engine.judgeFigures({ ...few.params, scope: 'figures' }, context);
  const bench = await open(t, () => false, 'passage');
  const cost = await bench.engine.figuresCost({ ...bench.params, scope: 'figures' }, context);
  assert.equal(cost.effort.requests.most, cost.pairs / 2, 'two perspectives');
  const report = await bench.engine.judgeFigures({ ...bench.params, scope: 'figures' }, context);
  assert.deepEqual([report.settled, report.requests], [TOPICS.length, bench.server.chatRequests.length]);
  assert.ok(report.requests <= cost.effort.requests.most);
  assert.ok(report.requests < byPair.requests);
  const asked = bench.server.chatRequests.map(({ messages }) => readPassagePrompt(messages).passage);
  assert.equal(new Set(asked).size, asked.length);
  assert.deepEqual(await figuresOf(bench), await figuresOf(few));
});
