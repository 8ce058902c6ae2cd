/** Embedders of encoders that run on this machine: one for all texts, or one for passages and one for queries. */
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
  /** The same as that of passages where one model encodes both. */
  readonly #queries: OnnxEncoder;

  /**
   * Finds the files; models themselves are loaded on first use.
   *
   * @param baseDir what a relative path starts from
   * @throws ParallaxError `model-missing` naming the file that is not there
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
    // Only what differs from the default is added, so that vectors stored before there was the setting stay.
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

  /** Passages whose vectors are stored need no encoder: then the index holds queries against these. */
  #assertSameLength(): void {
    const [passages, queries] = [this.#passages.dimensions, this.#queries.dimensions];
    if (passages === undefined || passages === queries) return;
    throw new ParallaxError(
      'bad-file',
      l10n.t`${this.#queries.files.model} gives vectors of ${String(queries)} numbers, and ${this.#passages.files.model} of ${String(passages)}: queries and passages need two models that were trained together.`,
    );
  }
}
