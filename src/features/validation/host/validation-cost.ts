/** An upper bound of the requests of a validation, computed before any is made. Pure. */
import { totalEffort, type Workload } from '../../../shared/judge-effort.ts';
import type { Effort, PriceTable } from '../../../shared/requests/spending.ts';
import { judgeEffort } from '../../../shared/named-judges.ts';
import type { JudgeChoice } from '../../../extension/judging/judge-choice.ts';

/** A random sample of the workload: this many pairs, each of a different passage if there are enough. */
export function partOf(workload: Workload, pairs: number): Workload {
  return {
    ...workload,
    pairs: Math.min(pairs, workload.pairs),
    passages: Math.min(pairs, workload.passages),
  };
}

/** The highest cost of asking all of these judges; cached answers are free. */
export function validationEffort(
  chosen: readonly JudgeChoice[],
  choices: readonly JudgeChoice[],
  workload: Workload,
  prices: PriceTable,
): Effort {
  const configs = Object.fromEntries(choices.map(({ name, config }) => [name, config]));
  return totalEffort(chosen.map(({ name }) => judgeEffort(name, configs, workload, prices)));
}

/**
 * The number of pairs that keeps the judges within the budget. A validation that stopped half-way would cover only the
 * first questions.
 *
 * Randomly drawn pairs share few passages, so a judge that is asked by passage may take one request for each pair.
 *
 * @param budget requests; 0 for no limit
 * @returns `undefined` if all pairs are within the budget
 */
export function pairsWithin(
  budget: number,
  workload: Workload,
  effortOf: (workload: Workload) => Pick<Effort, 'requests'>,
): number | undefined {
  if (budget === 0 || effortOf(workload).requests.most <= budget) return undefined;
  const { pairs } = workload;
  const apart = effortOf({ ...workload, passages: pairs });
  return Math.max(1, Math.floor((pairs * budget) / apart.requests.most));
}
