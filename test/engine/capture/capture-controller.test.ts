/** The controller of the Captured view, on the real engine. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { ParallaxError } from '../../../src/core/errors.ts';
import type { Query } from '../../../src/core/model.ts';
import { missingCorpusText } from '../../../src/core/pipeline-needs.ts';
import {
  CaptureController,
  type CaptureOptions,
} from '../../../src/features/capture/host/capture-controller.ts';
import { chooseJudge, judgeChoices } from '../../../src/extension/judging/judge-choice.ts';
import { typedPerspectives } from '../../../src/extension/workspace/workspace-model.ts';
import type { CapturedRun } from '../../../src/features/capture/contract/captured.ts';
import { configSchema } from '../../../src/shared/config.ts';
import { answers, DOCS, send, setUp, until, type Setup } from './support.ts';

const TRAMS = 'Should the trams run at night?';
const QUERY: Query = {
  id: 'trams',
  text: TRAMS,
  perspectives: typedPerspectives(['Night trams bring workers home.', 'Night trams wake people.']),
};

interface Panel extends Setup {
  readonly controller: CaptureController;
  readonly warnings: string[];
  readonly asked: string[];
  /** The numbers of pairs that the user was asked to pay for, and always refused. */
  readonly confirmed: number[];
}

interface Given {
  readonly judge?: string;
  readonly trusted?: boolean;
  readonly queries?: readonly Query[];
  /** The user's answer when asked for perspectives. */
  readonly perspectives?: readonly string[];
  readonly confirmCallsAbove?: number;
  readonly corpus?: string;
}

function panel(
  t: TestContext,
  {
    judge = 'vscode',
    trusted = true,
    queries = [QUERY],
    perspectives,
    corpus = 'docs',
    confirmCallsAbove = 50,
  }: Given = {},
): Panel {
  const setup = setUp(t);
  const warnings: string[] = [];
  const asked: string[] = [];
  const confirmed: number[] = [];
  const config = configSchema.parse({});
  const options: CaptureOptions = {
    engine: setup.client,
    trusted: () => trusted,
    asked: () => ({ corpus, judge: chooseJudge(judgeChoices(config), config, judge), queries }),
    missingCorpus: () => missingCorpusText(config),
    tools: () => ({}),
    costSettings: () => ({ confirmCallsAbove, requestBudget: 0, prices: {} }),
    actions: {
      confirmCalls: (pairs) => {
        confirmed.push(pairs);
        return Promise.resolve(false);
      },
      publish: () => undefined,
      askPerspectives: (question) => {
        asked.push(question);
        return Promise.resolve(perspectives && typedPerspectives(perspectives));
      },
      progress: (_title, work) => work(new AbortController().signal),
      warn: (message) => warnings.push(message),
      log: (message) => setup.log.push(message),
    },
  };
  const controller = new CaptureController(options);
  t.after(() => controller.dispose());
  return { ...setup, controller, warnings, asked, confirmed };
}

const documents = [{ text: DOCS['night.md'] }, { text: DOCS['noise.md'] }];

async function captured({ controller, client }: Panel, query = TRAMS): Promise<string> {
  await client.request('index', { corpus: 'docs', rebuild: false });
  await controller.start();
  await send(controller.url!, [{ query, documents }]);
  return until(() => controller.runs[0]?.id, 'the retrieval did not arrive');
}

test('a retrieval is listed, judged on request, and has figures that say so', async (t) => {
  const own = panel(t);
  const id = await captured(own);
  assert.equal(own.controller.runs[0]?.figures?.judgedPairs, 0);
  await own.controller.judge(id);
  assert.equal(own.controller.runs[0]?.figures?.judgedPairs, 4);
  assert.deepEqual([own.warnings, own.asked], [[], []]);
  await own.controller.clear();
  assert.deepEqual(own.controller.runs, []);
});

test('later retrievals join the list, newest first, each once', async (t) => {
  const own = panel(t);
  const { controller } = own;
  await captured(own);
  for (const query of ['Why?', 'How?']) {
    await send(controller.url!, [{ query }]);
    await until(() => (controller.runs[0]?.query === query ? true : undefined), `${query} did not arrive`);
  }
  assert.deepEqual(
    controller.runs.map(({ query }) => query),
    ['How?', 'Why?', TRAMS],
  );
  await controller.clear();
  await send(controller.url!, [{ query: 'When?' }]);
  await until(() => (controller.runs.length > 0 ? true : undefined), 'nothing arrives after clearing');
  assert.deepEqual(
    controller.runs.map(({ query }) => query),
    ['When?'],
  );
});

test('spans that are no retrieval are listed with the reason until cleared', async (t) => {
  const { controller } = panel(t);
  await controller.start();
  const LLM = { 'openinference.span.kind': 'LLM' };
  await send(controller.url!, [
    { query: 'Hello', attributes: LLM },
    { query: 'Hello again', attributes: LLM },
  ]);
  await until(() => controller.unused[0], 'the spans are not listed');
  assert.deepEqual(controller.runs, []);
  assert.deepEqual(controller.unused, [
    { kind: 'openinference.span.kind=LLM', reason: 'other-work', count: 2 },
  ]);
  await controller.clear();
  assert.deepEqual(controller.unused, []);
});

test('without an eval set for the question, the user is asked once for perspectives', async (t) => {
  const own = panel(t, { queries: [], perspectives: ['Workers get home.', ' '] });
  const id = await captured(own);
  const shown = (): CapturedRun | undefined => own.controller.runs[0];
  assert.equal(shown()?.figures, undefined);
  await own.controller.judge(id);
  assert.deepEqual(shown()?.perspectives, [{ id: 'p1', text: 'Workers get home.' }]);
  assert.equal(shown()?.figures?.judgedPairs, 2);
  await own.controller.judge(id);
  assert.deepEqual(own.asked, [TRAMS]);
});

test('a run that exceeds the agreed cost asks first', async (t) => {
  const own = panel(t, { confirmCallsAbove: 1 });
  const id = await captured(own);
  await own.controller.judge(id);
  assert.deepEqual(own.confirmed, [4]);
  assert.equal(own.controller.runs[0]?.figures?.judgedPairs, 0);
  // Several judgements ask the user once.
  await own.controller.judge(id, id);
  assert.deepEqual(own.confirmed, [4, 8]);
});

test('a user who gives no perspectives is not asked again', async (t) => {
  const own = panel(t, { queries: [] });
  const id = await captured(own);
  await own.controller.judge(id);
  assert.equal(own.controller.runs[0]?.figures, undefined);
});

test('labels alone cannot be asked, and a deleted retrieval cannot be judged', async (t) => {
  const labels = panel(t, { judge: 'labels' });
  const id = await captured(labels);
  await assert.rejects(labels.controller.judge(id), (error) => ParallaxError.is(error, 'bad-argument'));
  await assert.rejects(panel(t).controller.judge('x:y'), (error) => ParallaxError.is(error, 'not-found'));
});

test('two starts share a receiver; stopping keeps the list, and a new start has a new address', async (t) => {
  const own = panel(t);
  const { controller } = own;
  await captured(own);
  const { url } = controller;
  await controller.start();
  assert.equal(controller.url, url);
  await controller.stop();
  assert.equal(controller.url, undefined);
  assert.equal(await answers(url!), false);
  assert.equal(controller.runs.length, 1);
  await controller.start();
  assert.notEqual(controller.url, url);
  const token = new URL(controller.url!).pathname.split('/')[1]!;
  assert.ok(own.log.some((line) => line.startsWith('Capturing retrievals on port')));
  assert.ok(own.log.every((line) => !line.includes(token)));
  await controller.stop();
});

test('nothing starts in an untrusted workspace', async (t) => {
  const { controller, client } = panel(t, { trusted: false });
  await assert.rejects(controller.start(), (error) => ParallaxError.is(error, 'untrusted'));
  assert.equal(client.state, 'not started');
});

test('nothing starts without a corpus, which would recognise no passage', async (t) => {
  const { controller, client } = panel(t, { corpus: '' });
  await assert.rejects(controller.start(), { id: 'not-found', message: 'parallax.json names no corpus.' });
  assert.equal(client.state, 'not started');
});

test('stopping during the start stops it', async (t) => {
  const { controller } = panel(t);
  const starting = controller.start();
  await controller.stop();
  await starting;
  assert.equal(controller.url, undefined);
  await controller.stop();
});

test('if the engine dies the user is told, captures are kept, and capturing can restart', async (t) => {
  const own = panel(t);
  await captured(own);
  const before = own.controller.runs.map(({ id }) => id);
  assert.ok(before.length > 0);
  process.kill(own.client.pid!, 'SIGKILL');
  await until(() => (own.controller.url === undefined ? true : undefined), 'it still seems to listen');
  assert.match(own.warnings.join(), /Capturing ended with the engine/u);
  await own.controller.start();
  assert.equal(await answers(own.controller.url!), true);
  await own.controller.refresh();
  assert.deepEqual(
    own.controller.runs.map(({ id }) => id),
    before,
  );
  await own.controller.stop();
});
