import type { WorkOptions } from '../types.ts';

/** Converts texts to vectors whose inner products measure their similarity. */
export interface Embedder {
  /**
   * Identity of the passage vectors: model, pooling, passage prefix, requested dimensions. Vectors of different keys
   * must not be mixed. The query prefix is not part of it, so that changing it keeps the stored vectors.
   */
  readonly key: string;
  /** A short name for messages. */
  readonly label: string;
  /** d. `undefined` until the first vectors were computed. */
  readonly dimensions: number | undefined;
  /** Whether it compares letters instead of meaning, which must be shown to the user. */
  readonly heuristic: boolean;
  /** A note for the user about how it runs on this machine. Set after the first run. */
  readonly notice?: string | undefined;

  /**
   * @param texts [n]
   * @returns [n, d]
   * @throws ParallaxError `cancelled`, and what the embedder throws
   */
  embedPassages(texts: readonly string[], work?: WorkOptions): Promise<Float32Array>;

  /** @returns [d] */
  embedQuery(text: string, work?: WorkOptions): Promise<Float32Array>;

  /** Frees memory. A later call loads again what it needs. */
  dispose(): Promise<void>;
}
