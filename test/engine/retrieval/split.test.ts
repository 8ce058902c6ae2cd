/** Projection by a query that a model splits, with a scripted model on loopback. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ParallaxError } from '../../../src/core/errors.ts';
import { parsePipeline } from '../../../src/core/pipeline.ts';
import { pipelineLabel } from '../../../src/core/pipeline-label.ts';
import { ProjectionWhatIf } from '../../../src/core/projection/what-if.ts';
import type { ChatRequest } from '../../fixtures/model-server.ts';
import { openBench } from './support.ts';

const TEXTS = [
  'Night trams bring workers home safely after late shifts.',
  'Night trams keep the neighbours of the line awake.',
  'The tram company counts its passengers at night.',
  'A nurse says the last tram leaves before her shift ends.',
  'The harbour festival needs volunteers.',
];
const FULL = 'Find an argument for running trams at night from the view of workers';
const SPLIT = { root: 'Find an argument for running trams at night', perspective: 'the view of workers' };
const pipeline = (projection: object): ReturnType<typeof parsePipeline> =>
  parsePipeline({ retriever: { type: 'dense', embedder: 'hashing' }, projection, k: 5 });
const splitting = pipeline({ split: 'model' });
const answering =
  (answer: object | string) =>
  ({ messages }: ChatRequest): { text: string } => {
    assert.match(messages[0]!.content, /take a search query apart/u);
    return { text: typeof answer === 'string' ? answer : JSON.stringify(answer) };
  };

test('the search uses the extracted root and perspective, and pays the model once', async (t) => {
  const { corpus, services, server } = await openBench(t, TEXTS, answering(SPLIT));
  const given = [{ id: 'gold', text: 'an oracle that must not be looked at' }];
  const found = await corpus.search(splitting, { text: FULL, perspectives: given }, 5, services);
  const byHand = await corpus.search(
    pipeline({}),
    { text: SPLIT.root, perspectives: [{ id: 'p', text: SPLIT.perspective }], fullTexts: [FULL] },
    5,
    services,
  );
  assert.deepEqual(found.hits, byHand.hits);
  assert.deepEqual(found.splits, [{ full: FULL, ...SPLIT }]);
  assert.equal(byHand.splits, undefined);
  await corpus.search(splitting, { text: FULL, perspectives: [] }, 5, services);
  assert.equal(server.chatRequests.length, 1);
  assert.ok(!JSON.stringify(server.chatRequests[0]!.messages).includes('oracle'));
});

test('several full queries are each split, and their results interleaved', async (t) => {
  const { corpus, services } = await openBench(t, TEXTS, ({ messages }) => ({
    text: JSON.stringify({
      root: 'trams',
      perspective: /workers/u.test(messages[1]!.content) ? 'workers' : 'neighbours',
    }),
  }));
  const fullTexts = ['trams for workers', 'trams for neighbours'];
  const { splits, hits } = await corpus.search(
    splitting,
    { text: 'trams', perspectives: [], fullTexts },
    5,
    services,
  );
  assert.deepEqual(
    splits?.map(({ perspective }) => perspective),
    ['workers', 'neighbours'],
  );
  assert.deepEqual(
    hits.map(({ score }) => score),
    [1, 1 / 2, 1 / 3, 1 / 4, 1 / 5],
  );
});

test('an unreadable answer is an error that names the query, and is requested again', async (t) => {
  const answers = ['I would rather not.', JSON.stringify(SPLIT)];
  const { corpus, services, server } = await openBench(t, TEXTS, ({ index }) => ({ text: answers[index]! }));
  const search = (): Promise<unknown> =>
    corpus.search(splitting, { text: FULL, perspectives: [] }, 5, services);
  await assert.rejects(search(), (error) => {
    assert.ok(ParallaxError.is(error, 'model-answer'));
    assert.ok(error.message.includes(FULL), error.message);
    return true;
  });
  await search();
  assert.equal(server.chatRequests.length, 2);
});

test('a query without a perspective is searched unchanged, and reported', async (t) => {
  const { corpus, services } = await openBench(t, TEXTS, answering({ root: FULL, perspective: null }));
  const found = await corpus.search(splitting, { text: FULL, perspectives: [] }, 5, services);
  const plain = await corpus.search(
    parsePipeline({ retriever: { type: 'dense', embedder: 'hashing' } }),
    { text: FULL, perspectives: [] },
    5,
    services,
  );
  assert.deepEqual(found.hits, plain.hits);
  assert.deepEqual(found.splits, [{ full: FULL, root: FULL }]);
  const slots = found.hits.map(({ item }) => item);
  await assert.rejects(
    corpus.projections(splitting.projection!, 'hashing', { text: FULL, perspectives: [] }, slots, services),
    /finds no perspective in the query/u,
  );
});

for (const projection of [
  {},
  { method: 'pap+', weight: 0.6 },
  { method: 'add', weight: 2 },
  { split: 'model' },
])
  test(`the what-if at the pipeline’s weight equals its order: ${JSON.stringify(projection)}`, async (t) => {
    const { corpus, services } = await openBench(t, TEXTS, answering(SPLIT));
    const spec = pipeline(projection);
    const perspectives = [
      { id: 'a', text: 'Workers need a way home.' },
      { id: 'b', text: 'Neighbours need sleep.' },
    ];
    const query = { text: FULL, perspectives };
    const { hits } = await corpus.search(spec, query, 5, services);
    const slots = hits.map(({ item }) => item);
    const { method, weight } = spec.projection!;
    const reduced = await corpus.projections(spec.projection!, 'hashing', query, slots, services);
    const tried = new ProjectionWhatIf(method, reduced, slots).rerank(weight);
    assert.deepEqual(
      tried.map(({ item }) => slots[item]),
      slots,
    );
    tried.forEach(({ score }, i) => assert.ok(Math.abs(score - hits[i]!.score) < 1e-5));
  });

test('the label shows that a model splits, and other perspectives beside a split are refused', () => {
  assert.equal(pipelineLabel(splitting), 'Hashed words + PAP (split by the model), k = 5');
  assert.throws(
    () => pipeline({ split: 'model', perspectives: 'model' }),
    /projection\.split "model" .* projection\.perspectives "model"/u,
  );
});
