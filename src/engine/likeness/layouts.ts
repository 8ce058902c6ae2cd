/** Computes the places of passages on a map. */
import { createHash } from 'node:crypto';
import { placeIn, principalPlane } from '../../core/likeness/pca.ts';
import { UMAP_PASSAGES, type Layout } from '../../features/map/contract/passage-map.ts';
import { Pace } from '../concurrency/pace.ts';
import type { CorpusIndex } from '../corpora/corpus-index.ts';
import { deriveInThreads } from '../derivation/threads.ts';
import type { Slot, WorkOptions } from '../types.ts';

/** The number of vectors in memory at once. */
const PORTION = 2048;
/** How many of the latest layouts of a corpus are kept. One of 5000 passages takes seconds and is 40 kB. */
const KEPT = 8;

interface Place {
  readonly x: number;
  readonly y: number;
}

export interface ToPlace {
  readonly layout: Layout;
  readonly embedder: string;
  /** They define the plane. */
  readonly candidates: readonly Slot[];
  /** They are laid out with the candidates. */
  readonly sample: readonly Slot[];
  /** Passages, and vectors of texts, `[d]` each, that are placed among the others without moving them. */
  readonly beside: readonly Slot[];
  readonly vectors: readonly ArrayLike<number>[];
}

export interface Placed {
  /** By slot. */
  readonly passages: ReadonlyMap<Slot, Place>;
  /** In the order of the vectors. */
  readonly vectors: readonly Place[];
  /** Share of the variance between the candidates that the plane shows. `undefined` for UMAP. */
  readonly explained?: number;
}

/** By corpus, layouts by what they were made of. */
const layoutCache = new WeakMap<CorpusIndex, Map<string, Float32Array>>();

/**
 * @throws ParallaxError what the embedder throws; `cancelled`
 */
export async function placesOf(index: CorpusIndex, request: ToPlace, work: WorkOptions): Promise<Placed> {
  const flat = await planePlaces(index, request, work);
  return request.layout === 'pca' ? flat : umapPlaces(index, request, flat, work);
}

/** By principal components. Without candidates there is no plane, and all places are its middle. */
async function planePlaces(index: CorpusIndex, request: ToPlace, work: WorkOptions): Promise<Placed> {
  const { embedder, candidates, sample, beside, vectors } = request;
  const candidateVectors = await index.vectors(embedder, candidates, work);
  const plane = principalPlane(candidateVectors, candidates.length);
  const at = (vector: ArrayLike<number>): Place =>
    plane.mean.length === 0 ? { x: 0, y: 0 } : placeIn(plane, vector);
  const passages = new Map<Slot, Place>();
  const pace = new Pace(work);
  const slots = [...candidates, ...sample, ...beside];
  for (let from = 0; from < slots.length; from += PORTION) {
    const portion = slots.slice(from, from + PORTION);
    const rows = await index.vectors(embedder, portion, work);
    const d = rows.length / portion.length;
    for (const [row, slot] of portion.entries()) {
      passages.set(slot, at(rows.subarray(row * d, (row + 1) * d)));
      if (pace.due) await pace.rest();
    }
  }
  return { passages, vectors: vectors.map(at), explained: plane.explained };
}

/** By UMAP, in a thread that ends if the work is cancelled. It starts from the plane, so that the maps look alike. */
async function umapPlaces(
  index: CorpusIndex,
  request: ToPlace,
  flat: Placed,
  work: WorkOptions,
): Promise<Placed> {
  const { embedder, candidates, sample, beside } = request;
  const laidOut = [...candidates, ...sample].slice(0, UMAP_PASSAGES);
  const slots = [...laidOut, ...beside];
  if (laidOut.length === 0) return flat;
  const rows = await index.vectors(embedder, slots, work);
  const dimensions = rows.length / slots.length;
  const key = keyOf(index, embedder, laidOut);
  const layouts = layoutCache.get(index) ?? new Map<string, Float32Array>();
  layoutCache.set(index, layouts);
  const known = layouts.get(key);
  const start = laidOut.flatMap((slot) => [flat.passages.get(slot)!.x, flat.passages.get(slot)!.y]);
  const job = {
    type: 'layout' as const,
    vectors: joined(rows, request.vectors),
    dimensions,
    start: known ?? Float32Array.from(start),
    isLaidOut: known !== undefined,
  };
  for await (const { vectors: places } of deriveInThreads([job], work.signal)) {
    remember(layouts, key, places.slice(0, 2 * laidOut.length));
    const at = (row: number): Place => ({ x: places[2 * row]!, y: places[2 * row + 1]! });
    return {
      passages: new Map(slots.map((slot, row) => [slot, at(row)])),
      vectors: request.vectors.map((_, row) => at(slots.length + row)),
    };
  }
  return flat;
}

function joined(rows: Float32Array, more: readonly ArrayLike<number>[]): Float32Array {
  const all = new Float32Array(rows.length + more.reduce((sum, { length }) => sum + length, 0));
  all.set(rows);
  for (const [at, vector] of more.entries()) all.set(vector, rows.length + at * vector.length);
  return all;
}

function keyOf(index: CorpusIndex, embedder: string, slots: readonly Slot[]): string {
  const hash = createHash('sha256').update(Uint32Array.from(slots)).digest('hex');
  return `${index.fingerprint} ${embedder} ${hash}`;
}

function remember(layouts: Map<string, Float32Array>, key: string, places: Float32Array): void {
  layouts.delete(key);
  layouts.set(key, places);
  for (const oldest of [...layouts.keys()].slice(0, -KEPT)) layouts.delete(oldest);
}
