import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { ParallaxError } from '../../../src/core/errors.ts';
import { BUILT_IN_PIPELINES, parsePipeline } from '../../../src/core/pipeline.ts';
import { BackgroundEmbedding } from '../../../src/engine/derivation/background-embedding.ts';
import { embedOnce } from '../../../src/engine/derivation/embed-once.ts';
import type { DenseIndex } from '../../../src/engine/dense/dense-index.ts';
import type { Embedder } from '../../../src/engine/embedders/embedder.ts';
import type { ProgressNote, Result } from '../../../src/shared/rpc.ts';
import { testWorkspace, type TestWorkspace } from '../../fixtures/workspace.ts';

const QUESTION = 'How do customers get their money back?';
const TOPICS = ['bridges', 'harbours', 'rivers', 'forests', 'markets', 'schools', 'libraries'];

/** More passages mention customers than an answer waits for. */
const corpus = (passages: number): string =>
  Array.from({ length: passages }, (_, n) =>
    JSON.stringify({
      _id: `p${n}`,
      text:
        n === 7
          ? 'Refunds: the customers are paid what they have spent within a week of the return.'
          : `It is said that customers of the ${TOPICS[n % 7]} number ${n} are the ones who know what to do with them.`,
    }),
  ).join('\n');

async function open(t: TestContext, passages = 260): Promise<TestWorkspace> {
  return testWorkspace(t, {
    files: { 'corpus.jsonl': corpus(passages) },
    corpora: { docs: { roots: ['corpus.jsonl'], split: { type: 'none' } } },
  });
}

const search = (
  workspace: TestWorkspace,
  atOnce: boolean,
  pipeline = BUILT_IN_PIPELINES.hybrid,
): Promise<Result<'search'>> =>
  workspace.request('search', {
    corpus: 'docs',
    query: { text: QUESTION },
    perspectives: [],
    pipeline,
    atOnce,
  });

const idsOf = ({ candidates }: Result<'search'>): string[] => candidates.map(({ id }) => id);

test('an immediate answer compares meaning among word matches, and the rest follows', async (t) => {
  const workspace = await open(t);
  const first = await search(workspace, true);
  assert.equal(first.meaning?.of, 260);
  assert.ok(first.meaning.embedded >= 100 && first.meaning.embedded < 260, JSON.stringify(first.meaning));
  const totals: number[] = [];
  const onNote = (note: ProgressNote): void =>
    void (note.type === 'progress' && totals.push(note.progress.total ?? 0));
  assert.deepEqual(await workspace.request('embedded', { corpus: 'docs' }, { onNote }), { complete: true });
  assert.ok(totals.length > 0 && totals.every((total) => total === 260));
  const second = await search(workspace, true);
  assert.equal(second.meaning, undefined);
  assert.equal((await workspace.request('status', { corpus: 'docs' })).meaning, undefined);
  assert.deepEqual(idsOf(second), idsOf(await search(workspace, false)));
});

test('an evaluation waits for all passages', async (t) => {
  const found = await search(await open(t), false);
  assert.equal(found.meaning, undefined);
});

test('background embedding can be stopped, keeps its vectors, and the next question continues', async (t) => {
  const workspace = await open(t, 1_000);
  await search(workspace, true);
  const control = new AbortController();
  const onNote = (): void => control.abort();
  await assert.rejects(
    Promise.resolve(
      workspace.request('embedded', { corpus: 'docs' }, { signal: control.signal, onNote }),
    ).then(({ complete }) => assert.ok(complete)),
  );
  assert.equal((await workspace.request('status', { corpus: 'docs' })).meaning, undefined);
  const again = await search(workspace, true);
  assert.ok(again.meaning && again.meaning.embedded >= 100 && again.meaning.embedded < 1_000);
});

test('a corpus that is not English is searched by words alone, with a note', async (t) => {
  const texts = [
    'Die Stadt soll Autos verbieten, weil sie laut sind.',
    'Wer Rad fährt, kommt schneller ans Ziel.',
  ];
  const workspace = await testWorkspace(t, {
    files: { 'corpus.jsonl': texts.map((text, n) => JSON.stringify({ _id: `p${n}`, text })).join('\n') },
    corpora: { docs: { roots: ['corpus.jsonl'], split: { type: 'none' } } },
  });
  const ask = (pipeline: typeof BUILT_IN_PIPELINES.hybrid): Promise<Result<'search'>> =>
    workspace.request('search', {
      corpus: 'docs',
      query: { text: 'Autos in der Stadt' },
      perspectives: [],
      pipeline,
    });
  const { candidates, notices } = await ask(BUILT_IN_PIPELINES.hybrid);
  assert.deepEqual(
    candidates.map(({ id }) => id),
    ['p0'],
  );
  assert.match(notices.join(), /Searched by words alone: the encoder that ships reads English/);
  const asked = await ask(parsePipeline({ retriever: { type: 'dense', embedder: 'meaning' } }));
  assert.equal(asked.candidates.length, 2);
  assert.match(asked.notices.join(), /reads English.*it hardly finds meaning here/u);
  const slots = candidates.map(({ slot }) => slot);
  for (const [pipeline, embedder] of [
    [BUILT_IN_PIPELINES.hybrid, 'hashing'],
    [BUILT_IN_PIPELINES.bm25, 'hashing'],
    [BUILT_IN_PIPELINES.dense, 'meaning'],
  ] as const) {
    const alike = await workspace.request('similarities', { corpus: 'docs', pipeline, slots });
    assert.equal(
      alike.embedder,
      embedder,
      'likeness by meaning is for English, where it is not asked for by name',
    );
  }
});

test('a full disk ends embedding with a sentence, and the next question starts it again', async () => {
  const [said, logged]: [string[], string[]] = [[], []];
  let hasRoom = false;
  const held = new Set<number>();
  const index = { held, has: (slot: number) => held.has(slot) } as unknown as DenseIndex;
  const background = new BackgroundEmbedding({
    inBackground: (work) => work({}),
    log: (message) => void logged.push(message),
    notice: (text) => void said.push(text),
    live: () => ({ count: 2, without: () => Uint32Array.from([0, 1].filter((slot) => !held.has(slot))) }),
    embed: async (_, slots) => {
      if (!hasRoom) throw new ParallaxError('store-unusable', 'There is no room on the disk.');
      for (const slot of slots) held.add(slot);
    },
  });
  const embed = async (): Promise<void> => {
    background.begin({} as Embedder, index, []);
    await background.end(undefined, () => undefined);
  };
  await embed();
  assert.deepEqual(
    [said, logged.length, background.soFar],
    [['There is no room on the disk.'], 1, undefined],
  );
  hasRoom = true;
  await embed();
  assert.deepEqual([said.length, held.size], [1, 2]);
});

test('an urgent passage that is also the next one is embedded once', async () => {
  const held = new Set<number>();
  const index = { held, has: (slot: number) => held.has(slot) } as unknown as DenseIndex;
  const portions: (readonly number[])[] = [];
  const background = new BackgroundEmbedding({
    inBackground: (work) => work({}),
    log: assert.fail,
    notice: assert.fail,
    live: () => ({ count: 3, without: () => Uint32Array.from([0, 1, 2].filter((slot) => !held.has(slot))) }),
    embed: async (_, slots) => {
      portions.push(slots);
      for (const slot of slots) held.add(slot);
    },
  });
  background.begin({} as Embedder, index, [1]);
  await background.end(undefined, () => undefined);
  assert.deepEqual(portions, [[1, 0, 2]]);
});

test('copies of a text are embedded once', async () => {
  const calls: string[][] = [];
  const embedder: Pick<Embedder, 'embedPassages'> = {
    embedPassages: (texts) => {
      calls.push([...texts]);
      return Promise.resolve(Float32Array.from(texts.flatMap((text) => [text.length, 1])));
    },
  };
  const memory = new Map<string, Float32Array>();
  const once = (texts: string[]): Promise<Float32Array> => embedOnce(embedder, texts, {}, memory);
  assert.deepEqual([...(await once(['aa', 'b', 'aa']))], [2, 1, 1, 1, 2, 1]);
  assert.deepEqual([...(await once(['aa', 'aa']))], [2, 1, 2, 1]);
  assert.deepEqual([...(await once(['ccc', 'b']))], [3, 1, 1, 1]);
  assert.deepEqual(calls, [['aa', 'b'], [], ['ccc']]);
  calls.length = 0;
  await once(Array.from({ length: 100_000 }, () => 'the same'));
  assert.deepEqual(calls, [['the same']]);
});
