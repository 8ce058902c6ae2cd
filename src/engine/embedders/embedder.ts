import type { WorkOptions } from '../types.ts';

/** Turns texts into vectors whose inner products say how alike they are. */
export interface Embedder {
  /**
   * Identity of the passage vectors: model, pooling, passage prefix, dimensions asked for. Vectors of
   * different keys must never meet. (The query prefix is left out: changing it spares the stored vectors.)
   */
  readonly key: string;
  /** A short name for people. */
  readonly label: string;
  /** d; undefined until the first vectors have come. */
  readonly dimensions: number | undefined;
  /** True for a stand-in that knows letters, not meaning; to be labelled as such. */
  readonly heuristic: boolean;
  /** A remark for the user about how it runs on this machine, once it has run. */
  readonly notice?: string | undefined;

  /**
   * @param texts [n]
   * @returns [n, d]
   * @throws ParallaxError `cancelled`, and what the embedder says
   */
  embedPassages(texts: readonly string[], work?: WorkOptions): Promise<Float32Array>;

  /** @returns [d] */
  embedQuery(text: string, work?: WorkOptions): Promise<Float32Array>;

  /** Gives memory back; a later call loads again what it needs. */
  dispose(): Promise<void>;
}
