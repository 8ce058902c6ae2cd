/**
 * Questions without an answer: how often passages are retrieved for them all the same, whether the scores tell them from
 * other questions, and what a threshold on the scores would cost.
 */
import * as z from 'zod';
import type { Read } from '../read.ts';
import { mean } from '../statistics/mean.ts';
import { quantile } from '../statistics/bootstrap.ts';
import { seededRandom, type Random } from '../statistics/random.ts';

const share = z.number().min(0).max(1);

/** A threshold on the scores of passages, and what it does; its shares are of questions that it was not chosen on. */
const thresholdSchema = z.object({
  /** Passages with a lower score are left out. */
  score: z.number(),
  /** Of the questions without an answer, the share that still has a passage in the top k. */
  falseRetrieval: share,
  /** Of the perspectives that the top k covers, the share that is no longer covered. */
  lost: share,
});

export const unanswerableSchema = z.object({
  k: z.number().int(),
  /** Questions without an answer, and others with known support or open judgements, that were asked. */
  questions: z.number().int(),
  answerable: z.number().int(),
  /** Of the questions without an answer, the share for which at least one passage is in the top k. */
  falseRetrieval: share,
  /**
   * The chance that the best score of a question with an answer is above that of one without, ties counted half, with its
   * 95% interval; `undefined` if all questions are of one kind.
   */
  auroc: z.object({ value: share, low: share, high: share }).optional(),
  /** `undefined` if none helps; `none` says why. */
  threshold: thresholdSchema.optional(),
  /** `few`: too few questions to tell. `same`: the scores do not tell the questions apart. `price`: more is lost than gained. */
  none: z.enum(['few', 'same', 'price']).optional(),
});
export type UnanswerableReport = Read<typeof unanswerableSchema>;

/** The top k of a question with an answer. */
export interface AnsweredScores {
  /** Of its passages, best first. */
  readonly scores: readonly number[];
  /** For each perspective that the top k covers, the highest score of a passage that supports it. */
  readonly covered: readonly number[];
}

/** A threshold is looked for from this number of questions of either kind on. */
const ENOUGH = 5;

const RESAMPLES = 2000;
const SEED = 20_240_607;

/**
 * @param answered one per question with an answer
 * @param unanswered the scores of the top k of each question without one
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

/** Nothing that was found is below every score. */
const bestOf = (scores: readonly number[]): number => Math.max(-Infinity, ...scores);

/**
 * The area under the receiver operating characteristic, after Mann and Whitney 1947, with a percentile bootstrap over the
 * questions of either kind.
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

/** How many sorted values are below a score, or at it. */
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

/** The score that refuses most questions without an answer for each perspective that it loses. */
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

/** Chosen on every other question and tried on the rest, and the other way round. */
function heldOut(answered: readonly AnsweredScores[], unanswered: readonly (readonly number[])[]): Outcome {
  const half = <T>(all: readonly T[], which: number): T[] => all.filter((_, place) => place % 2 === which);
  const tried = [0, 1].map((which) => {
    const score = bestThreshold(half(answered, which), half(unanswered, which));
    const [other, without] = [half(answered, 1 - which), half(unanswered, 1 - which)];
    return {
      ...outcomeAt(score, other, without),
      covered: other.flatMap(({ covered }) => covered).length,
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
