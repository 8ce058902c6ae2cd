/**
 * Remembers the store and record behind retrieved passages, so that their vectors are fetched instead of computed
 * again.
 */
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../../core/errors.ts';
import type { StoreRetriever } from '../../core/external/stores.ts';
import type { Embedder } from '../embedders/embedder.ts';
import type { Slot } from '../types.ts';
import { RecentMap } from './recent-map.ts';
import type { FindEmbedder } from './stores/query-vectors.ts';
import type { RemoteStore, StoredVectors } from './stores/remote-store.ts';

interface Origin {
  readonly store: StoreRetriever;
  readonly key: string;
}

export interface RecordSources {
  readonly store: (spec: StoreRetriever) => RemoteStore;
  readonly embedder: FindEmbedder;
}

/** A limit. The oldest ones are forgotten, and embedded again if needed. */
const REMEMBERED = 100_000;

export class RetrievedRecords {
  readonly #sources: RecordSources;
  readonly #origins = new RecentMap<Slot, Origin>(REMEMBERED);

  constructor(sources: RecordSources) {
    this.#sources = sources;
  }

  /** @param keys the store's ids of the records behind these passages */
  remember(store: StoreRetriever, keys: ReadonlyMap<Slot, string>): void {
    for (const [slot, key] of keys) {
      const known = this.#origins.get(slot);
      if (known?.store !== store || known.key !== key) this.#origins.set(slot, { store, key });
    }
  }

  /**
   * The stores' own vectors of passages that were last retrieved from a store filled by the same embedder.
   *
   * @returns [d] each, without other passages
   * @throws ParallaxError `retriever-failed`, `cancelled`
   */
  async vectors(
    embedder: Embedder,
    slots: readonly Slot[],
    signal: AbortSignal | undefined,
  ): Promise<Map<Slot, Float32Array>> {
    const vectorsBySlot = new Map<Slot, Float32Array>();
    for (const [vectors, keys] of await this.#bySource(embedder, slots)) {
      const fetched = await vectors.fetch([...keys.values()], signal);
      for (const [slot, key] of keys) {
        const vector = fetched.get(key);
        if (vector) vectorsBySlot.set(slot, vector);
      }
    }
    return vectorsBySlot;
  }

  async #bySource(
    embedder: Embedder,
    slots: readonly Slot[],
  ): Promise<Map<StoredVectors, Map<Slot, string>>> {
    const sources = new Map<StoredVectors, Map<Slot, string>>();
    for (const slot of slots) {
      const origin = this.#origins.get(slot);
      const vectors = origin && this.#sources.store(origin.store).vectors;
      if (!vectors || !(await this.#isOf(vectors, embedder))) continue;
      const keys = sources.get(vectors) ?? new Map<Slot, string>();
      sources.set(vectors, keys.set(slot, origin.key));
    }
    return sources;
  }

  async #isOf(vectors: StoredVectors, embedder: Embedder): Promise<boolean> {
    return (await this.#sources.embedder(vectors.embedder)).key === embedder.key;
  }
}

/**
 * Vectors row by row, in the order of the slots.
 *
 * @returns [n, d]
 * @throws ParallaxError `retriever-failed` if their dimensions differ
 */
export function rowsOf(slots: readonly Slot[], vectors: ReadonlyMap<Slot, Float32Array>): Float32Array {
  const dimensions = vectors.get(slots[0]!)?.length ?? 0;
  const rows = new Float32Array(slots.length * dimensions);
  for (const [place, slot] of slots.entries()) {
    const vector = vectors.get(slot);
    if (vector?.length !== dimensions)
      throw new ParallaxError(
        'retriever-failed',
        l10n.t`A store has vectors of ${vector?.length ?? 0} dimensions beside others of ${dimensions}. Name the embedder that filled it.`,
      );
    rows.set(vector, place * dimensions);
  }
  return rows;
}
