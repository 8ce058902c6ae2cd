/** The review queue: why a pair needs people, the order of pairs, and when a pair is done. */
import type { Verdict } from '../../../core/model.ts';
import { majority } from '../../validation/core/people.ts';

/**
 * Why a pair of passage and perspective needs people, most urgent first:
 *
 * - `evidence`: a judge says "yes" with a quote that is not in the passage;
 * - `escalated`: a judge could not decide it;
 * - `disagreement`: two judges, a judge and people, or several people contradict each other;
 * - `narrowing`: its query was drawn at random to correct figures for the judge's errors, and depends on it;
 * - `calibration`: drawn at random among the judged pairs, to evaluate the judge;
 * - `attention`: its answer is known and tests a person's attention;
 * - `hole`: not judged.
 */
export const REVIEW_REASONS = [
  'evidence',
  'escalated',
  'disagreement',
  'narrowing',
  'calibration',
  'attention',
  'hole',
] as const;
export type ReviewReason = (typeof REVIEW_REASONS)[number];

/** Attention checks are among the randomly drawn pairs, so that their position does not reveal them. */
const RANKS: Readonly<Record<ReviewReason, number>> = {
  evidence: 0,
  escalated: 1,
  disagreement: 2,
  narrowing: 3,
  calibration: 4,
  attention: 4,
  hole: 5,
};

/** Whether the first reason is the more important one to show a pair for. */
export function isMoreUrgent(reason: ReviewReason, than: ReviewReason): boolean {
  return RANKS[reason] < RANKS[than];
}

/** The fields that determine an item's position in the queue. */
export interface Queued {
  readonly reason: ReviewReason;
  /** Orders items of equal rank. Random if they are to be mixed. */
  readonly place: number;
  /** Increases with every item that is added. */
  readonly number: number;
  /** When it was last skipped, ISO 8601. */
  readonly skipped?: string | undefined;
}

/** Skipped items come last, in the order they were skipped. */
export function inReviewOrder(a: Queued, b: Queued): number {
  return (
    (a.skipped ?? '').localeCompare(b.skipped ?? '') ||
    RANKS[a.reason] - RANKS[b.reason] ||
    a.place - b.place ||
    a.number - b.number
  );
}

/** One person's verdict on a pair, and its time (ISO 8601). */
export interface PersonVerdict {
  readonly person: string;
  readonly verdict: Verdict;
  readonly at: string;
}

export interface AnswerDemand {
  /** The number of people who should answer. The majority decides. */
  readonly people: number;
  /** Earlier answers do not count, as the pair is asked again. */
  readonly since?: string | undefined;
}

/** State of a pair for one person. `waiting`: others still have to answer. */
export type ReviewState = 'open' | 'waiting' | 'done';

/** The answers that count. */
export function countedOf<S extends PersonVerdict>(
  answers: readonly S[],
  { since }: AnswerDemand,
): readonly S[] {
  return since === undefined ? answers : answers.filter(({ at }) => Date.parse(at) > Date.parse(since));
}

/** Whether enough people have answered without a most frequent verdict. */
export function areDivided(answers: readonly PersonVerdict[], demand: AnswerDemand): boolean {
  const counted = countedOf(answers, demand);
  return counted.length >= demand.people && majority(counted.map(({ verdict }) => verdict)).tie;
}

/**
 * A pair is done if enough people have answered and are not divided. A divided pair is open to everyone: another person
 * may decide it, or someone may reconsider.
 */
export function reviewStateOf(
  answers: readonly PersonVerdict[],
  demand: AnswerDemand,
  person: string,
): ReviewState {
  const counted = countedOf(answers, demand);
  if (counted.length >= demand.people) return areDivided(answers, demand) ? 'open' : 'done';
  return counted.some((each) => each.person === person) ? 'waiting' : 'open';
}
