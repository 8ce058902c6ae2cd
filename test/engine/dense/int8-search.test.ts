import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import fc from 'fast-check';
import { ParallaxError } from '../../../src/core/errors.ts';
import { DenseIndex, type DenseHits } from '../../../src/engine/dense/dense-index.ts';
import { QuantizedMemory, quantizedQuery } from '../../../src/engine/kernels/quantized-memory.ts';
import { liveWithout, randomVectors, slotsUpTo } from './support.ts';
import '../../fixtures/built.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';

const EVERY_ROW = 1000;

async function indexOf(t: TestContext, vectors: Float32Array, dimensions: number): Promise<DenseIndex> {
  const index = await DenseIndex.open(join(temporaryFolder(t), 'vectors'), { key: 'test' });
  t.after(() => index.close());
  await index.append(slotsUpTo(vectors.length / dimensions), vectors);
  return index;
}

function both(
  index: DenseIndex,
  query: Float32Array,
  depth: number,
  rescore: number,
  live = liveWithout(),
): Promise<[int8: DenseHits, exact: DenseHits]> {
  return Promise.all([
    index.search(query, { depth, live, search: 'int8', rescore }),
    index.search(query, { depth, live, search: 'exact' }),
  ]);
}

test('with all candidates in the pool, an int8 search equals the exact one to the last bit', async (t) => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 70 }),
      fc.integer({ min: 1, max: 300 }),
      fc.integer({ min: 1, max: 20 }),
      fc.integer(),
      async (dimensions, rows, depth, seed) => {
        const index = await indexOf(t, randomVectors(rows, dimensions, seed), dimensions);
        const dead = slotsUpTo(rows).filter((slot) => slot % 3 === 2);
        const query = randomVectors(1, dimensions, seed + 1);
        const [int8, exact] = await both(index, query, depth, EVERY_ROW, liveWithout(dead));
        assert.deepEqual(int8.hits, exact.hits);
        assert.deepEqual([int8.exact, exact.exact], [false, true]);
      },
    ),
    { numRuns: 60 },
  );
});

test('a small pool finds nearly all, each hit with its exact score', async (t) => {
  const [rows, dimensions, depth] = [9000, 48, 10];
  const vectors = randomVectors(rows, dimensions, 7);
  const index = await indexOf(t, vectors, dimensions);
  let found = 0;
  for (let seed = 100; seed < 120; seed++) {
    const query = randomVectors(1, dimensions, seed);
    const [int8, exact] = await both(index, query, depth, 2);
    const scores = index.scores(
      query,
      int8.hits.map(({ item }) => item),
    );
    assert.deepEqual(
      int8.hits.map(({ score }) => score),
      [...scores],
    );
    const slots = new Set(exact.hits.map(({ item }) => item));
    found += int8.hits.filter(({ item }) => slots.has(item)).length;
  }
  assert.ok(found >= 0.98 * 20 * depth, `${found} of ${20 * depth}`);
});

test('vectors added between two searches are found by the second', async (t) => {
  const dimensions = 20;
  const vectors = randomVectors(5000, dimensions, 3);
  const index = await indexOf(t, vectors, dimensions);
  const query = randomVectors(1, dimensions, 4);
  await index.search(query, { depth: 1, live: liveWithout(), search: 'int8' });
  await index.append([5000], query);
  const { hits } = await index.search(query, { depth: 1, live: liveWithout(), search: 'int8' });
  assert.equal(hits[0]?.item, 5000);
});

test('a search cancelled during quantization ends, and the next one is complete', async (t) => {
  const dimensions = 64;
  const vectors = randomVectors(40_000, dimensions, 5);
  const index = await indexOf(t, vectors, dimensions);
  const query = vectors.slice(39_999 * dimensions);
  const stop = new AbortController();
  const searching = index.search(
    query,
    { depth: 1, live: liveWithout(), search: 'int8' },
    { signal: stop.signal },
  );
  stop.abort();
  await assert.rejects(searching, (error) => ParallaxError.is(error, 'cancelled'));
  const { hits } = await index.search(query, { depth: 1, live: liveWithout(), search: 'int8' });
  assert.equal(hits[0]?.item, 39_999);
});

test('8-bit scores equal plain arithmetic on the rounded values, over several memories', () => {
  const dimensions = 21;
  const vectors = randomVectors(10_000, dimensions, 9);
  // Each memory has room for one portion of rows.
  const memory = new QuantizedMemory(dimensions, 1);
  memory.append(vectors);
  const query = quantizedQuery(randomVectors(1, dimensions, 10));
  for (let from = 0; from < memory.rows;) {
    const scores = memory.scoreRows(query, from, memory.rows).slice();
    scores.forEach((score, i) => {
      const row = vectors.subarray((from + i) * dimensions, (from + i + 1) * dimensions);
      assert.ok(Math.abs(score - plainScore(row, query)) < 1e-5);
    });
    from += scores.length;
  }
  assert.equal(memory.rows, 10_000);
});

function plainScore(
  row: Float32Array,
  { values, scale }: { readonly values: Int16Array; readonly scale: number },
): number {
  const largest = Math.max(...row.map(Math.abs));
  const product = row.reduce((sum, value, i) => {
    return sum + Math.round((value * 127) / largest) * values[i]!;
  }, 0);
  return (product * scale * largest) / 127;
}
