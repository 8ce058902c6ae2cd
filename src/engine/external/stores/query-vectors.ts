/** Embeds queries for a store. */
import * as l10n from '@vscode/l10n';
import type { Embedder } from '../../embedders/embedder.ts';
import type { StoreCalls } from './store-calls.ts';

export type FindEmbedder = (name: string) => Promise<Embedder>;

export class QueryVectors {
  readonly embedder: string;
  readonly #find: FindEmbedder;
  readonly #calls: StoreCalls;

  /** @param embedder name of the embedder that filled the collection */
  constructor(embedder: string, find: FindEmbedder, calls: StoreCalls) {
    this.embedder = embedder;
    this.#find = find;
    this.#calls = calls;
  }

  /**
   * @returns [d]
   * @throws ParallaxError `bad-pipeline` for an unknown embedder, `cancelled`, and what the embedder throws
   */
  async of(text: string, signal: AbortSignal | undefined): Promise<Float32Array> {
    return (await this.#find(this.embedder)).embedQuery(text, { signal });
  }

  /**
   * @param dimensions of the store's vectors; undefined if unknown
   * @throws ParallaxError `retriever-failed` if the vector has other dimensions
   */
  requireSame(vector: Float32Array, dimensions: number | undefined): void {
    if (dimensions === undefined || dimensions === vector.length) return;
    throw this.#calls.failure(
      l10n.t`${this.#calls.name} contains vectors of ${dimensions} dimensions, and the embedder "${this.embedder}" makes ${vector.length}; name the embedder that filled it.`,
    );
  }
}

/**
 * Converts a distance, for which smaller is better, to a score in (0, 1]. Distances are below 0 only through
 * rounding.
 */
export const scoreOfDistance = (distance: number): number => 1 / (1 + Math.max(0, distance));

/** Scores by rank, for an order that does not follow the scores. */
export function scoredByPlace<T>(results: readonly T[]): (T & { readonly score: number })[] {
  return results.map((result, place) => ({ ...result, score: 1 / (place + 1) }));
}
