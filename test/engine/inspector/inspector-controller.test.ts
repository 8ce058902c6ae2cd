/** The side panel's logic over the real engine and a real corpus, without the editor. */
import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { ParallaxError } from '../../../src/core/errors.ts';
import type { StanceChange } from '../../../src/core/formats/eval-set-edit.ts';
import { BUILT_IN_PIPELINES, parsePipeline, type Pipeline } from '../../../src/core/pipeline.ts';
import type { SplitSpec } from '../../../src/core/split/spec.ts';
import type { RequestOptions } from '../../../src/extension/engine-process/engine-client.ts';
import type { CorpusChoice, FieldChoice } from '../../../src/features/inspector/host/inspector-options.ts';
import { InspectorController } from '../../../src/features/inspector/host/inspector-controller.ts';
import type { WorkspaceState } from '../../../src/extension/workspace/workspace-state.ts';
import type { EvalQuery } from '../../../src/shared/eval-query.ts';
import { defaultConfig } from '../../../src/shared/defaults/default-config.ts';
import {
  inspectorStateSchema,
  type CodeFault,
  type InspectorState,
} from '../../../src/features/inspector/contract/panel.ts';
import type { ParallaxConfig } from '../../../src/shared/config.ts';
import type { FileChanges } from '../../../src/shared/requests/corpora.ts';
import { judgeSchema } from '../../../src/shared/judge-config.ts';
import { startModelServer, type ChatReply } from '../../fixtures/model-server.ts';
import { readPairPrompt } from '../../fixtures/read-prompts.ts';
import { testWorkspace } from '../../fixtures/workspace.ts';
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
  /** Questions that were added to an eval set. */
  readonly added: object[];
  /** Prompts that were handed to an agent. */
  readonly handed: string[];
  /** The number of times that the explanation of a missing document was scrolled to. */
  explanations: number;
  /** Ids of comparisons that were shown. */
  readonly shown: string[];
  /** Names of the engine's requests, in order. */
  readonly requests: EngineMethod[];
  readonly asked: number[];
  /** Stances written to the eval set: file, query, perspective, change. */
  readonly saved: [string, string, string, StanceChange][];
  diskFull: boolean;
  /** A request that the engine fails. */
  failing?: EngineMethod;
  workspace: WorkspaceState;
  trusted: boolean;
  /** Choices of the user: corpus, choice. */
  readonly chosen: [string, CorpusChoice][];
  readonly splits: [string, SplitSpec][];
  /** Offered field choices: the corpus and its choices. */
  readonly fields: [string, FieldChoice][];
  /** Questions to the user about a corpus that grows by half, and the answer. */
  readonly growth: FileChanges[];
  /** What is wrong in the programs of the workspace. */
  faults: CodeFault[];
  growthAccepted: boolean;
  autoIndex: boolean;
  confirmAbove: number;
  suggestFrom: 'passages' | 'question';
  /** The answer of a running program. `undefined` if none runs. */
  program?: readonly { readonly text: string }[];
  /** Asking the program fails. */
  ended?: ParallaxError;
  /** Indexes the corpus without the panel, as if before a restart. */
  indexed(): Promise<unknown>;
  label(document: string, perspective: string, verdict: 'yes' | 'no', quote?: string): void;
}

/** Words come first here, so results do not depend on an encoder. */
const PIPELINES = {
  bm25: BUILT_IN_PIPELINES.bm25,
  dense: parsePipeline({ retriever: { type: 'dense', embedder: 'hashing' } }),
};

const PROGRAM = {
  id: 'run-1',
  name: 'search',
  at: 0,
  returned: 1,
  unmatched: 0,
  live: { site: 'app.ts#search#0', retrieval: '1-1' },
};

async function setUp(t: TestContext, change: Partial<ParallaxConfig> = {}): Promise<Bench> {
  const config = { ...defaultConfig('/corpus'), judge: 'labels', pipelines: PIPELINES, ...change };
  const corpora = Object.entries(config.corpora).map(([name, corpus]) => [
    name,
    { ...corpus, roots: ['docs'] },
  ]);
  const testing = await testWorkspace(t, {
    files: DOCUMENTS,
    corpora: Object.fromEntries(corpora) as typeof config.corpora,
    unindexed: Object.keys(config.corpora),
    judges: config.judges,
    ...(config.generator === undefined ? {} : { generator: config.generator }),
  });
  const { folder, labelsFile } = testing;
  const memory = new Map<string, unknown>();
  const bench: Bench = {
    folder,
    state: () => inspectorStateSchema.parse(controller.state()),
    opened: [],
    added: [],
    explanations: 0,
    shown: [],
    requests: [],
    asked: [],
    saved: [],
    diskFull: false,
    workspace: { open: true, config, evalQueries: [EVAL_QUERY] },
    trusted: true,
    chosen: [],
    handed: [],
    splits: [],
    fields: [],
    growth: [],
    faults: [],
    growthAccepted: false,
    autoIndex: true,
    confirmAbove: 50,
    suggestFrom: 'question',
    indexed: () => testing.request('index', { corpus: controller.corpus, rebuild: false }),
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
      request: (method: EngineMethod, params: Params<EngineMethod>, options: RequestOptions = {}) => {
        bench.requests.push(method);
        if (method === 'explain' && bench.program)
          return testing
            .request(method, params, options)
            .then((found) => ({ ...found, programs: [PROGRAM] }));
        if (method === bench.failing) throw new ParallaxError('internal', `${method} fails.`);
        return testing.request(method, params, options);
      },
    } as never,
    workspace: () => bench.workspace,
    trusted: () => bench.trusted,
    settings: () => ({
      judge: 'auto',
      autoJudge: true,
      autoIndex: bench.autoIndex,
      confirmCallsAbove: bench.confirmAbove,
      requestBudget: 0,
      prices: {},
      historySize: 3,
      lookDeeperPassages: 30,
      suggestFrom: bench.suggestFrom,
      suggestCount: 6,
    }),
    memory: { get: <T>(key: string) => memory.get(key) as T, set: (key, value) => memory.set(key, value) },
    userName: () => 'tester',
    programs: {
      faults: () => bench.faults,
      open: (file, line) => Promise.resolve(void bench.opened.push(`${file}:${line}`)),
      canAskForMore: () => bench.program !== undefined,
      askForMore: async () => {
        if (bench.ended) throw bench.ended;
        return bench.program && { k: 50, passages: bench.program };
      },
    },
    actions: {
      publish: (state) => void inspectorStateSchema.parse(state),
      open: async (_corpus, { passage }) => void bench.opened.push(passage.documentId),
      openFolder: async () => undefined,
      handOver: async (prompt) => void bench.handed.push(prompt),
      addToEvalSet: async (query) => void bench.added.push(query),
      chooseCorpus: async (...choice) => void bench.chosen.push(choice),
      showSkipped: async () => undefined,
      showExplanation: () => void bench.explanations++,
      savePipeline: async ({ name, pipeline }) => {
        const { workspace } = bench;
        const pipelines = { ...workspace.config.pipelines, [name]: pipeline };
        bench.workspace = { ...workspace, config: { ...workspace.config, pipelines } };
      },
      saveSplit: async (...split) => void bench.splits.push(split),
      showComparison: async (id) => void bench.shown.push(id),
      confirmGrowth: async (_corpus, changes) => {
        bench.growth.push(changes);
        return bench.growthAccepted;
      },
      chooseFields: async (...choice) => void bench.fields.push(choice),
      confirmCalls: async (calls) => {
        bench.asked.push(calls);
        return true;
      },
      saveStance: async (query, perspective, change) => {
        bench.saved.push([query.evalSet, query.id, perspective.id, change]);
        if (bench.diskFull) throw new ParallaxError('bad-file', 'The disk is full.');
      },
      applyRemedy: async () => undefined,
      indexedChanged: () => undefined,
      log: () => undefined,
    },
  });
  t.after(() => controller.dispose());
  return bench;
}

test('an unused panel offers to index', async (t) => {
  const bench = await setUp(t);
  await bench.controller.handle({ type: 'ready' });
  const { survey, ...corpus } = bench.state().corpus as Extract<
    InspectorState['corpus'],
    { state: 'not-indexed' }
  >;
  assert.deepEqual(corpus, { state: 'not-indexed', name: 'corpus', roots: ['.'], others: [] });
  assert.deepEqual(survey, {
    folders: [{ name: '', prose: Object.keys(DOCUMENTS).length, code: 0, kinds: ['md'] }],
    withCode: false,
    canChoose: true,
    unread: { kinds: [], ignored: [] },
  });
  await bench.controller.handle({ type: 'index', choice: { folders: [''], code: true } });
  assert.deepEqual(bench.chosen, [['corpus', { folders: [''], code: true }]]);
  assert.equal(bench.state().results, undefined);
});

test('earlier changes are noticed at start and indexed without asking', async (t) => {
  const bench = await setUp(t);
  await bench.controller.handle({ type: 'search', query: QUESTION });
  const [first] = bench.state().results!.items;
  rmSync(path.join(bench.folder, first!.path));
  writeFileSync(path.join(bench.folder, 'docs/new.md'), '# New\n\nNew cats came into the office.');
  bench.requests.length = 0;
  await bench.controller.handle({ type: 'ready' });
  assert.deepEqual(
    bench.requests.filter((request) => ['fileChanges', 'index', 'search'].includes(request)),
    ['fileChanges', 'index', 'search'],
  );
  const { items, stale } = bench.state().results!;
  assert.equal(stale, false);
  assert.ok(items.some(({ path: document }) => document === 'docs/new.md'));
  assert.ok(items.every(({ path: document }) => document !== first!.path));

  bench.requests.length = 0;
  await bench.controller.handle({ type: 'ready' });
  assert.ok(!bench.requests.includes('fileChanges'), 'once; what comes later is watched');
});

test('further corpora are offered beside the current one, and ticked ones are indexed', async (t) => {
  const { corpora } = defaultConfig('/corpus');
  const [corpus] = Object.values(corpora);
  const bench = await setUp(t, {
    corpora: { corpus: corpus!, more: corpus!, rest: corpus! },
  });
  await bench.controller.handle({ type: 'ready' });
  const view = bench.state().corpus as Extract<InspectorState['corpus'], { state: 'not-indexed' }>;
  const files = Object.keys(DOCUMENTS).length;
  assert.deepEqual(view.others, [
    { name: 'more', files, kinds: ['md'] },
    { name: 'rest', files, kinds: ['md'] },
  ]);
  bench.requests.length = 0;
  await bench.controller.handle({ type: 'index', others: ['rest'] });
  assert.equal(bench.requests.filter((request) => request === 'index').length, 2);
  await bench.controller.handle({ type: 'set-corpus', name: 'more' });
  const { others } = bench.state().corpus as typeof view;
  assert.deepEqual(others, [], 'what is indexed is not offered again');
});

test('what a program returned is shown for its question alone', async (t) => {
  const bench = await setUp(t);
  await bench.controller.handle({ type: 'search', query: QUESTION });
  const [chosen, last] = [bench.state().pipeline, bench.state().results!.items.at(-1)!];
  const file = path.join(bench.folder, 'captured.jsonl');
  writeFileSync(file, `${JSON.stringify({ query: QUESTION, results: [{ id: last.passageId }] })}\n`);
  const pipeline = parsePipeline({ retriever: { type: 'run', file }, k: 1 });
  await bench.controller.inspectCaptured(QUESTION, pipeline);
  const shown = bench.state().results!.items.map(({ passageId }) => passageId);
  assert.deepEqual(shown, [last.passageId]);
  await bench.controller.handle({ type: 'search', query: 'cats' });
  assert.deepEqual(bench.state().pipeline, chosen);
});

test('a missing document is explained, and again for another pipeline', async (t) => {
  const bench = await setUp(t);
  await bench.controller.handle({ type: 'search', query: QUESTION });
  const document = readdirSync(path.join(bench.folder, 'docs')).map((name) => `docs/${name}`)[0]!;
  await bench.controller.handle({ type: 'explain', document });
  const { missing } = bench.state();
  assert.equal(missing!.document, document);
  assert.ok(missing!.explanation!.arms.length > 0);
  bench.requests.length = 0;
  const pipeline = parsePipeline({ retriever: { type: 'dense', embedder: 'hashing' } });
  await bench.controller.handle({ type: 'set-pipeline', pipeline });
  assert.deepEqual(
    bench.requests.filter((request) => ['search', 'explain'].includes(request)),
    ['search', 'explain'],
  );
  assert.equal(bench.explanations, 1, 'only an answer that was asked for is scrolled to');
  await bench.controller.handle({ type: 'end-explanation' });
  assert.equal(bench.state().missing, undefined);
});

test('a lost perspective and a missing document go to an agent, with question and pipeline', async (t) => {
  const bench = await setUp(t);
  await bench.controller.handle({ type: 'search', query: QUESTION });
  await bench.controller.handle({ type: 'hand-over', perspectiveId: 'allergy' });
  await bench.controller.handle({ type: 'hand-over' });
  assert.equal(bench.handed.length, 1, 'no document is missing yet');
  await bench.controller.handle({ type: 'explain', document: 'docs/"sneeze".md' });
  await bench.controller.handle({ type: 'hand-over' });
  const [perspective, document] = bench.handed;
  assert.match(perspective!, /^Question: "Should the office have cats\?"$/mu);
  assert.match(perspective!, /^Lost perspective: "Cats make allergic people ill\."$/mu);
  assert.match(perspective!, /^- "Cats calm people at work\."$/mu);
  assert.match(perspective!, /^Pipeline in the panel: \{"retriever":/mu);
  assert.match(perspective!, /explain_lost_perspectives/u);
  assert.match(document!, /^Lost document: "docs\/\\"sneeze\\"\.md"$/mu);
  assert.match(document!, /explain_missing/u);
});

test('the change that brings a document in has a price, is compared, and joins parallax.json', async (t) => {
  const bench = await setUp(t, {
    pipelines: { bm25: parsePipeline({ retriever: { type: 'bm25' }, k: 1 }), dense: PIPELINES.dense },
  });
  for (const document of Object.keys(DOCUMENTS))
    for (const { id } of EVAL_QUERY.perspectives)
      bench.label(document, id, document.startsWith('docs/calm') === (id === 'calm') ? 'yes' : 'no');
  await bench.controller.handle({ type: 'search', query: QUESTION });
  const [first] = bench.state().results!.items;
  const second = first!.path === 'docs/calm.md' ? 'docs/calm-too.md' : 'docs/calm.md';
  await bench.controller.handle({ type: 'explain', document: second });
  const { explanation, price } = bench.state().missing!;
  assert.equal(explanation!.change!.label, 'k 1 → 2');
  assert.equal(price!.queries, 1);
  assert.ok(price!.tokens.after > price!.tokens.before);
  await bench.controller.handle({ type: 'compare-change' });
  assert.equal(bench.shown.length, 1);
  await bench.controller.handle({ type: 'expect-document' });
  assert.deepEqual(bench.added, [
    { text: QUESTION, perspectives: [{ id: 'p1', text: second, document: second, within: 1 }] },
  ]);
  await bench.controller.handle({ type: 'save-change' });
  assert.equal(bench.state().pipeline.name, 'bm25, k 2');
  assert.equal(bench.state().pipeline.k, 2);
  assert.equal(bench.state().missing!.explanation!.cause, 'retrieved');
});

test('a splitter that brings a document in joins parallax.json, but is no pipeline to use', async (t) => {
  const { corpus } = defaultConfig('/corpus').corpora;
  const bench = await setUp(t, {
    pipelines: { bm25: parsePipeline({ retriever: { type: 'bm25' }, k: 1 }) },
    corpora: { corpus: { ...corpus!, split: { type: 'words', size: 100, overlap: 0 } } },
  });
  const sentence = 'The key of the shed hangs behind the old blue barrel.';
  const write = (name: string, text: string): void =>
    writeFileSync(path.join(bench.folder, 'docs', name), text);
  write('shed.md', `${'plank '.repeat(97)}${sentence} ${'plank '.repeat(95)}`);
  write('car.md', 'The key of the car.');
  write('beer.md', 'Beer from the barrel.');
  await bench.controller.handle({ type: 'search', query: 'key barrel' });
  await bench.controller.handle({ type: 'explain', document: sentence });
  const before = bench.state().missing!.explanation!;
  assert.deepEqual([before.cause, before.splitters], ['cut-apart', 'untried']);
  await bench.controller.handle({ type: 'try-splitters' });
  const { explanation, price } = bench.state().missing!;
  const { change } = explanation!;
  assert.equal(change!.kind, 'splitter');
  assert.deepEqual([price!.queries, price!.tokens.after > 0], [1, true]);
  const { pipeline } = bench.state();
  await bench.controller.handle({ type: 'adopt-change' });
  await bench.controller.handle({ type: 'save-change' });
  assert.deepEqual(bench.splits, [['corpus', change!.split]]);
  assert.deepEqual(bench.state().pipeline, pipeline);
});

test('an expected document is decided by the eval set and takes no label', async (t) => {
  const bench = await setUp(t);
  const document = 'docs/calm.md';
  const perspectives = [{ id: 'p1', text: document, document }];
  bench.workspace = { ...bench.workspace, evalQueries: [{ ...EVAL_QUERY, perspectives }] };
  await bench.controller.handle({ type: 'search', query: QUESTION });
  const { results, perspectives: shown } = bench.state();
  assert.equal(shown[0]!.document, document);
  const verdicts = results!.items.map(({ path: file, judgements }) => [file, judgements[0]!.verdict]);
  assert.deepEqual(
    verdicts.filter(([, verdict]) => verdict === 'yes').map(([file]) => file),
    [document],
  );
  assert.ok(verdicts.every(([, verdict]) => verdict !== 'unjudged'));
  const { passageId } = results!.items.find(({ path: file }) => file !== document)!;
  await bench.controller.handle({ type: 'label', passageId, perspectiveId: 'p1', verdict: 'yes' });
  assert.match(bench.state().error!.message, /expects docs\/calm\.md here.* labels would have no effect/);
});

test('all passages are listed in parts, and again for another pipeline, until the list is closed', async (t) => {
  const bench = await setUp(t);
  await bench.controller.handle({ type: 'search', query: QUESTION });
  await bench.controller.handle({ type: 'list-ranking', words: '', from: 0 });
  const { ranking } = bench.state();
  assert.equal(ranking!.passages[0]!.decision, 'retrieved');
  await bench.controller.handle({ type: 'list-ranking', words: 'sneeze', from: 0 });
  assert.ok(bench.state().ranking!.selected < ranking!.total);
  const pipeline = parsePipeline({ retriever: { type: 'dense' }, k: 1 });
  await bench.controller.handle({ type: 'set-pipeline', pipeline });
  const again = bench.state().ranking!;
  assert.deepEqual([again.words, again.total, again.counts.retrieved], ['sneeze', 4, 1]);
  await bench.controller.handle({ type: 'end-ranking' });
  assert.equal(bench.state().ranking, undefined);
});

test('a running program is asked for more passages', async (t) => {
  const bench = await setUp(t);
  const [document, text] = Object.entries(DOCUMENTS)[0]!;
  bench.program = [{ text: 'Of another collection.' }, { text }];
  await bench.controller.handle({ type: 'search', query: QUESTION });
  await bench.controller.handle({ type: 'explain', document });
  assert.deepEqual(bench.state().missing!.askable, [PROGRAM.id]);
  await bench.controller.handle({ type: 'ask-program', id: PROGRAM.id });
  assert.deepEqual(bench.state().missing!.pools, {
    [PROGRAM.id]: { asked: 50, returned: 2, unmatched: 1, rank: 2 },
  });
  await bench.controller.handle({ type: 'explain', document });
  bench.ended = new ParallaxError('retriever-failed', 'The program has ended. Run it with Parallax again.');
  await bench.controller.handle({ type: 'ask-program', id: PROGRAM.id });
  assert.equal(bench.state().error!.message, bench.ended.message);
  assert.equal(bench.state().missing!.explanation!.programs!.length, 1, 'the answer stays');
  delete bench.program;
  assert.deepEqual(bench.state().missing!.askable, []);
});

test('a typed document is completed, and the latest input counts', async (t) => {
  const bench = await setUp(t);
  await bench.controller.handle({ type: 'search', query: QUESTION });
  await Promise.all(
    ['s', 'sneez'].map((text) => bench.controller.handle({ type: 'complete-document', text })),
  );
  assert.deepEqual(
    bench.state().offered!.documents.map(({ id }) => id),
    ['docs/sneeze.md'],
  );
  await bench.controller.handle({ type: 'complete-document', text: ' ' });
  assert.deepEqual(bench.state().offered!.documents, []);
});

test('what is wrong in the code is shown before anything is indexed, and opens at its line', async (t) => {
  const bench = await setUp(t);
  await bench.controller.handle({ type: 'ready' });
  assert.equal(bench.state().code, undefined);
  bench.faults = [{ file: 'app/rag.py', line: 16, message: 'as_retriever ignores k.' }];
  bench.controller.codeChanged();
  assert.deepEqual(bench.state().code, bench.faults);
  assert.equal(bench.state().corpus.state, 'not-indexed');
  await bench.controller.handle({ type: 'open-code', file: 'app/rag.py', line: 16 });
  assert.deepEqual(bench.opened, ['app/rag.py:16']);
});

test('a corpus that would grow by half is indexed only if the user agrees', async (t) => {
  const bench = await setUp(t);
  await bench.controller.indexing.index(false);
  for (let n = 0; n < 40; n++)
    writeFileSync(path.join(bench.folder, `docs/more-${n}.md`), `# ${n}\n\nCats in office ${n}.\n`);
  bench.requests.length = 0;
  await bench.controller.indexing.update();
  await bench.controller.indexing.update();
  assert.equal(bench.growth.length, 1, 'the same growth is asked about once');
  assert.equal(bench.growth[0]!.added, 40);
  assert.ok(!bench.requests.includes('index'));
  rmSync(path.join(bench.folder, 'docs/more-0.md'));
  bench.growthAccepted = true;
  await bench.controller.indexing.update();
  assert.ok(bench.requests.includes('index'));
});

test('without the panel, an existing index is updated at start, and nothing else begins', async (t) => {
  const bench = await setUp(t);
  await bench.controller.indexing.catchUpUnseen();
  assert.deepEqual(bench.requests, ['status'], 'nothing is indexed yet');
  await bench.controller.indexing.index(false);
  writeFileSync(path.join(bench.folder, 'docs/new.md'), '# New\n\nNew cats came into the office.');
  bench.requests.length = 0;
  await bench.controller.indexing.catchUpUnseen();
  assert.deepEqual(bench.requests, ['fileChanges', 'index', 'status']);
  const { corpus } = bench.state();
  assert.equal(corpus.state === 'indexed' && corpus.documents, Object.keys(DOCUMENTS).length + 1);
});

for (const changed of [true, false])
  test(`a question at start is answered from the current files (changed: ${changed})`, async (t) => {
    const bench = await setUp(t);
    await bench.indexed();
    if (changed)
      writeFileSync(path.join(bench.folder, 'docs/new.md'), '# New\n\nNew cats came with a quokka.');
    const begun = bench.controller.handle({ type: 'ready' });
    const asked = bench.controller.handle({ type: 'search', query: 'A quokka among the cats?' });
    await Promise.all([begun, asked]);
    const { results } = bench.state();
    assert.equal(results?.items[0]?.path, changed ? 'docs/new.md' : 'docs/calm.md');
    assert.equal(results.stale, false);
    assert.equal(bench.requests.filter((method) => method === 'index').length, changed ? 1 : 0);
  });

test('an untrusted workspace is not read; once trusted, the panel shows what would be indexed', async (t) => {
  const bench = await setUp(t);
  bench.trusted = false;
  await bench.controller.handle({ type: 'ready' });
  await bench.controller.indexing.catchUpUnseen();
  assert.deepEqual(bench.requests, []);
  assert.deepEqual(bench.state().corpus, { state: 'unknown' });
  await bench.controller.workspaceChanged();
  bench.failing = 'status';
  await bench.controller.indexing.refreshStatus();
  assert.ok(bench.state().error);
  delete bench.failing;
  bench.trusted = true;
  await bench.controller.workspaceChanged();
  const { corpus, error } = bench.state();
  assert.ok(corpus.state === 'not-indexed' && corpus.survey !== undefined);
  assert.equal(error, undefined, 'what was refused may be done now');
});

test('an answer is outdated until the index is updated, and unchanged files are not read', async (t) => {
  const bench = await setUp(t);
  await bench.controller.handle({ type: 'search', query: QUESTION });
  writeFileSync(path.join(bench.folder, 'docs/new.md'), '# New\n\nNew cats came into the office.');
  bench.failing = 'index';
  await bench.controller.handle({ type: 'ready' });
  assert.equal(bench.state().results!.stale, true);

  const unchanged = await setUp(t);
  await unchanged.controller.handle({ type: 'search', query: QUESTION });
  unchanged.requests.length = 0;
  await unchanged.controller.handle({ type: 'ready' });
  assert.ok(unchanged.requests.includes('fileChanges') && !unchanged.requests.includes('index'));

  const manual = await setUp(t);
  await manual.controller.handle({ type: 'search', query: QUESTION });
  manual.autoIndex = false;
  manual.requests.length = 0;
  await manual.controller.handle({ type: 'ready' });
  assert.ok(!manual.requests.includes('fileChanges'));
});

test('files that appear in an empty folder are noticed', async (t) => {
  const bench = await setUp(t);
  const folders = (): number | undefined => {
    const { corpus } = bench.state();
    return corpus.state === 'not-indexed' ? corpus.survey?.folders.length : undefined;
  };
  const docs = path.join(bench.folder, 'docs');
  for (const name of readdirSync(docs)) rmSync(path.join(docs, name), { recursive: true });
  await bench.controller.handle({ type: 'ready' });
  assert.equal(folders(), 0);
  writeFileSync(path.join(docs, 'new.md'), '# New\n\nNew cats came into the office.');
  await bench.controller.indexing.lookAgain();
  assert.equal(folders(), 1);
  bench.requests.length = 0;
  await bench.controller.indexing.lookAgain();
  assert.deepEqual(bench.requests, [], 'what was found is not looked for with every file that is written');
});

test('without a folder nothing is indexed, and a question does no harm', async (t) => {
  const bench = await setUp(t);
  bench.workspace = { ...bench.workspace, open: false };
  await bench.controller.handle({ type: 'search', query: QUESTION });
  assert.equal(bench.state().corpus.state, 'no-folder');
});

test('an eval set question shows its perspectives, figures by human labels, and losses', async (t) => {
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
  assert.deepEqual(results?.metrics.mrecall, { bound: 'least', value: 0, most: 1 });
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

test('a label given in the panel is saved and changes the figures at once', async (t) => {
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

test('with the word-overlap heuristic as the judge, people judge and the rest is unjudged', async (t) => {
  const judges = { overlap: judgeSchema.parse({ type: 'lexical' }) };
  for (const name of ['lexical', 'overlap', 'auto']) {
    const bench = await setUp(t, { judge: name, judges });
    await bench.controller.handle({ type: 'search', query: QUESTION });
    await bench.controller.handle({ type: 'judge' });
    const { judge, results } = bench.state();
    assert.equal(judge.name, 'labels');
    assert.deepEqual(
      judge.choices.map((choice) => choice.name),
      ['labels', 'vscode'],
    );
    assert.equal(results?.metrics.judgedPairs, 0);
    assert.deepEqual(
      results?.coverage.map(({ where }) => where),
      results?.coverage.map(() => 'unjudged'),
    );
  }
});

test('typed perspectives stay with their question, and those of its eval set can be chosen', async (t) => {
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
  assert.equal(bench.state().perspectiveSource, 'typed');
  assert.equal(bench.state().alternative?.source, 'eval-set');
  await bench.controller.handle({ type: 'choose-perspectives', source: 'eval-set' });
  assert.equal(bench.state().perspectiveSource, 'eval-set');
  assert.deepEqual(bench.state().alternative, { source: 'typed', count: 2 });
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

test('an unknown embedder is reported in one sentence, and the former answer stays', async (t) => {
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

test('an error is cleared by the next success', async (t) => {
  const bench = await setUp(t);
  const { pipeline } = bench.state();
  const unknown = { type: 'dense', embedder: 'nothing', search: 'auto', ef: 10 } as const;
  await bench.controller.handle({ type: 'search', query: QUESTION });
  await bench.controller.handle({ type: 'set-pipeline', pipeline: { ...pipeline, retriever: unknown } });
  assert.match(bench.state().error?.message ?? '', /no embedder "nothing"/u);
  await bench.controller.handle({ type: 'set-pipeline', pipeline });
  assert.equal(bench.state().error, undefined);
});

test('the latest questions are remembered, newest first, each once', async (t) => {
  const bench = await setUp(t);
  for (const query of ['a cat', 'b cat', 'a cat', 'c cat', 'd cat'])
    await bench.controller.handle({ type: 'search', query });
  assert.deepEqual(bench.state().history, ['d cat', 'c cat', 'a cat']);
});

test('a passage outside the answer opens from its missing perspective', async (t) => {
  const bench = await setUp(t);
  bench.label('docs/sneeze.md', 'allergy', 'yes', 'I sneeze all day');
  await bench.controller.handle({ type: 'search', query: QUESTION });
  const lost = bench.state().results?.coverage[1];
  assert.ok(lost?.where === 'not-retrieved');
  await bench.controller.handle({ type: 'open', passageId: lost.passageId });
  assert.deepEqual(bench.opened, ['docs/sneeze.md']);
});

test('changed files make the answer stale', async (t) => {
  const bench = await setUp(t);
  await bench.controller.handle({ type: 'search', query: QUESTION });
  writeFileSync(path.join(bench.folder, 'docs/new.md'), 'A new document about office cats.');
  await bench.controller.indexing.index(false);
  assert.equal(bench.state().results?.stale, true);
  await bench.controller.handle({ type: 'search', query: QUESTION });
  assert.ok(bench.state().results?.items.some(({ path: p }) => p === 'docs/new.md'));
  assert.equal(bench.state().results?.stale, false);
});

test('no model is asked in an untrusted workspace', async (t) => {
  const bench = await setUp(t, { judge: 'vscode' });
  bench.trusted = false;
  await bench.controller.handle({ type: 'search', query: QUESTION });
  assert.match(bench.state().error?.message ?? '', /until you trust the folder/u);
  assert.deepEqual(bench.state().error?.remedies, ['manage-trust']);
});

test('the what-if slider reorders passages and changes figures, and resetting restores them', async (t) => {
  const bench = await setUp(t);
  await bench.controller.handle({ type: 'search', query: QUESTION });
  const before = bench.state().results!.items.map(({ passageId }) => passageId);
  await bench.controller.handle({ type: 'what-if', lambda: 0 });
  const tried = bench.state().results!;
  assert.deepEqual(tried.whatIf, { lambda: 0, embedder: 'meaning' });
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
  await bench.controller.handle({ type: 'end-what-if' });
  assert.equal(bench.state().results!.whatIf, undefined);
});

test('the weight of meaning reorders the candidates as a search with it does', async (t) => {
  const bench = await setUp(t);
  const ask = async (weight: number): Promise<string[]> => {
    const { hybrid } = BUILT_IN_PIPELINES;
    const pipeline = parsePipeline({ ...hybrid, retriever: { ...hybrid.retriever, weight }, k: 4 });
    await bench.controller.handle({ type: 'set-pipeline', pipeline });
    return passagesOf(bench);
  };
  await bench.controller.handle({ type: 'search', query: QUESTION });
  const [words, meaning] = [await ask(0), await ask(1)];
  assert.notDeepEqual(words, meaning);
  const own = await ask(0.35);
  assert.equal(bench.state().results!.fusionSlider, 0.35);
  for (const [fusion, expected] of [
    [0, words],
    [1, meaning],
    [0.35, own],
  ] as const) {
    await bench.controller.handle({ type: 'what-if', fusion });
    assert.deepEqual(passagesOf(bench), expected, `${fusion}`);
    assert.deepEqual(bench.state().results!.whatIf, { fusion });
  }
  await bench.controller.handle({ type: 'what-if', fusion: 1 });
  await bench.controller.handle({ type: 'adopt-what-if' });
  const { pipeline, results } = bench.state();
  assert.equal(pipeline.retriever.type === 'hybrid' && pipeline.retriever.weight, 1);
  assert.deepEqual([passagesOf(bench), results!.fusionSlider], [meaning, 1]);
  await bench.controller.handle({ type: 'set-pipeline', pipeline: BUILT_IN_PIPELINES.bm25 });
  assert.equal(bench.state().results!.fusionSlider, undefined, 'words alone have no meaning to weigh');
});

test('a tried λ becomes a step of the pipeline', async (t) => {
  const bench = await setUp(t);
  await bench.controller.handle({ type: 'search', query: QUESTION });
  await bench.controller.handle({ type: 'what-if', lambda: 0.5 });
  const tried = bench.state().results!.items.map(({ passageId }) => passageId);
  await bench.controller.handle({ type: 'adopt-what-if' });
  assert.deepEqual(bench.state().pipeline.rerank, [{ type: 'mmr', lambda: 0.5, embedder: 'meaning' }]);
  assert.deepEqual(
    bench.state().results!.items.map(({ passageId }) => passageId),
    tried,
    'the engine orders as the slider did',
  );
});

const DENSE = parsePipeline({ retriever: { type: 'dense', embedder: 'hashing' }, k: 3 });
const passagesOf = (bench: Bench): string[] => bench.state().results!.items.map(({ passageId }) => passageId);

async function askDense(bench: Bench, change: object = {}): Promise<void> {
  await bench.controller.handle({ type: 'search', query: QUESTION });
  await bench.controller.handle({ type: 'set-pipeline', pipeline: parsePipeline({ ...DENSE, ...change }) });
}

test('the weight of a projection is offered if it can work', async (t) => {
  const bench = await setUp(t);
  const slider = { method: 'pap', untouched: 0, least: 0, most: 2 };
  await bench.controller.handle({ type: 'search', query: QUESTION });
  assert.deepEqual(bench.state().results!.projectionSlider, slider, 'by the encoder that ships');
  await askDense(bench);
  assert.deepEqual(bench.state().results!.projectionSlider, slider);
  await askDense(bench, { projection: { method: 'pap+', weight: 2.5 } });
  assert.deepEqual(bench.state().results!.projectionSlider, {
    ...slider,
    method: 'pap+',
    untouched: 2.5,
    most: 2.5,
  });
  await askDense(bench, { expansion: { type: 'perspectives' } });
  assert.equal(bench.state().results!.projectionSlider, undefined, 'expansion takes its place');
  await bench.controller.handle({ type: 'set-pipeline', pipeline: DENSE });
  await bench.controller.handle({ type: 'search', query: 'Who fills the printer?' });
  assert.equal(bench.state().results!.projectionSlider, undefined, 'no perspectives');
});

test('a weight reorders candidates as a search with it does, and fetches once', async (t) => {
  const bench = await setUp(t);
  const labelled = ['docs/sneeze.md', 'docs/calm.md', 'docs/calm-too.md', 'docs/other.md'];
  for (const document of labelled)
    for (const perspective of ['calm', 'allergy'])
      bench.label(
        document,
        perspective,
        document === 'docs/sneeze.md' && perspective === 'allergy' ? 'yes' : 'no',
      );
  for (const method of ['pap', 'pap+'] as const) {
    await askDense(bench, { projection: { method, weight: 0.3 }, k: 2 });
    const own = passagesOf(bench);
    const fetched = bench.requests.filter((name) => name === 'projections').length;
    for (const weight of [0, 1, 1.7]) {
      await bench.controller.handle({ type: 'what-if', weight });
      assert.deepEqual(bench.state().results!.whatIf, { weight });
      const tried = passagesOf(bench);
      const metrics = bench.state().results!.metrics;
      const searched = await setUp(t);
      await askDense(searched, { projection: { method, weight }, k: 2 });
      assert.deepEqual(tried, passagesOf(searched), `${method} ${weight}`);
      const supported = tried.some((passage) => passage.startsWith('docs/sneeze.md'));
      assert.deepEqual(metrics.covered, { bound: 'exact', value: supported ? 1 : 0 }, 'the figures follow');
    }
    assert.equal(bench.requests.filter((name) => name === 'projections').length, fetched + 1);
    await bench.controller.handle({ type: 'what-if', weight: 0.3 });
    assert.deepEqual(passagesOf(bench), own, "at the pipeline's own weight nothing moves");
    assert.ok(bench.state().results!.items.every(({ movement }) => movement === 0));
    await bench.controller.handle({ type: 'end-what-if' });
    assert.equal(bench.state().results!.whatIf, undefined);
  }
});

test('MMR orders what the projection scored, and each slider keeps its value', async (t) => {
  const bench = await setUp(t);
  await askDense(bench);
  await bench.controller.handle({ type: 'what-if', weight: 1 });
  const projected = passagesOf(bench);
  await bench.controller.handle({ type: 'what-if', lambda: 1 });
  assert.deepEqual(bench.state().results!.whatIf, { lambda: 1, embedder: 'hashing', weight: 1 });
  assert.deepEqual(passagesOf(bench), projected, 'all weight on relevance keeps the projected order');
  await bench.controller.handle({ type: 'what-if', lambda: 0 });
  assert.equal(passagesOf(bench)[0], projected[0]);
  await bench.controller.handle({ type: 'what-if', weight: 0.5 });
  assert.deepEqual(bench.state().results!.whatIf, { lambda: 0, embedder: 'hashing', weight: 0.5 });
});

test('tried settings become part of the pipeline, and the engine orders as the sliders did', async (t) => {
  const bench = await setUp(t);
  await askDense(bench, { name: 'mine', rerank: [{ type: 'mmr', lambda: 0.9 }] });
  await bench.controller.handle({ type: 'what-if', weight: 1.2 });
  await bench.controller.handle({ type: 'what-if', lambda: 0.4 });
  const tried = passagesOf(bench);
  await bench.controller.handle({ type: 'adopt-what-if' });
  const { pipeline, results } = bench.state();
  assert.equal(pipeline.name, undefined, 'it is no longer the pipeline of that name');
  assert.deepEqual([pipeline.projection?.method, pipeline.projection?.weight], ['pap', 1.2]);
  assert.deepEqual(pipeline.rerank, [{ type: 'mmr', lambda: 0.4, embedder: 'hashing' }]);
  assert.deepEqual(passagesOf(bench), tried);
  assert.equal(results!.whatIf, undefined);
  assert.equal(results!.projectionSlider?.untouched, 1.2);
});

/** A workspace whose model splits the question as given. */
async function setUpSplit(t: TestContext, split: { root: string; perspective: string }): Promise<Bench> {
  const server = await startModelServer({ chat: [{ text: JSON.stringify(split) }] });
  t.after(() => server.close());
  const judges = {
    local: judgeSchema.parse({ type: 'openai', mode: 'pair', baseUrl: server.url, model: 'scripted' }),
  };
  return setUp(t, { judges, generator: 'local' });
}

test('a weight that leaves nothing of the question is reported, and order and sliders stay', async (t) => {
  const bench = await setUpSplit(t, { root: 'cats', perspective: QUESTION });
  await askDense(bench, { projection: { split: 'model', weight: 0.5 } });
  await bench.controller.handle({ type: 'what-if', weight: 0.2 });
  const before = passagesOf(bench);
  await bench.controller.handle({ type: 'what-if', weight: 1 });
  assert.match(bench.state().error?.message ?? '', /The projection is empty/u);
  assert.deepEqual(bench.state().results!.whatIf, { weight: 0.2 });
  assert.deepEqual(passagesOf(bench), before);
  await bench.controller.handle({ type: 'what-if', lambda: 1 });
  assert.deepEqual(bench.state().results!.whatIf, { weight: 0.2, lambda: 1, embedder: 'hashing' });
});

test('dragging during the first fetch ends at the slider’s value, and releasing ends it', async (t) => {
  const bench = await setUp(t);
  await askDense(bench);
  await Promise.all([0.1, 0.4, 0.7].map((weight) => bench.controller.handle({ type: 'what-if', weight })));
  assert.deepEqual(bench.state().results!.whatIf, { weight: 0.7 });
  await askDense(bench, { k: 2 });
  const fetching = bench.controller.handle({ type: 'what-if', weight: 0.1 });
  await bench.controller.handle({ type: 'end-what-if' });
  await fetching;
  assert.equal(bench.state().results!.whatIf, undefined);
  assert.ok(bench.state().results!.items.every(({ movement }) => movement === undefined));
});

const UNSIDED: EvalQuery = {
  ...EVAL_QUERY,
  perspectives: [
    { id: 'calm', text: 'Cats calm people at work.', stance: 'support' },
    { id: 'allergy', text: 'Cats make allergic people ill.' },
    { id: 'cost', text: 'Cats cost money.' },
  ],
};
type Stances = readonly (readonly [string | undefined, string | undefined, string | undefined])[];
const stancesOf = (bench: Bench): Stances =>
  bench.state().perspectives.map(({ stance, stanceBy, proposal }) => [stance, stanceBy, proposal?.stance]);

async function setUpStances(t: TestContext, answer: string): Promise<Bench> {
  const server = await startModelServer({ chat: [{ text: answer }] });
  t.after(() => server.close());
  const judges = {
    local: judgeSchema.parse({ type: 'openai', mode: 'pair', baseUrl: server.url, model: 'scripted' }),
  };
  const bench = await setUp(t, { judges, generator: 'local' });
  bench.workspace = { ...bench.workspace, evalQueries: [UNSIDED] };
  await bench.controller.handle({ type: 'search', query: QUESTION });
  return bench;
}

test('missing stances are proposed, marked, and change nothing until accepted', async (t) => {
  const bench = await setUpStances(t, '{"1": "oppose", "2": "oppose", "3": "neither"}');
  await bench.controller.handle({ type: 'propose-stances' });
  assert.deepEqual(
    stancesOf(bench),
    [
      ['support', undefined, undefined],
      [undefined, undefined, 'oppose'],
      [undefined, undefined, 'neither'],
    ],
    'what the eval set says is not up for proposals',
  );
  assert.match(bench.state().perspectives[1]!.proposal!.by, /scripted/u);
  assert.deepEqual(bench.saved, []);

  const [calm, ...others] = UNSIDED.perspectives;
  const unsaid = [{ id: calm!.id, text: calm!.text }, ...others];
  bench.workspace = { ...bench.workspace, evalQueries: [{ ...UNSIDED, perspectives: unsaid }] };
  await bench.controller.workspaceChanged();
  assert.deepEqual(stancesOf(bench)[0], [undefined, undefined, undefined], 'it was not asked for');

  await bench.controller.handle({ type: 'accept-stance', perspectiveId: 'allergy' });
  await bench.controller.handle({ type: 'accept-stance', perspectiveId: 'cost' });
  assert.deepEqual(stancesOf(bench).slice(1), [
    ['oppose', 'model', undefined],
    [undefined, undefined, 'neither'],
  ]);
  await bench.controller.handle({ type: 'set-stance', perspectiveId: 'cost', stance: 'oppose' });
  await bench.controller.handle({ type: 'set-stance', perspectiveId: 'calm' });
  assert.deepEqual(stancesOf(bench), [
    [undefined, undefined, undefined],
    ['oppose', 'model', undefined],
    ['oppose', 'human', undefined],
  ]);
  assert.deepEqual(bench.saved, [
    ['eval.jsonl', 'cats', 'allergy', { stance: 'oppose', by: 'model' }],
    ['eval.jsonl', 'cats', 'cost', { stance: 'oppose', by: 'human' }],
    ['eval.jsonl', 'cats', 'calm', { stance: undefined, by: 'human' }],
  ]);
  assert.equal(bench.state().results!.stale, false);
});

test('a rejected proposal is removed, and so is one for another text', async (t) => {
  const bench = await setUpStances(t, '{"1": "support", "2": "oppose", "3": "support"}');
  await bench.controller.handle({ type: 'propose-stances' });
  await bench.controller.handle({ type: 'reject-stance', perspectiveId: 'cost' });
  assert.deepEqual(
    stancesOf(bench).map(([, , proposed]) => proposed),
    [undefined, 'oppose', undefined],
  );
  await bench.controller.handle({
    type: 'set-perspectives',
    texts: ['Cats calm people at work.', 'Cats make some people ill.'],
  });
  assert.deepEqual(stancesOf(bench), [
    ['support', undefined, undefined],
    [undefined, undefined, undefined],
  ]);
  await bench.controller.handle({ type: 'set-stance', perspectiveId: 'p2', stance: 'oppose' });
  assert.deepEqual(stancesOf(bench)[1], ['oppose', 'human', undefined]);
  assert.deepEqual(bench.saved, [], 'typed perspectives are in no file');
});

test('a stance that cannot be written is not shown', async (t) => {
  const bench = await setUpStances(t, '{"1": "support", "2": "oppose", "3": "oppose"}');
  await bench.controller.handle({ type: 'propose-stances' });
  bench.diskFull = true;
  await bench.controller.handle({ type: 'accept-stance', perspectiveId: 'cost' });
  assert.equal(bench.state().error?.message, 'The disk is full.');
  assert.deepEqual(stancesOf(bench)[2], [undefined, undefined, 'oppose']);
});

test('an answer without stances is reported, and no model is asked without trust', async (t) => {
  const bench = await setUpStances(t, 'The first one, I think.');
  await bench.controller.handle({ type: 'propose-stances' });
  assert.match(
    bench.state().error?.message ?? '',
    /did not give the sides of the perspectives of "Should the/u,
  );
  assert.ok(stancesOf(bench).every(([, , proposed]) => proposed === undefined));
  bench.trusted = false;
  await bench.controller.handle({ type: 'propose-stances' });
  assert.match(bench.state().error?.message ?? '', /until you trust the folder/u);
});

test('writing a stance to the eval set keeps the answer, other perspectives do not', async (t) => {
  const bench = await setUp(t);
  await bench.controller.handle({ type: 'search', query: QUESTION });
  const [calm, allergy] = EVAL_QUERY.perspectives;
  const read = (perspectives: EvalQuery['perspectives']): Promise<void> => {
    bench.workspace = { ...bench.workspace, evalQueries: [{ ...EVAL_QUERY, perspectives }] };
    return bench.controller.workspaceChanged();
  };
  await read([{ ...calm!, stance: 'oppose', stanceBy: 'model' }, allergy!]);
  assert.deepEqual(stancesOf(bench)[0], ['oppose', 'model', undefined]);
  assert.equal(bench.state().results!.stale, false);
  await read([calm!, { ...allergy!, text: 'Cats make everybody ill.' }]);
  assert.equal(bench.state().results!.stale, true);
});

test('a named pipeline follows parallax.json, and the user’s settings stay separate', async (t) => {
  const bench = await setUp(t);
  const short = parsePipeline({ retriever: { type: 'bm25' }, k: 1 });
  const long = parsePipeline({ retriever: { type: 'bm25' }, k: 2 });
  const configure = (pipelines: Record<string, Pipeline>): Promise<void> => {
    bench.workspace = { ...bench.workspace, config: { ...bench.workspace.config, pipelines } };
    return bench.controller.workspaceChanged();
  };
  await configure({ short });
  await bench.controller.handle({ type: 'set-pipeline', pipeline: { ...short, name: 'short' } });
  await bench.controller.handle({ type: 'search', query: QUESTION });
  assert.equal(bench.state().results!.items.length, 1);
  await configure({ short, other: long });
  assert.equal(bench.state().results!.stale, false, 'another pipeline is no premise');
  await configure({ short: long, other: long });
  assert.equal(bench.state().results!.stale, true);
  await bench.controller.handle({ type: 'search', query: QUESTION });
  assert.equal(bench.state().results!.items.length, 2);

  // A cell of a comparison at another depth opens at that depth.
  await bench.controller.inspect(QUESTION, { ...short, name: 'short' });
  assert.equal(bench.state().results!.items.length, 1);
  assert.equal(bench.state().pipeline.name, undefined);
  await configure({ short: parsePipeline({ retriever: { type: 'bm25' }, k: 3 }) });
  assert.equal(bench.state().pipeline.k, 1);
});

test('fields are offered from the documents, and another choice keeps the answer', async (t) => {
  const bench = await setUp(t);
  await bench.controller.handle({ type: 'choose-fields' });
  assert.deepEqual(bench.fields, [], 'there is nothing to choose from yet');
  const front = (author: string): string => `---\nauthor: ${author}\nstatus: final\n---\n`;
  for (const [name, author] of [
    ['calm.md', 'Ada'],
    ['calm-too.md', 'Ben'],
    ['calm-again.md', 'Ada'],
  ] as const)
    writeFileSync(path.join(bench.folder, 'docs', name), `${front(author)}\nThe office has calm cats.\n`);
  await bench.controller.handle({ type: 'search', query: QUESTION });
  await t.waitFor(() => assert.ok(bench.state().results!.likeness));
  await bench.controller.handle({ type: 'choose-fields' });
  assert.deepEqual(bench.fields, [['corpus', { found: ['author', 'status'], counted: ['author'] }]]);

  const { config } = bench.workspace;
  const corpus = { ...config.corpora['corpus']!, fields: ['status'] };
  bench.workspace = { ...bench.workspace, config: { ...config, corpora: { corpus } } };
  bench.requests.length = 0;
  await bench.controller.workspaceChanged();
  assert.equal(bench.state().results!.stale, false);
  assert.ok(bench.requests.includes('likeness'));
});

test('a query that a model splits shows its parts', async (t) => {
  const bench = await setUpSplit(t, { root: 'office cats', perspective: 'calm' });
  await askDense(bench, { projection: { split: 'model' } });
  assert.deepEqual(bench.state().results!.splits, [
    { full: QUESTION, root: 'office cats', perspective: 'calm' },
  ]);
  await bench.controller.handle({ type: 'what-if', weight: 0 });
  assert.deepEqual(bench.state().results!.whatIf, { weight: 0 });
  assert.equal(bench.state().error, undefined);
});

for (const reply of [{ text: '' }, { toolCall: 'search' }, { text: 'Perhaps.' }])
  test(`an unreadable answer is unjudged and counted: ${JSON.stringify(reply)}`, async (t) => {
    const server = await startModelServer({ chat: () => reply });
    t.after(() => server.close());
    const judges = {
      local: judgeSchema.parse({ type: 'openai', mode: 'pair', baseUrl: server.url, model: 'scripted' }),
    };
    const bench = await setUp(t, { judge: 'local', judges });
    await bench.controller.handle({ type: 'search', query: QUESTION });
    const { results, error } = bench.state();
    assert.deepEqual([results!.metrics.judgedPairs, results!.metrics.unsurePairs], [0, 0]);
    assert.ok(
      results!.items.every(({ judgements }) => judgements.every(({ verdict }) => verdict === 'unjudged')),
    );
    assert.match(error!.message, /^(\d+) of \1 answers could not be read.*not usable/u);
    const sent = server.chatRequests.length;
    await bench.controller.handle({ type: 'search', query: QUESTION });
    assert.equal(bench.state().results!.metrics.judgedPairs, 0, 'nothing was kept as a verdict');
    assert.equal(server.chatRequests.length, 2 * sent, 'and it is asked again');
  });

for (const [what, fault] of [
  ['answers that cannot be read', { text: 'Perhaps.' }],
  ['a key that is refused', { fault: 'status', status: 401 }],
] as const)
  test(`a judging failure is cleared with its cause: ${what}`, async (t) => {
    let reply: ChatReply = fault;
    const server = await startModelServer({ chat: () => reply });
    t.after(() => server.close());
    const judges = {
      local: judgeSchema.parse({ type: 'openai', mode: 'pair', baseUrl: server.url, model: 'scripted' }),
    };
    const bench = await setUp(t, { judge: 'local', judges });
    await bench.controller.handle({ type: 'search', query: QUESTION });
    const { message } = bench.state().error!;
    assert.doesNotMatch(message, /The one unjudged pair|None of the \d/u);
    await bench.controller.handle({ type: 'judge' });
    assert.ok(bench.state().error, 'the cause is there');
    reply = { text: JSON.stringify({ evidence: null, verdict: 'no', reason: 'scripted' }) };
    await bench.controller.handle({ type: 'judge' });
    const { results, error } = bench.state();
    assert.equal(results!.metrics.judgedPairs, results!.items.length * 2);
    assert.equal(error, undefined);
  });

test('a failure that counts pairs is cleared once one of them is labelled', async (t) => {
  const server = await startModelServer({ chat: () => ({ text: 'Perhaps.' }) });
  t.after(() => server.close());
  const judges = {
    local: judgeSchema.parse({ type: 'openai', mode: 'pair', baseUrl: server.url, model: 'scripted' }),
  };
  const bench = await setUp(t, { judge: 'local', judges });
  await bench.controller.handle({ type: 'search', query: QUESTION });
  assert.ok(bench.state().error);
  bench.label('docs/calm.md', 'calm', 'yes');
  await bench.controller.labelsChanged();
  assert.equal(bench.state().error, undefined);
});

/** Two documents that the question does not find; one of them supports that cats make people ill. */
const ELSEWHERE = {
  'docs/ill.md': 'Allergic people got ill.',
  'docs/paper.md': 'People make paper.',
};

test('looking deeper finds what the candidates miss, shows why, and opens it', async (t) => {
  const server = await startModelServer({
    chat: ({ messages }) => {
      const { passage } = readPairPrompt(messages);
      const verdict = passage.startsWith('Allergic') ? 'yes' : 'no';
      return {
        text: JSON.stringify({
          evidence: verdict === 'yes' ? 'Allergic' : null,
          verdict,
          reason: 'scripted',
        }),
      };
    },
  });
  t.after(() => server.close());
  const judges = {
    local: judgeSchema.parse({ type: 'openai', baseUrl: server.url, model: 'scripted', mode: 'pair' }),
  };
  const pipelines = { two: parsePipeline({ retriever: { type: 'bm25' }, k: 1, candidates: 1 }) };
  const bench = await setUp(t, { judge: 'local', judges, pipelines });
  for (const [file, text] of Object.entries(ELSEWHERE)) writeFileSync(path.join(bench.folder, file), text);
  await bench.controller.handle({ type: 'search', query: QUESTION });
  const stateOf = () =>
    bench.state().results!.coverage.find(({ perspectiveId }) => perspectiveId === 'allergy')!;
  assert.equal(stateOf().where, 'not-found');
  assert.ok(bench.controller.inView.missing.some(({ id }) => id === 'allergy'));

  await bench.controller.handle({ type: 'look-deeper', perspectiveId: 'allergy' });
  const state = stateOf();
  assert.ok(state.where === 'not-retrieved' && state.foundBy!.length > 0);
  const { passages } = bench.state().results!.deeper[0]!;
  const found = passages.find(({ verdict }) => verdict === 'yes')!;
  assert.equal(found.rank, undefined, 'it is not among the candidates');
  assert.deepEqual([found.path, found.lines?.first], ['docs/ill.md', 1]);
  assert.deepEqual(
    found.evidence.map(({ start, end }) => found.text.slice(start, end)),
    ['Allergic'],
  );
  await bench.controller.handle({ type: 'open', passageId: found.passageId, perspectiveId: 'allergy' });
  assert.deepEqual(bench.opened, ['docs/ill.md']);

  const sent = server.chatRequests.length;
  await bench.controller.handle({ type: 'search', query: QUESTION });
  assert.equal(stateOf().where, 'not-retrieved', 'and it is known from then on');
  assert.equal(server.chatRequests.length, sent);
});

test('without a judge looking deeper lists pairs to label, and a label counts at once', async (t) => {
  const bench = await setUp(t);
  const pipeline = parsePipeline({ name: 'two', retriever: { type: 'bm25' }, k: 1, candidates: 1 });
  for (const [file, text] of Object.entries(ELSEWHERE)) writeFileSync(path.join(bench.folder, file), text);
  for (let n = 1; n <= 20; n++)
    writeFileSync(path.join(bench.folder, 'docs', `more-${n}.md`), `A cat sneezes at people, ${n} times.\n`);
  await bench.controller.handle({ type: 'set-pipeline', pipeline });
  await bench.controller.handle({ type: 'search', query: QUESTION });
  await bench.controller.handle({ type: 'look-deeper', perspectiveId: 'allergy' });
  const deeper = bench.state().results!.deeper[0]!;
  assert.ok(deeper.passages.length > 1 && deeper.passages.every(({ verdict }) => verdict === 'unjudged'));
  assert.equal(deeper.unjudged, deeper.found);
  assert.ok(deeper.found > deeper.passages.length, 'what is not listed is counted');
  const { passageId } = deeper.passages.find(({ title }) => title.includes('ill'))!;
  await bench.controller.handle({ type: 'label', passageId, perspectiveId: 'allergy', verdict: 'yes' });
  const coverage = bench.state().results!.coverage.find(({ perspectiveId }) => perspectiveId === 'allergy')!;
  assert.equal(coverage.where, 'not-retrieved');
  assert.equal(bench.state().results!.deeper[0]!.unjudged, deeper.found - 1);
});

test('cancelled looking deeper keeps its results without an error', async (t) => {
  const server = await startModelServer({ chat: () => ({ fault: 'status', status: 500, message: 'busy' }) });
  t.after(() => server.close());
  const judges = {
    local: judgeSchema.parse({ type: 'openai', baseUrl: server.url, model: 'scripted', mode: 'pair' }),
  };
  const bench = await setUp(t, { judges });
  await bench.controller.handle({ type: 'search', query: QUESTION });
  const judging = bench.controller.handle({ type: 'set-judge', name: 'local' });
  await waitUntil(() => server.chatRequests.length > 0);
  await bench.controller.handle({ type: 'cancel', kind: 'judge' });
  await judging;
  const sent = server.chatRequests.length;
  const looking = bench.controller.handle({ type: 'look-deeper', perspectiveId: 'allergy' });
  await waitUntil(() => bench.state().results!.deeper.length > 0 && server.chatRequests.length > sent);
  await bench.controller.handle({ type: 'cancel', kind: 'deeper' });
  await looking;
  const { results, error, tasks } = bench.state();
  assert.equal(error, undefined);
  assert.deepEqual(tasks, []);
  const coverage = results!.coverage.find(({ perspectiveId }) => perspectiveId === 'allergy')!;
  assert.ok(coverage.where === 'unjudged' && coverage.probed!.judged === 0);
});

async function waitUntil(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 5));
}

test('a model behind an endpoint judges once after the search, and proposes perspectives', async (t) => {
  const server = await startModelServer({
    chat: ({ messages }) => {
      const proposes = !messages.some(({ content }) => /passage/iu.test(content));
      if (proposes)
        return { text: JSON.stringify({ comfort: 'Cats calm people at work.', cost: 'Cats cost money.' }) };
      return { text: JSON.stringify({ evidence: null, verdict: 'yes', reason: 'scripted' }) };
    },
  });
  t.after(() => server.close());
  const judges = {
    local: judgeSchema.parse({ type: 'openai', mode: 'pair', baseUrl: server.url, model: 'scripted' }),
  };
  const bench = await setUp(t, { judge: 'local', judges });
  await bench.controller.handle({ type: 'search', query: QUESTION });
  const { metrics } = bench.state().results!;
  assert.equal(metrics.judgedPairs, metrics.pairs);
  assert.deepEqual(
    metrics.sources.map(({ source }) => source),
    ['llm'],
  );
  const asked = server.chatRequests.length;
  await bench.controller.handle({ type: 'search', query: QUESTION });
  assert.equal(server.chatRequests.length, asked, 'answers are kept');
  assert.equal(bench.state().judge.canGenerate, true);
  await bench.controller.handle({ type: 'generate-perspectives', query: QUESTION });
  const before = bench.state().perspectives;
  assert.ok(before.length > 0);
  // The other one exists already.
  assert.deepEqual(
    bench.state().proposed?.items.map(({ text }) => text),
    ['Cats cost money.'],
  );
  assert.equal(server.chatRequests.length, asked + 1, 'nothing is judged before it is taken');
  await bench.controller.handle({ type: 'dismiss-proposed' });
  assert.equal(bench.state().proposed, undefined);
  assert.deepEqual(bench.state().perspectives, before);
  await bench.controller.handle({ type: 'generate-perspectives', query: QUESTION });
  const taken = [...before.map(({ text }) => text), 'Cats cost money.'];
  await bench.controller.handle({ type: 'set-perspectives', texts: taken });
  assert.equal(bench.state().proposed, undefined);
  assert.deepEqual(
    bench.state().perspectives.map(({ text }) => text),
    taken,
  );
});

/** Proposes from its prompt: the first passage, one that was not in it, and a missing perspective. */
const SUGGESTED = JSON.stringify({
  perspectives: [{ name: 'calm', statement: 'Cats are good company.', passages: [1, 99] }],
  expected: [{ name: 'cost', statement: 'Cats cost money.' }],
});

async function setUpSuggesting(t: TestContext, replies: readonly ChatReply[]): Promise<Bench> {
  const server = await startModelServer({ chat: replies });
  t.after(() => server.close());
  const judges = {
    local: judgeSchema.parse({ type: 'openai', baseUrl: server.url, model: 'scripted', maxRetries: 0 }),
  };
  const bench = await setUp(t, { judges, generator: 'local' });
  bench.suggestFrom = 'passages';
  return bench;
}

test('perspectives are suggested from found passages, each with its source', async (t) => {
  const bench = await setUpSuggesting(t, [{ text: SUGGESTED }]);
  await bench.controller.handle({ type: 'index' });
  await bench.controller.handle({ type: 'generate-perspectives', query: QUESTION });
  const { proposed, perspectives, results } = bench.state();
  assert.equal(proposed!.from, 'passages');
  assert.deepEqual(
    proposed!.items.map(({ text, passages }) => [text, passages.length]),
    [
      ['Cats are good company.', 1],
      ['Cats cost money.', 0],
    ],
  );
  assert.ok(results!.items.some(({ passageId }) => passageId === proposed!.items[0]!.passages[0]!.passageId));
  assert.deepEqual(
    perspectives.map(({ id }) => id),
    EVAL_QUERY.perspectives.map(({ id }) => id),
    'nothing is replaced before it is taken',
  );
});

test('an unreadable suggestion is reported and not stored', async (t) => {
  const bench = await setUpSuggesting(t, [{ text: 'Several views exist.' }, { text: SUGGESTED }]);
  await bench.controller.handle({ type: 'search', query: QUESTION });
  await bench.controller.handle({ type: 'generate-perspectives', query: QUESTION });
  assert.equal(bench.state().proposed, undefined);
  assert.match(bench.state().error!.message, /proposed no perspectives.*Try again, or type them yourself/u);
  await bench.controller.handle({ type: 'generate-perspectives', query: QUESTION });
  assert.equal(bench.state().proposed!.items.length, 2);
  assert.equal(bench.state().error, undefined);
});

test('cancelled suggestions do not change the panel', async (t) => {
  const bench = await setUpSuggesting(t, [{ fault: 'status', status: 500, message: 'busy' }]);
  await bench.controller.handle({ type: 'search', query: QUESTION });
  const asking = bench.controller.handle({ type: 'generate-perspectives', query: QUESTION });
  await waitUntil(() => bench.state().tasks.some(({ kind }) => kind === 'generate'));
  await bench.controller.handle({ type: 'cancel', kind: 'generate' });
  await asking;
  const { proposed, error, tasks } = bench.state();
  assert.deepEqual([proposed, error, tasks], [undefined, undefined, []]);
});

test('a question is one request with known judgements, and a judge is asked only for the rest', async (t) => {
  const bench = await setUp(t);
  const requestsOf = async (query: string): Promise<EngineMethod[]> => {
    bench.requests.length = 0;
    await bench.controller.handle({ type: 'search', query });
    return [...bench.requests];
  };
  await requestsOf(QUESTION);
  bench.label('docs/calm.md', 'calm', 'yes');
  assert.deepEqual(await requestsOf(QUESTION), ['search', 'likeness']);
  assert.equal(bench.state().results!.metrics.judgedPairs, 1);
  assert.deepEqual(await requestsOf('Where is the printer?'), ['search', 'likeness']);

  assert.deepEqual(await requestsOf(QUESTION), ['search', 'likeness']);
});

test('the cost is estimated first, unless all is judged', async (t) => {
  const server = await startModelServer({
    chat: () => ({ text: JSON.stringify({ evidence: null, verdict: 'no', reason: 'scripted' }) }),
  });
  t.after(() => server.close());
  const judges = {
    local: judgeSchema.parse({ type: 'openai', mode: 'pair', baseUrl: server.url, model: 'scripted' }),
  };
  const bench = await setUp(t, { judge: 'local', judges });
  await bench.controller.indexing.index(false);
  bench.requests.length = 0;
  await bench.controller.handle({ type: 'search', query: QUESTION });
  assert.deepEqual(bench.requests, ['search', 'likeness', 'judgeCost', 'judge']);
  bench.requests.length = 0;
  await bench.controller.handle({ type: 'search', query: QUESTION });
  assert.deepEqual(bench.requests, ['search', 'likeness']);
});

test('judging by the user survives automatic judging after a search', async (t) => {
  const server = await startModelServer({
    chat: () => ({ text: JSON.stringify({ evidence: null, verdict: 'no', reason: 'scripted' }) }),
  });
  t.after(() => server.close());
  const judges = {
    local: judgeSchema.parse({ type: 'openai', mode: 'pair', baseUrl: server.url, model: 'scripted' }),
  };
  const bench = await setUp(t, { judge: 'local', judges });
  bench.confirmAbove = 0;
  await bench.controller.handle({ type: 'search', query: QUESTION });
  assert.equal(bench.state().results!.metrics.judgedPairs, 0);
  const byUser = bench.controller.judgeResults({ ask: true });
  await bench.controller.judgeResults({ ask: false });
  await byUser;
  assert.ok(bench.state().results!.metrics.judgedPairs > 0);
});

test('a judge chosen during the search is the one that counts', async (t) => {
  const server = await startModelServer({
    chat: () => ({ text: JSON.stringify({ evidence: null, verdict: 'no', reason: 'scripted' }) }),
  });
  t.after(() => server.close());
  const judges = {
    local: judgeSchema.parse({ type: 'openai', mode: 'pair', baseUrl: server.url, model: 'scripted' }),
  };
  const bench = await setUp(t, { judge: 'local', judges });
  await bench.controller.handle({ type: 'search', query: QUESTION });
  assert.ok(bench.state().results!.metrics.judgedPairs > 0);
  await bench.controller.handle({ type: 'search', query: 'Where is the printer?' });
  const asked = bench.controller.handle({ type: 'search', query: QUESTION });
  await Promise.all([asked, bench.controller.handle({ type: 'set-judge', name: 'labels' })]);
  assert.equal(bench.state().results!.metrics.judgedPairs, 0);
});

test('a missing judge is reported with advice, and the passages stay', async (t) => {
  const judges = {
    local: judgeSchema.parse({
      type: 'openai',
      mode: 'pair',
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

test('labels added or removed elsewhere change the figures without a search', async (t) => {
  const bench = await setUp(t);
  bench.label('docs/calm.md', 'calm', 'yes');
  bench.label('docs/calm-too.md', 'allergy', 'no');
  await bench.controller.handle({ type: 'search', query: QUESTION });
  const mrecall = (): number | undefined => bench.state().results?.metrics.mrecall?.value;
  assert.equal(mrecall(), 0);
  const labels = path.join(bench.folder, '.parallax/judgements.jsonl');
  const before = readFileSync(labels, 'utf8');
  bench.label('docs/calm-too.md', 'allergy', 'yes', 'people smile');
  await bench.controller.labelsChanged();
  assert.equal(mrecall(), 1);
  writeFileSync(labels, before);
  await bench.controller.labelsChanged();
  assert.equal(mrecall(), 0);
  assert.equal(bench.requests.filter((method) => method === 'search').length, 1);
});

test('likeness follows the answer and every tried order', async (t) => {
  const bench = await setUp(t);
  await askDense(bench, { k: 2 });
  const seen = (): NonNullable<NonNullable<InspectorState['results']>['likeness']> => {
    const { likeness, items } = bench.state().results!;
    const documents = new Set(items.map(({ path: document }) => document)).size;
    assert.equal(likeness!.spreads.documents.top, documents);
    return likeness!;
  };
  const own = await t.waitFor(seen);
  assert.deepEqual([own.passages, own.candidates], [2, 4]);
  await bench.controller.handle({ type: 'what-if', lambda: 0 });
  const varied = seen();
  assert.ok(varied.vendi > own.vendi, 'MMR on diversity alone finds what is less alike');
  await bench.controller.handle({ type: 'end-what-if' });
  await t.waitFor(() => assert.equal(seen().vendi, own.vendi));
});

test('an answer stays if the likeness of its passages cannot be computed', async (t) => {
  const bench = await setUp(t);
  bench.failing = 'likeness';
  await bench.controller.handle({ type: 'search', query: QUESTION });
  await t.waitFor(() => assert.ok(bench.state().results!.likenessProblem));
  const { items, likeness, likenessProblem } = bench.state().results!;
  assert.ok(items.length > 0);
  assert.deepEqual([likeness, likenessProblem], [undefined, 'likeness fails.']);
  assert.equal(bench.state().error, undefined);
});

test('a question joins an eval set only with typed perspectives', async (t) => {
  const { controller, added } = await setUp(t);
  await controller.handle({ type: 'search', query: 'Is daylight good?' });
  await controller.handle({ type: 'add-to-eval-set' });
  await controller.handle({ type: 'set-perspectives', texts: ['It wakes people.'] });
  await controller.handle({ type: 'add-to-eval-set' });
  assert.deepEqual(added, [
    { text: 'Is daylight good?', perspectives: [{ id: 'p1', text: 'It wakes people.' }] },
  ]);
});

test('an error is cleared by a success or a new configuration, but not by a label', async (t) => {
  const bench = await setUp(t, {});
  const fail = async (): Promise<void> => {
    bench.failing = 'search';
    await bench.controller.handle({ type: 'search', query: QUESTION });
    delete bench.failing;
    assert.ok(bench.state().error);
  };
  await bench.controller.workspaceChanged();
  await fail();
  await bench.controller.workspaceChanged();
  assert.ok(bench.state().error, 'nothing changed that it could be about');
  await bench.controller.handle({ type: 'search', query: QUESTION });
  assert.equal(bench.state().error, undefined);
  await fail();
  bench.workspace = { ...bench.workspace, configProblem: 'parallax.json: no.' };
  await bench.controller.workspaceChanged();
  assert.equal(bench.state().error, undefined);
});
