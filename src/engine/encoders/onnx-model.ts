/**
 * Encoder models in ONNX format.
 *
 * A run blocks its thread, and terminating a worker during a run would end the whole process, so models run in the
 * engine's own process, in small batches.
 */
import * as l10n from '@vscode/l10n';
import type { InferenceSession, Tensor } from 'onnxruntime-node';
import { ParallaxError, messageOf } from '../../core/errors.ts';
import { loadOnnxRuntime, type OnnxRuntime } from './onnx-runtime.ts';

/** The possible inputs of an encoder. All are computed from the token ids. */
const KNOWN_INPUTS = ['input_ids', 'attention_mask', 'token_type_ids', 'position_ids'] as const;
type KnownInput = (typeof KNOWN_INPUTS)[number];
export type IntegerType = 'int64' | 'int32';

/** Token ids of several texts, or pairs of texts, padded to the same length. */
export interface TokenBatch {
  readonly texts: number;
  /** Tokens per text, including padding. */
  readonly length: number;
  /** [texts, length] */
  readonly ids: Int32Array;
  /** [texts, length], 1 for tokens and 0 for padding. */
  readonly mask: Int32Array;
  /** [texts, length], 1 for the second text of a pair and 0 for all else. */
  readonly types: Int32Array;
}

export interface ModelOutput {
  readonly name: string;
  /** Number of dimensions of the tensor. `undefined` if the graph does not state it. */
  readonly rank: number | undefined;
  /** Size of the last dimension. `undefined` if the graph does not fix it. */
  readonly width: number | undefined;
}

export interface SessionOptions {
  /**
   * The number of threads of a run. Defaults to as many as the machine can spare. WebAssembly has one number for all
   * models.
   */
  readonly threads?: number;
}

export class OnnxModel {
  readonly file: string;
  readonly outputs: readonly ModelOutput[];
  readonly #runtime: OnnxRuntime;
  readonly #session: InferenceSession;
  readonly #inputs: readonly { readonly name: KnownInput; readonly type: IntegerType }[];

  private constructor(file: string, runtime: OnnxRuntime, session: InferenceSession) {
    this.file = file;
    this.#runtime = runtime;
    this.#session = session;
    this.#inputs = session.inputMetadata.map((input) => knownInput(file, input));
    this.outputs = session.outputMetadata.map(describeOutput);
  }

  /**
   * @throws ParallaxError `native-missing` if the runtime does not load, `bad-file` if the file is not a model it can
   *   run or needs inputs that do not come from token ids
   */
  static async load(file: string, options: SessionOptions = {}): Promise<OnnxModel> {
    const { runtime, session } = await openSession(file, options);
    return new OnnxModel(file, runtime, session);
  }

  /**
   * Computes one output for a batch.
   *
   * @returns the values, and their shape
   * @throws ParallaxError `bad-file` if the model fails on the batch or the output does not consist of floats
   */
  async run(batch: TokenBatch, output: string): Promise<{ values: Float32Array; shape: readonly number[] }> {
    const feeds = Object.fromEntries(
      this.#inputs.map(({ name, type }) => [name, this.#tensor(batch, name, type)]),
    );
    let result: Tensor;
    try {
      result = (await this.#session.run(feeds, [output]))[output] as Tensor;
    } catch (error) {
      throw new ParallaxError(
        'bad-file',
        l10n.t`${this.file} fails on a text of ${batch.length} tokens: ${messageOf(error)} Do the model and tokenizer.json belong together, and is maxTokens within what the model can take?`,
        { cause: error },
      );
    }
    if (!(result.data instanceof Float32Array))
      throw new ParallaxError(
        'bad-file',
        l10n.t`${this.file}: the output ${output} is ${result.type}, not float32.`,
      );
    return { values: result.data, shape: result.dims };
  }

  /** A note for the user about how the model is run. `undefined` if it runs natively. */
  get notice(): string | undefined {
    return this.#runtime.notice;
  }

  /** The error for an output with NaN or infinity. */
  notNumbers(): ParallaxError {
    return new ParallaxError(
      'model-answer',
      l10n.t`${this.file} gave values that are not numbers. The file may be damaged.`,
    );
  }

  async release(): Promise<void> {
    await this.#session.release();
  }

  #tensor(batch: TokenBatch, name: KnownInput, type: IntegerType): Tensor {
    const values = inputValues(batch, name);
    const data = type === 'int32' ? values : BigInt64Array.from(values, BigInt);
    return new this.#runtime.library.Tensor(type, data, [batch.texts, batch.length]);
  }
}

/**
 * @throws ParallaxError `native-missing` if the runtime does not load, `bad-file` if the file is not a model it can
 *   run
 */
export async function openSession(
  file: string,
  { threads }: SessionOptions = {},
): Promise<{ readonly runtime: OnnxRuntime; readonly session: InferenceSession }> {
  const runtime = await loadOnnxRuntime();
  const options =
    threads === undefined
      ? runtime.sessionOptions
      : { ...runtime.sessionOptions, intraOpNumThreads: threads };
  try {
    return { runtime, session: await runtime.library.InferenceSession.create(file, options) };
  } catch (error) {
    throw new ParallaxError('bad-file', l10n.t`${file} is not a model that can be run: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

/** The type of an integer input. `undefined` for any other. */
export function integerType(input: InferenceSession.ValueMetadata): IntegerType | undefined {
  return input.isTensor && (input.type === 'int64' || input.type === 'int32') ? input.type : undefined;
}

function inputValues({ ids, mask, types, length }: TokenBatch, name: KnownInput): Int32Array {
  switch (name) {
    case 'input_ids':
      return ids;
    case 'attention_mask':
      return mask;
    case 'token_type_ids':
      return types;
    case 'position_ids':
      return ids.map((_, i) => i % length);
  }
}

function knownInput(
  file: string,
  input: InferenceSession.ValueMetadata,
): { name: KnownInput; type: IntegerType } {
  const name = KNOWN_INPUTS.find((known) => known === input.name);
  const type = integerType(input);
  const inputType = input.isTensor ? input.type : 'no tensor';
  if (!name || !type)
    throw new ParallaxError(
      'bad-file',
      l10n.t`${file} asks for the input ${input.name} (${inputType}); a text encoder takes ${KNOWN_INPUTS.join(', ')} as integers.`,
    );
  return { name, type };
}

function describeOutput(output: InferenceSession.ValueMetadata): ModelOutput {
  const shape = output.isTensor ? output.shape : [];
  const width = shape.at(-1);
  return {
    name: output.name,
    rank: shape.length > 0 ? shape.length : undefined,
    width: typeof width === 'number' ? width : undefined,
  };
}
