/** The likeness of passages, over the real engine. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { meanCosine, vendiScore } from '../../../src/core/likeness/alike.ts';
import { parsePipeline, type PipelineInput } from '../../../src/core/pipeline.ts';
import { likenessSchema, type LikenessView } from '../../../src/shared/likeness.ts';
import { testWorkspace, type TestWorkspace } from '../../fixtures/workspace.ts';

const SLEEP = ['clock', 'melatonin', 'night', 'dream', 'pillow', 'bed'].map(
  (word) => `Pupils need sleep and rest, says the clinic: ${word}. Sleep and rest help a pupil to learn.`,
);
const BUS = ['driver', 'garage', 'fuel', 'stop', 'route', 'fare'].map(
  (word) => `Pupils ride the bus by timetable, says the council: ${word}. A bus by timetable costs money.`,
);

const FILES = Object.fromEntries([
  ...SLEEP.map((text, place) => [`docs/sleep/${place}.md`, text]),
  ...BUS.map((text, place) => [`docs/bus/${place}.md`, text]),
]);

async function workspace(t: TestContext): Promise<TestWorkspace> {
  return testWorkspace(t, { files: FILES, corpora: { docs: { roots: ['docs'] } } });
}

interface Found {
  readonly slots: readonly number[];
  readonly ids: readonly string[];
  likeness(top: readonly number[]): Promise<LikenessView>;
}

async function ask(
  { request }: { request: TestWorkspace['request'] },
  text: string,
  input: PipelineInput,
): Promise<Found> {
  const pipeline = parsePipeline(input);
  const { candidates } = await request('search', {
    corpus: 'docs',
    query: { text },
    perspectives: [],
    pipeline,
  });
  const slots = candidates.map(({ slot }) => slot);
  return {
    slots,
    ids: candidates.map(({ id }) => id),
    likeness: async (top) =>
      likenessSchema.parse(
        await request('likeness', {
          corpus: 'docs',
          question: text,
          pipeline,
          candidates: slots,
          top: [...top],
        }),
      ),
  };
}

test('an unjudged answer has themes and places', async (t) => {
  const own = await workspace(t);
  const found = await ask({ request: own.request.bind(own) }, 'pupils', {
    retriever: { type: 'bm25' },
    k: 3,
  });
  const { embedder, passages, candidates, spreads, themes } = await found.likeness(found.slots);
  assert.deepEqual([embedder, passages, candidates], ['meaning', 12, 12]);
  assert.deepEqual(spreads.folders, { top: 2, candidates: 2, without: 0 });
  assert.deepEqual(spreads.documents, { top: 12, candidates: 12, without: 0 });
  assert.deepEqual(
    themes.larger.map(({ passages: size, top }) => [size, top]),
    [
      [6, 6],
      [6, 6],
    ],
  );
  const named = themes.larger.map(({ terms, nearest: { path } }) => [path.split('/')[1]!, terms] as const);
  for (const [folder, terms] of named) {
    const [own, other] = folder === 'sleep' ? [SLEEP, BUS] : [BUS, SLEEP];
    assert.ok(terms.length > 0 && !terms.includes('pupils'));
    for (const term of terms) {
      assert.ok(own.every((text) => text.toLowerCase().includes(term)));
      assert.ok(!other.some((text) => text.toLowerCase().includes(term)));
    }
  }
});

test('headings above passages name themes', async (t) => {
  const section = (heading: string, texts: readonly string[]): string =>
    `# Pupils\n\n## ${heading}\n\n${texts.join(' ')}`;
  const own = await testWorkspace(t, {
    files: { 'docs/sleep.md': section('Slumber', SLEEP), 'docs/bus.md': section('Transport', BUS) },
    corpora: { docs: { roots: ['docs'], split: { type: 'words', size: 19 } } },
  });
  const found = await ask({ request: own.request.bind(own) }, 'pupils', {
    retriever: { type: 'bm25' },
    k: 3,
  });
  const { themes } = await found.likeness(found.slots);
  const names = themes.larger.map(({ terms }) => terms.filter((term) => /slumber|transport/u.test(term)));
  assert.deepEqual(names.flat().sort(), ['slumber', 'transport']);
});

test('a passage that repeats a higher one is a repeat of it', async (t) => {
  const files = { ...FILES, 'docs/sleep/again.md': SLEEP[0]!.replace('learn', 'study') };
  const own = await testWorkspace(t, { files, corpora: { docs: { roots: ['docs'] } } });
  const found = await ask({ request: own.request.bind(own) }, 'pupils', {
    retriever: { type: 'bm25' },
    k: 3,
  });
  const [first, again] = ['0', 'again'].map((name) => found.ids.indexOf(`docs/sleep/${name}.md#p1`));
  const { repeats } = await found.likeness([found.slots[again!]!, found.slots[first!]!]);
  assert.deepEqual(repeats, [{ passageId: 'docs/sleep/0.md#p1', of: 'docs/sleep/again.md#p1' }]);
});

test('another order shows other themes of the same candidates', async (t) => {
  const own = await workspace(t);
  const found = await ask({ request: own.request.bind(own) }, 'pupils', {
    retriever: { type: 'bm25' },
    k: 3,
  });
  const buses = found.slots.filter((_, place) => found.ids[place]!.startsWith('docs/bus')).slice(0, 3);
  const { spreads, themes } = await found.likeness(buses);
  assert.deepEqual(spreads.folders, { top: 1, candidates: 2, without: 0 });
  assert.deepEqual(themes.larger.map(({ top }) => top).sort(), [0, 3]);
});

test('likeness of passages uses the vectors of the pipeline', async (t) => {
  const own = await testWorkspace(t, {
    files: FILES,
    corpora: { docs: { roots: ['docs'] } },
    embedders: { tiny: { type: 'hashing', dimensions: 8 } },
  });
  const pipeline = parsePipeline({ retriever: { type: 'dense', embedder: 'tiny' }, k: 4 });
  const found = await ask({ request: own.request.bind(own) }, 'pupils', pipeline);
  const top = found.slots.slice(0, 4);
  const { embedder, vendi, similarity } = await found.likeness(top);
  const { matrix, ...of } = await own.request('similarities', { corpus: 'docs', pipeline, slots: top });
  assert.deepEqual([embedder, of.embedder], ['tiny', 'tiny']);
  assert.equal(vendi, vendiScore(matrix, 4));
  assert.equal(similarity, meanCosine(matrix, 4));
});

test('one passage has no pair, and deleted slots do not count', async (t) => {
  const own = await workspace(t);
  const found = await ask({ request: own.request.bind(own) }, 'pupils', {
    retriever: { type: 'bm25' },
    k: 1,
  });
  const alone = await found.likeness([found.slots[0]!, 4_000_000]);
  assert.equal('similarity' in alone, false);
  assert.deepEqual([alone.passages, alone.vendi], [1, 1]);
  const none = await own.request('likeness', {
    corpus: 'docs',
    question: 'x',
    pipeline: parsePipeline({ retriever: { type: 'bm25' } }),
    candidates: [],
    top: [],
  });
  assert.deepEqual([none.passages, none.vendi, none.themes.larger], [0, 0, []]);
});

test('document fields are counted: varying ones, or those that the corpus names', async (t) => {
  const heads = ['Kim', 'Kim', 'Lee', 'Lee', 'Lee', 'Max'];
  const files = Object.fromEntries(
    heads.map((author, place) => [
      `docs/${place}.md`,
      `---\nauthor: ${author}\ntitle: Report ${place}\n---\n\n# Report ${place}\n\nPupils sleep late, says report ${place}.\n`,
    ]),
  );
  const own = await testWorkspace(t, { files, corpora: { docs: { roots: ['docs'] } } });
  const { slots, likeness } = await ask({ request: own.request.bind(own) }, 'pupils', {
    retriever: { type: 'bm25' },
    k: 2,
  });
  assert.equal(slots.length, 6);
  const { fields, foundFields } = await likeness(slots);
  assert.deepEqual(fields, [{ name: 'author', top: 3, candidates: 3, without: 0 }]);
  assert.deepEqual(foundFields, ['author', 'title']);
  assert.deepEqual((await likeness(slots.slice(0, 1))).fields, [
    { name: 'author', top: 1, candidates: 3, without: 0 },
  ]);
  await own.configure({ corpora: { docs: { roots: ['docs'], fields: ['Title', 'nowhere'] } } });
  const named = await likeness(slots);
  assert.deepEqual(named.fields, [
    { name: 'title', top: 6, candidates: 6, without: 0 },
    { name: 'nowhere', top: 0, candidates: 0, without: 6 },
  ]);
});
