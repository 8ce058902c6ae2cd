/** Which of some passages support which of some perspectives, as a judge says, within a budget of requests. */
import * as l10n from '@vscode/l10n';
import { ParallaxError, throwIfCancelled } from '../../core/errors.ts';
import type { Verdict } from '../../core/model.ts';
import type { Judge, JudgePair } from '../judges/judge.ts';
import type { StoredPassage } from '../types.ts';
import type { RequestBudget } from './request-budget.ts';

/**
 * A judge takes more than one request for a pair when it repeats one, or holds a debate: what one matrix takes
 * beyond the budget is at most what the pairs under way when the budget ends take beyond one each.
 *
 * @returns [passages, perspectives]
 * @throws ParallaxError `cancelled`, also where the budget has nothing left; why the judge left pairs unanswered
 */
export async function supportMatrix(
  judge: Judge,
  question: string,
  passages: readonly StoredPassage[],
  perspectives: readonly string[],
  { budget, signal }: { readonly budget: RequestBudget; readonly signal: AbortSignal },
): Promise<Verdict[][]> {
  const pairs: JudgePair[] = passages.flatMap((passage) =>
    perspectives.map((text) => ({ passage, perspective: { text }, question })),
  );
  const verdicts = new Array<Verdict | undefined>(pairs.length).fill(undefined);
  const underWay = new Set<number>();
  let charged = 0;
  let refused = false;
  const charge = (requests: number): void => {
    charged += requests;
    budget.charge(requests);
  };
  const end = (index: number): void => {
    if (underWay.delete(index)) budget.release();
  };
  const { error, requests } = await judge.judge(pairs, {
    signal,
    isAnswered: (index) => {
      if (!budget.reserve()) return (refused = true);
      underWay.add(index);
      return false;
    },
    onJudgement: (index, { verdict, cost }, { cached }) => {
      end(index);
      verdicts[index] = verdict;
      if (!cached) charge(cost?.requests ?? 0);
    },
  });
  for (const index of [...underWay]) end(index);
  // Failed pairs took requests too.
  charge(Math.max(0, requests - charged));
  const settled = verdicts.filter((verdict) => verdict !== undefined);
  if (settled.length < pairs.length) {
    throwIfCancelled(signal);
    if (error) throw error;
    if (refused) throw budget.refusal();
    throw new ParallaxError('model-answer', l10n.t`${judge.label} left pairs unanswered.`);
  }
  return passages.map((_, place) =>
    settled.slice(place * perspectives.length, (place + 1) * perspectives.length),
  );
}
