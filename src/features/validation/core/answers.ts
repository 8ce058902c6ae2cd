/** Converts judgements to countable answers. */
import type { Debate, Judgement, JudgementCost, Verdict } from '../../../core/model.ts';
import { quantile } from '../../../core/statistics/bootstrap.ts';
import type { Answer } from './confusion.ts';
import { ratio, type Figure } from './figure.ts';

/** A judgement and how it was obtained. */
export interface GivenAnswer {
  readonly judgement: Judgement;
  /** Whether no verdict could be read from the judge's reply. */
  readonly unparsed: boolean;
  /** Whether it was cached. */
  readonly cached: boolean;
}

/** The judge's own answer. A pair that an adjudicator decided counts as escalated. */
export function automaticAnswer({ judgement, unparsed }: GivenAnswer): Answer {
  if (unparsed) return 'unparsed';
  return judgement.escalated === undefined ? judgement.verdict : 'escalated';
}

/** The final answer without people: the adjudicator's verdict if it was asked. */
export function finalAnswer({ judgement, unparsed }: GivenAnswer): Answer {
  if (unparsed) return 'unparsed';
  return judgement.escalated === 'human' ? 'escalated' : judgement.verdict;
}

/** `[rounds, agents]` labels of all agents after each round. Unreadable labels are "unsure". */
export function labelsByRound(rounds: Debate['rounds']): readonly (readonly Verdict[])[] {
  return rounds.map((turns) => turns.map(({ label }) => label ?? 'unsure'));
}

/** Means per judgement. `null` if no judgement has the figure. */
export interface MeanCost {
  readonly requests: Figure;
  readonly promptTokens: Figure;
  readonly completionTokens: Figure;
}

/** Means over the judgements with a known cost. */
export function meanCost(judgements: readonly Judgement[]): MeanCost {
  const meanOf = (read: (cost: JudgementCost) => number | undefined): Figure => {
    const known = judgements.flatMap(({ cost }) => (cost && read(cost)) ?? []);
    return ratio(
      known.reduce((sum, value) => sum + value, 0),
      known.length,
    );
  };
  return {
    requests: meanOf(({ requests }) => requests),
    promptTokens: meanOf(({ promptTokens }) => promptTokens),
    completionTokens: meanOf(({ completionTokens }) => completionTokens),
  };
}

/** Median and 95th percentile of the milliseconds from question to answer. `null` if unknown. */
export function latencyOf(judgements: readonly Judgement[]): {
  readonly median: Figure;
  readonly p95: Figure;
} {
  const sorted = Float64Array.from(judgements.flatMap(({ cost }) => cost?.milliseconds ?? [])).sort();
  if (sorted.length === 0) return { median: null, p95: null };
  return { median: quantile(sorted, 0.5), p95: quantile(sorted, 0.95) };
}
