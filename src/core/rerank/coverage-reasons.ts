/** Why the coverage reranker moved candidates up, by the final probabilities. */
import type { SequentialCoverageOrder } from './sequential-coverage.ts';

/** The perspective that a candidate contributes most to. */
export interface CoverageReason {
  readonly candidate: number;
  readonly perspective: number;
  /** The probability in [0, 1] that it supports the perspective. */
  readonly supports: number;
  /** The probability in [0, 1] that it is the only one of the first k that does. */
  readonly only: number;
}

/** One for each of the first k with a lower rank before, in the new order. */
export function coverageReasons(
  { order, posterior }: Pick<SequentialCoverageOrder, 'order' | 'posterior'>,
  k: number,
): CoverageReason[] {
  const top = order.slice(0, k);
  return top.flatMap((candidate, place) => (candidate > place ? [reasonFor(candidate, top, posterior)] : []));
}

function reasonFor(
  candidate: number,
  top: readonly number[],
  posterior: SequentialCoverageOrder['posterior'],
): CoverageReason {
  const otherCandidates = top.filter((each) => each !== candidate);
  return posterior[candidate]!.map((supports, perspective) => ({
    candidate,
    perspective,
    supports,
    only: otherCandidates.reduce((chance, rival) => chance * (1 - posterior[rival]![perspective]!), supports),
  })).reduce((best, each) => (each.only > best.only ? each : best));
}
