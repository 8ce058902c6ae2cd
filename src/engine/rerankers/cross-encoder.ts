/**
 * Cross-encoders: models that read a query and a passage together and say how relevant the passage is
 * (Nogueira and Cho 2019, arXiv:1901.04085). TART-full (Asai et al. 2023, arXiv:2211.09260) is one whose
 * query begins with an instruction; see src/core/rerank/query-template.ts.
 */
import { join } from 'node:path';
import * as z from 'zod';
import { ParallaxError, throwIfCancelled } from '../../core/errors.ts';
import type { CrossEncoderSpec } from '../../core/pipeline.ts';
import { findEncoder, readJsonObject, type EncoderFiles } from '../encoders/encoder-files.ts';
import { EncoderTokenizer } from '../encoders/encoder-tokenizer.ts';
import { LoadedOnce } from '../encoders/loaded-once.ts';
import { OnnxModel, type ModelOutput, type TokenBatch } from '../encoders/onnx-model.ts';
import { encodeInTurns, runInBatches } from '../encoders/run-batches.ts';
import type { WorkOptions } from '../types.ts';

/** What of a pipeline's step decides which model is loaded and how it is read. */
export type CrossEncoderConfig = Pick<CrossEncoderSpec, 'path' | 'file' | 'maxTokens' | 'positiveLabel'>;

export interface CrossEncoder {
  /** A short name for people. */
  readonly label: string;

  /**
   * How relevant each passage is, as log-odds: any real number, and the sigmoid of it is the probability.
   * That is a single output as it stands, and of several classes the log-odds of the positive one under
   * softmax. Outputs are taken for logits, as exporters write them; where a graph ends in a softmax or
   * sigmoid, figures are not log-odds, but the order of one or two classes is the same.
   *
   * @param query as the model is to read it, instruction included
   * @param passages [n]; of a pair that is too long, the passage is cut (see {@link EncoderTokenizer.pairsWith})
   * @returns [n]
   * @throws ParallaxError `native-missing`, `bad-file` when model, tokenizer and `positiveLabel` do not fit
   *   together, `model-answer` for a score that is not a number, `cancelled`
   */
  score(query: string, passages: readonly string[], work?: WorkOptions): Promise<Float64Array>;

  /** Gives memory back; a later call loads again what it needs. */
  dispose(): Promise<void>;
}

/**
 * Finds the files of a cross-encoder; the model itself is loaded on first use.
 *
 * @param baseDir what a relative path starts from
 * @throws ParallaxError `model-missing` naming the file that is not there
 */
export function createCrossEncoder(
  config: CrossEncoderConfig,
  { baseDir }: { readonly baseDir: string },
): CrossEncoder {
  return new OnnxCrossEncoder(config, findEncoder(config.path, config.file, baseDir));
}

/** Class names as Hugging Face writes them. */
const labelsSchema = z.object({ id2label: z.record(z.string(), z.string()).default({}) });
/** Class number → name. */
type Labels = ReadonlyMap<number, string>;

const DEFAULT_POSITIVE = 1;

interface Loaded {
  readonly model: OnnxModel;
  readonly tokenizer: EncoderTokenizer;
  readonly output: ModelOutput;
  readonly labels: Labels;
}

class OnnxCrossEncoder implements CrossEncoder {
  readonly label: string;
  readonly #config: CrossEncoderConfig;
  readonly #files: EncoderFiles;
  readonly #loaded = new LoadedOnce(() => this.#load());

  constructor(config: CrossEncoderConfig, files: EncoderFiles) {
    this.#config = config;
    this.#files = files;
    this.label = files.name;
  }

  async score(query: string, passages: readonly string[], work: WorkOptions = {}): Promise<Float64Array> {
    const scores = new Float64Array(passages.length);
    if (passages.length === 0) return scores;
    throwIfCancelled(work.signal);
    const loaded = await this.#loaded.get();
    const { tokenizer } = loaded;
    const encodings = await encodeInTurns(passages, tokenizer.pairsWith(query), work);
    const scoreBatch = async (batch: TokenBatch, indexes: readonly number[]): Promise<void> => {
      const rows = await this.#scoreBatch(loaded, batch);
      indexes.forEach((index, row) => (scores[index] = rows[row]!));
    };
    await runInBatches(encodings, tokenizer.padId, scoreBatch, work);
    return scores;
  }

  async dispose(): Promise<void> {
    const loaded = await this.#loaded.take();
    await loaded?.model.release();
  }

  /** @returns one score per pair of the batch */
  async #scoreBatch({ model, output, labels }: Loaded, batch: TokenBatch): Promise<number[]> {
    const { values, shape } = await model.run(batch, output.name);
    const [pairs, classes = 1, ...more] = shape;
    if (pairs !== batch.texts || classes === 0 || more.length > 0)
      throw new ParallaxError(
        'bad-file',
        `${model.file}: the output ${output.name} has the shape [${shape.join(', ')}] for ${batch.texts} pairs; a cross-encoder gives [pairs, 1] or [pairs, classes].`,
      );
    const positive = positiveClass(classes, this.#config.positiveLabel, labels, model.file);
    const scores = Array.from({ length: pairs }, (_, pair) =>
      logOdds(values.subarray(pair * classes, (pair + 1) * classes), positive),
    );
    if (!scores.every(Number.isFinite)) throw model.notNumbers();
    return scores;
  }

  async #load(): Promise<Loaded> {
    const { folder, model: file } = this.#files;
    const labels = await readLabels(join(folder, 'config.json'));
    const tokenizer = await EncoderTokenizer.load(folder, this.#config.maxTokens);
    const model = await OnnxModel.load(file);
    return { model, tokenizer, output: chooseOutput(model), labels };
  }
}

/** `logits`, as every exporter calls it, else the first output with one row per pair. */
function chooseOutput(model: OnnxModel): ModelOutput {
  const { outputs, file } = model;
  const fits = ({ rank }: ModelOutput): boolean => rank === undefined || rank === 1 || rank === 2;
  const chosen = outputs.find(({ name }) => name === 'logits') ?? outputs.find(fits);
  if (chosen) return chosen;
  throw new ParallaxError(
    'bad-file',
    `${file} has the outputs ${outputs.map(({ name }) => name).join(', ')}, none of which is a score per pair: it is an encoder, not a cross-encoder.`,
  );
}

async function readLabels(file: string): Promise<Labels> {
  const parsed = labelsSchema.safeParse((await readJsonObject(file)) ?? {});
  if (!parsed.success)
    throw new ParallaxError('bad-file', `${file}: id2label does not map class numbers to names.`);
  return new Map(Object.entries(parsed.data.id2label).map(([id, name]) => [Number(id), name]));
}

/** @returns the number of the class that means relevant */
function positiveClass(
  classes: number,
  wanted: CrossEncoderConfig['positiveLabel'],
  labels: Labels,
  file: string,
): number {
  // A single output is the score itself, whatever it is called.
  if (classes === 1) return 0;
  if (wanted === undefined && classes === 2) return DEFAULT_POSITIVE;
  const number = typeof wanted === 'string' ? numberOf(wanted, labels) : wanted;
  if (number !== undefined && number < classes) return number;
  const problem =
    wanted === undefined
      ? 'needs positiveLabel to say which one means relevant'
      : `has no ${describe(wanted)}`;
  throw new ParallaxError(
    'bad-file',
    `${file} tells ${classes} classes apart (${classList(classes, labels)}) and ${problem}.`,
  );
}

function numberOf(name: string, labels: Labels): number | undefined {
  const same = ([, label]: readonly [number, string]): boolean => label.toLowerCase() === name.toLowerCase();
  return [...labels].find(same)?.[0];
}

const describe = (label: number | string): string =>
  typeof label === 'string' ? `"${label}"` : `class ${label}`;

/** `0 contradiction, 1 entailment`; numbers alone where config.json has no names. */
function classList(classes: number, labels: Labels): string {
  return Array.from({ length: classes }, (_, number) =>
    [number, labels.get(number) ?? ''].join(' ').trim(),
  ).join(', ');
}

/**
 * ln(p / (1 − p)) of one class under softmax, without ever forming p, which would round to 1; the value
 * itself where it is the only one.
 */
function logOdds(logits: Float32Array, positive: number): number {
  const value = logits[positive]!;
  if (logits.length === 1) return value;
  const others = [...logits].filter((_, index) => index !== positive);
  const max = Math.max(...others);
  return value - max - Math.log(others.reduce((sum, logit) => sum + Math.exp(logit - max), 0));
}
