/** One run of a judge over pairs, with everything that is known about each answer. */
import { throwIfCancelled, type ParallaxError } from '../../core/errors.ts';
import type { GivenAnswer } from '../../core/validation/answers.ts';
import type { ReferencePair } from '../../core/validation/reference-set.ts';
import type { Judge } from '../judges/judge.ts';
import type { WorkOptions } from '../types.ts';

export interface AnsweredPairs {
  /** In the order of the pairs; absent where no answer came. */
  readonly given: readonly (GivenAnswer | undefined)[];
  /** Wall clock of the whole run. */
  readonly milliseconds: number;
  /** Why the first pair without an answer has none. */
  readonly error?: ParallaxError | undefined;
}

/** @throws ParallaxError `cancelled` */
export async function answersOf(
  judge: Judge,
  pairs: readonly ReferencePair[],
  work: WorkOptions,
): Promise<AnsweredPairs> {
  const given = new Array<GivenAnswer | undefined>(pairs.length).fill(undefined);
  const begun = performance.now();
  const { error } = await judge.judge(
    pairs.map(({ passage, perspective, question }) => ({
      passage: { text: passage },
      perspective: { text: perspective },
      question,
    })),
    {
      ...work,
      onJudgement: (index, judgement, { unparsable, cached }) => {
        given[index] = { judgement, unparsed: unparsable, cached };
      },
    },
  );
  const milliseconds = performance.now() - begun;
  throwIfCancelled(work.signal);
  return { given, milliseconds, error };
}
