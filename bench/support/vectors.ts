/** Vectors like those of real passages, and the plain loops that the vector kernels are compared with. */
import type { DenseIndex } from '../../src/engine/dense/dense-index.ts';
import { seededRandom, type Random } from './random.ts';

const CENTRES = 500;
const BATCH = 1000;

/** Unit vectors [count, d] around shared centres, like embeddings of topics. */
export function clusteredVectors(count: number, dimensions: number, random: Random): Float32Array {
  const centres = Array.from({ length: CENTRES }, (_, seed) => centre(seed, dimensions));
  const vectors = new Float32Array(count * dimensions);
  for (let row = 0; row < count; row++) {
    const topic = centres[Math.floor(random() * centres.length)]!;
    const vector = rowOf(vectors, row, dimensions);
    let norm = 0;
    for (let i = 0; i < dimensions; i++) {
      vector[i] = topic[i]! + random() - 0.5;
      norm += vector[i]! ** 2;
    }
    for (let i = 0; i < dimensions; i++) vector[i]! /= Math.sqrt(norm);
  }
  return vectors;
}

function centre(seed: number, dimensions: number): Float32Array {
  const random = seededRandom(seed);
  return Float32Array.from({ length: dimensions }, () => random() - 0.5);
}

/** One row, [d]: a view. */
export function rowOf(vectors: Float32Array, row: number, dimensions: number): Float32Array {
  return vectors.subarray(row * dimensions, (row + 1) * dimensions);
}

/** Slots are row numbers. */
export async function appendAll(index: DenseIndex, vectors: Float32Array, dimensions: number): Promise<void> {
  const rows = vectors.length / dimensions;
  for (let row = 0; row < rows; row += BATCH) {
    const slots = Array.from({ length: Math.min(BATCH, rows - row) }, (_, i) => row + i);
    await index.append(slots, vectors.subarray(row * dimensions, (row + slots.length) * dimensions));
  }
  await index.flush();
}

/**
 * The reference: four sums, one pass, the best kept by insertion.
 *
 * @param query [d], d a multiple of four
 * @returns row numbers, best first
 */
export function plainTop(vectors: Float32Array, query: Float32Array, depth: number): number[] {
  const dimensions = query.length;
  const best: { row: number; score: number }[] = [];
  for (let row = 0, at = 0; at < vectors.length; row++) {
    let [a, b, c, d] = [0, 0, 0, 0];
    for (let i = 0; i < dimensions; i += 4, at += 4) {
      a += query[i]! * vectors[at]!;
      b += query[i + 1]! * vectors[at + 1]!;
      c += query[i + 2]! * vectors[at + 2]!;
      d += query[i + 3]! * vectors[at + 3]!;
    }
    const score = a + b + c + d;
    if (best.length === depth && score <= best[depth - 1]!.score) continue;
    const place = best.findIndex((kept) => kept.score < score);
    best.splice(place < 0 ? best.length : place, 0, { row, score });
    best.length = Math.min(best.length, depth);
  }
  return best.map((kept) => kept.row);
}
