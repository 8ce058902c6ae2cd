import assert from 'node:assert/strict';
import test from 'node:test';
import { paddedDimensions } from '../../../src/engine/kernels/kernel-memory.ts';
import { SCAN_ROWS, VectorMemory } from '../../../src/engine/kernels/vector-memory.ts';
import { ParallaxError } from '../../../src/core/errors.ts';
import { plainSearch, randomVectors, slotsUpTo } from './support.ts';
import '../../fixtures/built.ts';

function allScores(memory: VectorMemory, query: Float32Array): number[] {
  const scores: number[] = [];
  while (scores.length < memory.rows) scores.push(...memory.scoreRows(query, scores.length, memory.rows));
  return scores;
}

for (const dimensions of [1, 2, 3, 4, 5, 15, 16, 17, 31, 384, 1027])
  test(`inner products equal plain loops at ${dimensions} dimensions`, () => {
    const vectors = randomVectors(37, dimensions);
    const memory = new VectorMemory(dimensions);
    memory.append(vectors);
    const query = randomVectors(1, dimensions, 2);
    const expected = plainSearch(slotsUpTo(37), vectors, query, 37).sort((a, b) => a.item - b.item);
    allScores(memory, query).forEach((score, row) =>
      assert.ok(Math.abs(score - expected[row]!.score) < 1e-5),
    );
  });

test('a call scores at most SCAN_ROWS rows and stops before its end', () => {
  const memory = new VectorMemory(4);
  memory.append(randomVectors(SCAN_ROWS + 10, 4));
  const query = randomVectors(1, 4, 2);
  assert.equal(memory.scoreRows(query, 0, memory.rows).length, SCAN_ROWS);
  assert.equal(memory.scoreRows(query, SCAN_ROWS, memory.rows).length, 10);
  assert.equal(memory.scoreRows(query, 5, 6).length, 1);
});

test('rows are spread over several memories and do not move when these grow', () => {
  const dimensions = 24;
  const vectors = randomVectors(5000, dimensions);
  const memory = new VectorMemory(dimensions, 4 * 65_536);
  const first = memory.row(0);
  for (let at = 0; at < vectors.length; at += 7 * dimensions)
    memory.append(vectors.subarray(at, at + 7 * dimensions));
  assert.equal(memory.rows, 5000);
  assert.equal(first.length, dimensions);
  for (const row of [0, 1, 1837, 4999])
    assert.deepEqual(memory.row(row), vectors.slice(row * dimensions, (row + 1) * dimensions));
  const query = randomVectors(1, dimensions, 2);
  const expected = plainSearch(slotsUpTo(5000), vectors, query, 5000).sort((a, b) => a.item - b.item);
  allScores(memory, query).forEach((score, row) => assert.ok(Math.abs(score - expected[row]!.score) < 1e-5));
});

/** `sumWords` in plain loops. */
function plainSums(vectors: Float32Array): BigUint64Array {
  const sums = new BigUint64Array(8);
  const words = new Uint32Array(vectors.buffer, vectors.byteOffset, vectors.length);
  for (let at = 0; at < words.length; at += 4)
    for (let lane = 0; lane < 4; lane++) {
      sums[lane] = sums[lane]! + BigInt(words[at + lane]!);
      sums[4 + lane] = sums[4 + lane]! + sums[lane]!;
    }
  return sums;
}

test('sums of rows equal plain loops over several memories, and change with every bit and place', () => {
  const dimensions = 24;
  const vectors = randomVectors(5000, dimensions);
  const sumsOf = (changed: Float32Array): bigint[] => {
    const memory = new VectorMemory(dimensions, 4 * 65_536);
    const bytes = Buffer.from(changed.buffer);
    let done = 0;
    for (const part of memory.room(5000)) part.set(bytes.subarray(done, (done += part.length)));
    return [...new BigUint64Array(memory.sums(5000).buffer)];
  };
  const sums = sumsOf(vectors);
  assert.deepEqual(sums, [...plainSums(vectors)]);
  const words = new Uint32Array(vectors.buffer);
  for (let bit = 0; bit < 32; bit++) {
    words[3700 * bit]! ^= 1 << bit;
    assert.notDeepEqual(sumsOf(vectors), sums, `bit ${bit}`);
    words[3700 * bit]! ^= 1 << bit;
  }
  // Two words of one lane.
  [words[5], words[9]] = [words[9]!, words[5]!];
  assert.notDeepEqual(sumsOf(vectors), sums);
});

test('padded rows are used unchanged', () => {
  const memory = new VectorMemory(3);
  memory.append(Float32Array.of(1, 2, 3, 0, 4, 5, 6, 0), paddedDimensions(3));
  assert.deepEqual(memory.row(1), Float32Array.of(4, 5, 6));
});

test('impossible dimensions are refused', () => {
  for (const dimensions of [0, -1, 1.5, NaN])
    assert.throws(
      () => new VectorMemory(dimensions),
      (error) => ParallaxError.is(error, 'bad-argument'),
    );
});
