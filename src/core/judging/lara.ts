/**
 * Confidence-based escalation, LARA (Takehi et al. 2025; a baseline of DREAM, section 3.2): a model's own probability
 * is calibrated on people's labels so far, and the most uncertain pairs of each batch go to people.
 */
import { fitLogistic, logit, probabilityOf } from '../statistics/logistic.ts';

/** A model's own probability for a pair, and people's label. */
export interface LabelledProbability {
  readonly probability: number;
  readonly positive: boolean;
}

/** Maps a model's probability to one that agrees with people's labels. */
export interface Calibration {
  /** The number of labels behind it. */
  readonly labels: number;
  /** In (0, 1). Monotonic in the model's own probability. */
  readonly probability: (probability: number) => number;
}

/** Models report probabilities of exactly 0 and 1, whose log-odds are infinite. */
const SURE = 1e-6;
/** Leaves the model's probability unchanged: intercept 0, slope 1. */
const UNCHANGED = [0, 1] as const;
const SLOPE = 1;
/**
 * The strength of the prior. Log-odds of language models are large, so with a weak prior on the slope a single
 * surprising label would flatten it and reverse all verdicts at once. Chosen on simulated models rather than labelled
 * data.
 */
const STRENGTHS = [1, 10] as const;

/**
 * Logistic regression on the log-odds of the model's probability (Platt's form). Without labels the probability is
 * unchanged; labels move it away from that.
 */
export function calibrate(labelled: readonly LabelledProbability[]): Calibration {
  const weights = fitLogistic(
    labelled.map(({ probability, positive }) => ({ features: [logOdds(probability)], positive })),
    { prior: UNCHANGED, strengths: STRENGTHS, nonNegative: SLOPE },
  );
  return {
    labels: labelled.length,
    probability: (probability) => probabilityOf(weights, [logOdds(probability)]),
  };
}

function logOdds(probability: number): number {
  return logit(Math.min(1 - SURE, Math.max(SURE, probability)));
}

export interface Budget {
  /** The share of answered pairs that may be escalated, from 0 to 1. */
  readonly share: number;
  /** The number of answered pairs, including this batch. */
  readonly answered: number;
  /** The number of pairs escalated before this batch. */
  readonly escalated: number;
}

/**
 * The pairs of a batch that go to people: those nearest to 0.5, as many as the share allows.
 *
 * @param probabilities `[n]`, calibrated
 * @returns indices in the batch, most uncertain first; ties go to the earlier one
 */
export function mostUncertain(
  probabilities: readonly number[],
  { share, answered, escalated }: Budget,
): number[] {
  // Shares such as 0.1 are not exact in binary: 0.1 × 30 must allow 3.
  const allowed = Math.floor(share * answered + 1e-9) - escalated;
  const distance = (place: number): number => Math.abs(probabilities[place]! - 0.5);
  return probabilities
    .map((_, place) => place)
    .sort((a, b) => distance(a) - distance(b))
    .slice(0, Math.max(0, allowed));
}
