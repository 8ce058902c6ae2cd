/** An exact search that reads 8-bit vectors first equals one that reads all vectors, to the last bit. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { ParallaxError } from '../../../src/core/errors.ts';
import { BestHits } from '../../../src/engine/dense/best-hits.ts';
import { DenseIndex } from '../../../src/engine/dense/dense-index.ts';
import { boundedScan, scan } from '../../../src/engine/dense/scans.ts';
import { VectorTable } from '../../../src/engine/dense/vector-table.ts';
import type { Hit, LiveSlots } from '../../../src/engine/types.ts';
import { liveWithout, randomVectors, seededRandom, slotsUpTo } from './support.ts';
import '../../fixtures/built.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';

const BOUNDED = { key: 'test', boundedFrom: 1 };

function tableOf(vectors: Float32Array, dimensions: number): VectorTable {
  const table = new VectorTable(dimensions);
  table.append(Uint32Array.from(slotsUpTo(vectors.length / dimensions)), vectors, dimensions);
  while (table.quantized.rows < table.rows) table.quantizeMore();
  return table;
}

async function both(
  table: VectorTable,
  query: Float32Array,
  depth: number,
  live: LiveSlots = liveWithout(),
): Promise<[bounded: Hit[], plain: Hit[]]> {
  const [bounded, plain] = [new BestHits(depth), new BestHits(depth)];
  await boundedScan(table, query, table.rows, { depth, live }, bounded, {});
  await scan(table, (from, to) => table.memory.scoreRows(query, from, to), 0, live, plain, {});
  return [bounded.sorted(), plain.sorted()];
}

/** Vectors that are hard to round: very different lengths, one large value among small ones, duplicates. */
function awkwardVectors(rows: number, dimensions: number, seed: number): Float32Array {
  const random = seededRandom(seed);
  const vectors = new Float32Array(rows * dimensions);
  for (let row = 0; row < rows; row++) {
    const kind = Math.floor(random() * 4);
    const length = kind === 0 ? 10 ** (6 * random() - 3) : 1;
    for (let i = 0; i < dimensions; i++) vectors[row * dimensions + i] = length * (random() - 0.5);
    if (kind === 1) vectors[row * dimensions] = 100 * random();
    if (kind === 2 && row > 0) vectors.copyWithin(row * dimensions, (row - 1) * dimensions, row * dimensions);
  }
  return vectors;
}

/** A query that 8 bits represent exactly, so that only the rounding of rows counts. */
function signs(dimensions: number, seed: number): Float32Array {
  return randomVectors(1, dimensions, seed).map(Math.sign);
}

/** Rows that 8 bits represent exactly, so that only the rounding of the query counts. */
function wholeNumbers(rows: number, dimensions: number, seed: number): Float32Array {
  const random = seededRandom(seed);
  const vectors = Float32Array.from({ length: rows * dimensions }, () => Math.round(250 * random()) - 125);
  for (let row = 0; row < rows; row++) vectors[row * dimensions] = 127;
  return vectors;
}

const KINDS = {
  random: [randomVectors, (dimensions: number, seed: number) => randomVectors(1, dimensions, seed)],
  awkward: [awkwardVectors, (dimensions: number, seed: number) => awkwardVectors(1, dimensions, seed)],
  'lost in rows only': [randomVectors, signs],
  'lost in the query only': [
    wholeNumbers,
    (dimensions: number, seed: number) => randomVectors(1, dimensions, seed),
  ],
} as const;

for (const [kind, [makeRows, makeQuery]] of Object.entries(KINDS))
  test(`bounds exclude no hit: ${kind}`, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 70 }),
        fc.integer({ min: 1, max: 400 }),
        fc.integer({ min: 1, max: 20 }),
        fc.integer(),
        async (dimensions, rows, depth, seed) => {
          const table = tableOf(makeRows(rows, dimensions, seed), dimensions);
          const dead = slotsUpTo(rows).filter((slot) => slot % 3 === 2);
          const query = makeQuery(dimensions, seed + 1);
          const [bounded, plain] = await both(table, query, depth, liveWithout(dead));
          assert.deepEqual(bounded, plain);
        },
      ),
      { numRuns: 150 },
    );
  });

test('few rows are read completely', async () => {
  const [rows, dimensions] = [20_000, 64];
  const table = tableOf(randomVectors(rows, dimensions, 3), dimensions);
  let read = 0;
  const scoreRows = table.memory.scoreRows.bind(table.memory);
  table.memory.scoreRows = (query, from, to) => {
    read += to - from;
    return scoreRows(query, from, to);
  };
  await boundedScan(
    table,
    randomVectors(1, dimensions, 4),
    rows,
    { depth: 10, live: liveWithout() },
    new BestHits(10),
    {},
  );
  assert.ok(read >= 10 && read < rows / 50, `${read} rows`);
});

async function indexOf(t: TestContext, vectors: Float32Array, dimensions: number): Promise<DenseIndex> {
  const index = await DenseIndex.open(join(temporaryFolder(t), 'vectors'), BOUNDED);
  t.after(() => index.close());
  await index.append(slotsUpTo(vectors.length / dimensions), vectors);
  return index;
}

test('an index is exact before, during and after quantization, and after additions', async (t) => {
  const dimensions = 48;
  const vectors = randomVectors(30_000, dimensions, 5);
  const index = await indexOf(t, vectors, dimensions);
  const live = liveWithout();
  const query = randomVectors(1, dimensions, 6);
  const { hits: first } = await index.search(query, { depth: 10, live, search: 'exact' });
  for (let turn = 0; turn < 30; turn++) {
    const { hits, exact } = await index.search(query, { depth: 10, live, search: 'exact' });
    assert.ok(exact);
    assert.deepEqual(hits, first);
    await nextTurn();
  }
  await index.append([30_000], query);
  const { hits } = await index.search(query, { depth: 10, live, search: 'exact' });
  assert.deepEqual(
    hits.map(({ item }) => item),
    [30_000, ...first.slice(0, 9).map(({ item }) => item)],
  );
});

test('vectors too short for bounds are searched without', async (t) => {
  // The depth is so large that some scores are almost equal.
  const [rows, depth, dimensions, live] = [3000, 30, 24, liveWithout()];
  for (const length of [1e-22, 1e-15, 1e-7, 1]) {
    const vectors = randomVectors(rows, dimensions, 11).map((value) => length * value);
    const index = await indexOf(t, vectors, dimensions);
    for (let seed = 20; seed < 30; seed++) {
      const query = signs(dimensions, seed);
      const { hits } = await index.search(query, { depth, live, search: 'exact' });
      const slots = slotsUpTo(rows);
      const scores = index.scores(query, slots);
      const expected = slots.toSorted((a, b) => scores[b]! - scores[a]! || a - b).slice(0, depth);
      assert.deepEqual(
        hits.map(({ item }) => item),
        expected,
        `${length}`,
      );
      await nextTurn();
    }
  }
});

test('a cancelled search reports it', async (t) => {
  const dimensions = 16;
  const index = await indexOf(t, randomVectors(9000, dimensions, 8), dimensions);
  const query = randomVectors(1, dimensions, 9);
  await index.search(query, { depth: 1, live: liveWithout(), search: 'exact' });
  for (let turn = 0; turn < 10; turn++) await nextTurn();
  const stop = new AbortController();
  const live: LiveSlots = { count: 9000, has: () => (stop.abort(), true) };
  await assert.rejects(
    index.search(query, { depth: 1, live, search: 'exact' }, { signal: stop.signal }),
    (error) => ParallaxError.is(error, 'cancelled'),
  );
});
