import assert from 'node:assert/strict';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { ParallaxError } from '../../../src/core/errors.ts';
import {
  planProjection,
  PROJECTION_METHODS,
  scoreRows,
  type ScoringPlan,
} from '../../../src/core/projection/project.ts';
import { DenseIndex } from '../../../src/engine/dense/dense-index.ts';
import { SCAN_ROWS, VectorMemory } from '../../../src/engine/kernels/vector-memory.ts';
import type { Hit, LiveSlots } from '../../../src/engine/types.ts';
import { liveWithout, randomVectors, seededRandom, slotsUpTo } from './support.ts';
import '../../fixtures/built.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';

const ALL = liveWithout();
const isId = (id: string) => (error: unknown) => ParallaxError.is(error) && error.id === id;

async function indexOf(t: TestContext, vectors: Float32Array, dimensions: number): Promise<DenseIndex> {
  const path = join(temporaryFolder(t), 'vectors');
  const index = await DenseIndex.open(path, { key: 'test', dimensions });
  t.after(() => index.close());
  await index.append(slotsUpTo(vectors.length / dimensions), vectors);
  return index;
}

/** Rows of lengths from 0.2 to 5. */
function ofManyLengths(vectors: Float32Array, dimensions: number): Float32Array {
  const random = seededRandom(7);
  const lengths = Array.from({ length: vectors.length / dimensions }, () => 5 ** (2 * random() - 1));
  return vectors.map((value, i) => value * lengths[Math.floor(i / dimensions)]!);
}

function planOf(method: (typeof PROJECTION_METHODS)[number], dimensions: number, weight = 1): ScoringPlan {
  const [query, root, perspective] = [11, 12, 13].map((seed) => randomVectors(1, dimensions, seed));
  return planProjection(method, { query, root, perspective: perspective!, weight });
}

/** Computed by the core, in double precision, over all rows. */
function reference(plan: ScoringPlan, vectors: Float32Array, depth: number, live: LiveSlots): Hit[] {
  return Array.from(scoreRows(plan, vectors), (score, item) => ({ item, score }))
    .filter(({ item }) => live.has(item))
    .sort((a, b) => b.score - a.score || a.item - b.item)
    .slice(0, depth);
}

function assertSameHits(hits: readonly Hit[], expected: readonly Hit[]): void {
  assert.deepEqual(
    hits.map(({ item }) => item),
    expected.map(({ item }) => item),
  );
  hits.forEach(({ score }, i) =>
    assert.ok(Math.abs(score - expected[i]!.score) < 1e-6, `${score} for ${expected[i]!.score}`),
  );
}

for (const dimensions of [2, 3, 4, 5, 8, 15, 16, 17, 384, 1027])
  test(`projectRows equals scoreRows of the core at ${dimensions} dimensions`, () => {
    for (const vectors of [
      randomVectors(53, dimensions),
      ofManyLengths(randomVectors(53, dimensions), dimensions),
    ]) {
      const memory = new VectorMemory(dimensions);
      memory.append(vectors);
      for (const method of PROJECTION_METHODS)
        for (const weight of [0, 0.5, 1, 2]) {
          const plan = planOf(method, dimensions, weight);
          const expected = scoreRows(plan, vectors);
          memory
            .projectRows(plan, 0, memory.rows)
            .forEach((score, row) =>
              assert.ok(
                Math.abs(score - expected[row]!) < 1e-6 || nearlyNothing(plan, vectors, row),
                `${method}, weight ${weight}, row ${row}: ${score} for ${expected[row]}`,
              ),
            );
        }
    }
  });

/** Whether the formula leaves so little of the row that single precision cannot represent its direction. */
function nearlyNothing({ norm }: ScoringPlan, vectors: Float32Array, row: number): boolean {
  if (!norm) return false;
  const d = norm.axis.length;
  const c = vectors.subarray(row * d, (row + 1) * d);
  const squared = c.reduce((sum, value) => sum + value * value, 0);
  const alongAxis = c.reduce((sum, value, i) => sum + value * norm.axis[i]!, 0);
  const parts = squared + norm.constant;
  return parts + (norm.linear + norm.quadratic * alongAxis) * alongAxis < 0.1 * parts;
}

test('a passage of which next to nothing is left scores like in the core: towards 0, never at random', () => {
  const plan = planProjection('pap+', { query: [1, 1], perspective: [1, 0] });
  const angles = [3e-4, 1e-4, 1e-5, 0];
  const rows = Float32Array.from(angles.flatMap((angle) => [-3 * Math.cos(angle), 3 * Math.sin(angle)]));
  const memory = new VectorMemory(2);
  memory.append(rows);
  const scores = Array.from(memory.projectRows(plan, 0, angles.length));
  assert.deepEqual(
    scores,
    scores.toSorted((a, b) => b - a),
  );
  scoreRows(plan, rows)
    .slice(2)
    .forEach((expected, i) => assert.ok(Math.abs(scores[i + 2]! - expected) < 1e-4, String(scores)));
});

test('a passage without length scores 0 if its length is the only divisor', () => {
  const memory = new VectorMemory(8);
  memory.append(new Float32Array(16));
  for (const method of ['pap', 'pap+', 'dual-sum'] as const)
    assert.deepEqual(Array.from(memory.projectRows(planOf(method, 8), 0, 2)), [0, 0]);
});

test('rows are projected over several memories, from any row, SCAN_ROWS at a time', () => {
  const dimensions = 24;
  const vectors = ofManyLengths(randomVectors(5000, dimensions), dimensions);
  const memory = new VectorMemory(dimensions, 4 * 65_536);
  for (let at = 0; at < vectors.length; at += 7 * dimensions)
    memory.append(vectors.subarray(at, at + 7 * dimensions));
  const plan = planOf('pap+', dimensions);
  const expected = scoreRows(plan, vectors);
  const scores: number[] = [];
  while (scores.length < 5000) scores.push(...memory.projectRows(plan, scores.length, 5000));
  scores.forEach((score, row) => assert.ok(Math.abs(score - expected[row]!) < 1e-6, String(row)));
  assert.ok(Math.abs(memory.projectRows(plan, 4321, 4322)[0]! - expected[4321]!) < 1e-6);
  assert.equal(memory.projectRows(plan, 4321, 4322).length, 1);

  const large = new VectorMemory(4);
  large.append(randomVectors(SCAN_ROWS + 10, 4));
  assert.equal(large.projectRows(planOf('pap+', 4), 0, large.rows).length, SCAN_ROWS);
  assert.equal(large.projectRows(planOf('pap+', 4), SCAN_ROWS, large.rows).length, 10);
});

for (const method of PROJECTION_METHODS)
  test(`${method}: the same hits as the core over all rows, without deleted ones`, async (t) => {
    const d = 48;
    const unit = randomVectors(6000, d);
    for (const vectors of [unit, ofManyLengths(unit, d)]) {
      const index = await indexOf(t, vectors, d);
      const plan = planOf(method, d, 0.7);
      const best = reference(plan, vectors, 10, ALL);
      for (const live of [ALL, liveWithout(best.map(({ item }) => item)), liveWithout(slotsUpTo(6000))])
        for (const depth of [1, 25]) {
          const { hits, exact } = await index.searchProjected(plan, { depth, live });
          assert.equal(exact, true);
          assertSameHits(hits, reference(plan, vectors, depth, live));
        }
    }
  });

test('only a plan that is a plain search uses the graph, and only for vectors of length 1', async (t) => {
  const d = 16;
  const unit = randomVectors(2000, d);
  const search = { depth: 10, live: ALL, search: 'approximate', ef: 200 } as const;
  const exactness = async (vectors: Float32Array): Promise<boolean[]> => {
    const index = await indexOf(t, vectors, d);
    await index.prepareGraph(ALL);
    const answers = ['pap', 'pap+', 'concat', 'add+'] as const;
    const found = await Promise.all(
      answers.map((method) => index.searchProjected(planOf(method, d), search)),
    );
    found.forEach(({ hits }, i) =>
      assertSameHits(hits.slice(0, 1), reference(planOf(answers[i]!, d), vectors, 1, ALL)),
    );
    return found.map(({ exact }) => exact);
  };
  assert.deepEqual(await exactness(unit), [false, true, true, true]);
  assert.deepEqual(await exactness(ofManyLengths(unit, d)), [true, true, true, true]);
});

test('one vector of another length, appended or loaded, turns all scores into cosines', async (t) => {
  const path = join(temporaryFolder(t), 'vectors');
  const plan = planProjection('pap', { query: [1, 1], perspective: [0, 1] });
  const search = async (index: DenseIndex): Promise<Hit[]> =>
    (await index.searchProjected(plan, { depth: 3, live: ALL })).hits;
  const index = await DenseIndex.open(path, { key: 'test' });
  await index.append([0], Float32Array.of(1, 0));
  assert.deepEqual(await search(index), [{ item: 0, score: 1 }]);
  await index.append([1], Float32Array.of(3, 4));
  const expected = [
    { item: 0, score: 1 },
    { item: 1, score: Math.fround(0.6) },
  ];
  assert.deepEqual(await search(index), expected);
  await index.close();
  const again = await DenseIndex.open(path, { key: 'test' });
  t.after(() => again.close());
  assert.deepEqual(await search(again), expected);
});

test('ties go to the smaller slot', async (t) => {
  const index = await indexOf(t, Float32Array.of(0, 1, 1, 0, 0.6, 0.8, 1, 0), 2);
  const plan = planProjection('concat', { root: [1, 0], perspective: [0, 1] });
  const { hits } = await index.searchProjected(plan, { depth: 2, live: ALL });
  assert.deepEqual(
    hits.map(({ item }) => item),
    [1, 3],
  );
});

test('an index without vectors has no hits', async (t) => {
  const index = await DenseIndex.open(join(temporaryFolder(t), 'vectors'), { key: 'test' });
  t.after(() => index.close());
  assert.deepEqual(await index.searchProjected(planOf('pap+', 4), { depth: 5, live: ALL }), {
    hits: [],
    exact: true,
  });
});

test('a projected scan can be cancelled before and during the scan', async (t) => {
  const index = await indexOf(t, randomVectors(5000, 4), 4);
  const plan = planOf('pap+', 4);
  const controller = new AbortController();
  const live = { count: 5000, has: () => (controller.abort(), true) };
  const { signal } = controller;
  await assert.rejects(index.searchProjected(plan, { depth: 1, live }, { signal }), isId('cancelled'));
  await assert.rejects(index.searchProjected(plan, { depth: 1, live: ALL }, { signal }), isId('cancelled'));
});

test('plans that the kernels cannot compute are refused by name', async (t) => {
  const index = await indexOf(t, randomVectors(3, 4), 4);
  const plan = planOf('pap+', 4);
  const norm = plan.norm!;
  const refused: [ScoringPlan, RegExp][] = [
    [planOf('pap+', 5), /query as projected has 5 dimensions; the index has 4/],
    [planOf('pap', 5), /query as projected has 5 dimensions; the index has 4/],
    [{ ...plan, direction: Float64Array.of(0, NaN, 0, 1) }, /query as projected contains .* not finite/],
    [{ ...plan, direction: new Float64Array(4) }, /query as projected is a zero vector/],
    [{ ...plan, direction: new Float64Array(4).fill(1e-60) }, /query as projected is a zero vector/],
    [{ ...plan, norm: { ...norm, axis: Float64Array.of(1, NaN, 0, 0) } }, /perspective contains/],
    [{ ...plan, norm: { ...norm, axis: new Float64Array(4) } }, /perspective is a zero vector/],
    [{ ...plan, offset: NaN }, /weight of the perspective is too large/],
    [{ ...plan, norm: { ...norm, linear: Infinity } }, /weight of the perspective is too large/],
    [planOf('concat', 4, 1e160), /weight of the perspective is too large/],
    [planOf('add+', 4, -1e160), /weight of the perspective is too large/],
  ];
  for (const [bad, why] of refused)
    await assert.rejects(index.searchProjected(bad, { depth: 1, live: ALL }), (error) => {
      assert.match((error as Error).message, why);
      return isId('bad-argument')(error);
    });
});
