/** Models that read two texts together and return one number per class: cross-encoders and NLI models. */
import { join } from 'node:path';
import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import { ParallaxError } from '../../core/errors.ts';
import { readJsonObject, type EncoderFiles } from './encoder-files.ts';
import { EncoderTokenizer } from './encoder-tokenizer.ts';
import { OnnxModel, type ModelOutput, type TokenBatch } from './onnx-model.ts';

/** The purpose of a pair classifier. */
export type PairModel = 'cross-encoder' | 'nli';

/** Class number → name, for classes that config.json names. */
export type ClassNames = ReadonlyMap<number, string>;

/** Class names in Hugging Face's form, by the numbers from 0. */
const namesSchema = z.object({ id2label: z.record(z.string().regex(/^\d+$/u), z.string()).default({}) });

/** A reader of pairs of texts, whatever the architecture of its model. */
export type PairReader = Pick<
  PairClassifier,
  'tokenizer' | 'names' | 'file' | 'logits' | 'notNumbers' | 'release'
>;

export class PairClassifier {
  readonly tokenizer: EncoderTokenizer;
  readonly names: ClassNames;
  readonly #model: OnnxModel;
  readonly #output: ModelOutput;
  readonly #kind: PairModel;

  private constructor(model: OnnxModel, tokenizer: EncoderTokenizer, names: ClassNames, kind: PairModel) {
    this.#model = model;
    this.#output = chooseOutput(model, kind);
    this.#kind = kind;
    this.tokenizer = tokenizer;
    this.names = names;
  }

  /**
   * @param maxTokens of both texts together
   * @param kind the model's purpose, for messages
   * @throws ParallaxError `native-missing`; `bad-file` if model, tokenizer and config.json do not match
   */
  static async load(files: EncoderFiles, maxTokens: number, kind: PairModel): Promise<PairClassifier> {
    const names = await readNames(join(files.folder, 'config.json'));
    const tokenizer = await EncoderTokenizer.load(files.folder, maxTokens);
    return new PairClassifier(await OnnxModel.load(files.model), tokenizer, names, kind);
  }

  get file(): string {
    return this.#model.file;
  }

  /**
   * @returns for each pair of the batch its logits, `[classes]`, which may be NaN or infinite
   * @throws ParallaxError `bad-file` if the model fails on the batch, and for an output of another shape
   */
  async logits(batch: TokenBatch): Promise<Float32Array[]> {
    const { values, shape } = await this.#model.run(batch, this.#output.name);
    const [pairs, classes = 1, ...more] = shape;
    if (pairs !== batch.texts || classes === 0 || more.length > 0)
      throw new ParallaxError(
        'bad-file',
        wrongShape(this.#kind, this.file, this.#output.name, shape, batch.texts),
      );
    return Array.from({ length: pairs }, (_, pair) => values.subarray(pair * classes, (pair + 1) * classes));
  }

  /** The error for logits that are NaN or infinite. */
  notNumbers(): ParallaxError {
    return this.#model.notNumbers();
  }

  async release(): Promise<void> {
    await this.#model.release();
  }
}

/** `logits`, the usual name, else the first output with one row per pair. */
function chooseOutput(model: OnnxModel, kind: PairModel): ModelOutput {
  const { outputs, file } = model;
  const fits = ({ rank }: ModelOutput): boolean => rank === undefined || rank === 1 || rank === 2;
  const chosen = outputs.find(({ name }) => name === 'logits') ?? outputs.find(fits);
  if (chosen) return chosen;
  const names = outputs.map(({ name }) => name).join(', ');
  throw new ParallaxError(
    'bad-file',
    kind === 'nli'
      ? l10n.t`${file} has the outputs ${names}, none of which is a score per pair: it is an encoder, not an NLI model.`
      : l10n.t`${file} has the outputs ${names}, none of which is a score per pair: it is an encoder, not a cross-encoder.`,
  );
}

function wrongShape(
  kind: PairModel,
  file: string,
  output: string,
  shape: readonly number[],
  pairs: number,
): string {
  const dimensions = shape.join(', ');
  return kind === 'nli'
    ? l10n.t`${file}: the output ${output} has the shape [${dimensions}] for ${pairs} pairs; an NLI model gives [pairs, 1] or [pairs, classes].`
    : l10n.t`${file}: the output ${output} has the shape [${dimensions}] for ${pairs} pairs; a cross-encoder gives [pairs, 1] or [pairs, classes].`;
}

async function readNames(file: string): Promise<ClassNames> {
  const parsed = namesSchema.safeParse((await readJsonObject(file)) ?? {});
  if (!parsed.success)
    throw new ParallaxError('bad-file', l10n.t`${file}: id2label does not map class numbers to names.`);
  return new Map(Object.entries(parsed.data.id2label).map(([id, name]) => [Number(id), name]));
}

/** The number of the class with this name, whatever its case. */
export function classNamed(name: string, names: ClassNames): number | undefined {
  return [...names].find(([, each]) => each.toLowerCase() === name.toLowerCase())?.[0];
}

/** The message for a class, by name or number, that a pipeline or judge requests and a model does not have. */
export function noSuchClass(
  file: string,
  classes: number,
  names: ClassNames,
  label: number | string,
): string {
  const listed = classList(classes, names);
  return typeof label === 'string'
    ? l10n.t`${file} has ${classes} classes (${listed}) and has no "${label}".`
    : l10n.t`${file} has ${classes} classes (${listed}) and has no class ${label}.`;
}

/** `0 contradiction, 1 entailment`, or only numbers if config.json has no names. */
export function classList(classes: number, names: ClassNames): string {
  return Array.from({ length: classes }, (_, number) =>
    [number, names.get(number) ?? ''].join(' ').trim(),
  ).join(', ');
}
