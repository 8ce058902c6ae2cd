/** Places vectors in a plane by UMAP (McInnes, Healy and Melville 2018): each beside the most similar ones. */
import { UMAP } from 'umap-js';
import { CandidateVectors } from '../../core/rerank/similarity.ts';
import { seededRandom } from '../../core/statistics/random.ts';
import { candidateProducts } from '../kernels/products.ts';

/** The paper's own defaults. */
const NEIGHBOURS = 15;
const MIN_DISTANCE = 0.1;
/** A vector outside of the layout is placed among this many of its nearest vectors in the layout. */
const AMID = 5;
const SEED = 1;
/** The extent of the start, the same as that of the library's own random start. */
const EXTENT = 10;

export interface Placing {
  /** `[n, d]`. The first of them are laid out, and the others are placed among these. */
  readonly vectors: Float32Array;
  readonly dimensions: number;
  /** `[m, 2]` Start places of the vectors to lay out, in any unit. The same start always gives the same result. */
  readonly start: Float32Array;
  /** Whether the start is the result of an earlier layout, so that only the others have to be placed. */
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
  const umap = new UMAP({ nNeighbors, minDist: MIN_DISTANCE, random });
  umap.setPrecomputedKNN(indices, distances);
  // If neighbours are given, the library needs only the number of vectors.
  const epochs = umap.initializeFit(indices.map(() => []));
  const places = umap.getEmbedding();
  const largest = start.reduce((most, value) => Math.max(most, Math.abs(value)), 0) || 1;
  places.forEach((place, row) => {
    // Passages that start at the same place could never be separated.
    place[0] = (EXTENT * start[2 * row]!) / largest + 0.01 * random();
    place[1] = (EXTENT * start[2 * row + 1]!) / largest + 0.01 * random();
  });
  for (let epoch = 0; epoch < epochs; epoch++) umap.step();
  return Float32Array.from(umap.getEmbedding().flat());
}

/** The nearest of each, itself first, in the library's form. */
function neighbours(
  rows: CandidateVectors,
  n: number,
  count: number,
): { readonly indices: number[][]; readonly distances: number[][] } {
  const indices = Array.from({ length: n }, (_, row) => [row]);
  const distances = Array.from({ length: n }, () => [0]);
  const offer = (to: number, neighbour: number, distance: number): void => {
    const [neighbourList, known] = [indices[to]!, distances[to]!];
    if (known.length === count && distance >= known.at(-1)!) return;
    let place = known.length;
    while (place > 1 && known[place - 1]! > distance) place--;
    neighbourList.splice(place, 0, neighbour);
    known.splice(place, 0, distance);
    if (known.length > count) neighbourList.length = known.length = count;
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
