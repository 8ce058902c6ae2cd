/**
 * Finds pairs for people to decide: those that judges could not decide, and those on which judges or people
 * contradict each other.
 */
import type { LabelIndex } from '../../../core/formats/label-index.ts';
import type { Perspective } from '../../../core/model.ts';
import { contradict } from '../core/opinions.ts';
import { labelledPerspective } from '../../../engine/judgements/judgement-service.ts';
import type { AskedQuery } from '../../../shared/requests/questions.ts';
import type { BriefAnswer } from './answered-pairs.ts';
import type { NewReviewItem } from './review-queue.ts';

/** Why people should decide a pair, without the pair. */
export type Finding = Pick<NewReviewItem, 'reason' | 'judges' | 'standard' | 'people' | 'since'>;

/** A pair whose passage is identified by the hash of its text. */
interface HashedPair {
  readonly query: AskedQuery;
  readonly perspective: Perspective;
  readonly passageHash: string;
}

/**
 * Decides whether people should decide a pair, and why. Compares only answers under one support standard.
 *
 * @param now ISO 8601; people who contradict a judge are asked again
 */
export function findingOf(
  pair: HashedPair,
  answers: readonly BriefAnswer[],
  labels: LabelIndex,
  now: string,
): Finding | undefined {
  const unfounded = answers.filter(({ evidenceNotFound }) => evidenceNotFound);
  if (unfounded[0])
    return { reason: 'evidence', judges: keysOf(unfounded), standard: unfounded[0].standard, people: 1 };
  const escalated = answers.filter((answer) => answer.escalated === 'human');
  if (escalated[0])
    return { reason: 'escalated', judges: keysOf(escalated), standard: escalated[0].standard, people: 1 };
  for (const [standard, answersOfStandard] of Map.groupBy(answers, (answer) => answer.standard)) {
    if (contradict(answersOfStandard.map(({ verdict }) => verdict)))
      return {
        reason: 'disagreement',
        judges: keysOf(answersOfStandard.filter(isDecided)),
        standard,
        people: 1,
      };
    const contradicted = contradictedByPeople(pair, answersOfStandard, labels, standard);
    if (contradicted.length > 0)
      return { reason: 'disagreement', judges: keysOf(contradicted), standard, people: 1, since: now };
  }
  return undefined;
}

/** A person who contradicted a judge after seeing its arguments has decided already. */
function contradictedByPeople(
  { query, perspective, passageHash }: HashedPair,
  answers: readonly BriefAnswer[],
  labels: LabelIndex,
  standard: string,
): BriefAnswer[] {
  const target = labelledPerspective(query, perspective, standard);
  const humanAnswer = labels.lookup(target, { documentId: '', text: '', hash: passageHash });
  if (!humanAnswer || humanAnswer.conflict || humanAnswer.label.by.kind !== 'human') return [];
  const { informed, at: labelledAt } = humanAnswer.label;
  return answers.filter(
    ({ verdict, at }) =>
      contradict([verdict, humanAnswer.verdict]) && !(informed && Date.parse(labelledAt) > Date.parse(at)),
  );
}

function isDecided({ verdict }: BriefAnswer): boolean {
  return verdict !== 'unsure';
}

function keysOf(answers: readonly BriefAnswer[]): string[] {
  return [...new Set(answers.map(({ judgeKey }) => judgeKey))];
}
