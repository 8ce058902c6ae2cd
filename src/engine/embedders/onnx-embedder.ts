/** Embedders with encoders that run on this machine: one for all texts, or one for passages and one for queries. */
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../../core/errors.ts';
import type { EmbedderConfig } from '../../shared/config.ts';
import { findEncoder } from '../encoders/encoder-files.ts';
import { fingerprintOf } from '../encoders/fingerprint.ts';
import type { WorkOptions } from '../types.ts';
import type { Embedder } from './embedder.ts';
import { OnnxEncoder } from './onnx-encoder.ts';

type OnnxConfig = Extract<EmbedderConfig, { type: 'onnx' }>;

export class OnnxEmbedder implements Embedder {
  readonly key: string;
  readonly label: string;
  readonly heuristic = false;
  readonly #config: OnnxConfig;
  readonly #passages: OnnxEncoder;
  /** The encoder of passages, unless queries have their own. */
  readonly #queries: OnnxEncoder;

  /**
   * Finds the files. The models are loaded at the first use.
   *
   * @param baseDir the base of a relative path
   * @throws ParallaxError `model-missing` naming the missing file
   */
  constructor(name: string, config: OnnxConfig, baseDir: string) {
    const { pooling, maxTokens, passagePrefix, poolPrefix, normalize, query, file } = config;
    this.#config = config;
    this.#passages = new OnnxEncoder(findEncoder(config.path, file, baseDir), config);
    this.#queries =
      query === undefined ? this.#passages : new OnnxEncoder(findEncoder(query, file, baseDir), config);
    const { model, tokenizer, name: folder } = this.#passages.files;
    const files = fingerprintOf([model, tokenizer]);
    this.label = `${name} (${folder})`;
    // Added only if it differs from the default, so that vectors stored before the setting existed stay valid.
    const leftOut = poolPrefix ? {} : { poolPrefix };
    this.key = `onnx|${JSON.stringify({ files, pooling, maxTokens, passagePrefix, normalize, ...leftOut })}`;
  }

  get dimensions(): number | undefined {
    return this.#passages.dimensions ?? this.#queries.dimensions;
  }

  get notice(): string | undefined {
    return this.#passages.notice ?? this.#queries.notice;
  }

  async embedPassages(texts: readonly string[], work: WorkOptions = {}): Promise<Float32Array> {
    return await this.#passages.embed(texts, this.#config.passagePrefix, work);
  }

  async embedQuery(text: string, work: WorkOptions = {}): Promise<Float32Array> {
    const vector = await this.#queries.embed([text], this.#config.queryPrefix, { signal: work.signal });
    this.#assertSameLength();
    return vector;
  }

  async dispose(): Promise<void> {
    await this.#passages.dispose();
    if (this.#queries !== this.#passages) await this.#queries.dispose();
  }

  /** If the passages' vectors are stored, their encoder is not loaded, and the index compares the dimensions. */
  #assertSameLength(): void {
    const [passages, queries] = [this.#passages.dimensions, this.#queries.dimensions];
    if (passages === undefined || passages === queries) return;
    throw new ParallaxError(
      'bad-file',
      l10n.t`${this.#queries.files.model} gives vectors of ${String(queries)} numbers, and ${this.#passages.files.model} of ${String(passages)}: queries and passages need two models that were trained together.`,
    );
  }
}
