/** Which passages support which perspectives, according to a judge, within a budget of requests. */
import * as l10n from '@vscode/l10n';
import { ParallaxError, throwIfCancelled } from '../../../core/errors.ts';
import type { Verdict } from '../../../core/model.ts';
import type { Judge, JudgePair } from '../../../engine/judges/judge.ts';
import type { StoredPassage } from '../../../engine/types.ts';
import type { RequestBudget } from './request-budget.ts';

/**
 * @returns [passages, perspectives]
 * @throws ParallaxError `cancelled`, also if the budget is spent; why the judge left pairs unanswered
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
  const { error } = await judge.judge(pairs, {
    signal,
    onRequest: () => budget.take(),
    onJudgement: (index, { verdict }) => void (verdicts[index] = verdict),
  });
  const settled = verdicts.filter((verdict) => verdict !== undefined);
  if (settled.length < pairs.length) {
    throwIfCancelled(signal);
    if (error) throw error;
    if (budget.wasReached) throw budget.refusal();
    throw new ParallaxError('model-answer', l10n.t`${judge.label} left pairs unanswered.`);
  }
  return passages.map((_, place) =>
    settled.slice(place * perspectives.length, (place + 1) * perspectives.length),
  );
}
