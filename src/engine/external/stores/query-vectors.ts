/** Queries as vectors that a store understands. */
import * as l10n from '@vscode/l10n';
import type { Embedder } from '../../embedders/embedder.ts';
import type { StoreCalls } from './store-calls.ts';

export type FindEmbedder = (name: string) => Promise<Embedder>;

export class QueryVectors {
  readonly embedder: string;
  readonly #find: FindEmbedder;
  readonly #calls: StoreCalls;

  /** @param embedder name of the one that the collection was built with */
  constructor(embedder: string, find: FindEmbedder, calls: StoreCalls) {
    this.embedder = embedder;
    this.#find = find;
    this.#calls = calls;
  }

  /**
   * @returns [d]
   * @throws ParallaxError `bad-pipeline` for an unknown embedder, `cancelled`, and what the embedder says
   */
  async of(text: string, signal: AbortSignal | undefined): Promise<Float32Array> {
    return (await this.#find(this.embedder)).embedQuery(text, { signal });
  }

  /**
   * @param dimensions of the store's vectors; undefined where it does not say
   * @throws ParallaxError `retriever-failed` when they are not the vector's
   */
  requireSame(vector: Float32Array, dimensions: number | undefined): void {
    if (dimensions === undefined || dimensions === vector.length) return;
    throw this.#calls.failure(
      l10n.t`${this.#calls.name} holds vectors of ${dimensions} dimensions, and the embedder "${this.embedder}" makes ${vector.length}; name the embedder that it was filled with.`,
    );
  }
}

/** A distance, where smaller is better, as a score in (0, 1], where greater is. None is below 0, but for rounding. */
export const scoreOfDistance = (distance: number): number => 1 / (1 + Math.max(0, distance));

/** Scores by the place alone, for an order that is not by score. */
export function scoredByPlace<T>(results: readonly T[]): (T & { readonly score: number })[] {
  return results.map((result, place) => ({ ...result, score: 1 / (place + 1) }));
}
