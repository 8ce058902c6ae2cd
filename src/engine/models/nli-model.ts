/** Natural language inference models in ONNX format. They give the probability that a premise entails a hypothesis. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import * as l10n from '@vscode/l10n';
import { ParallaxError, throwIfCancelled } from '../../core/errors.ts';
import { meansEntailment, softmaxAt, windowsWithin } from '../../core/judging/nli.ts';
import type { Span } from '../../core/model.ts';
import { sentencesOf } from '../../core/split/sentences.ts';
import type { JudgeConfig } from '../../shared/judge-config.ts';
import { findEncoder, type EncoderFiles } from '../encoders/encoder-files.ts';
import type { EncoderTokenizer } from '../encoders/encoder-tokenizer.ts';
import { fingerprintOf } from '../encoders/fingerprint.ts';
import { Once } from '../concurrency/once.ts';
import type { TokenBatch } from '../encoders/onnx-model.ts';
import {
  classList,
  classNamed,
  noSuchClass,
  PairClassifier,
  type PairReader,
} from '../encoders/pair-classifier.ts';
import { runInBatches, type Encoding } from '../encoders/run-batches.ts';
import { decoderBeside, Seq2SeqClassifier } from '../encoders/seq2seq-classifier.ts';
import { Pace } from '../concurrency/pace.ts';
import type { WorkOptions } from '../types.ts';

/** The settings of a judge that decide which model is loaded and how its output is read. */
export type NliModelConfig = Pick<
  Extract<JudgeConfig, { type: 'nli' }>,
  'path' | 'file' | 'entailment' | 'maxTokens'
>;

export interface Inference {
  readonly premise: string;
  readonly hypothesis: string;
}

export interface Entailment {
  /** P(entailment) under softmax over all classes, in [0, 1]. */
  readonly probability: number;
  /** The sentences of the premise with that probability. */
  readonly span: Span;
}

/** The encoder of a sequence-to-sequence model. Its decoder is in the same folder. */
const SEQ2SEQ_FILES = ['encoder_model.onnx', 'onnx/encoder_model.onnx'];

export class NliModel {
  /** The folder's name, for messages. */
  readonly label: string;
  /** Changes with the files and the settings that read them. */
  readonly identity: string;
  readonly #config: NliModelConfig;
  readonly #loaded: Once<PairReader>;

  /**
   * Finds the files. The model itself is loaded at the first use.
   *
   * @param baseDir the base of a relative path
   * @throws ParallaxError `model-missing` naming the missing file
   */
  constructor(config: NliModelConfig, baseDir: string) {
    const files = findEncoder(config.path, config.file, baseDir, SEQ2SEQ_FILES);
    const decoder = decoderBeside(files);
    this.#config = config;
    this.#loaded = new Once<PairReader>(() =>
      decoder === undefined
        ? PairClassifier.load(files, config.maxTokens, 'nli')
        : Seq2SeqClassifier.load(files, decoder, config.maxTokens),
    );
    this.label = files.name;
    this.identity = JSON.stringify([
      fingerprintOf(filesOf(files, decoder)),
      config.entailment ?? null,
      config.maxTokens,
    ]);
  }

  /**
   * A premise that is too long for the model is read in windows of sentences, and its result is that of its best
   * window: a passage supports what a part of it supports (Laban et al. 2022, SummaC, take the maximum over parts in
   * the same way).
   *
   * @param onEntailment called once for each inference, as soon as its last window was read; `index` is its place
   * @throws ParallaxError `native-missing`; `bad-file` if model, tokenizer, config.json and `entailment` do not
   *   match; `model-answer` for values that are not numbers; `cancelled`. Readable inferences are read before that is
   *   thrown
   */
  async entail(
    inferences: readonly Inference[],
    onEntailment: (index: number, entailment: Entailment) => void,
    work: WorkOptions = {},
  ): Promise<void> {
    throwIfCancelled(work.signal);
    const classifier = await this.#loaded.get();
    const windows = await windowsOf(inferences, classifier.tokenizer, work);
    const best = new BestWindows(windows, onEntailment);
    let failure: ParallaxError | undefined;
    const readBatch = async (batch: TokenBatch, places: readonly number[]): Promise<void> => {
      try {
        const rows = await classifier.logits(batch);
        const entailment = entailmentClass(rows[0]!.length, this.#config.entailment, classifier);
        places.forEach((place, row) => {
          const logits = rows[row]!;
          if (logits.every(Number.isFinite)) best.take(windows[place]!, softmaxAt(logits, entailment));
          else failure ??= classifier.notNumbers();
        });
      } catch (error) {
        if (!ParallaxError.is(error)) throw error;
        failure ??= error;
      }
    };
    await runInBatches(
      windows.map(({ encoding }) => encoding),
      classifier.tokenizer.padId,
      readBatch,
      { signal: work.signal },
    );
    if (failure) throw failure;
  }

  /** Frees memory. A later call loads again what it needs. */
  async dispose(): Promise<void> {
    const classifier = await this.#loaded.take();
    await classifier?.release();
  }
}

/** All files that answers depend on. Large graphs have their weights in a separate file beside them. */
function filesOf({ folder, model, tokenizer }: EncoderFiles, decoder: string | undefined): string[] {
  const weights = [model, ...(decoder === undefined ? [] : [decoder])];
  const beside = weights.flatMap((file) => [`${file}_data`, `${file}.data`]);
  const optional = [join(folder, 'config.json'), ...weights.slice(1), ...beside];
  return [model, tokenizer, ...optional.filter((file) => existsSync(file))];
}

/** Part of a premise with the hypothesis, encoded for the model. */
interface Window {
  /** Index of the inference. */
  readonly index: number;
  readonly span: Span;
  readonly encoding: Encoding;
}

/** @returns the windows of all inferences, at least one of each, with pauses for other work */
async function windowsOf(
  inferences: readonly Inference[],
  tokenizer: EncoderTokenizer,
  { signal }: WorkOptions,
): Promise<Window[]> {
  const pace = new Pace({ signal });
  const windows: Window[] = [];
  for (const [index, { premise, hypothesis }] of inferences.entries()) {
    const room = tokenizer.roomBeside(tokenizer.count(hypothesis));
    for (const span of await spansWithin(premise, tokenizer, room, pace)) {
      const encoding = tokenizer.pairsWith(premise.slice(span.start, span.end))(hypothesis);
      windows.push({ index, span, encoding });
      if (pace.due) await pace.rest();
    }
  }
  return windows;
}

async function spansWithin(
  premise: string,
  tokenizer: EncoderTokenizer,
  room: number,
  pace: Pace,
): Promise<Span[]> {
  const whole = { start: 0, end: premise.length };
  if (tokenizer.count(premise) <= room) return [whole];
  const sentences: Span[] = [];
  const tokens: number[] = [];
  for (const sentence of sentencesOf(premise)) {
    sentences.push(sentence);
    tokens.push(tokenizer.count(premise.slice(sentence.start, sentence.end)));
    if (pace.due) await pace.rest();
  }
  if (sentences.length === 0) return [whole];
  return windowsWithin(tokens, room).map(({ first, end }) => ({
    start: sentences[first]!.start,
    end: sentences[end - 1]!.end,
  }));
}

/** Collects the windows of each inference, which arrive in the order of their length. */
class BestWindows {
  readonly #onEntailment: (index: number, entailment: Entailment) => void;
  readonly #missing = new Map<number, number>();
  readonly #best = new Map<number, Entailment>();

  constructor(windows: readonly Window[], onEntailment: (index: number, entailment: Entailment) => void) {
    this.#onEntailment = onEntailment;
    for (const { index } of windows) this.#missing.set(index, (this.#missing.get(index) ?? 0) + 1);
  }

  take({ index, span }: Window, probability: number): void {
    const best = this.#best.get(index);
    // Of equally good windows, takes the first in the text, whatever their order of arrival.
    const isBetter =
      !best ||
      probability > best.probability ||
      (probability === best.probability && span.start < best.span.start);
    if (isBetter) this.#best.set(index, { probability, span });
    const missing = this.#missing.get(index)! - 1;
    this.#missing.set(index, missing);
    if (missing === 0) this.#onEntailment(index, this.#best.get(index)!);
  }
}

/** @returns the number of the class for entailment */
function entailmentClass(
  classes: number,
  entailment: NliModelConfig['entailment'],
  { file, names }: PairReader,
): number {
  const listed = classList(classes, names);
  if (classes === 1)
    throw new ParallaxError(
      'bad-file',
      l10n.t`${file} gives one figure per pair; an NLI model separates entailment from at least one other class.`,
    );
  if (names.size > 0 && (names.size !== classes || Math.max(...names.keys()) >= classes))
    throw new ParallaxError(
      'bad-file',
      l10n.t`${file} has ${classes} classes (${listed}), and id2label in config.json names ${names.size}: they do not belong together.`,
    );
  if (entailment !== undefined) {
    const number = typeof entailment === 'string' ? classNamed(entailment, names) : entailment;
    if (number !== undefined && number < classes) return number;
    throw new ParallaxError('bad-file', noSuchClass(file, classes, names, entailment));
  }
  const entailing = [...names].filter(([, name]) => meansEntailment(name));
  if (entailing.length === 1) return entailing[0]![0];
  throw new ParallaxError(
    'bad-file',
    entailing.length === 0
      ? l10n.t`${file} has ${classes} classes (${listed}), none of which is called entailment: set "entailment" to the name or number of the class.`
      : l10n.t`${file} has ${classes} classes (${listed}), of which several could mean entailment: set "entailment" to the name or number of the class.`,
  );
}
