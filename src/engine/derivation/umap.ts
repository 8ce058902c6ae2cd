/** Vectors in a plane by UMAP (McInnes, Healy and Melville 2018): each beside those that are most like it. */
import { UMAP } from 'umap-js';
import { CandidateVectors } from '../../core/rerank/similarity.ts';
import { seededRandom } from '../../core/statistics/random.ts';
import { candidateProducts } from '../kernels/products.ts';

/** The paper's own defaults. */
const NEIGHBOURS = 15;
const LEAST_DISTANCE = 0.1;
/** A vector that took no part in the layout stands amid so many that did. */
const AMID = 5;
const SEED = 1;
/** The extent that the layout starts from, which is that of the library's own random start. */
const EXTENT = 10;

export interface Placing {
  /** `[n, d]`; the first of them are laid out, the others take places among these. */
  readonly vectors: Float32Array;
  readonly dimensions: number;
  /** `[m, 2]` Where those that are laid out begin, in any unit; the same start always ends in the same places. */
  readonly start: Float32Array;
  /** The start is what an earlier layout came to: only the others are still to be placed. */
  readonly isLaidOut: boolean;
}

/** @returns `[n, 2]` */
export function umapPlaces({ vectors, dimensions, start, isLaidOut }: Placing): Float32Array {
  const n = dimensions === 0 ? 0 : vectors.length / dimensions;
  const fitted = start.length / 2;
  const rows = new CandidateVectors(vectors, n, candidateProducts);
  const places = new Float32Array(2 * n);
  places.set(isLaidOut ? start : laidOut(rows, start));
  for (let row = fitted; row < n; row++) {
    const near = nearest(rows, row, fitted);
    const sum = near.reduce((total, { weight }) => total + weight, 0);
    for (const { place, weight } of near)
      for (const axis of [0, 1]) places[2 * row + axis]! += (weight / sum) * places[2 * place + axis]!;
  }
  return places;
}

function laidOut(rows: CandidateVectors, start: Float32Array): Float32Array {
  const n = start.length / 2;
  const nNeighbors = Math.min(NEIGHBOURS, n - 1);
  if (nNeighbors < 2) return start;
  const { indices, distances } = neighbours(rows, n, nNeighbors);
  const random = seededRandom(SEED);
  const umap = new UMAP({ nNeighbors, minDist: LEAST_DISTANCE, random });
  umap.setPrecomputedKNN(indices, distances);
  // With neighbours given, the library asks no more of the vectors than how many there are.
  const epochs = umap.initializeFit(indices.map(() => []));
  const places = umap.getEmbedding();
  const largest = start.reduce((most, value) => Math.max(most, Math.abs(value)), 0) || 1;
  places.forEach((place, row) => {
    // Passages that start in one place could never be told apart.
    place[0] = (EXTENT * start[2 * row]!) / largest + 0.01 * random();
    place[1] = (EXTENT * start[2 * row + 1]!) / largest + 0.01 * random();
  });
  for (let epoch = 0; epoch < epochs; epoch++) umap.step();
  return Float32Array.from(umap.getEmbedding().flat());
}

/** The nearest of each, itself first, as the library wants them. */
function neighbours(
  rows: CandidateVectors,
  n: number,
  count: number,
): { readonly indices: number[][]; readonly distances: number[][] } {
  const indices = Array.from({ length: n }, (_, row) => [row]);
  const distances = Array.from({ length: n }, () => [0]);
  const offer = (to: number, other: number, distance: number): void => {
    const [others, known] = [indices[to]!, distances[to]!];
    if (known.length === count && distance >= known.at(-1)!) return;
    let place = known.length;
    while (place > 1 && known[place - 1]! > distance) place--;
    others.splice(place, 0, other);
    known.splice(place, 0, distance);
    if (known.length > count) others.length = known.length = count;
  };
  for (let a = 0; a < n; a++)
    for (let b = 0; b < a; b++) {
      const distance = Math.max(0, 1 - rows.similarity(a, b));
      offer(a, b, distance);
      offer(b, a, distance);
    }
  return { indices, distances };
}

function nearest(rows: CandidateVectors, row: number, among: number): { place: number; weight: number }[] {
  return Array.from({ length: among }, (_, place) => ({
    place,
    weight: Math.max(1e-6, rows.similarity(row, place)),
  }))
    .sort((a, b) => b.weight - a.weight || a.place - b.place)
    .slice(0, AMID);
}
