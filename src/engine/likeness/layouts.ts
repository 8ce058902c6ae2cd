/** Computes the places of passages on a map. */
import { placeIn, principalPlane } from '../../core/likeness/pca.ts';
import { Pace } from '../concurrency/pace.ts';
import type { CorpusIndex } from '../corpora/corpus-index.ts';
import type { Slot, WorkOptions } from '../types.ts';

/** The number of vectors in memory at once. */
const PORTION = 2048;

interface Place {
  readonly x: number;
  readonly y: number;
}

export interface ToPlace {
  readonly embedder: string;
  /** They define the plane. */
  readonly candidates: readonly Slot[];
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
  /** Share of the variance between the candidates that the plane shows. */
  readonly explained: number;
}

/**
 * Places passages by principal components. Without candidates there is no plane, and all places are its middle.
 *
 * @throws ParallaxError what the embedder throws; `cancelled`
 */
export async function placesOf(index: CorpusIndex, request: ToPlace, work: WorkOptions): Promise<Placed> {
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
