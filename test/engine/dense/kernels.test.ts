import assert from 'node:assert/strict';
import test from 'node:test';
import { paddedDimensions } from '../../../src/engine/kernels/kernel-memory.ts';
import { SCAN_ROWS, VectorMemory } from '../../../src/engine/kernels/vector-memory.ts';
import { ParallaxError } from '../../../src/core/errors.ts';
import { plainSearch, randomVectors, slotsUpTo } from './support.ts';

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

test('rows are spread over several memories and stay where they are while these grow', () => {
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

test('padded rows are taken as they are', () => {
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
