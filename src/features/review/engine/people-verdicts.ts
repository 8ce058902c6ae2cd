/** The verdicts of people on the pairs in the queue. */
import type { LabelIndex } from '../../../core/formats/label-index.ts';
import type { AttentionCheck } from '../../../core/formats/labels.ts';
import { reviewStateOf, type ReviewState } from '../core/queue.ts';
import { labelledPerspective } from '../../../engine/judgements/judgement-service.ts';
import type { NewReviewItem } from './review-queue.ts';
import type { PersonsAnswer } from '../contract/review.ts';

type PairToReview = Pick<NewReviewItem, 'query' | 'perspective' | 'passage' | 'standard' | 'expected'>;

/** A labels file at one moment. */
export interface LabelsSnapshot {
  readonly index: LabelIndex;
  readonly checks: readonly AttentionCheck[];
}

/** Labels do not answer an attention check, and checks do not answer any other pair. */
export function verdictsOn(
  { query, perspective, passage, standard, expected }: PairToReview,
  snapshot: LabelsSnapshot,
): PersonsAnswer[] {
  if (expected === undefined)
    return snapshot.index
      .verdicts(labelledPerspective(query, perspective, standard), passage)
      .map(({ person, verdict, label }) => ({ person, verdict, at: label.at, note: label.note }));
  return snapshot.checks
    .filter(({ hash, perspectiveText }) => hash === passage.hash && perspectiveText === perspective.text)
    .map(({ by, answer, at }) => ({ person: by.name, verdict: answer, at }));
}

/** @param person the owner of the queue; only their own answer to an attention check counts */
export function reviewStateFor(
  item: PairToReview & Pick<NewReviewItem, 'people' | 'since'>,
  answers: readonly PersonsAnswer[],
  person: string,
): ReviewState {
  const counted = item.expected === undefined ? answers : answers.filter((each) => each.person === person);
  return reviewStateOf(counted, item, person);
}
