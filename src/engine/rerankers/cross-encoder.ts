/**
 * Cross-encoders: models that read a query and a passage together and score the passage's relevance (Nogueira and Cho
 * 2019, arXiv:1901.04085). TART-full (Asai et al. 2023, arXiv:2211.09260) is one whose query begins with an
 * instruction; see src/core/rerank/query-template.ts.
 */
import * as l10n from '@vscode/l10n';
import { ParallaxError, throwIfCancelled } from '../../core/errors.ts';
import type { CrossEncoderSpec } from '../../core/rerank/rerankers.ts';
import { findEncoder, type EncoderFiles } from '../encoders/encoder-files.ts';
import { Once } from '../concurrency/once.ts';
import { classList, classNamed, noSuchClass, PairClassifier } from '../encoders/pair-classifier.ts';
import { encodeInTurns, runInBatches } from '../encoders/run-batches.ts';
import type { TokenBatch } from '../encoders/onnx-model.ts';
import type { WorkOptions } from '../types.ts';

/** The fields of a pipeline step that decide which model is loaded and how its output is read. */
export type CrossEncoderConfig = Pick<CrossEncoderSpec, 'path' | 'file' | 'maxTokens' | 'positiveLabel'>;

export interface CrossEncoder {
  /** A short name for messages. */
  readonly label: string;

  /**
   * The relevance of each passage as log-odds: any real number, whose sigmoid is the probability. A single output is
   * used unchanged; of several classes, it is the log-odds of the positive one under softmax. Outputs are taken to be
   * logits, as exporters write them. If a graph ends in a softmax or sigmoid, the results are not log-odds, but the
   * order is the same for one or two classes.
   *
   * @param query as input of the model, including the instruction
   * @param passages [n]; a pair that is too long loses the end of its passage (see `EncoderTokenizer.pairsWith`)
   * @returns [n]
   * @throws ParallaxError `native-missing`, `bad-file` if model, tokenizer and
   *   `positiveLabel` do not match, `model-answer` for a score that is NaN, `cancelled`
   */
  score(query: string, passages: readonly string[], work?: WorkOptions): Promise<Float64Array>;

  /** Frees memory. A later call loads again what it needs. */
  dispose(): Promise<void>;
}

/**
 * Finds the files of a cross-encoder. The model is loaded at the first use.
 *
 * @param baseDir the base of a relative path
 * @throws ParallaxError `model-missing` naming the missing file
 */
export function createCrossEncoder(
  config: CrossEncoderConfig,
  { baseDir }: { readonly baseDir: string },
): CrossEncoder {
  return new OnnxCrossEncoder(config, findEncoder(config.path, config.file, baseDir));
}

const DEFAULT_POSITIVE = 1;

class OnnxCrossEncoder implements CrossEncoder {
  readonly label: string;
  readonly #config: CrossEncoderConfig;
  readonly #loaded: Once<PairClassifier>;

  constructor(config: CrossEncoderConfig, files: EncoderFiles) {
    this.#config = config;
    this.#loaded = new Once(() => PairClassifier.load(files, config.maxTokens, 'cross-encoder'));
    this.label = files.name;
  }

  async score(query: string, passages: readonly string[], work: WorkOptions = {}): Promise<Float64Array> {
    const scores = new Float64Array(passages.length);
    if (passages.length === 0) return scores;
    throwIfCancelled(work.signal);
    const classifier = await this.#loaded.get();
    const { tokenizer } = classifier;
    const encodings = await encodeInTurns(passages, tokenizer.pairsWith(query), work);
    const scoreBatch = async (batch: TokenBatch, indexes: readonly number[]): Promise<void> => {
      const rows = await classifier.logits(batch);
      const positive = positiveClass(rows[0]!.length, this.#config.positiveLabel, classifier);
      indexes.forEach((index, row) => (scores[index] = logOdds(rows[row]!, positive)));
      if (!indexes.every((index) => Number.isFinite(scores[index]))) throw classifier.notNumbers();
    };
    await runInBatches(encodings, tokenizer.padId, scoreBatch, work);
    return scores;
  }

  async dispose(): Promise<void> {
    const classifier = await this.#loaded.take();
    await classifier?.release();
  }
}

/** @returns the number of the class for "relevant" */
function positiveClass(
  classes: number,
  label: CrossEncoderConfig['positiveLabel'],
  { file, names }: PairClassifier,
): number {
  // A single output is the score itself, whatever its name.
  if (classes === 1) return 0;
  if (label === undefined && classes === 2) return DEFAULT_POSITIVE;
  const number = typeof label === 'string' ? classNamed(label, names) : label;
  if (number !== undefined && number < classes) return number;
  throw new ParallaxError(
    'bad-file',
    label === undefined
      ? l10n.t`${file} has ${classes} classes (${classList(classes, names)}) and needs positiveLabel to say which one means relevant.`
      : noSuchClass(file, classes, names, label),
  );
}

/**
 * ln(p / (1 − p)) of one class under softmax, without computing p, which would round to 1. The value itself if there
 * is only one class.
 */
function logOdds(logits: Float32Array, positive: number): number {
  const value = logits[positive]!;
  if (logits.length === 1) return value;
  const otherLogits = [...logits].filter((_, index) => index !== positive);
  const max = Math.max(...otherLogits);
  return value - max - Math.log(otherLogits.reduce((sum, logit) => sum + Math.exp(logit - max), 0));
}
