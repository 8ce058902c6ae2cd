import { setImmediate as nextTurn } from 'node:timers/promises';
import { throwIfCancelled } from '../../core/errors.ts';
import type { WorkOptions } from '../types.ts';
import type { Embedder } from './embedder.ts';
import { embedByHashing, HASHING_VERSION } from './hashing-encoder.ts';

const SLICE_MS = 8;

/** Lexical (hashing-encoder.ts). Needs no model and no network. */
export class HashingEmbedder implements Embedder {
  readonly key: string;
  readonly label = 'Hashing (shared words, not meaning)';
  readonly dimensions: number;
  readonly heuristic = true;

  constructor(dimensions: number) {
    this.dimensions = dimensions;
    this.key = `hashing|v${HASHING_VERSION}|d=${dimensions}`;
  }

  async embedPassages(
    texts: readonly string[],
    { signal, onProgress }: WorkOptions = {},
  ): Promise<Float32Array> {
    const vectors = new Float32Array(texts.length * this.dimensions);
    let turnEnd = performance.now() + SLICE_MS;
    for (const [i, text] of texts.entries()) {
      throwIfCancelled(signal);
      embedByHashing(text, vectors.subarray(i * this.dimensions, (i + 1) * this.dimensions));
      if (performance.now() < turnEnd) continue;
      onProgress?.({ done: i + 1, total: texts.length });
      await nextTurn();
      turnEnd = performance.now() + SLICE_MS;
    }
    onProgress?.({ done: texts.length, total: texts.length });
    return vectors;
  }

  /** @returns zeros for a query without words, to which nothing is similar */
  async embedQuery(text: string): Promise<Float32Array> {
    const vector = new Float32Array(this.dimensions);
    return embedByHashing(text, vector) ? vector : vector.fill(0);
  }

  async dispose(): Promise<void> {
    // Does nothing: its memory is freed with the object.
  }
}
