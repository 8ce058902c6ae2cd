/** Both sliders together against the definitions on the vectors themselves; only the engine is played. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parsePipeline } from '../../../src/core/pipeline.ts';
import { ProjectionWhatIf, reduceProjection } from '../../../src/core/projection/what-if.ts';
import { mmr } from '../../../src/core/rerank/mmr.ts';
import { similarityMatrix } from '../../../src/core/rerank/similarity.ts';
import { Answer } from '../../../src/extension/inspector/answer.ts';
import { WhatIf } from '../../../src/extension/inspector/what-if.ts';
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
const engine = {
  request: async (method: string) =>
    method === 'projections'
      ? { projections, order: slots }
      : { matrix: similarityMatrix(vectors, CANDIDATES) },
} as ConstructorParameters<typeof WhatIf>[1];

function answer(): Answer {
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
      pipeline: parsePipeline({ retriever: { type: 'dense' }, k: CANDIDATES }),
    },
  );
}

test('MMR after a projection diversifies the projected order by the similarities of the same passages', async () => {
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
      expected,
    );
    whatIf.end();
    assert.deepEqual(
      shown.view().items.map(({ passageId }) => passageId),
      slots.map((slot) => `c${slot}`),
    );
    assert.equal(whatIf.adopted, undefined);
  }
});
