/**
 * A chat model whose confidence is calibrated on people's labels, and that leaves to people what it is least sure of
 * (LARA, Takehi et al. 2025; a baseline of DREAM, section 3.2).
 *
 * Three things are stored separately, so that nothing is paid for twice and nothing becomes outdated:
 *
 * - the model's own probability of each pair is stored as soon as it arrives, by the judge that gives it.
 *   A batch that was interrupted continues from there, and judges with other shares use the same answers;
 * - whether a pair is escalated is decided once, when its batch is complete, and stored with that probability;
 * - the calibrated probability and the verdict follow from both and from the labels at the time when the answer
 *   is read. A new label changes them for all pairs at once.
 */
import * as l10n from '@vscode/l10n';
import { counts } from '../../core/counted.ts';
import { calibrate, mostUncertain, type Calibration } from '../../core/judging/lara.ts';
import type { Judgement } from '../../core/model.ts';
import { verdictOf } from './confidence-judge.ts';
import {
  countAnswer,
  detailsOnly,
  emptyTally,
  type Delivery,
  judgeOf,
  type Judge,
  type JudgeIdentity,
  type JudgeOptions,
  type JudgePair,
  type JudgeReport,
  type Tally,
} from './judge.ts';
import type { JudgementCache } from '../judgements/judgement-cache.ts';
import type { LabelledAnswer, LabelledAnswers } from '../judgements/labelled-answers.ts';

export interface LaraJudgeSettings {
  readonly name: string;
  /** Gives a confidence, and stores it. */
  readonly confidenceJudge: Judge;
  /** The share of all answered pairs that may be escalated, from 0 to 1. */
  readonly share: number;
  /** Pairs that are answered before the most uncertain of them are escalated. */
  readonly batch: number;
  readonly labelled: Pick<LabelledAnswers, 'of'>;
  readonly cache: Pick<JudgementCache, 'counts'>;
}

/** To be wrapped by `createCachedJudge`, which reads the answers of this judge. */
export function createLaraJudge(settings: LaraJudgeSettings): Judge {
  const { name, confidenceJudge, share } = settings;
  const judging = new LaraJudging(settings);
  const identity: JudgeIdentity = {
    name,
    label: l10n.t`${confidenceJudge.label}, escalating up to ${Math.round(share * 1000) / 10}%`,
    source: 'llm',
    expense: 'paid',
    heuristic: false,
    key: keyOf(settings),
    reading: {
      refresh: () => judging.refresh(),
      read: (stored) => judging.read(stored),
      labels: () => judging.labels,
      without: (perspectives) => judging.without(perspectives),
    },
    ...(confidenceJudge.titleOf && { titleOf: confidenceJudge.titleOf }),
    standard: confidenceJudge.standard,
  };
  return judgeOf(identity, judging);
}

function keyOf({
  confidenceJudge,
  share,
  batch,
}: Pick<LaraJudgeSettings, 'confidenceJudge' | 'share' | 'batch'>): string {
  return JSON.stringify(['lara', confidenceJudge.key, share, batch]);
}

/** The model's own judgement of a pair. */
interface ModelAnswer {
  /** Index in the list. */
  readonly index: number;
  readonly judgement: Judgement;
  readonly delivery: Delivery;
}

/** Counts of this judge's pairs so far. */
interface EscalationCount {
  answered: number;
  escalated: number;
}

class LaraJudging {
  readonly #settings: LaraJudgeSettings;
  #labelled: readonly LabelledAnswer[] = [];
  #calibration: Calibration = calibrate([]);

  constructor(settings: LaraJudgeSettings) {
    this.#settings = settings;
  }

  /** The number of labels behind the calibration. */
  get labels(): number {
    return this.#calibration.labels;
  }

  async judge(pairs: readonly JudgePair[], options: JudgeOptions = {}): Promise<JudgeReport> {
    const { batch, cache } = this.#settings;
    const tally = emptyTally();
    const escalation: EscalationCount = { ...cache.counts(keyOf(this.#settings)) };
    for (let first = 0; first < pairs.length; first += batch) {
      const places = placesOf(first, Math.min(first + batch, pairs.length)).filter(
        (index) => !options.isAnswered?.(index),
      );
      const { answers, report } = await this.#ask(pairs, places, options);
      addCosts(tally, report);
      // Also delivers the answers of an interrupted batch.
      for (const { index, judgement, delivery } of await this.#concluded(answers, escalation)) {
        countAnswer(tally, judgement, delivery);
        options.onJudgement?.(index, judgement, delivery);
      }
      options.onProgress?.({ done: tally.answered + tally.failed, total: pairs.length });
      // The model's judge skips pairs only if continuing is pointless, or if it was cancelled.
      if (report.answered + report.failed < places.length) break;
    }
    tally.cancelled = options.signal?.aborted ?? false;
    return tally;
  }

  async #ask(
    pairs: readonly JudgePair[],
    places: readonly number[],
    { signal, repeatUnparsable, onRequest, onProgress }: JudgeOptions,
  ): Promise<{ readonly answers: readonly ModelAnswer[]; readonly report: JudgeReport }> {
    const answers: ModelAnswer[] = [];
    const report = await this.#settings.confidenceJudge.judge(
      places.map((index) => pairs[index]!),
      {
        signal,
        repeatUnparsable,
        onRequest,
        onProgress: detailsOnly(onProgress, () => ({ done: places[0] ?? 0, total: pairs.length })),
        onJudgement: (place, judgement, delivery) =>
          answers.push({ index: places[place]!, judgement, delivery }),
      },
    );
    return { answers, report };
  }

  /** The answers of a batch in the form to be stored, with the most uncertain ones escalated. */
  async #concluded(
    answers: readonly ModelAnswer[],
    escalation: EscalationCount,
  ): Promise<readonly ModelAnswer[]> {
    if (answers.length === 0) return [];
    await this.refresh();
    const read = answers.flatMap(({ index, judgement: { confidence } }) =>
      confidence === undefined ? [] : [{ index, calibrated: this.#calibration.probability(confidence) }],
    );
    escalation.answered += read.length;
    const chosen = mostUncertain(
      read.map(({ calibrated }) => calibrated),
      { ...escalation, share: this.#settings.share },
    );
    escalation.escalated += chosen.length;
    const toPeople = new Set(chosen.map((place) => read[place]!.index));
    return answers.map((answer) => {
      const judgement = { ...answer.judgement, judge: this.#settings.name };
      return toPeople.has(answer.index)
        ? { ...answer, judgement: { ...judgement, verdict: 'unsure', escalated: 'human' } }
        : { ...answer, judgement };
    });
  }

  read(stored: Judgement, { labels, probability } = this.#calibration): Judgement {
    const { confidence, escalated, rationale } = stored;
    if (confidence === undefined) return stored;
    const calibrated = probability(confidence);
    const basis = `Probability ${confidence.toFixed(3)} by the model's own account, ${calibrated.toFixed(3)} calibrated on ${counts.labels(labels)}.`;
    return {
      ...stored,
      verdict: escalated ? 'unsure' : verdictOf(calibrated),
      confidence: calibrated,
      rationale: [basis, rationale].filter(Boolean).join(' '),
    };
  }

  async refresh(): Promise<void> {
    const { labelled: answers, confidenceJudge } = this.#settings;
    this.#labelled = await answers.of(confidenceJudge.key, confidenceJudge.standard);
    this.#calibration = calibratedOn(this.#labelled);
  }

  without(perspectives: ReadonlySet<string>): { read(stored: Judgement): Judgement } {
    const otherAnswers = this.#labelled.filter(({ perspective }) => !perspectives.has(perspective));
    const calibration =
      otherAnswers.length === this.#labelled.length ? this.#calibration : calibratedOn(otherAnswers);
    return { read: (stored) => this.read(stored, calibration) };
  }
}

function calibratedOn(labelled: readonly LabelledAnswer[]): Calibration {
  return calibrate(labelled.map(({ confidence, positive }) => ({ probability: confidence, positive })));
}

/** Integers from `first` up to, but not including, `end`. */
function placesOf(first: number, end: number): number[] {
  return Array.from({ length: end - first }, (_, i) => first + i);
}

function addCosts(tally: Tally, { asked, failed, error, requests, tokens }: JudgeReport): void {
  tally.asked += asked;
  tally.failed += failed;
  tally.error ??= error;
  tally.requests += requests;
  tally.tokens = {
    prompt: tally.tokens.prompt + tokens.prompt,
    completion: tally.tokens.completion + tokens.completion,
  };
}
