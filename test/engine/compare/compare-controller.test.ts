/** The compare panel's logic over the real engine and real corpora, without the editor. */
import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { type Engine } from '../../../src/engine/engine.ts';
import { CompareController } from '../../../src/features/compare/host/compare-controller.ts';
import { watchEngine } from '../../../src/extension/services/watch-engine.ts';
import type { EngineClient } from '../../../src/extension/engine-process/engine-client.ts';
import type { WorkspaceState } from '../../../src/extension/workspace/workspace-state.ts';
import type { EvalQuery } from '../../../src/shared/eval-query.ts';
import type { Evaluation } from '../../../src/evaluation/evaluation.ts';
import {
  toCompareSchema,
  type CompareState,
  type FromCompare,
  type JudgingView,
  type ToCompare,
} from '../../../src/features/compare/contract/panel.ts';
import { configSchema, type ParallaxConfig } from '../../../src/shared/config.ts';
import type { EngineMethod } from '../../../src/shared/rpc.ts';
import {
  startModelServer,
  verdictReply,
  type ChatReply,
  type ChatRequest,
  type ModelServer,
} from '../../fixtures/model-server.ts';
import { readPairPrompt } from '../../fixtures/read-prompts.ts';
import { testWorkspace } from '../../fixtures/workspace.ts';

const CORPORA = {
  office: {
    'calm.md': 'The office cats calm everyone at work. Cats are good company.',
    'sneeze.md': 'Cats in the office make people sneeze.',
    'paper.md': 'The printer of the office is out of paper.',
  },
  news: { 'cats.md': 'Cats were seen in the town hall.', 'dogs.md': 'Dogs were not.' },
};

const query = (id: string, evalSet: string, text: string): EvalQuery => ({
  id,
  text,
  evalSet,
  perspectives: [
    { id: 'calm', text: 'Cats calm people at work.', stance: 'support' },
    { id: 'allergy', text: 'Cats make people sneeze.', stance: 'oppose' },
  ],
});
const QUERIES = [
  query('cats', 'eval/pets.jsonl', 'Should the office have cats?'),
  query('more', 'eval/pets.jsonl', 'Are more cats better?'),
  query('town', 'eval/town.jsonl', 'Are cats good for a town?'),
];

const CONFIG = configSchema.parse({
  corpora: Object.fromEntries(Object.keys(CORPORA).map((name) => [name, { roots: [name] }])),
  judge: 'lexical',
  pipelines: {
    bm25: { retriever: { type: 'bm25' }, k: 5 },
    flat: { retriever: { type: 'bm25', b: 0 }, k: 5 },
  },
});

class Bench {
  readonly controller: CompareController;
  readonly requests: EngineMethod[] = [];
  readonly posted: ToCompare[] = [];
  readonly saved: { readonly name: string; readonly content: string }[] = [];
  readonly inspected: string[][] = [];
  readonly logged: string[] = [];
  workspace: WorkspaceState = { open: true, config: CONFIG, evalQueries: QUERIES };
  trusted = true;
  diskFull = false;
  /** The user's answer to the cost of judging. */
  agrees = true;
  readonly confirmed: { readonly pairs: number; readonly requests: number }[] = [];
  judgedNews = 0;
  /** Ids of comparisons that were repeated, and of those that replaced them. */
  readonly again: string[][] = [];
  costSettings = { confirmCallsAbove: 0, requestBudget: 0, prices: {} };
  readonly engine: Pick<EngineClient, 'request'>;

  constructor(engine: Engine, memory: Map<string, unknown>) {
    this.engine = {
      request: async (method, params, options = {}) => {
        this.requests.push(method);
        const answer = engine[method] as (params: unknown, context: unknown) => Promise<never>;
        return answer.call(engine, params, {
          signal: options.signal ?? new AbortController().signal,
          report: options.onNote ?? (() => undefined),
        });
      },
    };
    this.controller = new CompareController({
      engine: this.engine,
      workspace: () => this.workspace,
      shownCorpus: () => 'office',
      judgeSetting: () => 'auto',
      trusted: () => this.trusted,
      costSettings: () => this.costSettings,
      memory: { get: <T>(key: string) => memory.get(key) as T, set: (key, value) => memory.set(key, value) },
      actions: {
        post: (message) => void this.posted.push(toCompareSchema.parse(message)),
        confirmFigures: async (pairs, _scope, effort) => {
          this.confirmed.push({ pairs, requests: effort.requests.most });
          return this.agrees;
        },
        judged: async () => void this.judgedNews++,
        comparedAgain: (before, after) => void this.again.push([before.id, after.id]),
        inspect: async (...what) => void this.inspected.push([what[0], what[1], what[2].retriever.type]),
        applyRemedy: async () => undefined,
        indexed: async () => undefined,
        save: async (name, content, beside) => {
          if (this.diskFull) throw new Error('no space left');
          this.saved.push({ name, content: String(content) });
          if (beside) this.saved.push({ name: `${name}${beside.added}`, content: beside.content });
        },
        log: (message) => void this.logged.push(message),
      },
    });
  }

  /** Handles messages of the panel. */
  async say(...messages: FromCompare[]): Promise<void> {
    for (const message of messages) await this.controller.handle(message);
  }

  get state(): CompareState {
    return this.controller.state();
  }

  /** Comparisons that were sent to the panel, oldest first. */
  get sent(): Evaluation[] {
    return this.posted.flatMap((message) => (message.type === 'comparison' ? message.comparison : []));
  }
}

/** A folder whose windows are opened one after the other. */
async function setUp(
  t: TestContext,
  indexed: readonly (keyof typeof CORPORA)[] = ['office', 'news'],
  config: ParallaxConfig = CONFIG,
): Promise<{ open(): Bench; engine: Engine }> {
  const { engine } = await testWorkspace(t, {
    files: Object.fromEntries(
      Object.entries(CORPORA).flatMap(([corpus, files]) =>
        Object.entries(files).map(([name, text]) => [`${corpus}/${name}`, text]),
      ),
    ),
    corpora: CONFIG.corpora,
    judges: config.judges,
    unindexed: Object.keys(CONFIG.corpora).filter((name) => !indexed.some((each) => each === name)),
  });
  const memory = new Map<string, unknown>();
  const benches: Bench[] = [];
  t.after(() => {
    for (const { controller } of benches) controller.dispose();
  });
  const open = (): Bench => {
    const bench = new Bench(engine, memory);
    bench.workspace = { ...bench.workspace, config };
    benches.push(bench);
    return bench;
  };
  return { open, engine };
}

const READY: FromCompare = { type: 'ready' };
const RUN: FromCompare = { type: 'run' };
const PAIRS: FromCompare = {
  type: 'set-sets',
  sets: [
    { evalSet: 'eval/pets.jsonl', corpus: 'office' },
    { evalSet: 'eval/town.jsonl', corpus: 'news' },
  ],
};

describe('choosing and running', () => {
  test('without a choice, the first eval set on the shown corpus is compared', async (t) => {
    const { open } = await setUp(t);
    const bench = open();
    await bench.say(READY);
    const { state } = bench;
    assert.deepEqual(state.chosenSets, [{ evalSet: 'eval/pets.jsonl', corpus: 'office' }]);
    assert.deepEqual(state.chosen, ['Words', 'flat']);
    assert.deepEqual(state.corpora, [
      { name: 'office', indexed: true },
      { name: 'news', indexed: true },
    ]);
    assert.deepEqual(state.kept, []);
  });

  test('several data sets have different names, and the result is sent once', async (t) => {
    const { open } = await setUp(t);
    const bench = open();
    await bench.say(READY, PAIRS, { type: 'set-k', k: 2 }, RUN);
    assert.equal(bench.sent.length, 1);
    const comparison = bench.sent[0]!;
    assert.deepEqual(
      comparison.datasets.map(({ name, corpus, queries }) => [name, corpus, queries.length]),
      [
        ['pets', 'office', 2],
        ['town', 'news', 1],
      ],
    );
    assert.equal(comparison.k, 2);
    assert.equal(bench.state.shown, comparison.id);
    assert.equal(bench.state.stale, false);
    const order = bench.posted.map(({ type }) => type);
    assert.equal(order[order.indexOf('comparison') + 1], 'state', 'the comparison comes before its state');
  });

  test('a reloaded panel gets the comparison again', async (t) => {
    const { open } = await setUp(t);
    const bench = open();
    await bench.say(READY, RUN, READY);
    assert.equal(bench.sent.length, 2);
    assert.equal(bench.sent[0]?.id, bench.sent[1]?.id);
  });

  test('nothing runs without an index, and only indexing is needed', async (t) => {
    const { open } = await setUp(t, ['office']);
    const bench = open();
    await bench.say(READY, PAIRS, RUN);
    assert.equal(bench.requests.includes('compare'), false);
    assert.equal(bench.state.corpora[1]?.indexed, false);
    await bench.say({ type: 'index', corpus: 'news' });
    assert.equal(bench.state.corpora[1]?.indexed, true);
    await bench.say(RUN);
    assert.equal(bench.sent.length, 1);
  });

  test('choices that the workspace no longer has are dropped', async (t) => {
    const { open } = await setUp(t);
    const bench = open();
    await bench.say(READY, PAIRS, { type: 'set-pipelines', names: ['flat', 'gone', 'Words'] });
    const config = { ...CONFIG, corpora: { office: CONFIG.corpora['office']! } };
    bench.workspace = { ...bench.workspace, config };
    assert.deepEqual(bench.state.chosen, ['flat', 'Words']);
    assert.deepEqual(bench.state.chosenSets, [{ evalSet: 'eval/pets.jsonl', corpus: 'office' }]);
  });

  test('the engine is asked once the workspace is trusted', async (t) => {
    const { open } = await setUp(t);
    const bench = open();
    bench.trusted = false;
    await bench.say(READY);
    assert.deepEqual(bench.requests, []);
    assert.equal(bench.posted.length, 1);
    bench.trusted = true;
    await bench.controller.workspaceChanged();
    assert.equal(
      bench.state.corpora.every(({ indexed }) => indexed),
      true,
    );
  });

  test('a failure is shown, can be dismissed, and does not block the next run', async (t) => {
    const { open } = await setUp(t);
    const bench = open();
    const twice = [QUERIES[0]!, QUERIES[0]!];
    bench.workspace = { ...bench.workspace, evalQueries: twice };
    await bench.say(READY, RUN);
    assert.match(bench.state.error?.message ?? '', /Two questions of eval\/pets\.jsonl have the id "cats"/);
    await bench.say({ type: 'dismiss-error' });
    assert.equal(bench.state.error, undefined);
    bench.workspace = { ...bench.workspace, evalQueries: QUERIES };
    await bench.say(RUN);
    assert.equal(bench.sent.length, 1);
  });
});

describe('out of date', () => {
  test('if its choices changed, until they are changed back', async (t) => {
    const { open } = await setUp(t);
    const bench = open();
    await bench.say(READY, RUN, { type: 'set-k', k: 3 });
    assert.equal(bench.state.stale, true);
    await bench.say({ type: 'set-k', k: 5 });
    assert.equal(bench.state.stale, false);
    const pipelines = { ...CONFIG.pipelines, flat: CONFIG.pipelines['bm25']! };
    bench.workspace = { ...bench.workspace, config: { ...CONFIG, pipelines } };
    await bench.controller.workspaceChanged();
    assert.equal(bench.state.stale, true);
  });

  test('if another panel changed its corpus or judgements', async (t) => {
    const { open } = await setUp(t);
    const bench = open();
    await bench.say(READY, RUN);
    const side = watchEngine(bench.engine, 'side panel', {
      onChange: () => bench.controller.figuresChanged(),
      onStep: () => undefined,
    });
    await side.request('status', { corpus: 'office' });
    await side.request('index', { corpus: 'office', rebuild: false });
    assert.equal(bench.state.stale, false, 'neither changed anything');
    const { id, text, perspectives } = QUERIES[0]!;
    const asked = { corpus: 'office', query: { id, text }, perspectives: [...perspectives] };
    const pipeline = CONFIG.pipelines['bm25']!;
    const { candidates } = await side.request('search', { ...asked, pipeline });
    assert.equal(bench.state.stale, false, 'neither did a search');
    await side.request('label', {
      corpus: 'office',
      query: { id, text },
      perspective: perspectives[0]!,
      slot: candidates[0]!.slot,
      verdict: 'yes',
      by: 'tester',
    });
    assert.equal(bench.state.stale, true);
    await bench.say(RUN);
    assert.equal(bench.state.stale, false);
  });

  test('never without a comparison', async (t) => {
    const { open } = await setUp(t);
    const bench = open();
    await bench.say(READY, { type: 'set-k', k: 3 });
    bench.controller.figuresChanged();
    assert.equal(bench.state.stale, false);
  });
});

describe('kept comparisons', () => {
  test('the newest is shown after a restart, as possibly outdated', async (t) => {
    const { open } = await setUp(t);
    const before = open();
    await before.say(READY, RUN, { type: 'set-k', k: 2 }, RUN);
    const after = open();
    await after.say(READY);
    assert.equal(after.state.shown, before.state.shown);
    assert.equal(after.sent.length, 1);
    assert.equal(after.sent[0]?.k, 2);
    assert.equal(after.state.stale, true);
    assert.deepEqual(
      after.state.kept.map(({ k, datasets, queries }) => [k, datasets, queries]),
      [
        [2, ['pets'], 2],
        [5, ['pets'], 2],
      ],
    );
  });

  test('an earlier one is shown again, and deleted on request', async (t) => {
    const { open } = await setUp(t);
    const bench = open();
    await bench.say(READY, RUN, { type: 'set-k', k: 2 }, RUN);
    const [newest, earlier] = bench.state.kept;
    await bench.say({ type: 'open-kept', id: earlier!.id });
    assert.equal(bench.state.shown, earlier!.id);
    assert.equal(bench.sent.at(-1)?.k, 5);
    assert.equal(bench.state.stale, true);
    await bench.say({ type: 'forget-kept', id: earlier!.id });
    assert.deepEqual(
      bench.state.kept.map(({ id }) => id),
      [newest!.id],
    );
    assert.equal(bench.state.shown, earlier!.id, 'what is looked at stays');
    await bench.say({ type: 'open-kept', id: 'never-was' });
    assert.match(bench.state.error?.message ?? '', /no longer kept/);
    assert.equal(bench.state.shown, earlier!.id);
  });
});

describe('from a figure to its passages', () => {
  test('a cell opens the query on its corpus under its pipeline', async (t) => {
    const { open } = await setUp(t);
    const bench = open();
    await bench.say(READY, PAIRS, RUN);
    await bench.say(
      { type: 'inspect', dataset: 'town', queryId: 'town', pipeline: 'flat' },
      { type: 'inspect', dataset: 'town', queryId: 'cats', pipeline: 'flat' },
    );
    assert.deepEqual(bench.inspected, [['news', 'Are cats good for a town?', 'bm25']]);
  });

  test('the movement of a query shows all rankings, and is cleared with its comparison', async (t) => {
    const { open } = await setUp(t);
    const bench = open();
    await bench.say(READY, RUN, { type: 'show-movement', dataset: 'pets', queryId: 'cats' });
    const { movement } = bench.state;
    assert.equal(movement?.queryId, 'cats');
    assert.equal(movement.depth, 10);
    assert.deepEqual(
      movement.passages.map(({ ranks }) => ranks.length),
      movement.passages.map(() => 2),
    );
    await bench.say(RUN);
    assert.equal(bench.state.movement, undefined);
    await bench.say({ type: 'show-movement', dataset: 'pets', queryId: 'never-was' });
    assert.match(bench.state.error?.message ?? '', /never-was/);
  });
});

describe('saving', () => {
  test('a chart gets a name valid on every file system', async (t) => {
    const { open } = await setUp(t);
    const bench = open();
    await bench.say({
      type: 'save-chart',
      name: 'groups BM25 + "a/b" ../x',
      format: 'svg',
      content: '<svg/>',
    });
    assert.deepEqual(bench.saved, [{ name: 'groups-bm25-a-b-x.svg', content: '<svg/>' }]);
    await bench.say({ type: 'save-chart', name: '../', format: 'csv', content: '' });
    assert.equal(bench.saved[1]?.name, 'chart.csv');
  });

  test('judgements are saved as diversity qrels, a file for each data set, with each line’s judge', async (t) => {
    const { open, engine } = await setUp(t);
    const bench = open();
    await bench.say(READY, PAIRS, { type: 'set-judge', name: 'labels' }, RUN, {
      type: 'export',
      format: 'qrels',
    });
    assert.match(bench.state.error?.message ?? '', /Nothing is judged yet/);
    assert.equal(bench.saved.length, 0);

    const { id, text, perspectives } = QUERIES[0]!;
    const signal = new AbortController().signal;
    const context = { signal, report: () => undefined };
    const pipeline = CONFIG.pipelines['bm25']!;
    const asked = { corpus: 'office', query: { id, text }, perspectives: [...perspectives] };
    const { candidates } = await engine.search({ ...asked, pipeline }, context);
    for (const [place, verdict] of (['yes', 'unsure'] as const).entries())
      await engine.label({
        corpus: 'office',
        query: { id, text },
        perspective: perspectives[0]!,
        slot: candidates[place]!.slot,
        verdict,
        by: 'ann',
      });
    await bench.say(RUN, { type: 'export', format: 'qrels' });
    const [qrels, judges, ...others] = bench.saved;
    assert.deepEqual(others, [], 'nothing is judged of the other data set');
    assert.match(qrels!.name, /pets.*\.qrels$/);
    assert.equal(judges!.name, `${qrels!.name}.judges.jsonl`);
    const [first, second] = candidates.map((candidate) => candidate.id.replaceAll(' ', '%20'));
    assert.deepEqual(
      qrels!.content.trimEnd().split('\n').sort(),
      // The other question has the same perspective.
      ['cats', 'more'].flatMap((own) => [`${own} calm ${first} 1`, `${own} calm ${second} 0`]).sort(),
    );
    const lines = judges!.content
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    assert.deepEqual(
      lines.map(({ judge, source, relevance }) => [judge, source, relevance]).sort(),
      [0, 0, 1, 1].map((relevance) => ['ann', 'human', relevance]),
    );
  });

  test('a full disk is reported, and nothing else is lost', async (t) => {
    const { open } = await setUp(t);
    const bench = open();
    await bench.say({ type: 'export', format: 'latex' });
    assert.equal(bench.saved.length, 0, 'there is nothing to export yet');
    await bench.say(READY, RUN, { type: 'export', format: 'latex' });
    assert.equal(bench.saved[0]?.name, 'comparison.tex');
    bench.diskFull = true;
    await bench.say({ type: 'export', format: 'json' });
    assert.match(bench.state.error?.message ?? '', /comparison\.json could not be saved: no space left/);
    assert.notEqual(bench.state.shown, undefined);
  });
});

describe('having the figures judged', () => {
  const FIGURES: FromCompare = { type: 'judge-figures', scope: 'figures' };
  const EVERYTHING: FromCompare = { type: 'judge-figures', scope: 'everything' };
  const POOL: FromCompare = { type: 'measure-pool' };
  const calming = (request: ChatRequest): ChatReply =>
    verdictReply(/calm/.test(readPairPrompt(request.messages).passage) ? 'yes' : 'no');

  /** A comparison with a model that has not been asked yet. */
  async function compared(
    t: TestContext,
    chat: (request: ChatRequest) => ChatReply = calming,
    { pipelines = CONFIG.pipelines, requestBudget = 0 }: { pipelines?: object; requestBudget?: number } = {},
  ): Promise<{ bench: Bench; server: ModelServer; engine: Engine }> {
    const server = await startModelServer({ chat });
    t.after(() => server.close());
    const judge = { type: 'openai', mode: 'pair', baseUrl: server.url, model: 'scripted', maxRetries: 0 };
    const config = configSchema.parse({ ...CONFIG, pipelines, judges: { model: judge }, judge: 'model' });
    const { open, engine } = await setUp(t, undefined, config);
    const bench = open();
    bench.costSettings = { ...bench.costSettings, requestBudget };
    await bench.say(READY, RUN);
    return { bench, server, engine };
  }

  test('a comparison keeps to the budget if a pipeline asks a model, and names what it cut short', async (t) => {
    const reranked = { retriever: { type: 'bm25' }, rerank: [{ type: 'coverage', judge: 'model' }], k: 1 };
    const { bench, server } = await compared(t, calming, { pipelines: { reranked }, requestBudget: 1 });
    const cutShort = (): unknown =>
      bench.sent.at(-1)!.datasets[0]!.pipelines.find(({ name }) => name === 'reranked')!.cutShort;
    assert.equal(server.requests.length, 1, 'counting afterwards asks nothing');
    assert.deepEqual(cutShort(), ['cats', 'more']);
    await bench.say(RUN);
    assert.equal(server.requests.length, 2, 'the next run continues');
    bench.costSettings = { ...bench.costSettings, requestBudget: 100 };
    await bench.say(RUN);
    assert.ok(server.requests.length > 2);
    assert.equal(cutShort(), undefined);
  });

  test('unjudged pairs are counted after a run, unless people are the judge', async (t) => {
    const { bench, server } = await compared(t);
    const { counted, blocked } = bench.state.judging!;
    assert.equal(counted?.known, 0);
    // Two questions, two perspectives, three passages of which not all match.
    assert.ok(counted.pairs >= 4 && counted.pairs <= 12, String(counted.pairs));
    assert.equal(blocked, undefined);
    assert.equal(server.requests.length, 0, 'counting asks no model');
    await bench.say({ type: 'set-judge', name: 'labels' });
    assert.deepEqual(bench.state.judging, { blocked: 'people' });
    await bench.say(FIGURES, POOL);
    assert.equal(bench.requests.includes('judgeFigures'), false);
    assert.equal(bench.requests.includes('pool'), false);
  });

  test('the cost is announced, the judge asked, and the comparison repeated', async (t) => {
    const { bench, server } = await compared(t);
    const { pairs } = bench.state.judging!.counted!;
    assert.equal(bench.sent[0]!.datasets[0]!.pipelines[0]!.judged, 0);
    await bench.say(FIGURES);
    assert.deepEqual(bench.confirmed, [{ pairs, requests: pairs }]);
    const { report } = bench.state.judging!;
    assert.ok(report);
    assert.equal(report.answered + report.saved, pairs);
    assert.deepEqual([report.failed, report.stopped, report.settled], [0, false, 2]);
    assert.equal(bench.sent.length, 2);
    assert.deepEqual(bench.again, [bench.sent.map(({ id }) => id)]);
    assert.ok(bench.sent[1]!.datasets[0]!.pipelines[0]!.judged > 0);
    assert.equal(bench.state.stale, false);
    assert.equal(bench.judgedNews, 1);
    await bench.say(EVERYTHING);
    const asked = new Set(server.requests.map(({ body }) => JSON.stringify(body)));
    assert.equal(server.requests.length, asked.size, 'nothing is asked twice, not even for two questions');
    assert.deepEqual(bench.state.judging!.counted, { pairs, known: pairs });
    const before = bench.confirmed.length;
    await bench.say(EVERYTHING);
    assert.equal(bench.confirmed.length, before, 'where nothing is left, nobody is bothered');
  });

  test('the judge is asked once more, and what it changes is shown by query and by figure', async (t) => {
    let isAgain = false;
    const { bench } = await compared(t, (request) =>
      isAgain && readPairPrompt(request.messages).statement.includes('calm')
        ? verdictReply('no')
        : verdictReply('yes'),
    );
    await bench.say(FIGURES);
    assert.equal(bench.sent.at(-1)!.datasets[0]!.repeats, undefined);
    assert.equal(bench.state.judging!.repeat, 2);
    const { counted } = bench.state.judging!;
    isAgain = true;
    await bench.say({ type: 'judge-again' });
    const [set] = bench.sent.at(-1)!.datasets;
    const { complete, pairs, contradicted, pipelines } = set!.repeats!;
    assert.equal(complete, 2);
    assert.ok(contradicted > 0 && contradicted < pairs);
    const { values, changed, theseQueries, otherQueries } = pipelines[0]!.figures['MRecall@5']!;
    assert.deepEqual([values, changed], [[1, 0], 2]);
    assert.ok(theseQueries.low < theseQueries.high && otherQueries.low <= otherQueries.high);
    const change = { query: 'cats', values: pipelines[0]!.changes[0]!.values };
    assert.deepEqual(pipelines[0]!.changes[0], change);
    assert.deepEqual(change.values['MRecall@5'], [1, 0]);
    assert.ok(pipelines[1]!.differences!['MRecall@5']);
    assert.equal(set!.pipelines[0]!.measures['MRecall@5']!.value, 1, 'figures stay those of the first time');
    assert.equal(bench.state.judging!.repeat, 3);
    assert.deepEqual(bench.state.judging!.counted, counted);
    await bench.say({ type: 'set-judge', name: 'labels' });
    assert.equal(bench.state.judging!.repeat, undefined);
  });

  test('cancelled half-way, "once more" continues without asking anything twice', async (t) => {
    let left = Infinity;
    let cancel = (): void => undefined;
    const { bench, server } = await compared(t, () => {
      if (left-- === 0) cancel();
      return verdictReply('yes');
    });
    cancel = () => void bench.say({ type: 'cancel' });
    await bench.say(FIGURES);
    const before = server.requests.length;
    left = 1;
    await bench.say({ type: 'judge-again' });
    assert.equal(bench.state.judging!.repeat, 2);
    const cut = server.requests.length - before;
    assert.ok(cut >= 2 && cut < before, `${cut} of ${before}`);
    await bench.say({ type: 'judge-again' });
    assert.equal(bench.state.judging!.repeat, 3);
    assert.equal(server.requests.length, 2 * before);
  });

  test('nothing is asked if the user declines, and few calls need no confirmation', async (t) => {
    const { bench, server } = await compared(t);
    bench.agrees = false;
    await bench.say(FIGURES);
    assert.equal(server.requests.length, 0);
    assert.equal(bench.state.judging!.report, undefined);
    assert.equal(bench.sent.length, 1);
    bench.costSettings = { ...bench.costSettings, confirmCallsAbove: 100 };
    await bench.say(FIGURES);
    assert.equal(bench.confirmed.length, 1);
    assert.ok(server.requests.length > 0);
  });

  test('the editor’s model has a cost, too, though no configuration names it', async (t) => {
    const { bench } = await compared(t);
    bench.agrees = false;
    await bench.say({ type: 'set-judge', name: 'vscode' }, FIGURES);
    const { pairs } = bench.state.judging!.counted!;
    assert.deepEqual(bench.confirmed, [{ pairs, requests: pairs / 2 }]);
  });

  test('a budget stops it, paid answers are kept, and the next run continues', async (t) => {
    const { bench, server } = await compared(t);
    bench.costSettings = { ...bench.costSettings, requestBudget: 1 };
    await bench.say(EVERYTHING);
    const first = bench.state.judging!.report!;
    assert.equal(first.stopped, true);
    const { known, pairs } = bench.state.judging!.counted!;
    // An answer for a pair of both questions counts for both.
    assert.ok(known >= first.answered && known < pairs, `${known} of ${pairs}`);
    bench.costSettings = { ...bench.costSettings, requestBudget: 0 };
    await bench.say(EVERYTHING);
    assert.equal(bench.state.judging!.counted!.known, pairs);
    assert.equal(bench.state.judging!.report!.answered, pairs - known);
    const asked = new Set(server.requests.map(({ body }) => JSON.stringify(body)));
    assert.equal(server.requests.length, asked.size, 'nothing is paid for twice');
  });

  test('failures are shown with their reason and keep the comparison', async (t) => {
    const { bench } = await compared(t, () => ({ fault: 'status', status: 400, message: 'no such model' }));
    await bench.say(FIGURES);
    const { report } = bench.state.judging!;
    assert.equal(report?.answered, 0);
    assert.ok(report.failed > 0);
    assert.match(report.error ?? '', /no such model/);
    assert.equal(bench.sent.length, 1);
  });

  test('cancelling keeps answers, and says that the figures may be outdated', async (t) => {
    let seen = 0;
    let cancel = (): void => undefined;
    const { bench } = await compared(t, (request) => {
      if (++seen > 1) {
        cancel();
        return { fault: 'status', status: 500, message: 'busy' };
      }
      return calming(request);
    });
    cancel = () => void bench.say({ type: 'cancel' });
    await bench.say(EVERYTHING);
    assert.equal(bench.state.error, undefined);
    assert.equal(bench.state.task, undefined);
    assert.equal(bench.state.stale, true);
    assert.deepEqual(bench.again, [], 'what stands beside a call stays as it was');
    assert.equal(bench.state.judging!.report, undefined);
  });

  test('nothing is asked without trust, or about data that the workspace no longer has', async (t) => {
    const { bench, server } = await compared(t);
    bench.trusted = false;
    assert.equal(bench.state.judging!.blocked, 'untrusted');
    await bench.say(FIGURES, POOL);
    bench.trusted = true;
    bench.workspace = { ...bench.workspace, evalQueries: [QUERIES[2]!] };
    assert.equal(bench.state.judging!.blocked, 'changed');
    await bench.say(FIGURES, POOL);
    assert.equal(server.requests.length, 0);
    assert.equal(bench.requests.includes('pool'), false);
  });

  test('the shown comparison is judged, even after other choices', async (t) => {
    const { bench } = await compared(t);
    await bench.say({ type: 'set-k', k: 1 }, { type: 'set-pipelines', names: ['flat'] }, EVERYTHING);
    const again = bench.sent.at(-1)!;
    assert.deepEqual([again.k, again.pipelines.map(({ name }) => name)], [5, ['Words', 'flat']]);
    assert.equal(bench.state.stale, true, 'the choices still ask for something else');
    const { counted } = bench.state.judging!;
    assert.equal(counted!.known, counted!.pairs);
  });

  test('the pool is measured, again after judging, and cleared with comparison and judge', async (t) => {
    const { bench, server } = await compared(t);
    await bench.say(POOL);
    assert.equal(server.requests.length, 0, 'the pool asks no model');
    const [before] = bench.state.pool!.datasets;
    assert.equal(before!.judgedAfter, 0);
    assert.equal(before!.saturation.saturated, null);
    await bench.say(EVERYTHING);
    const [after] = bench.state.pool!.datasets;
    assert.equal(after!.judgedAfter, after!.pairs);
    assert.ok(after!.holes > 0);
    assert.deepEqual(
      after!.pipelines.map(({ name }) => name),
      ['Words', 'flat'],
    );
    await bench.say(RUN);
    assert.equal(bench.state.pool, undefined);
    await bench.say(POOL, { type: 'set-judge', name: 'lexical' });
    assert.equal(bench.state.pool, undefined);
  });

  test('the next window judges a stored comparison', async (t) => {
    const { bench, engine } = await compared(t);
    const next = new Bench(engine, new Map());
    t.after(() => next.controller.dispose());
    next.workspace = bench.workspace;
    await next.say(READY);
    assert.deepEqual(next.state.judging, { repeat: 2 }, 'nothing is searched for to count what was kept');
    await next.say(EVERYTHING);
    const { counted } = next.state.judging as JudgingView;
    assert.equal(counted!.known, counted!.pairs);
    assert.equal(next.state.stale, false);
  });
});
