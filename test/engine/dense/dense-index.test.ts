import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { crc32 } from 'node:zlib';
import { ParallaxError } from '../../../src/core/errors.ts';
import { DenseIndex, type DenseIndexOptions } from '../../../src/engine/dense/dense-index.ts';
import { liveWithout, plainSearch, randomVectors, slotsUpTo } from './support.ts';
import '../../fixtures/built.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';

const KEY = 'test';
const ALL = liveWithout();

async function openIndex(
  t: TestContext,
  path: string,
  options: Partial<DenseIndexOptions> = {},
): Promise<DenseIndex> {
  const index = await DenseIndex.open(path, { key: KEY, ...options });
  t.after(() => index.close());
  return index;
}

async function newIndex(t: TestContext, options: Partial<DenseIndexOptions> = {}): Promise<DenseIndex> {
  return await openIndex(t, join(temporaryFolder(t), 'vectors'), options);
}

const isId = (id: string) => (error: unknown) => ParallaxError.is(error) && error.id === id;

test('exact search equals plain loops, also with gaps, disorder and dead slots', async (t) => {
  const d = 30;
  const slots = slotsUpTo(10_000).map((i) => (i * 7919) % 50_021);
  const vectors = randomVectors(slots.length, d);
  const index = await newIndex(t);
  for (let at = 0; at < slots.length; at += 999)
    await index.append(slots.slice(at, at + 999), vectors.subarray(at * d, (at + 999) * d));
  const query = randomVectors(1, d, 2);
  for (const live of [ALL, liveWithout(slots.slice(0, 5000)), liveWithout(slots)])
    for (const depth of [1, 10, 137]) {
      const { hits, exact } = await index.search(query, { depth, live });
      const expected = plainSearch(slots, vectors, query, depth, live);
      assert.equal(exact, true);
      assert.deepEqual(
        hits.map((hit) => hit.item),
        expected.map((hit) => hit.item),
      );
      hits.forEach((hit, i) => assert.ok(Math.abs(hit.score - expected[i]!.score) < 1e-6));
    }
});

test('ties go to the smaller slot, whichever was appended first', async (t) => {
  const index = await newIndex(t);
  await index.append([9, 4, 7, 2], Float32Array.of(1, 0, 1, 0, 1, 0, 0, 1));
  const { hits } = await index.search(Float32Array.of(1, 0), { depth: 2, live: ALL });
  assert.deepEqual(hits, [
    { item: 4, score: 1 },
    { item: 7, score: 1 },
  ]);
});

test('a reopened index is complete, and lists missing slots', async (t) => {
  const path = join(temporaryFolder(t), 'vectors');
  const vectors = randomVectors(3, 4);
  const index = await DenseIndex.open(path, { key: KEY });
  assert.equal(index.dimensions, undefined);
  assert.deepEqual(index.missing([0, 1, 2]), [0, 1, 2]);
  await index.append([0, 2, 5], vectors);
  await index.flush();
  await index.close();
  await assert.rejects(index.search(vectors.subarray(0, 4), { depth: 1, live: ALL }), isId('internal'));

  const again = await openIndex(t, path);
  assert.equal(again.dimensions, 4);
  assert.equal(again.rows, 3);
  assert.deepEqual(again.missing([5, 4, 3, 2]), [4, 3]);
  assert.deepEqual(again.vectors([5, 0]), Float32Array.of(...vectors.subarray(8), ...vectors.subarray(0, 4)));
});

test('a torn file loses only the torn vectors', async (t) => {
  const path = join(temporaryFolder(t), 'vectors');
  const index = await DenseIndex.open(path, { key: KEY, dimensions: 4 });
  await index.append([0, 1], randomVectors(2, 4));
  await index.append([2, 3], randomVectors(2, 4));
  await index.close();
  await truncate(path, (await stat(path)).size - 1);
  const again = await openIndex(t, path);
  assert.equal(again.loss?.kind, 'torn');
  assert.deepEqual(again.missing([0, 1, 2, 3]), [2, 3]);
  await again.append([2, 3], randomVectors(2, 4));
  assert.deepEqual(again.missing([0, 1, 2, 3]), []);
});

test('vectors of another model are not searched', async (t) => {
  const path = join(temporaryFolder(t), 'vectors');
  const index = await DenseIndex.open(path, { key: 'old model' });
  await index.append([0], randomVectors(1, 4));
  await index.close();
  const again = await openIndex(t, path, { key: 'new model' });
  assert.deepEqual((await again.search(randomVectors(1, 4), { depth: 5, live: ALL })).hits, []);
  await again.append([0], randomVectors(1, 6));
  assert.equal(again.dimensions, 6);
});

test('scores and vectors come in the requested order, and a missing vector is an error', async (t) => {
  const index = await newIndex(t);
  await index.append([0, 1], Float32Array.of(1, 2, 3, 4, 5, 6));
  assert.deepEqual(index.scores(Float32Array.of(1, 0, 1), [1, 0, 1]), Float32Array.of(10, 4, 10));
  assert.throws(() => index.scores(Float32Array.of(1, 0, 1), [0, 2]), isId('not-indexed'));
  assert.throws(() => index.vectors([2]), isId('not-indexed'));
});

test('invalid vectors and queries are refused, with their whole batch', async (t) => {
  const index = await newIndex(t);
  await index.append([0], Float32Array.of(1, 0));
  const refused: [slots: number[], vectors: number[], why: RegExp][] = [
    [[1, 2], [1, 0, NaN, 0], /passage 2 .* not finite/],
    [[1, 2], [1, 0, Infinity, 0], /not finite/],
    [[1, 2], [1, 0, 1e30, 0], /not finite/],
    [[1, 2], [1, 0, 0, 0], /passage 2 is a zero vector/],
    [[1, 2], [1, 0, 1], /gave 3 numbers for 2 passages/],
    [[1, 0], [1, 0, 1, 0], /Passage 0 has a vector already/],
    [[1, 1], [1, 0, 1, 0], /Passage 1 has a vector already/],
    [[-1], [1, 0], /-1 is not the number/],
    [[1.5], [1, 0], /1.5 is not the number/],
  ];
  for (const [slots, vectors, why] of refused) {
    await assert.rejects(index.append(slots, Float32Array.from(vectors)), (error) => {
      assert.match((error as Error).message, why);
      return isId('bad-argument')(error);
    });
    assert.equal(index.rows, 1);
  }
  for (const query of [[1], [NaN, 1], [0, 0]]) {
    await assert.rejects(
      index.search(Float32Array.from(query), { depth: 1, live: ALL }),
      isId('bad-argument'),
    );
    assert.throws(() => index.scores(Float32Array.from(query), [0]), isId('bad-argument'));
  }
});

test('compaction removes dead rows once there are enough', async (t) => {
  const path = join(temporaryFolder(t), 'vectors');
  const vectors = randomVectors(1000, 8);
  const index = await DenseIndex.open(path, { key: KEY });
  await index.append(slotsUpTo(1000), vectors);
  const before = index.bytes;
  assert.equal(await index.compact(liveWithout(slotsUpTo(250))), false);
  const live = liveWithout(slotsUpTo(400));
  assert.equal(await index.compact(live), true);
  assert.equal(index.rows, 600);
  assert.ok(index.bytes < before * 0.62);
  await index.append([1000], vectors.subarray(0, 8));
  await index.close();

  const again = await openIndex(t, path);
  assert.equal(again.rows, 601);
  assert.deepEqual(again.missing([399, 400, 999, 1000]), [399]);
  const query = randomVectors(1, 8, 2);
  const { hits } = await again.search(query, { depth: 20, live: liveWithout([1000]) });
  assert.deepEqual(
    hits.map((hit) => hit.item),
    plainSearch(slotsUpTo(1000), vectors, query, 20, live).map((hit) => hit.item),
  );
});

test('a cancelled compaction does not change the index', async (t) => {
  const index = await newIndex(t);
  await index.append(slotsUpTo(100), randomVectors(100, 8));
  const signal = AbortSignal.abort();
  await assert.rejects(index.compact(liveWithout(slotsUpTo(90)), { signal }), isId('cancelled'));
  assert.equal(index.rows, 100);
  await index.append([100], randomVectors(1, 8));
  assert.equal(index.rows, 101);
});

test('searches and appends during a compaction see a complete index', async (t) => {
  const index = await newIndex(t);
  const vectors = randomVectors(20_000, 16);
  await index.append(slotsUpTo(20_000), vectors);
  const live = liveWithout(slotsUpTo(10_000));
  const query = randomVectors(1, 16, 2);
  const compaction = index.compact(live);
  const appended = index.append([20_000], query);
  const { hits } = await index.search(query, { depth: 5, live: liveWithout([...slotsUpTo(10_000), 20_000]) });
  assert.deepEqual(
    hits.map((hit) => hit.item),
    plainSearch(slotsUpTo(20_000), vectors, query, 5, live).map((hit) => hit.item),
  );
  await Promise.all([compaction, appended]);
  assert.equal(index.rows, 10_001);
  assert.equal((await index.search(query, { depth: 1, live })).hits[0]?.item, 20_000);
});

test('a long scan can be cancelled', async (t) => {
  const index = await newIndex(t);
  await index.append(slotsUpTo(5000), randomVectors(5000, 4));
  const controller = new AbortController();
  const live = { count: 5000, has: () => (controller.abort(), true) };
  const search = index.search(randomVectors(1, 4), { depth: 1, live }, { signal: controller.signal });
  await assert.rejects(search, isId('cancelled'));
});

test('the graph finds nearly what the scan finds, and the result says so', async (t) => {
  const d = 16;
  const vectors = randomVectors(3000, d);
  const index = await newIndex(t, { approximateAbove: 1000 });
  await index.append(slotsUpTo(3000), vectors);
  const queries = randomVectors(30, d, 2);
  const first = queries.subarray(0, d);
  assert.equal((await index.search(first, { depth: 10, live: ALL })).exact, true);
  const progress: number[] = [];
  await index.prepareGraph(ALL, { onProgress: ({ done }) => progress.push(done) });
  assert.equal(progress.at(-1), 3000);
  const shareFound = async (ef?: number): Promise<number> => {
    let found = 0;
    for (let at = 0; at < queries.length; at += d) {
      const [query, search] = [queries.subarray(at, at + d), { depth: 10, live: ALL }];
      const { hits } = await index.search(query, { ...search, search: 'exact' });
      const near = await index.search(query, { ...search, ef, search: 'approximate' });
      const slots = new Set(near.hits.map(({ item }) => item));
      found += hits.filter(({ item }) => slots.has(item)).length;
    }
    return found / (queries.length / d) / 10;
  };
  assert.ok((await shareFound()) > 0.98);
  assert.ok((await shareFound(1)) < 1, 'a narrow search misses some');

  const auto = await index.search(first, { depth: 10, live: ALL });
  const exact = await index.search(first, { depth: 10, live: ALL, search: 'exact' });
  assert.equal(auto.exact, false);
  assert.equal(exact.exact, true);
  assert.deepEqual(auto.hits, exact.hits);
});

test('approximate search never returns dead slots, and finds rows newer than the graph', async (t) => {
  const d = 16;
  const vectors = randomVectors(2000, d);
  const index = await newIndex(t);
  await index.append(slotsUpTo(2000), vectors);
  await index.prepareGraph(liveWithout([7]));
  const query = vectors.slice(7 * d, 8 * d);
  const dead = plainSearch(slotsUpTo(2000), vectors, query, 300).map((hit) => hit.item);
  const live = liveWithout(dead);
  const { hits } = await index.search(query, { depth: 10, live, search: 'approximate' });
  assert.deepEqual(
    hits.map((hit) => hit.item),
    plainSearch(slotsUpTo(2000), vectors, query, 10, live).map((hit) => hit.item),
  );
  await index.append([5000], query);
  const younger = await index.search(query, { depth: 3, live, search: 'approximate' });
  assert.equal(younger.exact, false);
  assert.equal(younger.hits[0]?.item, 5000);
  await index.prepareGraph(live);
  assert.equal(index.graphRows, 2001);
  assert.equal((await index.search(query, { depth: 3, live, search: 'approximate' })).hits[0]?.item, 5000);
});

test('a graph is saved and loaded, and rebuilt if it no longer fits', async (t) => {
  const path = join(temporaryFolder(t), 'vectors');
  const d = 12;
  const vectors = randomVectors(1500, d);
  const build = async (key = KEY, live = ALL): Promise<number> => {
    const index = await DenseIndex.open(path, { key });
    const steps: number[] = [];
    if (index.rows === 0) await index.append(slotsUpTo(1500), vectors);
    await index.prepareGraph(live, { onProgress: ({ done }) => steps.push(done) });
    const query = vectors.subarray(3 * d, 4 * d);
    assert.equal((await index.search(query, { depth: 1, live, search: 'approximate' })).hits[0]?.item, 3);
    assert.equal(index.graphRows, index.rows);
    await index.close();
    return steps.length;
  };
  const loaded = 1;
  assert.ok((await build()) > loaded, 'built');
  assert.equal(await build(), loaded);

  const graph = await readFile(`${path}.hnsw`);
  const flipped = Buffer.from(graph);
  flipped[graph.length >> 1]! ^= 4;
  await writeFile(`${path}.hnsw`, flipped);
  assert.ok((await build()) > loaded, 'a flipped byte');
  const rebuilt = await readFile(`${path}.hnsw`);
  assert.equal(rebuilt.readUInt32LE(0), 0);
  const longer = Buffer.concat([Buffer.alloc(8, 0xff), rebuilt.subarray(4)]);
  assert.equal(crc32(longer), crc32(rebuilt));
  await writeFile(`${path}.hnsw`, longer);
  assert.ok((await build()) > loaded, 'another file with the same checksum');
  await truncate(`${path}.hnsw`, 1000);
  assert.ok((await build()) > loaded, 'a cut file');
  await writeFile(`${path}.hnsw.json`, '{"version":1');
  assert.ok((await build()) > loaded, 'a cut description');

  const index = await DenseIndex.open(path, { key: KEY });
  await index.append([1500], vectors.subarray(0, d));
  await index.close();
  assert.equal(await build(), loaded, 'one more row is added, not all rows');

  const compacted = await DenseIndex.open(path, { key: KEY });
  await compacted.compact(liveWithout(slotsUpTo(1500).filter((slot) => slot % 2 === 0)));
  await compacted.close();
  assert.ok((await build()) > loaded, 'other rows');
});

test('a graph of other passages is not used, even with the same number', async (t) => {
  const path = join(temporaryFolder(t), 'vectors');
  const vectors = randomVectors(500, 8);
  for (const first of [0, 1000]) {
    const index = await DenseIndex.open(path, { key: KEY });
    await index.append(
      slotsUpTo(500).map((slot) => first + slot),
      vectors,
    );
    await index.prepareGraph(ALL);
    const { hits } = await index.search(vectors.subarray(0, 8), {
      depth: 1,
      live: ALL,
      search: 'approximate',
    });
    assert.equal(hits[0]?.item, first);
    await index.close();
    await rm(path);
  }
});

test('building a graph can be cancelled and continued', async (t) => {
  const index = await newIndex(t);
  await index.append(slotsUpTo(4000), randomVectors(4000, 32));
  const controller = new AbortController();
  const onProgress = (): void => controller.abort();
  await assert.rejects(index.prepareGraph(ALL, { signal: controller.signal, onProgress }), isId('cancelled'));
  assert.equal(
    (await index.search(randomVectors(1, 32), { depth: 1, live: ALL, search: 'approximate' })).exact,
    true,
  );
  const done = index.graphRows;
  assert.ok(done > 0 && done < 2000);
  const steps: number[] = [];
  await index.prepareGraph(ALL, { onProgress: (progress) => steps.push(progress.done) });
  assert.ok(steps[0]! > done);
  assert.equal(index.graphRows, 4000);
});

test('building a graph yields to other work', async (t) => {
  const index = await newIndex(t);
  await index.append(slotsUpTo(3000), randomVectors(3000, 32));
  let turns = 0;
  const ticker = setInterval(() => turns++, 1);
  await index.prepareGraph(ALL);
  clearInterval(ticker);
  assert.ok(turns > 5);
});

test('closing and compacting end the work on a graph', async (t) => {
  const index = await newIndex(t);
  await index.append(slotsUpTo(4000), randomVectors(4000, 32));
  const building = assert.rejects(index.prepareGraph(ALL), isId('cancelled'));
  await index.compact(liveWithout(slotsUpTo(2000)));
  await building;
  const again = assert.rejects(index.prepareGraph(ALL), isId('cancelled'));
  await index.close();
  await again;
});

test('without hnswlib-node, preparing the graph says so and exact search works', async (t) => {
  const path = join(temporaryFolder(t), 'vectors');
  const script = join(import.meta.dirname, 'without-hnswlib.ts');
  const { stdout } = await promisify(execFile)(process.execPath, [script, path]);
  const { id, message, hits, exact } = JSON.parse(stdout) as Record<string, unknown>;
  assert.equal(id, 'native-missing');
  assert.match(String(message), /hnswlib-node.*Every search is exact instead/);
  assert.deepEqual(hits, [{ item: 1, score: 1 }]);
  assert.equal(exact, true);
});
