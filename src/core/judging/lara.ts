/**
 * Confidence-based escalation, LARA (Takehi et al. 2025; a baseline of DREAM, section 3.2): a model's own
 * probability is calibrated on the labels that people gave so far, and of each batch the pairs it leaves
 * most uncertain go to people.
 */
import { fitLogistic, logit, probabilityOf } from '../statistics/logistic.ts';

/** A model's own probability for a pair, and what people say of the pair. */
export interface LabelledProbability {
  readonly probability: number;
  readonly positive: boolean;
}

/** From a model's probability to one that agrees with what people say. */
export interface Calibration {
  /** Labels that it rests on. */
  readonly labels: number;
  /** In (0, 1); never falls with the model's own probability. */
  readonly probability: (own: number) => number;
}

/** Models report probabilities of exactly 0 and 1, whose log-odds are infinite. */
const SURE = 1e-6;
/** The model's own probability as it stands: intercept 0, slope 1. */
const UNCHANGED = [0, 1] as const;
const SLOPE = 1;
/**
 * How firmly that is held until labels say otherwise. Log-odds of language models are large, and with an equally
 * weak hold on the slope a single surprising label would flatten it, and turn every verdict at once. Chosen on
 * simulated models, not on labelled data.
 */
const STRENGTHS = [1, 10] as const;

/**
 * Logistic regression on the log-odds of the model's probability (Platt's form). Without labels it leaves the
 * probability as it is, and moves away from that as labels demand.
 */
export function calibrate(labelled: readonly LabelledProbability[]): Calibration {
  const weights = fitLogistic(
    labelled.map(({ probability, positive }) => ({ features: [logOdds(probability)], positive })),
    { prior: UNCHANGED, strengths: STRENGTHS, nonNegative: SLOPE },
  );
  return { labels: labelled.length, probability: (own) => probabilityOf(weights, [logOdds(own)]) };
}

function logOdds(probability: number): number {
  return logit(Math.min(1 - SURE, Math.max(SURE, probability)));
}

export interface Budget {
  /** Of all pairs answered so far, how many may be escalated, from 0 to 1. */
  readonly share: number;
  /** Pairs answered so far, those of this batch included. */
  readonly answered: number;
  /** Pairs escalated before this batch. */
  readonly escalated: number;
}

/**
 * The pairs of a batch that go to people: those nearest to 0.5, as many as the share allows.
 *
 * @param probabilities `[n]`, calibrated
 * @returns places in the batch, the most uncertain first; of equally uncertain ones the earlier first
 */
export function mostUncertain(
  probabilities: readonly number[],
  { share, answered, escalated }: Budget,
): number[] {
  // Shares such as 0.1 are not exact: 0.1 × 30 must allow 3.
  const allowed = Math.floor(share * answered + 1e-9) - escalated;
  const distance = (place: number): number => Math.abs(probabilities[place]! - 0.5);
  return probabilities
    .map((_, place) => place)
    .sort((a, b) => distance(a) - distance(b))
    .slice(0, Math.max(0, allowed));
}
