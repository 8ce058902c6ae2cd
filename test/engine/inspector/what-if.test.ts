/** Both sliders compared with the definitions on the vectors, with a scripted engine. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parsePipeline } from '../../../src/core/pipeline.ts';
import { ProjectionWhatIf, reduceProjection } from '../../../src/core/projection/what-if.ts';
import { mmr } from '../../../src/core/rerank/mmr.ts';
import { similarityMatrix } from '../../../src/core/rerank/similarity.ts';
import { Answer } from '../../../src/features/inspector/host/answer.ts';
import { WhatIf } from '../../../src/features/inspector/host/what-if.ts';
import { seededRandom } from '../dense/support.ts';
import '../../fixtures/built.ts';

const [CANDIDATES, DIMENSIONS] = [40, 16];
const random = seededRandom(3);
const vector = (count = 1): Float32Array =>
  Float32Array.from({ length: count * DIMENSIONS }, () => random() - 0.4);

const vectors = vector(CANDIDATES);
const projections = [0, 1].map(() =>
  reduceProjection({ query: vector(), root: vector(), perspective: vector() }, vectors),
);
const slots = Array.from({ length: CANDIDATES }, (_, slot) => slot);
/** By meaning the order is reversed, and another passage comes first. */
const byMeaning = ['elsewhere', ...slots.map((slot) => `c${slot}`).reverse()];
const engine = {
  request: async (method: string, params?: { pipeline: { retriever: { weight: number } } }) => {
    if (method === 'projections') return { projections, order: slots };
    if (method === 'similarities') return { matrix: similarityMatrix(vectors, CANDIDATES) };
    const ids = params!.pipeline.retriever.weight === 0 ? slots.map((slot) => `c${slot}`) : byMeaning;
    return { candidates: ids.map((id) => ({ id })) };
  },
} as ConstructorParameters<typeof WhatIf>[1];

function answer(retriever: object = { type: 'dense' }): Answer {
  const place = { span: { start: 0, end: 1 }, lines: { startLine: 0, endLine: 0 }, verbatim: true };
  const texts = { documentId: 'd', title: 't', path: 'p', text: 'x', hash: 'h' };
  const candidates = slots.map((slot) => ({
    slot,
    id: `c${slot}`,
    ...texts,
    ...place,
    score: 1 / (slot + 1),
  }));
  return new Answer(
    { candidates, search: 'exact', notices: [], milliseconds: 1 },
    {
      corpus: 'c',
      query: { text: 'q' },
      perspectives: [{ id: 'p', text: 'P' }],
      pipeline: parsePipeline({ retriever, k: CANDIDATES / 2 }),
    },
  );
}

test('MMR after a projection diversifies the projected order by the same passages’ similarities', async () => {
  for (const [weight, lambda] of [
    [1, 0.5],
    [0.3, 0.8],
    [1.6, 0],
  ] as const) {
    const shown = answer();
    const whatIf = new WhatIf(shown, engine);
    await whatIf.try({ weight });
    await whatIf.try({ lambda });
    const projected = new ProjectionWhatIf('pap', projections, slots).rerank(weight);
    const inOrder = new Float32Array(vectors.length);
    projected.forEach(({ item }, place) =>
      inOrder.set(vectors.subarray(item * DIMENSIONS, (item + 1) * DIMENSIONS), place * DIMENSIONS),
    );
    const relevance = projected.map(({ score }) => score);
    const expected = mmr(relevance, inOrder, { lambda }).map(({ item }) => `c${projected[item]!.item}`);
    assert.deepEqual(
      shown.view().items.map(({ passageId }) => passageId),
      expected.slice(0, CANDIDATES / 2),
    );
    whatIf.end();
    assert.deepEqual(
      shown.view().items.map(({ passageId }) => passageId),
      slots.slice(0, CANDIDATES / 2).map((slot) => `c${slot}`),
    );
    assert.equal(whatIf.adopted, undefined);
  }
});

test('another weight of meaning says when a search with it would show missing passages', async () => {
  const retrievers = [{ type: 'bm25' }, { type: 'dense' }];
  const shown = answer({ type: 'hybrid', retrievers, weight: 0.35 });
  const whatIf = new WhatIf(shown, engine);
  const first = (): string | undefined => shown.view().items[0]?.passageId;
  assert.equal(whatIf.view().fusionSlider, 0.35);
  await whatIf.try({ fusion: 0 });
  assert.deepEqual([first(), whatIf.view().whatIf], ['c0', { fusion: 0 }]);
  await whatIf.try({ fusion: 1 });
  assert.deepEqual(
    [first(), whatIf.view().whatIf],
    [`c${CANDIDATES - 1}`, { fusion: 1, isIncomplete: true }],
  );
  whatIf.end();
  assert.deepEqual([first(), whatIf.view().whatIf], ['c0', undefined]);
});

test('the weight of meaning is offered if words and meaning alone make the order', () => {
  const [words, meaning] = [{ type: 'bm25' }, { type: 'dense' }];
  const offered = (retrievers: object[], steps: object = {}): number | undefined => {
    const shown = answer({ type: 'hybrid', retrievers, ...steps });
    return new WhatIf(shown, engine).view().fusionSlider;
  };
  assert.equal(offered([words, meaning]), 0.5);
  assert.equal(offered([words, meaning], { weights: [3, 1] }), 0.25);
  assert.equal(offered([words, meaning], { weights: [0, 0] }), undefined);
  assert.equal(offered([words, { type: 'dense', embedder: 'hashing' }]), undefined);
  assert.equal(offered([meaning, words]), undefined);
  assert.equal(offered([words, meaning, words]), undefined);
});
