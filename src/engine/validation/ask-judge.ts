/** One run of a judge over pairs, with everything that is known about each answer. */
import { throwIfCancelled, type ParallaxError } from '../../core/errors.ts';
import type { GivenAnswer } from '../../core/validation/answers.ts';
import type { ReferencePair } from '../../core/validation/reference-set.ts';
import type { CachedJudge } from '../judgements/cached-judge.ts';
import type { Judge } from '../judges/judge.ts';
import type { WorkOptions } from '../types.ts';
import type { LabelsAsTheyCome } from './labels-as-they-come.ts';

/** A judge, and the labels that it learns from. */
export interface LearningJudge {
  /** One that remembers can read its answers again, with the labels that came since. */
  readonly judge: Judge & Partial<Pick<CachedJudge, 'known'>>;
  /** Absent where nobody answers what the judge hands to people. */
  readonly labels?: LabelsAsTheyCome | undefined;
}

export interface AnsweredPairs {
  /** In the order of the pairs; absent where no answer came. */
  readonly given: readonly (GivenAnswer | undefined)[];
  /** Wall clock of the whole run. */
  readonly milliseconds: number;
  /** Why the first pair without an answer has none. */
  readonly error?: ParallaxError | undefined;
}

/**
 * Pairs that a judge hands to people are answered by the reference at once. A judge that learns from labels has them from its
 * next batch on, and in the end all its answers are read with all of them.
 *
 * @throws ParallaxError `cancelled`
 */
export async function answersOf(
  { judge, labels }: LearningJudge,
  pairs: readonly ReferencePair[],
  work: WorkOptions,
): Promise<AnsweredPairs> {
  const given = new Array<GivenAnswer | undefined>(pairs.length).fill(undefined);
  const begun = performance.now();
  const asked = pairs.map(({ passage, title, perspective, question }) => ({
    // A title that stands in the reference is that of a record.
    passage: { text: passage, ...(title !== undefined && { title, recordLine: 0 }) },
    perspective: { text: perspective },
    question,
  }));
  const { error } = await judge.judge(asked, {
    ...work,
    onJudgement: (index, judgement, { unparsable, cached }) => {
      given[index] = { judgement, unparsed: unparsable, cached };
      if (judgement.escalated === 'human') labels?.answer(pairs[index]!);
    },
  });
  const milliseconds = performance.now() - begun;
  throwIfCancelled(work.signal);
  if (labels && judge.reading && judge.known)
    for (const [index, read] of (await judge.known(asked)).entries())
      if (read && given[index]) given[index] = { ...given[index], judgement: read.judgement };
  return { given, milliseconds, error };
}
