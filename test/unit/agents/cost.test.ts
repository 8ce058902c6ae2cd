import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AgentTools } from '../../../src/features/agents/tools/agent-tools.ts';
import type { RunCost } from '../../../src/features/agents/tools/cost.ts';
import { embedderSchema } from '../../../src/shared/config.ts';
import { judgeSchema } from '../../../src/shared/judge-config.ts';
import type { Result } from '../../../src/shared/rpc.ts';
import { comparisonOf, hostOf, MODEL, STATUS, workspaceOf, type ScriptedHost } from './support.ts';

const EFFORT: Result<'figuresCost'>['effort'] = {
  requests: { least: 2, most: 2 },
  promptTokens: { least: 1, most: 1 },
  completionTokens: { least: 1, most: 1 },
};

async function costOf(
  input: object,
  change = {},
  status = STATUS,
): Promise<{ readonly cost: RunCost; readonly host: ScriptedHost }> {
  const host = hostOf(
    { status: () => status, figuresCost: () => ({ pairs: 5, known: 3, effort: EFFORT }) },
    { workspace: workspaceOf(change) },
  );
  const cost = await new AgentTools(host).cost('evaluate_retrieval', { evalSet: 'faq', ...input }, {});
  return { cost: cost!, host };
}

test('labels and pipelines on the index are free', async () => {
  const { cost } = await costOf({ pipelines: ['plain'], judge: true });
  assert.equal(cost.pipelineRequests, 0);
  assert.equal(cost.judging!.effort.requests.most, 0);
  assert.deepEqual(cost.ownRetrievers, []);
});

test('counts open pairs if the pipelines run for free', async () => {
  const { cost } = await costOf({ pipelines: ['plain'], judge: true }, { judge: 'model' });
  assert.equal(cost.judging!.pairs, 2);
});

test("estimates open pairs if counting would cost or run the user's pipeline", async () => {
  const own = await costOf({ pipelines: ['own'], judge: true }, { judge: 'model' });
  assert.ok(!own.host.asked.includes('figuresCost'));
  assert.deepEqual(own.cost.ownRetrievers, ['own']);
  // One question with two perspectives, five passages.
  assert.equal(own.cost.judging!.pairs, 10);
  assert.ok(own.cost.judging!.effort.price!.most > 0);
  const unindexed = await costOf(
    { pipelines: ['plain'], judge: true },
    { judge: 'model' },
    { ...STATUS, indexed: false },
  );
  assert.ok(!unindexed.host.asked.includes('figuresCost'));
});

test('an unused judge is free', async () => {
  const { cost } = await costOf({ pipelines: ['plain'] }, { judge: 'model' });
  assert.equal(cost.judging, undefined);
});

test('counts writers, judges of steps and remote embedders', async () => {
  const bm25 = { retriever: { type: 'bm25' } };
  const requests = async (pipeline: object, status = STATUS): Promise<number> => {
    const { config, judges } = workspaceOf();
    const cloud = embedderSchema.parse({ type: 'openai', model: 'e', batchSize: 4 });
    const debate = judgeSchema.parse({ type: 'debate', agents: 'model', rounds: 2 });
    const change = { config: { ...config, embedders: { cloud } }, judges: { ...judges, debate } };
    return (await costOf({ pipelines: [pipeline] }, change, status)).cost.pipelineRequests;
  };
  assert.equal(MODEL.type, 'openai');
  assert.equal(await requests({ ...bm25, expansion: { type: 'hyde' } }), 1);
  assert.equal(await requests({ ...bm25, expansion: { type: 'hyde', passages: 8 } }), 8);
  assert.equal(await requests({ ...bm25, expansion: { type: 'mugi' } }), 5);
  assert.equal(await requests({ ...bm25, rerank: [{ type: 'coverage' }] }), 0);
  assert.equal(
    await requests({ ...bm25, rerank: [{ type: 'coverage', judge: 'model' }], candidates: 20 }),
    20,
    'one for each candidate, however many perspectives',
  );
  assert.equal(await requests({ ...bm25, rerank: [{ type: 'coverage', judge: 'model', requests: 6 }] }), 6);
  assert.ok(
    (await requests({ ...bm25, rerank: [{ type: 'coverage', judge: 'debate', requests: 6 }] })) >= 24,
  );
  // One search: question, its two perspectives and one more; ten passages in batches of four.
  const dense = { retriever: { type: 'dense', embedder: 'cloud' } };
  assert.equal(await requests(dense), 4 + 3);
  assert.equal(await requests(dense, { ...STATUS, indexed: false }), Number.POSITIVE_INFINITY);
  assert.equal(await requests({ retriever: { type: 'dense' } }), 0);
});

test('listing calls is free', async () => {
  assert.equal(await new AgentTools(hostOf()).cost('list_retrieval_sites', {}, {}), undefined);
});

test('all requests of a measurement share the requests that its pipelines may send', async () => {
  const { config } = workspaceOf();
  const cloud = embedderSchema.parse({ type: 'openai', model: 'e' });
  const workspace = workspaceOf({ judge: 'model', config: { ...config, embedders: { cloud } } });
  const counts = { asked: 2, answered: 2, failed: 0, unreadable: 0, requests: 2, tokens: 9 };
  const host = hostOf(
    {
      status: () => STATUS,
      figuresCost: () => ({ pairs: 5, known: 3, effort: EFFORT }),
      judgeFigures: () => ({
        ...counts,
        pairs: 5,
        known: 3,
        saved: 0,
        settled: 1,
        queries: 1,
        stopped: false,
      }),
      compare: ({ k }) => comparisonOf(['cloud'], [{ text: 'Fine?', ranks: [[1]] }], k),
    },
    { workspace, budget: { limit: 100, setBy: '--budget', beyond: 'refuse' } },
  );
  const pipelines = [{ retriever: { type: 'dense', embedder: 'cloud' } }];
  await new AgentTools(host).call('evaluate_retrieval', { evalSet: 'faq', pipelines, judge: true }, {});
  assert.deepEqual(host.asked, ['status', 'figuresCost', 'judgeFigures', 'compare']);
  const [, ...after] = host.allowances;
  assert.ok(after[0]!.of > 0);
  assert.deepEqual(
    after.map((allowance) => allowance === after[0]),
    [true, true, true],
  );
});
