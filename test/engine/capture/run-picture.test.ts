/** The picture of a run over the real engine, and the panel's logic on it. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { ParallaxError } from '../../../src/core/errors.ts';
import { parsePipeline } from '../../../src/core/pipeline.ts';
import { toRunSchema, type RunState } from '../../../src/features/capture/contract/panel.ts';
import { runPictureSchema, type RunPicture } from '../../../src/features/capture/contract/run-picture.ts';
import { RunController } from '../../../src/features/capture/host/run-controller.ts';
import type { Params } from '../../../src/shared/rpc.ts';
import { testWorkspace, type TestWorkspace } from '../../fixtures/workspace.ts';
import { DOCS, send, setUp, until } from './support.ts';

const QUESTION = 'Should the library open on Sundays?';
const TEXTS = {
  'survey.md': 'The survey says that people who work on weekdays want the library on Sundays.',
  'letter.md': 'A letter: people who work on weekdays want the library on Sundays, says the survey!',
  'rota.md': 'The rota would cost the staff of the library their free Sundays.',
  'fund.md': 'The book fund would have to pay for the wages.',
  'trial.md': 'A card gate was tried and given up, because the heating ran all night.',
};
const PERSPECTIVES = ['Weekday workers.', 'Staff lose Sundays.', 'The fund pays.', 'The gate failed.'].map(
  (text, place) => ({ id: `p${place + 1}`, text }),
);
const BM25 = parsePipeline({ name: 'words', retriever: { type: 'bm25' }, k: 2 });

function found(query: string, ...files: readonly (keyof typeof TEXTS)[]) {
  return {
    query,
    name: 'search',
    results: files.map((file, place) => ({ text: TEXTS[file], score: 1 / (place + 1) })),
  };
}

const SEARCHES = [
  found('library Sundays survey', 'survey.md', 'letter.md'),
  found('library staff Sundays', 'rota.md', 'survey.md'),
  found('wages for the fund', 'survey.md'),
];

async function labelled(t: TestContext): Promise<TestWorkspace> {
  const files = Object.fromEntries(Object.entries(TEXTS).map(([name, text]) => [`docs/${name}`, text]));
  const own = await testWorkspace(t, { files, corpora: { docs: { roots: ['docs'] } } });
  const query = { text: 'library Sundays fund gate wages survey' };
  const { candidates } = await own.request('search', {
    corpus: 'docs',
    query,
    perspectives: [],
    pipeline: BM25,
  });
  const slots = new Map(candidates.map(({ documentId, slot }) => [documentId, slot]));
  const supported = [
    ['survey.md', 0],
    ['letter.md', 0],
    ['rota.md', 1],
    ['fund.md', 2],
    ['trial.md', 3],
  ] as const;
  for (const [file, place] of supported)
    await own.request('label', {
      corpus: 'docs',
      slot: [...slots].find(([id]) => id.endsWith(file))![1],
      query: { text: QUESTION },
      perspective: PERSPECTIVES[place]!,
      verdict: 'yes',
      by: 'tester',
    });
  return own;
}

async function picture(own: TestWorkspace, change: Partial<Params<'runPicture'>> = {}): Promise<RunPicture> {
  const result = await own.request('runPicture', {
    corpus: 'docs',
    judge: 'labels',
    queries: [{ text: QUESTION, perspectives: PERSPECTIVES }],
    run: { question: QUESTION, searches: SEARCHES },
    ...change,
  });
  return runPictureSchema.parse(JSON.parse(JSON.stringify(result)));
}

test('a run has its figures step by step, and its repeats are recognised by the whole text', async (t) => {
  const own = await labelled(t);
  const run = await picture(own);
  assert.deepEqual(
    run.searches.map(({ gained, covered, seen, nearlySeen }) => ({ gained, covered, seen, nearlySeen })),
    [
      { gained: ['p1'], covered: 1, seen: 0, nearlySeen: 0 },
      { gained: ['p2'], covered: 2, seen: 1, nearlySeen: 0 },
      { gained: [], covered: 2, seen: 1, nearlySeen: 0 },
    ],
  );
  assert.deepEqual([run.never, run.searchesAfter, run.passages], [['p3', 'p4'], 1, 3]);
  assert.deepEqual([run.judgedPairs, run.pairs, run.again], [3, 12, undefined]);
  assert.ok(run.searches.every(({ passages }) => passages.every(({ recognised }) => recognised)));
  const [{ tokens, gainPerThousandTokens }] = run.searches as [RunPicture['searches'][number]];
  const characters = TEXTS['survey.md'].length + TEXTS['letter.md'].length;
  assert.equal(tokens, Math.ceil(characters / 4));
  assert.equal(gainPerThousandTokens, 1000 / tokens);
});

test('its queries asked again tell a lost perspective that a larger k reaches from one that none reaches', async (t) => {
  const own = await labelled(t);
  const params = { queries: [{ text: QUESTION, perspectives: PERSPECTIVES }], again: BM25 };
  const { again } = await picture(own, params);
  assert.ok(again);
  const [fund, gate] = again.lost;
  assert.equal(fund?.reached?.search, 2, 'the query about wages reaches the fund');
  assert.equal(fund.reached.title, 'fund');
  assert.deepEqual([gate?.known, gate?.reached], [1, undefined]);
  const covered = (order: string, leavesOutSeen: boolean): number | undefined =>
    again.whatIfs
      .find((each) => each.order === order && each.leavesOutSeen === leavesOutSeen)
      ?.covered.at(-1);
  assert.equal(again.whatIfs.length, 6);
  assert.equal(covered('covering', false), 3, 'the fund comes first in the third search');
  assert.ok(covered('retrieved', true)! >= 2);
});

test('a run without known perspectives has its searches', async (t) => {
  const own = await labelled(t);
  const run = await picture(own, { queries: [], run: { searches: SEARCHES } });
  assert.deepEqual([run.question, run.perspectives, run.never], [SEARCHES[0]!.query, [], []]);
  assert.deepEqual(
    run.searches.map(({ passages, seen }) => [passages.length, seen]),
    [
      [2, 0],
      [2, 1],
      [1, 1],
    ],
  );
});

test('asking again ends when it is cancelled, and a retriever that fails says so', async (t) => {
  const own = await labelled(t);
  const controller = new AbortController();
  const params: Params<'runPicture'> = {
    corpus: 'docs',
    judge: 'labels',
    queries: [{ text: QUESTION, perspectives: PERSPECTIVES }],
    run: { question: QUESTION, searches: SEARCHES },
    again: BM25,
  };
  const request = own.request('runPicture', params, {
    signal: controller.signal,
    onNote: () => controller.abort(),
  });
  await assert.rejects(request, (error: unknown) => ParallaxError.is(error, 'cancelled'));
  const broken = parsePipeline({ retriever: { type: 'dense', embedder: 'nowhere' } });
  await assert.rejects(own.request('runPicture', { ...params, again: broken }), /nowhere/u);
});

test('the panel shows a captured run, keeps it when asking again fails, and says when it is forgotten', async (t) => {
  const setup = setUp(t);
  const { client } = setup;
  await client.request('index', { corpus: 'docs', rebuild: false });
  const controller = new AbortController();
  const { promise: url, resolve } = Promise.withResolvers<string>();
  const receiving = client.request(
    'capture',
    { keep: 'newest' },
    {
      signal: controller.signal,
      onNote: (note) => note.type === 'capturing' && resolve(note.url),
    },
  );
  receiving.catch(() => undefined);
  await send(await url, [{ query: 'trams at night', documents: [{ text: DOCS['night.md'] }] }]);
  const listing = { corpus: 'docs', judge: 'labels', queries: [] };
  const run = await until(
    async () => (await client.request('captured', listing)).runs[0]?.run,
    'nothing was captured',
  );
  const states: RunState[] = [];
  const panel = new RunController({
    engine: client,
    terms: () => ({ corpus: 'docs', judge: 'labels', queries: [] }),
    pipelines: () => [
      { name: 'captured', pipeline: parsePipeline({ retriever: { type: 'run', file: 'x.jsonl' } }) },
      { name: 'broken', pipeline: parsePipeline({ retriever: { type: 'dense', embedder: 'nowhere' } }) },
    ],
    actions: {
      publish: (state) => {
        toRunSchema.parse({ type: 'state', state });
        states.push(state);
      },
      open: () => Promise.resolve(),
      inspect: () => Promise.resolve(),
      applyRemedy: () => Promise.resolve(),
      log: () => undefined,
    },
  });
  await panel.handle({ type: 'ready' });
  assert.equal(states.at(-1)?.picture, undefined);
  await panel.show(run);
  assert.equal(states.at(-1)?.picture?.question, 'trams at night');
  assert.deepEqual(states.at(-1)?.pipelines, ['broken'], 'results in a file cannot be asked again');
  await panel.handle({ type: 'ask-again', pipeline: 'broken' });
  assert.match(states.at(-1)?.error?.message ?? '', /nowhere/u);
  assert.equal(states.at(-1)?.picture?.searches.length, 1);
  assert.ok(states.some(({ task }) => task));
  assert.equal(states.at(-1)?.task, undefined);
  await client.request('forgetCaptured', {});
  await panel.refresh();
  assert.match(states.at(-1)?.error?.message ?? '', /no longer in the list/u);
  controller.abort();
});
