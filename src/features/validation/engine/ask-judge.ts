/** One run of a judge over pairs, with all details of each answer. */
import { throwIfCancelled, type ParallaxError } from '../../../core/errors.ts';
import type { GivenAnswer } from '../core/answers.ts';
import type { ReferencePair } from '../core/reference-set.ts';
import type { CachedJudge } from '../../../engine/judgements/cached-judge.ts';
import type { Judge } from '../../../engine/judges/judge.ts';
import type { WorkOptions } from '../../../engine/types.ts';
import type { LabelsAsTheyCome } from './labels-as-they-come.ts';

export interface LearningJudge {
  /** A judge with stored answers can read them again by the newest labels. */
  readonly judge: Judge & Partial<Pick<CachedJudge, 'known'>>;
  /** `undefined` if there are no answers to pairs that the judge leaves to people. */
  readonly labels?: LabelsAsTheyCome | undefined;
}

export interface AnsweredPairs {
  /** In the order of the pairs. `undefined` for a pair without an answer. */
  readonly answers: readonly (GivenAnswer | undefined)[];
  /** Wall clock time of the whole run. */
  readonly milliseconds: number;
  /** Why the first pair without an answer has none. */
  readonly error?: ParallaxError | undefined;
}

/**
 * The reference at once answers pairs that a judge leaves to people. A judge that learns from labels uses them from
 * its next batch on, and in the end all its answers are read by all of them.
 *
 * @throws ParallaxError `cancelled`
 */
export async function answersOf(
  { judge, labels }: LearningJudge,
  pairs: readonly ReferencePair[],
  work: WorkOptions,
): Promise<AnsweredPairs> {
  const answers = new Array<GivenAnswer | undefined>(pairs.length).fill(undefined);
  const begun = performance.now();
  const judgePairs = pairs.map(({ passage, title, perspective, anyOf, question }) => ({
    // A title in the reference is that of a record.
    passage: { text: passage, ...(title !== undefined && { title, recordLine: 0 }) },
    perspective: { text: perspective, anyOf },
    question,
  }));
  const { error } = await judge.judge(judgePairs, {
    ...work,
    onJudgement: (index, judgement, { unparsable, cached }) => {
      answers[index] = { judgement, unparsed: unparsable, cached };
      if (judgement.escalated === 'human') labels?.answer(pairs[index]!);
    },
  });
  const milliseconds = performance.now() - begun;
  throwIfCancelled(work.signal);
  if (labels && judge.reading && judge.known)
    for (const [index, read] of (await judge.known(judgePairs)).entries())
      if (read && answers[index]) answers[index] = { ...answers[index], judgement: read.judgement };
  return { answers, milliseconds, error };
}
