/** The map of an answer over the real engine, and the panel's logic on it. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { likensWholeCorpus } from '../../../src/core/pipeline-needs.ts';
import { BUILT_IN_PIPELINES, parsePipeline, type NamedPipeline } from '../../../src/core/pipeline.ts';
import { MapController } from '../../../src/features/map/host/map-controller.ts';
import type { MappedAnswer } from '../../../src/extension/services/panels.ts';
import { passageMapSchema } from '../../../src/features/map/contract/passage-map.ts';
import { toMapSchema, type MapState } from '../../../src/features/map/contract/panel.ts';
import { testWorkspace, type TestWorkspace } from '../../fixtures/workspace.ts';

const FILES = Object.fromEntries(
  ['sleep clock melatonin', 'bus timetable driver'].flatMap((words) =>
    Array.from({ length: 6 }, (_, place) => [
      `docs/${words.split(' ')[0]!}-${place}.md`,
      `Pupils and ${words}, report ${place}. ${words} once more.`,
    ]),
  ),
);
const BM25 = parsePipeline({ name: 'words', retriever: { type: 'bm25' }, k: 3 });
const DENSE = parsePipeline({ name: 'vectors', retriever: { type: 'dense' }, k: 2 });
const BROKEN = parsePipeline({ name: 'broken', retriever: { type: 'dense', embedder: 'nowhere' } });

async function asked(t: TestContext): Promise<{ own: TestWorkspace; answer: MappedAnswer }> {
  const own = await testWorkspace(t, { files: FILES, corpora: { docs: { roots: ['docs'] } } });
  const query = { text: 'pupils' };
  const perspectives = [{ id: 'p', text: 'The bus is late.' }];
  const { candidates } = await own.request('search', { corpus: 'docs', query, perspectives, pipeline: BM25 });
  const slots = candidates.map(({ slot }) => slot);
  return {
    own,
    answer: {
      corpus: 'docs',
      query,
      perspectives,
      pipeline: BM25,
      name: 'words',
      candidates: slots,
      supports: { [candidates[0]!.id]: [0] },
    },
  };
}

const PLAIN = { sample: 0 } as const;

const middle = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

test('themes are apart on the map, question and perspectives are placed, pipelines outlined', async (t) => {
  const { own, answer } = await asked(t);
  const { supports, ...wanted } = answer;
  assert.ok(supports);
  const map = passageMapSchema.parse(
    await own.request('passageMap', {
      ...wanted,
      ...PLAIN,
      others: [
        { name: 'vectors', pipeline: DENSE },
        { name: 'broken', pipeline: BROKEN },
      ],
    }),
  );
  assert.equal(map.passages.length, 12);
  const xs = (prefix: string): number[] =>
    map.passages.filter(({ path }) => path.startsWith(`docs/${prefix}`)).map(({ x }) => x);
  const [sleep, bus] = [xs('sleep'), xs('bus')];
  const [low, high] = middle(sleep) < middle(bus) ? [sleep, bus] : [bus, sleep];
  assert.ok(Math.max(...low) < Math.min(...high));
  // The perspective about buses is on the side of their passages.
  assert.equal(Math.sign(map.perspectives[0]!.x), Math.sign(middle(bus)));
  assert.deepEqual(
    map.tops.map(({ name, ids }) => [name, ids.length]),
    [
      ['words', 3],
      ['vectors', 2],
      ['broken', 0],
    ],
  );
  assert.match(map.tops[2]!.problem!, /no embedder "nowhere"/u);
  assert.equal(map.likeness.passages, 3);
  assert.ok(map.explained! > 0 && map.explained! <= 1);
});

test('other passages are sampled, and read when they are looked at', async (t) => {
  const { own, answer } = await asked(t);
  const { supports, ...all } = answer;
  assert.ok(supports);
  const wanted = { ...all, candidates: all.candidates.slice(0, 4), others: [] };
  const { passages, sample } = await own.request('passageMap', { ...wanted, sample: 5 });
  assert.deepEqual(
    [passages.length, sample.slots.length, sample.places.length, sample.corpus],
    [4, 5, 10, 12],
  );
  assert.ok(sample.places.every(Number.isFinite));
  assert.equal(new Set([...sample.slots, ...wanted.candidates]).size, 9);
  const looked = await own.request('mappedPassages', { corpus: 'docs', slots: [...sample.slots, 9999] });
  assert.deepEqual(
    looked.passages.map(({ slot }) => slot),
    sample.slots,
  );
});

test('if the corpus has vectors of candidates only, no others are made', () => {
  const mmr = (retriever: 'bm25' | 'dense', embedder: string): boolean =>
    likensWholeCorpus(parsePipeline({ retriever: { type: retriever }, rerank: [{ type: 'mmr', embedder }] }));
  assert.deepEqual([mmr('bm25', 'paid'), mmr('bm25', 'hashing'), mmr('dense', 'paid')], [false, true, true]);
});

test('a map can be cancelled and drawn on request', async (t) => {
  const { own, answer } = await asked(t);
  const { supports, ...wanted } = answer;
  assert.ok(supports);
  const work = new AbortController();
  const drawing = own.request('passageMap', { ...wanted, sample: 5, others: [] }, { signal: work.signal });
  setTimeout(() => work.abort(), 20);
  await assert.rejects(drawing, /cancel/iu);
  const map = await own.request('passageMap', { ...wanted, sample: 5, others: [] });
  assert.equal(map.passages.length, 12);
});

test('no results give an empty map', async (t) => {
  const { own, answer } = await asked(t);
  const { supports, ...wanted } = { ...answer, candidates: [] };
  assert.ok(supports);
  const { passages, question, explained } = await own.request('passageMap', {
    ...wanted,
    ...PLAIN,
    others: [],
  });
  assert.deepEqual([passages, question, explained], [[], { x: 0, y: 0 }, 1]);
});

interface Shown {
  readonly controller: MapController;
  readonly states: MapState[];
  readonly opened: string[];
  readonly saved: string[];
  /** Labels and perspectives. */
  readonly said: unknown[];
  asked: number;
  answer: MappedAnswer | undefined;
  failing: boolean;
}

async function panel(
  t: TestContext,
  pipelines: readonly NamedPipeline[] = [BM25, DENSE].map((pipeline) => ({ name: pipeline.name!, pipeline })),
): Promise<Shown> {
  const { own, answer } = await asked(t);
  const shown: Shown = {
    controller: new MapController({
      engine: {
        request: (...request: Parameters<typeof own.request<'passageMap'>>) => {
          shown.asked++;
          return shown.failing ? Promise.reject(new Error('Broken.')) : own.request(...request);
        },
      } as never,
      answer: () => shown.answer,
      pipelines: () => pipelines,
      actions: {
        publish: (state) => void shown.states.push(toMapSchema.parse({ type: 'state', state }).state),
        open: async (id) => void shown.opened.push(id),
        label: async (...said) => void shown.said.push(said),
        addPerspective: async (text) => void shown.said.push(text),
        supportsOf: async (slots) => Object.fromEntries(slots.map((slot) => [`of ${slot}`, []])),
        save: async (name) => void shown.saved.push(name),
        applyRemedy: async () => undefined,
        log: () => undefined,
      },
    }),
    states: [],
    opened: [],
    saved: [],
    said: [],
    asked: 0,
    answer,
    failing: false,
  };
  return shown;
}

test('the panel draws a new answer once, and names it', async (t) => {
  const shown = await panel(t);
  await shown.controller.handle({ type: 'ready' });
  const state = shown.states.at(-1)!;
  assert.deepEqual([state.question, state.working, state.pipelines], ['pupils', false, ['vectors']]);
  assert.equal(state.map!.passages.length, 12);
  assert.deepEqual(Object.values(state.supports), [[0]]);
  await shown.controller.refresh();
  assert.equal(shown.asked, 1);
  await shown.controller.handle({ type: 'set-pipelines', names: ['vectors', 'gone'] });
  assert.deepEqual(
    shown.states.at(-1)!.map!.tops.map(({ name }) => name),
    ['words', 'vectors'],
  );
  assert.deepEqual(shown.states.at(-1)!.chosen, ['vectors']);
});

test('other pipelines have the names of the other panels, and the one in view is none of them', async (t) => {
  const { dense, hybrid } = BUILT_IN_PIPELINES;
  const shown = await panel(t, [
    { name: 'as in view', pipeline: parsePipeline({ retriever: { type: 'bm25' }, k: 3 }) },
    { name: 'dense', pipeline: dense },
    { name: 'hybrid', pipeline: hybrid },
  ]);
  await shown.controller.handle({ type: 'ready' });
  assert.deepEqual(shown.states.at(-1)!.pipelines, ['Meaning', 'Words and meaning']);
});

test('without a question nothing is drawn, and a failure is reported and retried', async (t) => {
  const shown = await panel(t);
  shown.failing = true;
  await shown.controller.handle({ type: 'ready' });
  assert.equal(shown.states.at(-1)!.error?.message, 'Broken.');
  shown.failing = false;
  await shown.controller.refresh();
  assert.deepEqual([shown.states.at(-1)!.error, shown.states.at(-1)!.map === undefined], [undefined, false]);
  shown.answer = undefined;
  await shown.controller.refresh();
  assert.deepEqual([shown.states.at(-1)!.question, shown.states.at(-1)!.map], [undefined, undefined]);
});

test('a passage under the pointer is read once, with the perspectives that it supports', async (t) => {
  const shown = await panel(t);
  await shown.controller.handle({ type: 'ready' });
  const [slot] = shown.answer!.candidates;
  shown.answer = { ...shown.answer!, candidates: shown.answer!.candidates.slice(1) };
  await shown.controller.handle({ type: 'look', slots: [slot!] });
  const { asked: before } = shown;
  await shown.controller.handle({ type: 'look', slots: [slot!] });
  assert.equal(shown.asked, before);
  const state = shown.states.at(-1)!;
  assert.deepEqual(
    state.looked.map((passage) => passage.slot),
    [slot],
  );
  assert.deepEqual(state.supports[`of ${slot}`], []);
});

test('labels and perspectives go to the side panel', async (t) => {
  const shown = await panel(t);
  await shown.controller.handle({ type: 'ready' });
  await shown.controller.handle({ type: 'label', slot: 3, perspective: 0, verdict: 'yes' });
  await shown.controller.handle({ type: 'add-perspective', text: 'It costs money.' });
  assert.deepEqual(shown.said, [[3, 0, 'yes'], 'It costs money.']);
});

test('stopping keeps the map and its choice, and drawing can be restarted', async (t) => {
  const shown = await panel(t);
  await shown.controller.handle({ type: 'ready' });
  const drawing = shown.controller.handle({ type: 'set-sample', sample: 1000 });
  assert.equal(shown.states.at(-1)!.working, true);
  await shown.controller.handle({ type: 'cancel' });
  await drawing;
  const state = shown.states.at(-1)!;
  assert.deepEqual([state.working, state.sample, state.error], [false, 0, undefined]);
  assert.equal(state.map?.sample.slots.length, 0);
  // Of another question nothing is left to show.
  shown.answer = { ...shown.answer!, query: { text: 'drivers' } };
  const another = shown.controller.refresh();
  await shown.controller.handle({ type: 'cancel' });
  await another;
  assert.equal(shown.states.at(-1)!.map, undefined);
  await shown.controller.handle({ type: 'draw' });
  assert.equal(shown.states.at(-1)!.map!.passages.length, 12);
});

test('a point opens its passage, and the picture is saved under a name', async (t) => {
  const shown = await panel(t);
  await shown.controller.handle({ type: 'open', passageId: 'x' });
  await shown.controller.handle({ type: 'save-chart', name: 'the map', format: 'svg', content: '<svg/>' });
  assert.deepEqual([shown.opened, shown.saved], [['x'], ['the-map.svg']]);
});
