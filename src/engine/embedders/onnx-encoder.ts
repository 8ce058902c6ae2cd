/**
 * Sentence encoders in the Hugging Face layout: a folder with model.onnx (or onnx/model.onnx), tokenizer.json and,
 * optionally, tokenizer_config.json.
 *
 * `mean` and `cls` use the states of the tokens (`last_hidden_state`, `token_embeddings`, or the first output of rank
 * 3), pooled here. Only for a graph without token states do they use its
 * `sentence_embedding`, which is pooled as its exporter chose and may contradict the configuration. `pooler` uses
 * `pooler_output`, else `sentence_embedding`.
 */
import * as l10n from '@vscode/l10n';
import { clsPool, meanPool, normalizeRows, type Pooling } from '../../core/embedding/pooling.ts';
import type { EncoderSettings } from '../../core/embedding/presets.ts';
import { ParallaxError, throwIfCancelled } from '../../core/errors.ts';
import { oneOf } from '../../core/text/enumeration.ts';
import type { EncoderFiles } from '../encoders/encoder-files.ts';
import { EncoderTokenizer } from '../encoders/encoder-tokenizer.ts';
import { Once } from '../concurrency/once.ts';
import { OnnxModel, type ModelOutput, type TokenBatch } from '../encoders/onnx-model.ts';
import { encodeInTurns, runInBatches } from '../encoders/run-batches.ts';
import type { WorkOptions } from '../types.ts';

/** Settings for the texts of one call. */
type EncodeSettings = Pick<EncoderSettings, 'pooling' | 'maxTokens' | 'poolPrefix' | 'normalize'>;

const TOKEN_STATES = ['last_hidden_state', 'token_embeddings'];
const POOLED = ['pooler_output', 'sentence_embedding'];

interface Loaded {
  readonly model: OnnxModel;
  readonly tokenizer: EncoderTokenizer;
  readonly output: ModelOutput;
  /** How the output becomes one vector per text. `undefined` if it is one already. */
  readonly pool: 'mean' | 'cls' | undefined;
}

/** One model, loaded at the first use. */
export class OnnxEncoder {
  readonly files: EncoderFiles;
  readonly #settings: EncodeSettings;
  readonly #loaded = new Once(() => this.#load());
  #dimensions: number | undefined;
  #notice: string | undefined;

  constructor(files: EncoderFiles, settings: EncodeSettings) {
    this.files = files;
    this.#settings = settings;
  }

  /** d. `undefined` until the model is loaded and, if the graph does not state it, until it has run. */
  get dimensions(): number | undefined {
    return this.#dimensions;
  }

  /** A note for the user about how it runs on this machine. Set after loading. */
  get notice(): string | undefined {
    return this.#notice;
  }

  /**
   * @param texts [n]
   * @param prefix put before each text without a separator
   * @returns [n, d]
   * @throws ParallaxError `cancelled`; `model-missing` or `bad-file` if the model cannot be used
   */
  async embed(texts: readonly string[], prefix: string, work: WorkOptions): Promise<Float32Array> {
    if (texts.length === 0) return new Float32Array(0);
    throwIfCancelled(work.signal);
    const loaded = await this.#loaded.get();
    const { tokenizer } = loaded;
    const encodings = await encodeInTurns(texts, (text) => ({ ids: tokenizer.encode(prefix + text) }), work);
    const skipped = this.#settings.poolPrefix
      ? undefined
      : encodings.map(({ ids }) => tokenizer.prefixLength(prefix, ids));
    let vectors = new Float32Array(0);
    const embedBatch = async (batch: TokenBatch, indexes: readonly number[]): Promise<void> => {
      const counted = skipped
        ? withoutFirst(
            batch,
            indexes.map((index) => skipped[index]!),
          )
        : batch.mask;
      const rows = await this.#embedBatch(loaded, batch, counted);
      const dimensions = rows.length / indexes.length;
      if (vectors.length === 0) vectors = new Float32Array(texts.length * dimensions);
      indexes.forEach((index, row) =>
        vectors.set(rows.subarray(row * dimensions, (row + 1) * dimensions), index * dimensions),
      );
    };
    await runInBatches(encodings, tokenizer.padId, embedBatch, work);
    return vectors;
  }

  /** Frees memory. A later call loads again what it needs. */
  async dispose(): Promise<void> {
    const loaded = await this.#loaded.take();
    await loaded?.model.release();
  }

  /**
   * @param counted [texts, length], 1 for the tokens that count for the mean
   * @returns [texts, d]
   */
  async #embedBatch(
    { model, output, pool }: Loaded,
    batch: TokenBatch,
    counted: Int32Array,
  ): Promise<Float32Array> {
    const { values, shape } = await model.run(batch, output.name);
    const dimensions = shape.at(-1) ?? 0;
    const expected = pool ? [batch.texts, batch.length, dimensions] : [batch.texts, dimensions];
    if (dimensions === 0 || shape.join() !== expected.join())
      throw new ParallaxError(
        'bad-file',
        l10n.t`${model.file}: the output ${output.name} has the shape [${shape.join(', ')}].`,
      );
    const rows = poolStates(values, counted, batch.texts, dimensions, pool);
    if (!rows.every(Number.isFinite)) throw model.notNumbers();
    if (this.#settings.normalize) normalizeRows(rows, dimensions);
    this.#dimensions = dimensions;
    return rows;
  }

  async #load(): Promise<Loaded> {
    const tokenizer = await EncoderTokenizer.load(this.files.folder, this.#settings.maxTokens);
    const model = await OnnxModel.load(this.files.model);
    const { output, pool } = chooseOutput(model, this.#settings.pooling);
    if (!this.#settings.poolPrefix && !pool)
      throw new ParallaxError(
        'bad-file',
        l10n.t`${model.file} pools by itself, prefix included; poolPrefix false needs ${oneOf(TOKEN_STATES)}.`,
      );
    this.#dimensions = output.width;
    this.#notice = model.notice;
    return { model, tokenizer, output, pool };
  }
}

function chooseOutput(model: OnnxModel, pooling: Pooling): Pick<Loaded, 'output' | 'pool'> {
  const named = (names: readonly string[]): ModelOutput | undefined =>
    names
      .map((name) => model.outputs.find((output) => output.name === name))
      .find((output) => output !== undefined);
  const pooled = named(pooling === 'pooler' ? POOLED : ['sentence_embedding']);
  const states = named(TOKEN_STATES) ?? model.outputs.find((output) => output.rank === 3);
  if (pooling !== 'pooler' && states) return { output: states, pool: pooling };
  if (pooled) return { output: pooled, pool: undefined };
  const names = model.outputs.map((output) => output.name).join(', ');
  const outputNames = pooling === 'pooler' ? POOLED : [...TOKEN_STATES, 'sentence_embedding'];
  throw new ParallaxError(
    'bad-file',
    l10n.t`${model.file} has the outputs ${names}; pooling "${pooling}" needs ${oneOf(outputNames)}.`,
  );
}

function poolStates(
  values: Float32Array,
  counted: Int32Array,
  texts: number,
  dimensions: number,
  pool: Loaded['pool'],
): Float32Array {
  if (pool === 'mean') return meanPool(values, counted, texts, dimensions);
  if (pool === 'cls') return clsPool(values, texts, dimensions);
  return values.slice();
}

/** A batch's mask that also masks the first tokens of each text. */
function withoutFirst({ mask, length }: TokenBatch, skipped: readonly number[]): Int32Array {
  const counted = mask.slice();
  skipped.forEach((tokens, row) => counted.fill(0, row * length, row * length + tokens));
  return counted;
}
