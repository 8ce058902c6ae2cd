/** An upper bound of the requests of a validation, before any is made. Pure. */
import { totalEffort, type Workload } from '../../shared/judge-effort.ts';
import type { Effort, PriceTable } from '../../shared/requests/spending.ts';
import { judgeEffort } from '../../shared/judge-types.ts';
import type { JudgeChoice } from '../judging/judge-choice.ts';

/** A part of it, drawn at random: so many pairs, each of a passage of its own where there are enough. */
export function partOf(workload: Workload, pairs: number): Workload {
  return {
    ...workload,
    pairs: Math.min(pairs, workload.pairs),
    passages: Math.min(pairs, workload.passages),
  };
}

/** The most that asking all of these judges can cost; remembered answers cost nothing. */
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
 * So many pairs that the judges stay within the budget: a validation that stopped half-way would be one of the first
 * questions only.
 *
 * Pairs that are drawn at random share few passages: a judge that is asked by passage takes up to a request for each.
 *
 * @param budget requests; 0 for no limit
 * @returns nothing where all pairs are within it
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
