/** The editor's commands without the editor: a scripted user, over the real engine. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { ParallaxError } from '../../../src/core/errors.ts';
import { BuildController, type BuildOptions } from '../../../src/features/building/host/build-controller.ts';
import type { BuildPlan } from '../../../src/features/building/host/build-text.ts';
import { planText } from '../../../src/features/building/host/build-text.ts';
import { configSchema } from '../../../src/shared/config.ts';
import { benchFor, type Bench } from './support.ts';

interface Desk {
  readonly bench: Bench;
  readonly controller: BuildController;
  readonly plans: BuildPlan[];
  readonly said: string[];
}

const CORPUS = { from: 'corpus', corpus: 'town' } as const;
const QUERIES = [
  { id: 'q1', text: 'What of topica?', perspectives: [{ id: 'p1', text: 'topica is praised' }] },
  { id: 'bare', text: 'Bare?', perspectives: [] },
];

async function serviceFor(
  t: TestContext,
  choices: Partial<BuildOptions['actions']> = {},
  more: Partial<BuildOptions> = {},
): Promise<Desk> {
  const bench = await benchFor(t);
  const config = configSchema.parse({
    generator: 'writer',
    judges: Object.fromEntries(
      ['writer', 'judge'].map((name) => [
        name,
        { type: 'openai', mode: 'pair', baseUrl: bench.server.url, model: name },
      ]),
    ),
  });
  const plans: BuildPlan[] = [];
  const said: string[] = [];
  const controller = new BuildController({
    engine: {
      request: (method, params, options) => bench.ask(method, params, options?.signal),
    },
    workspace: () => ({ open: true, config, evalQueries: [] }),
    trusted: () => true,
    asked: () => ({ corpus: 'town', judge: 'judge', queries: QUERIES, history: [] }),
    requestBudget: () => 0,
    suggesting: () => ({ from: 'passages', count: 6 }),
    draftsFile: () => bench.draftsFile,
    ...more,
    actions: {
      chooseMaterial: async () => CORPUS,
      chooseJudge: async () => 'nobody',
      chooseCount: async () => 2,
      confirm: async (plan) => (plans.push(plan), true),
      progress: (_, work) => work({ signal: new AbortController().signal, onNote: () => undefined }),
      saveDrafts: async () => undefined,
      showDrafts: async (message) => void said.push(message),
      chooseEvalSet: async () => path.join(bench.folder, 'e.parallax.jsonl'),
      showAccepted: async (message) => void said.push(message),
      choosePipelines: async (pipelines) => pipelines.slice(0, 2).map(({ pipeline }) => pipeline),
      showLabelSet: async (message) => void said.push(message),
      ...choices,
    },
  });
  return { bench, controller, plans, said };
}

test('the cost is announced, and nothing is asked until the user agrees', async (t) => {
  const { bench, controller, plans } = await serviceFor(t, {
    confirm: async (plan) => {
      assert.equal(bench.server.requests.length, 0);
      plans.push(plan);
      return false;
    },
  });
  await controller.build();
  assert.equal(bench.server.requests.length, 0);
  assert.equal(existsSync(bench.draftsFile), false);
  const { question, detail } = planText(plans[0]!);
  assert.equal(question, 'Have writer propose 2 drafts?');
  assert.match(detail, /^2 requests if all of it is usable.*\nAt most 20 requests are sent\./);
});

const ASKED = { from: 'asked' as const, questions: ['What of topicb?'], filter: false };

test('perspectives of questions come from retrieved passages, which is announced', async (t) => {
  const { bench, controller, plans } = await serviceFor(t, {
    chooseMaterial: async () => ({ ...ASKED, form: 'answers' }),
  });
  await controller.build();
  assert.match(planText(plans[0]!).detail, /the passages that are found for it in town are sent/u);
  assert.deepEqual(bench.asked, ['suggestions']);
  assert.match(JSON.stringify(bench.server.requests[0]), /Name at most 6 perspectives/u);
  const [scorn, other] = bench.drafts()[0]!.perspectives;
  assert.ok(scorn!.from!.length > 0);
  assert.deepEqual(other!.from, []);
});

test('if configured, the model gets the question alone, and no passage is sent', async (t) => {
  const { bench, controller, plans } = await serviceFor(
    t,
    { chooseMaterial: async () => ({ ...ASKED, form: 'answers' }) },
    { suggesting: () => ({ from: 'question', count: 1 }) },
  );
  await controller.build();
  assert.doesNotMatch(planText(plans[0]!).detail, /passages/u);
  assert.deepEqual(bench.asked, ['answers']);
  assert.doesNotMatch(JSON.stringify(bench.server.requests), /baker|mayor/u);
  assert.deepEqual(
    bench.drafts()[0]!.perspectives.map(({ from }) => from),
    [undefined, undefined],
  );
});

test('a statement and its negation need no corpus, contrasting perspectives do', async (t) => {
  for (const [form, kinds] of [
    ['negation', ['negation']],
    ['contrast', ['contrast', 'judgement']],
  ] as const) {
    const { bench, controller } = await serviceFor(
      t,
      {
        chooseMaterial: async () => ({ ...ASKED, form }),
        chooseJudge: async (choices) => choices.find(({ name }) => name === 'judge'),
      },
      { suggesting: () => ({ from: 'question', count: 6 }) },
    );
    await controller.build();
    assert.deepEqual([...new Set(bench.asked)], kinds);
  }
});

test('with an invalid parallax.json, nothing is built with defaults', async (t) => {
  const configProblem = 'parallax.json is not valid JSON.';
  const workspace = (): ReturnType<BuildOptions['workspace']> => ({
    open: true,
    config: configSchema.parse({}),
    evalQueries: [],
    configProblem,
  });
  const { controller, said } = await serviceFor(t, {}, { workspace });
  for (const work of [controller.build(), controller.labelSet()])
    await assert.rejects(work, (error) => ParallaxError.is(error, 'bad-config'));
  assert.deepEqual(said, []);
});

test('build, accept, and the pairs wait for review', async (t) => {
  const { bench, controller, said } = await serviceFor(t);
  await controller.build();
  assert.match(said[0]!, /^2 drafts added, 2 wait for review \(\d+ requests\)\./);
  await controller.build();
  assert.equal(said[1], 'As many drafts as you want wait for review already.');
  writeFileSync(bench.draftsFile, readFileSync(bench.draftsFile, 'utf8').replace('"proposed"', '"accepted"'));
  await controller.addAccepted();
  assert.match(said[2]!, /^1 draft added to the eval set \(0 were there\), 1 wait for review\. 4 pairs/);
  assert.equal((await bench.ask('reviewQueue', { by: 'ann' })).open, 4);
});

test('the budget of the settings applies, and a chosen judge is asked', async (t) => {
  const { bench, controller, plans, said } = await serviceFor(
    t,
    { chooseJudge: async (choices) => choices.find(({ name }) => name === 'judge') },
    { requestBudget: () => 3 },
  );
  await controller.build();
  assert.deepEqual([plans[0]!.budget, plans[0]!.judge, plans[0]!.effort.judgePairs], [3, 'judge', 8]);
  assert.ok(bench.server.requests.length <= 3);
  assert.match(said[0]!, /The budget is spent; build again to continue\.$/);
});

test('cancelling at any prompt costs nothing', async (t) => {
  for (const step of [
    'chooseMaterial',
    'chooseJudge',
    'chooseCount',
    'chooseEvalSet',
    'choosePipelines',
  ] as const) {
    const { bench, controller, said } = await serviceFor(t, { [step]: async () => undefined });
    if (step === 'chooseEvalSet') await controller.addAccepted();
    else if (step === 'choosePipelines') await controller.labelSet();
    else await controller.build();
    assert.deepEqual([said, bench.server.requests.length], [[], 0], step);
  }
});

test('without a model that writes, or without trust, nothing is built', async (t) => {
  const config = configSchema.parse({ generator: 'lexical' });
  const without = await serviceFor(t, {}, { workspace: () => ({ open: true, config, evalQueries: [] }) });
  await assert.rejects(without.controller.build(), (error) => ParallaxError.is(error, 'model-missing'));
  const untrusted = await serviceFor(t, {}, { trusted: () => false });
  await assert.rejects(untrusted.controller.build(), (error) => ParallaxError.is(error, 'untrusted'));
});

test('a label set of the questions with perspectives, or a reason for its absence', async (t) => {
  const { bench, controller, said } = await serviceFor(t);
  await controller.labelSet();
  const { open } = await bench.ask('reviewQueue', { by: 'ann' });
  assert.ok(open >= 5);
  assert.ok(said[0]!.startsWith(`${open} pairs of 1 question to review.`), said[0]);
  const none = await serviceFor(
    t,
    {},
    {
      asked: () => ({ corpus: 'town', judge: 'judge', queries: [], history: [] }),
    },
  );
  await assert.rejects(none.controller.labelSet(), /No question has perspectives/);
});
