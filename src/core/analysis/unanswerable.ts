/**
 * Questions without an answer: how often passages are retrieved for them, whether scores distinguish them from other
 * questions, and the cost of a threshold on the scores.
 */
import * as z from 'zod';
import type { Read } from '../read.ts';
import { mean } from '../statistics/mean.ts';
import { quantile } from '../statistics/bootstrap.ts';
import { seededRandom, type Random } from '../statistics/random.ts';

const share = z.number().min(0).max(1);

/** A threshold on passage scores with its effect. Its shares are measured on questions that it was not chosen on. */
const thresholdSchema = z.object({
  /** Passages with a lower score are dropped. */
  score: z.number(),
  /** Share of the questions without an answer that still have a passage in the top k. */
  falseRetrieval: share,
  /** Share of the perspectives covered by the top k that are no longer covered. */
  lost: share,
});

export const unanswerableSchema = z.object({
  k: z.number().int(),
  /** Questions without an answer, and `answerable` ones with known support or open judgements, that were asked. */
  questions: z.number().int(),
  answerable: z.number().int(),
  /** Share of the questions without an answer that have a passage in the top k. */
  falseRetrieval: share,
  /**
   * The probability that the best score of an answerable question is above that of a question without an answer, with
   * ties counted half, and its 95% interval. `undefined` if all questions are of one kind.
   */
  auroc: z.object({ value: share, low: share, high: share }).optional(),
  /** `undefined` if no threshold helps; see `none`. */
  threshold: thresholdSchema.optional(),
  /**
   * `few`: too few questions. `same`: the scores do not distinguish the questions. `price`: the threshold costs more
   * than it gains.
   */
  none: z.enum(['few', 'same', 'price']).optional(),
});
export type UnanswerableReport = Read<typeof unanswerableSchema>;

/** The top k of an answerable question. */
export interface AnsweredScores {
  /** Scores of its passages, best first. */
  readonly scores: readonly number[];
  /** The highest score of a supporting passage, for each perspective that the top k cover. */
  readonly covered: readonly number[];
}

/** The least number of questions of each kind for a threshold. */
const ENOUGH = 5;

const RESAMPLES = 2000;
const SEED = 20_240_607;

/**
 * @param answered one per answerable question
 * @param unanswered the scores of the top k of each question without an answer
 */
export function unanswerableReport(
  answered: readonly AnsweredScores[],
  unanswered: readonly (readonly number[])[],
  k: number,
): UnanswerableReport {
  const base = {
    k,
    questions: unanswered.length,
    answerable: answered.length,
    falseRetrieval: shareOf(unanswered, (scores) => scores.length > 0),
  };
  if (answered.length === 0 || unanswered.length === 0) return { ...base, none: 'few' };
  const auroc = aurocOf(
    answered.map(({ scores }) => bestOf(scores)),
    unanswered.map(bestOf),
  );
  if (answered.length < ENOUGH || unanswered.length < ENOUGH) return { ...base, auroc, none: 'few' };
  if (auroc.low <= 0.5) return { ...base, auroc, none: 'same' };
  const tried = heldOut(answered, unanswered);
  const gained = base.falseRetrieval - tried.falseRetrieval;
  if (gained <= tried.lost) return { ...base, auroc, none: 'price' };
  return { ...base, auroc, threshold: { score: bestThreshold(answered, unanswered), ...tried } };
}

/** An empty ranking is below every score. */
const bestOf = (scores: readonly number[]): number => Math.max(-Infinity, ...scores);

/**
 * The area under the ROC curve, after Mann and Whitney 1947, with a percentile bootstrap over the questions of each
 * kind.
 */
export function aurocOf(
  positives: readonly number[],
  negatives: readonly number[],
): { readonly value: number; readonly low: number; readonly high: number } {
  const random = seededRandom(SEED);
  const areas = Float64Array.from({ length: RESAMPLES }, () =>
    area(drawn(positives, random), drawn(negatives, random)),
  ).sort();
  return { value: area(positives, negatives), low: quantile(areas, 0.025), high: quantile(areas, 0.975) };
}

function area(positives: readonly number[], negatives: readonly number[]): number {
  const sorted = Float64Array.from(negatives).sort();
  return (
    mean(positives.map((score) => (countBelow(sorted, score) + countBelow(sorted, score, true)) / 2)) /
    negatives.length
  );
}

/** The number of sorted values below a score, or at most equal to it. */
function countBelow(sorted: Float64Array, score: number, orAt = false): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (orAt ? sorted[middle]! <= score : sorted[middle]! < score) low = middle + 1;
    else high = middle;
  }
  return low;
}

function drawn(values: readonly number[], random: Random): number[] {
  return values.map(() => values[Math.floor(random() * values.length)]!);
}

type Outcome = Pick<z.output<typeof thresholdSchema>, 'falseRetrieval' | 'lost'>;

function outcomeAt(
  score: number,
  answered: readonly AnsweredScores[],
  unanswered: readonly (readonly number[])[],
): Outcome {
  const covered = answered.flatMap((question) => question.covered);
  return {
    falseRetrieval: shareOf(unanswered, (scores) => bestOf(scores) >= score),
    lost: shareOf(covered, (supporting) => supporting < score),
  };
}

/** The score that rejects the most questions without an answer for each perspective that it loses. */
function bestThreshold(
  answered: readonly AnsweredScores[],
  unanswered: readonly (readonly number[])[],
): number {
  const candidates = [...new Set(answered.flatMap(({ covered }) => covered))].sort((a, b) => a - b);
  const best = { score: -Infinity, gain: -Infinity };
  for (const score of candidates) {
    const { falseRetrieval, lost } = outcomeAt(score, answered, unanswered);
    const gain = 1 - falseRetrieval - lost;
    if (gain > best.gain) Object.assign(best, { score, gain });
  }
  return best.score;
}

/** Two-fold cross-validation: chosen on every other question and tested on the rest, and vice versa. */
function heldOut(answered: readonly AnsweredScores[], unanswered: readonly (readonly number[])[]): Outcome {
  const half = <T>(all: readonly T[], which: number): T[] => all.filter((_, place) => place % 2 === which);
  const tried = [0, 1].map((which) => {
    const score = bestThreshold(half(answered, which), half(unanswered, which));
    const [withAnswer, without] = [half(answered, 1 - which), half(unanswered, 1 - which)];
    return {
      ...outcomeAt(score, withAnswer, without),
      covered: withAnswer.flatMap(({ covered }) => covered).length,
      without: without.length,
    };
  });
  const weighted = (
    value: (one: (typeof tried)[0]) => number,
    weight: (one: (typeof tried)[0]) => number,
  ): number => {
    const all = tried.reduce((sum, one) => sum + weight(one), 0);
    return all === 0 ? 0 : tried.reduce((sum, one) => sum + value(one) * weight(one), 0) / all;
  };
  return {
    falseRetrieval: weighted(
      ({ falseRetrieval }) => falseRetrieval,
      ({ without }) => without,
    ),
    lost: weighted(
      ({ lost }) => lost,
      ({ covered }) => covered,
    ),
  };
}

function shareOf<T>(all: readonly T[], is: (one: T) => boolean): number {
  return all.length === 0 ? 0 : all.filter(is).length / all.length;
}
