/**
 * Sequence-to-sequence models that answer with one word whether a premise entails a hypothesis, such as TRUE
 * (Honovich et al. 2022, `t5_xxl_true_nli_mixture`): asked "premise: … hypothesis: …", they answer "1" or "0". One
 * step of the decoder is enough, and its logits of the two words are those of two classes.
 *
 * The layout is that of Optimum's exports without a cache: encoder_model.onnx and decoder_model.onnx.
 */
import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import * as l10n from '@vscode/l10n';
import type { InferenceSession, Tensor } from 'onnxruntime-node';
import * as z from 'zod';
import { messageOf, ParallaxError } from '../../core/errors.ts';
import { readJsonObject, type EncoderFiles } from './encoder-files.ts';
import { EncoderTokenizer } from './encoder-tokenizer.ts';
import { integerType, OnnxModel, openSession, type IntegerType, type TokenBatch } from './onnx-model.ts';
import type { OnnxRuntime } from './onnx-runtime.ts';
import type { ClassNames, PairReader } from './pair-classifier.ts';

const ENCODER = 'encoder_model';
const DECODER = 'decoder_model';

/** The words that TRUE was trained to answer, by class. */
const WORDS = ['0', '1'] as const;
const NAMES: ClassNames = new Map([
  [0, 'not entailment'],
  [1, 'entailment'],
]);
/** The words before the two texts. */
const WRITTEN = { first: 'premise:', second: 'hypothesis:' };

/** T5 starts decoding from the padding token if config.json names no other. */
const configSchema = z.object({ decoder_start_token_id: z.number().int().min(0).optional() });

/** The decoder that belongs to an encoder of a sequence-to-sequence model, by name. `undefined` for any other model. */
export function decoderBeside({ model }: EncoderFiles): string | undefined {
  const name = basename(model);
  return name.startsWith(ENCODER)
    ? join(dirname(model), `${DECODER}${name.slice(ENCODER.length)}`)
    : undefined;
}

export class Seq2SeqClassifier implements PairReader {
  readonly tokenizer: EncoderTokenizer;
  readonly names = NAMES;
  readonly #encoder: OnnxModel;
  readonly #decoder: Decoder;
  /** Token ids of {@link WORDS}. */
  readonly #words: readonly number[];

  private constructor(
    tokenizer: EncoderTokenizer,
    encoder: OnnxModel,
    decoder: Decoder,
    words: readonly number[],
  ) {
    this.tokenizer = tokenizer;
    this.#encoder = encoder;
    this.#decoder = decoder;
    this.#words = words;
  }

  /**
   * @param decoder {@link decoderBeside} the model
   * @param maxTokens of both texts together, with the words before them
   * @throws ParallaxError `native-missing`; `model-missing` without the decoder; `bad-file` if the files do not
   *   match, or have a form that cannot be run
   */
  static async load(files: EncoderFiles, decoder: string, maxTokens: number): Promise<Seq2SeqClassifier> {
    if (!existsSync(decoder))
      throw new ParallaxError(
        'model-missing',
        l10n.t`${files.model} is one half of a sequence-to-sequence model, and ${decoder} is missing. Export both: optimum-cli export onnx --task text2text-generation.`,
      );
    const config = configSchema.safeParse((await readJsonObject(join(files.folder, 'config.json'))) ?? {});
    if (!config.success)
      throw new ParallaxError(
        'bad-file',
        l10n.t`${join(files.folder, 'config.json')}: decoder_start_token_id is not the number of a token.`,
      );
    const tokenizer = await EncoderTokenizer.load(files.folder, maxTokens, WRITTEN);
    const words = WORDS.map((word) => tokenizer.firstToken(word));
    if (new Set(words).size < WORDS.length)
      throw new ParallaxError(
        'bad-file',
        l10n.t`${files.tokenizer} has no separate tokens for 0 and 1, which a sequence-to-sequence model needs to say whether a passage entails a statement.`,
      );
    const encoder = await OnnxModel.load(files.model);
    try {
      const start = config.data.decoder_start_token_id ?? tokenizer.padId;
      return new Seq2SeqClassifier(tokenizer, encoder, await Decoder.load(decoder, start), words);
    } catch (error) {
      await encoder.release();
      throw error;
    }
  }

  get file(): string {
    return this.#decoder.file;
  }

  /**
   * @returns for each pair the logits of "0" and "1", which may be NaN or infinite
   * @throws ParallaxError `bad-file` if the model fails on the batch, and if it would answer with another word
   */
  async logits(batch: TokenBatch): Promise<Float32Array[]> {
    const states = await this.#encoder.run(batch, 'last_hidden_state');
    const rows = await this.#decoder.firstStep(batch, states);
    return rows.map((row) => {
      const logits = Float32Array.from(this.#words, (id) => row[id] ?? Number.NaN);
      // A model for another task has other answers, and the likelier of these two would mean nothing.
      const likeliest = row.reduce((best, logit) => Math.max(best, logit), -Infinity);
      if (logits.every(Number.isFinite) && Math.max(...logits) < likeliest)
        throw new ParallaxError(
          'bad-file',
          l10n.t`${this.file} answers with a word other than 0 or 1, so it is not an entailment model like TRUE (t5_xxl_true_nli_mixture).`,
        );
      return logits;
    });
  }

  notNumbers(): ParallaxError {
    return this.#encoder.notNumbers();
  }

  async release(): Promise<void> {
    await this.#encoder.release();
    await this.#decoder.release();
  }
}

const DECODER_INPUTS = ['input_ids', 'encoder_attention_mask', 'encoder_hidden_states'] as const;
type DecoderInput = (typeof DECODER_INPUTS)[number];

/** The decoder, run only for its first word. */
class Decoder {
  readonly file: string;
  readonly #runtime: OnnxRuntime;
  readonly #session: InferenceSession;
  readonly #start: number;
  /** Integer type by input. `undefined` for the states. */
  readonly #types: ReadonlyMap<DecoderInput, IntegerType | undefined>;

  private constructor(file: string, runtime: OnnxRuntime, session: InferenceSession, start: number) {
    this.file = file;
    this.#runtime = runtime;
    this.#session = session;
    this.#start = start;
    this.#types = new Map(
      session.inputMetadata.map((input) => [decoderInput(file, input.name), integerType(input)]),
    );
    if (!session.outputNames.includes('logits'))
      throw new ParallaxError(
        'bad-file',
        l10n.t`${file} has no output "logits", so it is not a text decoder.`,
      );
  }

  /** @throws ParallaxError `native-missing`, `bad-file` */
  static async load(file: string, start: number): Promise<Decoder> {
    const { runtime, session } = await openSession(file);
    try {
      return new Decoder(file, runtime, session, start);
    } catch (error) {
      await session.release();
      throw error;
    }
  }

  /** The logits of the first word, `[texts][vocabulary]`. @throws ParallaxError `bad-file` */
  async firstStep(
    { texts, length, mask }: TokenBatch,
    states: { readonly values: Float32Array; readonly shape: readonly number[] },
  ): Promise<Float32Array[]> {
    const tensors: Record<DecoderInput, () => Tensor> = {
      input_ids: () => this.#integers('input_ids', new Int32Array(texts).fill(this.#start), [texts, 1]),
      encoder_attention_mask: () => this.#integers('encoder_attention_mask', mask, [texts, length]),
      encoder_hidden_states: () => new this.#runtime.library.Tensor('float32', states.values, states.shape),
    };
    const feeds = Object.fromEntries([...this.#types.keys()].map((name) => [name, tensors[name]()]));
    let result: Tensor;
    try {
      result = (await this.#session.run(feeds, ['logits']))['logits'] as Tensor;
    } catch (error) {
      throw new ParallaxError('bad-file', l10n.t`${this.file} fails on ${texts} pairs: ${messageOf(error)}`, {
        cause: error,
      });
    }
    const [pairs, steps, vocabulary = 0] = result.dims;
    const { data } = result;
    if (pairs !== texts || steps !== 1 || !(data instanceof Float32Array))
      throw new ParallaxError(
        'bad-file',
        l10n.t`${this.file}: the output logits has the shape [${result.dims.join(', ')}] for ${texts} pairs; a decoder gives [pairs, words, vocabulary] as float32.`,
      );
    return Array.from({ length: texts }, (_, pair) =>
      data.subarray(pair * vocabulary, (pair + 1) * vocabulary),
    );
  }

  async release(): Promise<void> {
    await this.#session.release();
  }

  #integers(name: DecoderInput, values: Int32Array, shape: readonly number[]): Tensor {
    const type = this.#types.get(name) ?? 'int64';
    const data = type === 'int32' ? values : BigInt64Array.from(values, BigInt);
    return new this.#runtime.library.Tensor(type, data, shape);
  }
}

function decoderInput(file: string, name: string): DecoderInput {
  const known = DECODER_INPUTS.find((input) => input === name);
  if (known) return known;
  throw new ParallaxError(
    'bad-file',
    l10n.t`${file} asks for the input ${name}; a decoder is run here without a cache. Export it so: optimum-cli export onnx --task text2text-generation.`,
  );
}
