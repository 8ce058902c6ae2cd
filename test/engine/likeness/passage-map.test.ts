/** The map of an answer over the real engine, and the panel's logic on it. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { parsePipeline } from '../../../src/core/pipeline.ts';
import { MapController } from '../../../src/extension/map/map-controller.ts';
import type { MappedAnswer } from '../../../src/extension/services/panels.ts';
import { passageMapSchema } from '../../../src/shared/passage-map.ts';
import { toMapSchema, type MapState } from '../../../src/shared/panels/map-panel.ts';
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

const middle = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

test('themes lie apart on the map, question and perspectives are placed, and every pipeline is outlined', async (t) => {
  const { own, answer } = await asked(t);
  const { supports, ...wanted } = answer;
  assert.ok(supports);
  const map = passageMapSchema.parse(
    await own.request('passageMap', {
      ...wanted,
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
  // What speaks of buses stands on their side.
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
  assert.ok(map.explained > 0 && map.explained <= 1);
});

test('nothing found is an empty map', async (t) => {
  const { own, answer } = await asked(t);
  const { supports, ...wanted } = { ...answer, candidates: [] };
  assert.ok(supports);
  const { passages, question, explained } = await own.request('passageMap', { ...wanted, others: [] });
  assert.deepEqual([passages, question, explained], [[], { x: 0, y: 0 }, 1]);
});

interface Shown {
  readonly controller: MapController;
  readonly states: MapState[];
  readonly opened: string[];
  readonly saved: string[];
  asked: number;
  answer: MappedAnswer | undefined;
  failing: boolean;
}

async function panel(t: TestContext): Promise<Shown> {
  const { own, answer } = await asked(t);
  const shown: Shown = {
    controller: new MapController({
      engine: {
        request: (method: 'passageMap', params: Parameters<typeof own.request<'passageMap'>>[1]) => {
          shown.asked++;
          return shown.failing ? Promise.reject(new Error('Broken.')) : own.request(method, params);
        },
      } as never,
      answer: () => shown.answer,
      pipelines: () => [BM25, DENSE].map((pipeline) => ({ name: pipeline.name!, pipeline })),
      actions: {
        publish: (state) => void shown.states.push(toMapSchema.parse({ type: 'state', state }).state),
        open: async (id) => void shown.opened.push(id),
        save: async (name) => void shown.saved.push(name),
        applyRemedy: async () => undefined,
        log: () => undefined,
      },
    }),
    states: [],
    opened: [],
    saved: [],
    asked: 0,
    answer,
    failing: false,
  };
  return shown;
}

test('the panel draws what is new, once, and says what it is of', async (t) => {
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

test('without a question there is nothing to draw, and a failure is said and tried again', async (t) => {
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

test('a point opens its passage, and the picture is saved under a name', async (t) => {
  const shown = await panel(t);
  await shown.controller.handle({ type: 'open', passageId: 'x' });
  await shown.controller.handle({ type: 'save-chart', name: 'the map', format: 'svg', content: '<svg/>' });
  assert.deepEqual([shown.opened, shown.saved], [['x'], ['the-map.svg']]);
});
