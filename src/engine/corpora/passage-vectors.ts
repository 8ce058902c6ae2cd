/** Vectors of passages, from every source that spares embedding a text twice. */
import type { Embedder } from '../embedders/embedder.ts';
import { isForeign } from '../external/foreign-passages.ts';
import { RecentMap } from '../external/recent-map.ts';
import { rowsOf, type RetrievedRecords } from '../external/retrieved-records.ts';
import type { VectorIndexes } from '../derivation/vector-indexes.ts';
import type { Slot, WorkOptions } from '../types.ts';
import type { CorpusPassages } from './corpus-passages.ts';

export interface VectorSources {
  readonly passages: CorpusPassages;
  readonly records: RetrievedRecords;
  readonly indexes: VectorIndexes;
  readonly foreign: ForeignVectors;
}

/**
 * Vectors of some passages: a store's own for passages retrieved from it, those of the dense index otherwise.
 *
 * @returns [n, d]
 * @throws ParallaxError `retriever-failed` if vectors have different dimensions; `cancelled`
 */
export async function passageVectors(
  sources: VectorSources,
  embedder: Embedder,
  slots: readonly Slot[],
  work: WorkOptions,
): Promise<Float32Array> {
  const stored = await sources.records.vectors(embedder, slots, work.signal);
  if (stored.size === 0) return ownVectors(sources, embedder, slots, work);
  const otherSlots = slots.filter((slot) => !stored.has(slot));
  const otherVectors =
    otherSlots.length > 0 ? await ownVectors(sources, embedder, otherSlots, work) : new Float32Array();
  const dimensions = otherVectors.length / otherSlots.length;
  for (const [place, slot] of otherSlots.entries())
    stored.set(slot, otherVectors.subarray(place * dimensions, (place + 1) * dimensions));
  return rowsOf(slots, stored);
}

/** Vectors of the dense index, which embeds what it lacks. It has none of foreign passages. */
async function ownVectors(
  { passages, indexes, foreign }: VectorSources,
  embedder: Embedder,
  slots: readonly Slot[],
  work: WorkOptions,
): Promise<Float32Array> {
  const strangers = slots.filter(isForeign);
  if (strangers.length === 0) return indexes.vectors(embedder, slots, work);
  const rows = new Map<Slot, Float32Array>();
  const texts = passages.textsOf(strangers);
  const vectors = await foreign.vectors(embedder, texts, work);
  for (const [place, slot] of strangers.entries()) rows.set(slot, vectors[place]!);
  const indexedSlots = slots.filter((slot) => !isForeign(slot));
  if (indexedSlots.length > 0) {
    const indexed = await indexes.vectors(embedder, indexedSlots, work);
    const dimensions = indexed.length / indexedSlots.length;
    for (const [place, slot] of indexedSlots.entries())
      rows.set(slot, indexed.subarray(place * dimensions, (place + 1) * dimensions));
  }
  return rowsOf(slots, rows);
}

/** The most vectors that are kept: 40 MB of 512 dimensions. */
const REMEMBERED = 20_000;

/** Vectors of passages that no index has. Several steps and pipelines need those of the same passages. */
export class ForeignVectors {
  /** By embedder and text. */
  readonly #vectors = new RecentMap<string, Float32Array>(REMEMBERED);

  /** @returns one of `[d]` for each text */
  async vectors(embedder: Embedder, texts: readonly string[], work: WorkOptions): Promise<Float32Array[]> {
    const keyOf = (text: string): string => `${embedder.key}\n${text}`;
    const known = new Map(texts.map((text) => [text, this.#vectors.get(keyOf(text))]));
    const missing = [...known].flatMap(([text, vector]) => (vector ? [] : [text]));
    if (missing.length > 0) {
      const rows = await embedder.embedPassages(missing, { ...work, onProgress: undefined });
      const dimensions = rows.length / missing.length;
      for (const [place, text] of missing.entries()) {
        const vector = rows.slice(place * dimensions, (place + 1) * dimensions);
        known.set(text, vector);
        this.#vectors.set(keyOf(text), vector);
      }
    }
    return texts.map((text) => known.get(text)!);
  }
}
