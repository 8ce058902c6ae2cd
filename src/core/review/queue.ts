/** The review queue: why a pair waits for people, in which order, and when enough people have spoken. */
import type { Verdict } from '../model.ts';
import { majority } from '../validation/people.ts';

/**
 * Why a pair of passage and perspective is put to people, the most urgent first:
 *
 * - `evidence`: a judge says "yes", and what it quotes is not in the passage;
 * - `escalated`: a judge could not decide it by itself;
 * - `disagreement`: two judges, a judge and people, or people among themselves say the opposite;
 * - `narrowing`: its query was drawn at random to correct figures for the judge's errors, and depends on it;
 * - `calibration`: drawn at random among the judged pairs, to see how good the judge is;
 * - `attention`: its answer is known, and tells how carefully somebody reads;
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

/** Attention checks stand among the pairs drawn at random, so that nobody tells them by their place. */
const RANKS: Readonly<Record<ReviewReason, number>> = {
  evidence: 0,
  escalated: 1,
  disagreement: 2,
  narrowing: 3,
  calibration: 4,
  attention: 4,
  hole: 5,
};

/** Whether the first reason is the better one to show a pair for. */
export function isMoreUrgent(reason: ReviewReason, than: ReviewReason): boolean {
  return RANKS[reason] < RANKS[than];
}

/** The fields that decide an item's place in the queue. */
export interface Queued {
  readonly reason: ReviewReason;
  /** Orders items of equal rank; drawn at random where they are to be mixed. */
  readonly place: number;
  /** Counts up with every item that is added. */
  readonly number: number;
  /** When it was skipped last, ISO 8601. */
  readonly skipped?: string | undefined;
}

/** Skipped items come last, the one that was skipped first before the others. */
export function inReviewOrder(a: Queued, b: Queued): number {
  return (
    (a.skipped ?? '').localeCompare(b.skipped ?? '') ||
    RANKS[a.reason] - RANKS[b.reason] ||
    a.place - b.place ||
    a.number - b.number
  );
}

/** One person's verdict on a pair, and when it was given (ISO 8601). */
export interface PersonVerdict {
  readonly person: string;
  readonly verdict: Verdict;
  readonly at: string;
}

export interface Wanted {
  /** How many people are to answer; the majority decides. */
  readonly people: number;
  /** Earlier answers do not count: what is asked is whether people still think so. */
  readonly since?: string | undefined;
}

/** State of a pair for one person: `waiting` means that others still have to answer. */
export type ReviewState = 'open' | 'waiting' | 'done';

/** The answers that count. */
export function countedOf<S extends PersonVerdict>(said: readonly S[], { since }: Wanted): readonly S[] {
  return since === undefined ? said : said.filter(({ at }) => Date.parse(at) > Date.parse(since));
}

/** As many as wanted have spoken, and no verdict is the most frequent. */
export function areDivided(said: readonly PersonVerdict[], wanted: Wanted): boolean {
  const counted = countedOf(said, wanted);
  return counted.length >= wanted.people && majority(counted.map(({ verdict }) => verdict)).tie;
}

/**
 * A pair is done when as many people as wanted have spoken and are not divided. If they are, it is everybody's:
 * somebody else may decide it, or one of those who spoke may think again.
 */
export function reviewStateOf(said: readonly PersonVerdict[], wanted: Wanted, person: string): ReviewState {
  const counted = countedOf(said, wanted);
  if (counted.length >= wanted.people) return areDivided(said, wanted) ? 'open' : 'done';
  return counted.some((each) => each.person === person) ? 'waiting' : 'open';
}
