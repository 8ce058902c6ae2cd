/** Vectors of passages, wherever they are to be had without embedding a text twice. */
import type { Embedder } from '../embedders/embedder.ts';
import { isForeign } from '../external/foreign-passages.ts';
import { rowsOf, type RetrievedRecords } from '../external/retrieved-records.ts';
import type { VectorIndexes } from '../derivation/vector-indexes.ts';
import type { Slot, WorkOptions } from '../types.ts';
import type { CorpusPassages } from './corpus-passages.ts';

export interface VectorSources {
  readonly passages: CorpusPassages;
  readonly records: RetrievedRecords;
  readonly indexes: VectorIndexes;
}

/**
 * Vectors of some passages: a store's own where they were retrieved from one, those of the dense index otherwise.
 *
 * @returns [n, d]
 * @throws ParallaxError `retriever-failed` where vectors of different dimensions stand side by side; `cancelled`
 */
export async function passageVectors(
  sources: VectorSources,
  embedder: Embedder,
  slots: readonly Slot[],
  work: WorkOptions,
): Promise<Float32Array> {
  const stored = await sources.records.vectors(embedder, slots, work.signal);
  if (stored.size === 0) return ownVectors(sources, embedder, slots, work);
  const others = slots.filter((slot) => !stored.has(slot));
  const own = others.length > 0 ? await ownVectors(sources, embedder, others, work) : new Float32Array();
  const dimensions = own.length / others.length;
  for (const [place, slot] of others.entries())
    stored.set(slot, own.subarray(place * dimensions, (place + 1) * dimensions));
  return rowsOf(slots, stored);
}

/** Embedded now where the dense index lacks them; it never has those of foreign passages. */
async function ownVectors(
  { passages, indexes }: VectorSources,
  embedder: Embedder,
  slots: readonly Slot[],
  work: WorkOptions,
): Promise<Float32Array> {
  return slots.some(isForeign)
    ? embedder.embedPassages(passages.textsOf(slots), { signal: work.signal })
    : indexes.vectors(embedder, slots, work);
}
