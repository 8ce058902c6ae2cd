/** Search by meaning with the shipped encoder. It needs no model of the user's, no key and no network. */
import { throwIfCancelled } from '../../core/errors.ts';
import { Once } from '../concurrency/once.ts';
import { fingerprintOf } from '../encoders/fingerprint.ts';
import {
  findShippedEncoder,
  SHIPPED_DIMENSIONS,
  ShippedEncoder,
  type ShippedFiles,
} from '../encoders/shipped-encoder.ts';
import type { WorkOptions } from '../types.ts';
import type { Embedder } from './embedder.ts';

/** Version of how texts are split into sentences and pieces. Other versions give other vectors for the same files. */
const VERSION = 1;

export class MeaningEmbedder implements Embedder {
  readonly key: string;
  readonly label = 'Meaning (Universal Sentence Encoder lite, English)';
  readonly dimensions = SHIPPED_DIMENSIONS;
  readonly heuristic = false;
  readonly #encoder: Once<ShippedEncoder>;
  #notice: string | undefined;

  /**
   * Finds the files. The model is loaded at the first use.
   *
   * @throws ParallaxError `model-missing`
   */
  constructor(files: ShippedFiles = findShippedEncoder()) {
    this.key = `meaning|v${VERSION}|${fingerprintOf([files.model, files.pieces])}`;
    this.#encoder = new Once(() => ShippedEncoder.load(files));
  }

  get notice(): string | undefined {
    return this.#notice;
  }

  /** Runs each text by itself, so that its vector does not depend on the others of the call. */
  async embedPassages(
    texts: readonly string[],
    { signal, onProgress }: WorkOptions = {},
  ): Promise<Float32Array> {
    const vectors = new Float32Array(texts.length * this.dimensions);
    for (const [place, text] of texts.entries()) {
      throwIfCancelled(signal);
      vectors.set(await this.embedQuery(text), place * this.dimensions);
      onProgress?.({ done: place + 1, total: texts.length });
    }
    return vectors;
  }

  async embedQuery(text: string): Promise<Float32Array> {
    const encoder = await this.#encoder.get();
    this.#notice = encoder.notice;
    return await encoder.encode(text);
  }

  async dispose(): Promise<void> {
    await (await this.#encoder.take())?.release();
  }
}
