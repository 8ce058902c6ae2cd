/** The side panel's logic over the real engine and a real corpus; only the editor is not there. */
import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { Engine } from '../../../src/engine/engine.ts';
import type { RequestOptions } from '../../../src/extension/engine-process/engine-client.ts';
import {
  InspectorController,
  type InspectedWorkspace,
} from '../../../src/extension/inspector/inspector-controller.ts';
import { defaultConfig, type EvalQuery } from '../../../src/extension/workspace/workspace-model.ts';
import { inspectorStateSchema, type InspectorState } from '../../../src/shared/inspector.ts';
import { judgeSchema, type ParallaxConfig } from '../../../src/shared/config.ts';
import { startModelServer } from '../../fixtures/model-server.ts';
import type { EngineMethod, Params } from '../../../src/shared/rpc.ts';

const QUESTION = 'Should the office have cats?';
const EVAL_QUERY: EvalQuery = {
  id: 'cats',
  text: QUESTION,
  evalSet: 'eval.jsonl',
  perspectives: [
    { id: 'calm', text: 'Cats calm people at work.', stance: 'support' },
    { id: 'allergy', text: 'Cats make allergic people ill.', stance: 'oppose' },
  ],
};

const DOCUMENTS = {
  'docs/calm.md': 'The office cats calm everyone. Should the office have more cats? We think so.',
  'docs/calm-too.md': 'An office with cats is a calm office, and people smile.',
  'docs/sneeze.md': 'My eyes itch and I sneeze all day since the animals moved in.',
  'docs/other.md': 'The printer on the second floor is out of paper.',
};

interface Bench {
  readonly controller: InspectorController;
  readonly folder: string;
  state(): InspectorState;
  readonly opened: string[];
  readonly asked: number[];
  workspace: InspectedWorkspace;
  trusted: boolean;
  label(document: string, perspective: string, verdict: 'yes' | 'no', quote?: string): void;
}

async function setUp(t: TestContext, change: Partial<ParallaxConfig> = {}): Promise<Bench> {
  const folder = mkdtempSync(path.join(tmpdir(), 'parallax-inspector-'));
  for (const [name, text] of Object.entries(DOCUMENTS)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), text);
  }
  const config = { ...defaultConfig('/corpus'), judge: 'labels', ...change };
  const [corpus] = Object.values(config.corpora);
  const labelsFile = path.join(folder, '.parallax/judgements.jsonl');
  const engine = new Engine(undefined, () => undefined);
  await engine.configure({
    storage: path.join(folder, 'storage'),
    base: folder,
    trusted: true,
    corpora: [
      {
        name: 'corpus',
        base: folder,
        config: { ...corpus!, roots: ['docs'] },
        excludeGlobs: [],
        store: path.join(folder, 'storage/c'),
      },
    ],
    embedders: {},
    judges: config.judges,
    keys: {},
    labelsFile,
    approximateAbove: 1000,
  });
  const memory = new Map<string, unknown>();
  const bench: Bench = {
    folder,
    state: () => inspectorStateSchema.parse(controller.state()),
    opened: [],
    asked: [],
    workspace: { open: true, config, evalQueries: [EVAL_QUERY] },
    trusted: true,
    label: (document, perspective, verdict, quote) => {
      mkdirSync(path.dirname(labelsFile), { recursive: true });
      const perspectiveText = EVAL_QUERY.perspectives.find(({ id }) => id === perspective)!.text;
      const by = { kind: 'human', name: 'tester' };
      const label = {
        v: 1,
        query: 'cats',
        perspective,
        perspectiveText,
        document,
        quote,
        verdict,
        by,
        at: '2026-01-01T00:00:00Z',
      };
      appendFileSync(labelsFile, `${JSON.stringify(label)}\n`);
    },
    get controller() {
      return controller;
    },
  };
  const controller = new InspectorController({
    engine: {
      request: (method: EngineMethod, params: Params<EngineMethod>, options: RequestOptions = {}) =>
        (engine[method] as (p: unknown, c: unknown) => Promise<never>).call(engine, params, {
          signal: options.signal ?? new AbortController().signal,
          report: options.onNote ?? (() => undefined),
        }),
    } as never,
    workspace: () => bench.workspace,
    trusted: () => bench.trusted,
    settings: () => ({ judge: 'auto', autoJudge: true, confirmCallsAbove: 50, historySize: 3 }),
    memory: { get: <T>(key: string) => memory.get(key) as T, set: (key, value) => memory.set(key, value) },
    userName: () => 'tester',
    actions: {
      publish: (state) => void inspectorStateSchema.parse(state),
      open: async (_corpus, { passage }) => void bench.opened.push(passage.documentId),
      openFolder: async () => undefined,
      showSkipped: async () => undefined,
      confirmCalls: async (calls) => {
        bench.asked.push(calls);
        return true;
      },
      errorAction: () => undefined,
      indexedChanged: () => undefined,
      log: () => undefined,
    },
  });
  t.after(async () => {
    controller.dispose();
    await engine.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return bench;
}

test('before anything happened the panel offers to index', async (t) => {
  const bench = await setUp(t);
  await bench.controller.handle({ type: 'ready' });
  assert.deepEqual(bench.state().corpus, { state: 'not-indexed', name: 'corpus', roots: ['.'] });
  assert.equal(bench.state().results, undefined);
});

test('without a folder there is nothing to index, and a question does no harm', async (t) => {
  const bench = await setUp(t);
  bench.workspace = { ...bench.workspace, open: false };
  await bench.controller.handle({ type: 'search', query: QUESTION });
  assert.equal(bench.state().corpus.state, 'no-folder');
});

test('a question of the eval set brings its perspectives, figures by human labels, and where each is lost', async (t) => {
  const bench = await setUp(t);
  bench.label('docs/calm.md', 'calm', 'yes', 'The office cats calm everyone.');
  bench.label('docs/calm.md', 'allergy', 'no');
  bench.label('docs/sneeze.md', 'allergy', 'yes', 'I sneeze all day');
  await bench.controller.handle({ type: 'search', query: `  ${QUESTION} ` });
  const { perspectives, perspectiveSource, results, corpus } = bench.state();
  assert.equal(corpus.state, 'indexed', 'the first question indexes');
  assert.equal(perspectiveSource, 'eval-set');
  assert.deepEqual(
    perspectives.map(({ letter }) => letter),
    ['A', 'B'],
  );
  assert.equal(results?.metrics.mrecall, 0);
  assert.deepEqual(results?.coverage[0], {
    where: 'covered',
    perspectiveId: 'calm',
    rank: 1 + (results?.items.findIndex(({ path: p }) => p === 'docs/calm.md') ?? -1),
  });
  assert.equal(
    results?.coverage[1]?.where,
    'not-retrieved',
    'no word of the question stands in the supporting passage',
  );
  const [evidence] = results!.items.find(({ path: p }) => p === 'docs/calm.md')!.judgements[0]!.evidence;
  assert.deepEqual(evidence, { start: 0, end: 'The office cats calm everyone.'.length });
  const unlabelled = results?.items.find(({ path: p }) => p === 'docs/calm-too.md');
  assert.deepEqual(
    unlabelled?.judgements.map(({ verdict }) => verdict),
    ['unjudged', 'unjudged'],
    'unjudged is not "no"',
  );
});

test('a label given in the panel changes the figures at once, and is in the file', async (t) => {
  const bench = await setUp(t);
  await bench.controller.handle({ type: 'search', query: QUESTION });
  const [first] = bench.state().results!.items;
  await bench.controller.handle({
    type: 'label',
    passageId: first!.passageId,
    perspectiveId: 'calm',
    verdict: 'yes',
  });
  assert.equal(bench.state().results?.coverage[0]?.where, 'covered');
  assert.equal(bench.state().results?.metrics.sources[0]?.source, 'human');
});

test('the offline heuristic is marked as one wherever its verdicts count', async (t) => {
  const bench = await setUp(t, { judge: 'lexical' });
  await bench.controller.handle({ type: 'search', query: QUESTION });
  const { judge, results } = bench.state();
  assert.equal(judge.heuristic, true);
  assert.equal(results?.metrics.judgedPairs, results?.metrics.pairs);
  assert.ok(results?.metrics.sources.every(({ heuristic }) => heuristic));
});

test('perspectives typed by hand replace those of the eval set, and belong to this question only', async (t) => {
  const bench = await setUp(t);
  await bench.controller.handle({ type: 'search', query: QUESTION });
  await bench.controller.handle({
    type: 'set-perspectives',
    texts: ['Cats are cheap.', '  ', 'Dogs are better.'],
  });
  assert.deepEqual(
    bench.state().perspectives.map(({ text }) => text),
    ['Cats are cheap.', 'Dogs are better.'],
  );
  assert.equal(bench.state().perspectiveSource, 'typed');
  await bench.controller.handle({ type: 'search', query: 'Who fills the printer?' });
  assert.equal(bench.state().perspectiveSource, 'none');
  await bench.controller.handle({ type: 'search', query: QUESTION });
  assert.equal(bench.state().perspectiveSource, 'eval-set');
});

test('another pipeline answers the same question again', async (t) => {
  const bench = await setUp(t);
  await bench.controller.handle({ type: 'search', query: QUESTION });
  const { pipelines } = bench.state();
  const dense = pipelines.find(({ name }) => name === 'dense')!.pipeline;
  await bench.controller.handle({ type: 'set-pipeline', pipeline: { ...dense, k: 2 } });
  assert.equal(bench.state().pipeline.retriever.type, 'dense');
  assert.equal(bench.state().results?.items.length, 2);
});

test('an unknown embedder is said in one sentence, and the former answer stays', async (t) => {
  const bench = await setUp(t);
  await bench.controller.handle({ type: 'search', query: QUESTION });
  const { pipeline } = bench.state();
  await bench.controller.handle({
    type: 'set-pipeline',
    pipeline: { ...pipeline, retriever: { type: 'dense', embedder: 'nothing', search: 'auto', ef: 10 } },
  });
  assert.match(bench.state().error?.message ?? '', /no embedder "nothing"/u);
  assert.ok(bench.state().results);
  await bench.controller.handle({ type: 'dismiss-error' });
  assert.equal(bench.state().error, undefined);
});

test('the newest questions are remembered, newest first, each once', async (t) => {
  const bench = await setUp(t);
  for (const query of ['a cat', 'b cat', 'a cat', 'c cat', 'd cat'])
    await bench.controller.handle({ type: 'search', query });
  assert.deepEqual(bench.state().history, ['d cat', 'c cat', 'a cat']);
});

test('opening a passage outside the answer works: a missing perspective leads to its place', async (t) => {
  const bench = await setUp(t);
  bench.label('docs/sneeze.md', 'allergy', 'yes', 'I sneeze all day');
  await bench.controller.handle({ type: 'search', query: QUESTION });
  const lost = bench.state().results?.coverage[1];
  assert.ok(lost?.where === 'not-retrieved');
  await bench.controller.handle({ type: 'open', passageId: lost.passageId });
  assert.deepEqual(bench.opened, ['docs/sneeze.md']);
});

test('files that changed make the answer stale', async (t) => {
  const bench = await setUp(t);
  await bench.controller.handle({ type: 'search', query: QUESTION });
  writeFileSync(path.join(bench.folder, 'docs/new.md'), 'A new document about office cats.');
  await bench.controller.index(false);
  assert.equal(bench.state().results?.stale, true);
  await bench.controller.handle({ type: 'search', query: QUESTION });
  assert.ok(bench.state().results?.items.some(({ path: p }) => p === 'docs/new.md'));
  assert.equal(bench.state().results?.stale, false);
});

test('nothing is asked of a model before the workspace is trusted', async (t) => {
  const bench = await setUp(t, { judge: 'vscode' });
  bench.trusted = false;
  await bench.controller.handle({ type: 'search', query: QUESTION });
  assert.match(bench.state().error?.message ?? '', /Trust this workspace/u);
  assert.equal(bench.state().error?.action, 'trust');
});

test('the what-if slider reorders what is there and moves the figures; letting go brings the order back', async (t) => {
  const bench = await setUp(t);
  await bench.controller.handle({ type: 'search', query: QUESTION });
  const before = bench.state().results!.items.map(({ passageId }) => passageId);
  await bench.controller.handle({ type: 'what-if', lambda: 0 });
  const tried = bench.state().results!;
  assert.deepEqual(tried.whatIf, { lambda: 0, embedder: 'hashing' });
  assert.equal(tried.items[0]?.passageId, before[0], 'MMR keeps the first passage');
  assert.deepEqual(
    tried.items.map(
      ({ passageId, rank, movement }) => before.indexOf(passageId) + 1 - rank - (movement ?? NaN),
    ),
    tried.items.map(() => 0),
    'movement is the difference of ranks',
  );
  await bench.controller.handle({ type: 'what-if', lambda: 1 });
  assert.deepEqual(
    bench.state().results!.items.map(({ passageId }) => passageId),
    before,
    'with all weight on relevance nothing moves',
  );
  await bench.controller.handle({ type: 'what-if', lambda: null });
  assert.equal(bench.state().results!.whatIf, undefined);
});

test('a λ that was tried out becomes a step of the pipeline', async (t) => {
  const bench = await setUp(t);
  await bench.controller.handle({ type: 'search', query: QUESTION });
  await bench.controller.handle({ type: 'what-if', lambda: 0.5 });
  const tried = bench.state().results!.items.map(({ passageId }) => passageId);
  await bench.controller.handle({ type: 'adopt-what-if' });
  assert.deepEqual(bench.state().pipeline.rerank, [{ type: 'mmr', lambda: 0.5, embedder: 'hashing' }]);
  assert.deepEqual(
    bench.state().results!.items.map(({ passageId }) => passageId),
    tried,
    'the engine orders as the slider did',
  );
});

test('a model behind an endpoint judges after the search, once, and proposes perspectives', async (t) => {
  const server = await startModelServer({
    chat: ({ messages }) => {
      const proposes = !messages.some(({ content }) => /passage/iu.test(content));
      if (proposes)
        return { text: JSON.stringify({ comfort: 'Cats calm people at work.', cost: 'Cats cost money.' }) };
      return { text: JSON.stringify({ evidence: null, verdict: 'yes', reason: 'scripted' }) };
    },
  });
  t.after(() => server.close());
  const judges = { local: judgeSchema.parse({ type: 'openai', baseUrl: server.url, model: 'scripted' }) };
  const bench = await setUp(t, { judge: 'local', judges });
  await bench.controller.handle({ type: 'search', query: QUESTION });
  const { metrics } = bench.state().results!;
  assert.equal(metrics.judgedPairs, metrics.pairs);
  assert.deepEqual(
    metrics.sources.map(({ source, heuristic }) => [source, heuristic]),
    [['llm', false]],
  );
  const asked = server.chatRequests.length;
  await bench.controller.handle({ type: 'search', query: QUESTION });
  assert.equal(server.chatRequests.length, asked, 'answers are kept');
  assert.equal(bench.state().judge.canGenerate, true);
  await bench.controller.handle({ type: 'generate-perspectives', query: QUESTION });
  assert.equal(bench.state().perspectiveSource, 'generated');
  assert.deepEqual(
    bench.state().perspectives.map(({ text }) => text),
    ['Cats calm people at work.', 'Cats cost money.'],
  );
});

test('a judge that is not there is said with what to do, and the passages stay', async (t) => {
  const judges = {
    local: judgeSchema.parse({
      type: 'openai',
      baseUrl: 'http://127.0.0.1:9/v1',
      model: 'none',
      maxRetries: 0,
    }),
  };
  const bench = await setUp(t, { judge: 'local', judges });
  await bench.controller.handle({ type: 'search', query: QUESTION });
  assert.match(bench.state().error?.message ?? '', /127\.0\.0\.1:9/u);
  assert.ok(bench.state().results!.items.length > 0);
  assert.equal(bench.state().results!.metrics.judgedPairs, 0, 'nothing is guessed');
});
