/** Sums of the costs of answers. A sum is unknown if one of its parts is. */
import type { JudgementCost } from '../model.ts';

const NOTHING: JudgementCost = { requests: 0, promptTokens: 0, completionTokens: 0, milliseconds: 0 };

/** The total cost of sequential answers. */
export function inTurn(costs: readonly JudgementCost[]): JudgementCost {
  return costs.reduce((sum, cost) => added(sum, cost, sum.milliseconds + cost.milliseconds), NOTHING);
}

/** The total cost of parallel answers: the slowest determines the time. */
export function atOnce(costs: readonly JudgementCost[]): JudgementCost {
  return costs.reduce(
    (sum, cost) => added(sum, cost, Math.max(sum.milliseconds, cost.milliseconds)),
    NOTHING,
  );
}

/** Divides the cost of requests for several pairs among the pairs. The time counts in full for each of them. */
export function sharedBy(pairs: number, cost: JudgementCost): JudgementCost {
  return {
    requests: cost.requests / pairs,
    promptTokens: cost.promptTokens === undefined ? undefined : cost.promptTokens / pairs,
    completionTokens: cost.completionTokens === undefined ? undefined : cost.completionTokens / pairs,
    milliseconds: cost.milliseconds,
  };
}

function added(a: JudgementCost, b: JudgementCost, milliseconds: number): JudgementCost {
  return {
    requests: a.requests + b.requests,
    promptTokens: sum(a.promptTokens, b.promptTokens),
    completionTokens: sum(a.completionTokens, b.completionTokens),
    milliseconds,
  };
}

function sum(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? undefined : a + b;
}
