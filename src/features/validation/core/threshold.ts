/** Calibrates the score from which a judge says "yes" on labelled pairs. */
import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import { ParallaxError } from '../../../core/errors.ts';
import type { DecidedVerdict } from '../../../core/model.ts';
import type { Read } from '../../../core/read.ts';
import { countPairs, figuresOf, figuresSchema, type Figures } from './confusion.ts';

export const CALIBRATION_OBJECTIVES = ['balanced-accuracy', 'f1'] as const;
/** The objective a threshold is chosen for: the mean recall of both classes, or F1 of "yes". */
export type CalibrationObjective = (typeof CALIBRATION_OBJECTIVES)[number];

export const calibratedThresholdSchema = z.object({
  /** Scores at or above it are "yes". */
  threshold: z.number(),
  objective: z.enum(CALIBRATION_OBJECTIVES),
  /** The number of labelled pairs behind it. */
  counts: z.object({ yes: z.number().int(), no: z.number().int() }),
  /** Figures at this threshold on the pairs it was chosen on. Higher than on other pairs. */
  figures: figuresSchema,
});
type CalibratedThreshold = Read<typeof calibratedThresholdSchema>;

/**
 * The threshold with the best figure. Candidates are the midpoints of neighbouring scores, so that equal scores are
 * never split, and the lowest score, at which everything is "yes". Ties go to the highest threshold, as a wrong "yes"
 * makes a lost perspective look found.
 *
 * @param scores `[n]`, higher is more likely "yes"
 * @param labels `[n]`
 * @throws ParallaxError `bad-argument` for lists of different length, scores that are not numbers, and labels that are
 *   all the same
 */
export function calibrateThreshold(
  scores: readonly number[],
  labels: readonly DecidedVerdict[],
  objective: CalibrationObjective = 'balanced-accuracy',
): CalibratedThreshold {
  const counts = countClasses(scores, labels);
  let best = { threshold: Number.NaN, value: Number.NEGATIVE_INFINITY };
  for (const candidate of candidates(scores, labels)) {
    const value = valueOf(objective, candidate, counts);
    if (value > best.value) best = { threshold: candidate.threshold, value };
  }
  const { threshold } = best;
  return { threshold, objective, figures: figuresAt(threshold, scores, labels), counts };
}

/** The figures of answering "yes" at or above a threshold. */
export function figuresAt(
  threshold: number,
  scores: readonly number[],
  labels: readonly DecidedVerdict[],
): Figures {
  return figuresOf(
    countPairs(
      scores.map((score, i) => ({ reference: labels[i]!, answer: score >= threshold ? 'yes' : 'no' })),
    ),
  );
}

/**
 * The figures to expect of a calibrated threshold on other pairs. Every group is judged at the threshold calibrated on
 * the other groups. Groups are perspectives or questions, as their pairs resemble each other.
 *
 * @param groups `[n]`
 * @returns `undefined` if the pairs outside some group are all of one class
 */
export function heldOutFigures(
  scores: readonly number[],
  labels: readonly DecidedVerdict[],
  groups: readonly string[],
  objective: CalibrationObjective = 'balanced-accuracy',
): Figures | undefined {
  const places = scores.map((_, i) => i);
  const answers: DecidedVerdict[] = [];
  for (const [group, inside] of Map.groupBy(places, (i) => groups[i]!)) {
    const outside = places.filter((i) => groups[i] !== group);
    const outsideLabels = outside.map((i) => labels[i]!);
    if (new Set(outsideLabels).size < 2) return undefined;
    const { threshold } = calibrateThreshold(
      outside.map((i) => scores[i]!),
      outsideLabels,
      objective,
    );
    for (const i of inside) answers[i] = scores[i]! >= threshold ? 'yes' : 'no';
  }
  return figuresOf(countPairs(answers.map((answer, i) => ({ reference: labels[i]!, answer }))));
}

function countClasses(
  scores: readonly number[],
  labels: readonly DecidedVerdict[],
): CalibratedThreshold['counts'] {
  if (scores.length !== labels.length)
    throw new ParallaxError(
      'bad-argument',
      l10n.t`A threshold needs one label for each score; there are ${scores.length} scores and ${labels.length} labels.`,
    );
  if (scores.some(Number.isNaN))
    throw new ParallaxError('bad-argument', l10n.t('A threshold cannot be chosen: a score is not a number.'));
  const yes = labels.filter((label) => label === 'yes').length;
  const counts = { yes, no: labels.length - yes };
  if (counts.yes === 0 || counts.no === 0)
    throw new ParallaxError(
      'bad-argument',
      l10n.t`A threshold needs labelled pairs of both kinds; there are ${counts.yes} with "yes" and ${counts.no} with "no".`,
    );
  return counts;
}

interface Candidate {
  readonly threshold: number;
  /** The numbers of pairs labelled "yes" and "no" at or above the threshold. */
  readonly above: Readonly<Record<DecidedVerdict, number>>;
}

/** From the highest threshold to the lowest. */
function* candidates(scores: readonly number[], labels: readonly DecidedVerdict[]): Generator<Candidate> {
  const order = scores.map((_, i) => i).sort((a, b) => scores[b]! - scores[a]!);
  const above = { yes: 0, no: 0 };
  for (const [rank, i] of order.entries()) {
    above[labels[i]!]++;
    const next = order[rank + 1];
    if (next !== undefined && scores[next] === scores[i]) continue;
    const threshold = next === undefined ? scores[i]! : between(scores[next]!, scores[i]!);
    yield { threshold, above: { ...above } };
  }
}

/** Above `low` even if no number lies between the two. */
function between(low: number, high: number): number {
  const middle = low + (high - low) / 2;
  return middle > low ? middle : high;
}

function valueOf(
  objective: CalibrationObjective,
  { above }: Candidate,
  counts: CalibratedThreshold['counts'],
): number {
  switch (objective) {
    case 'balanced-accuracy':
      // Scaled by a constant factor to whole numbers, so that equally good candidates are exactly equal.
      return above.yes * counts.no + (counts.no - above.no) * counts.yes;
    case 'f1':
      return (2 * above.yes) / (above.yes + above.no + counts.yes);
  }
}
