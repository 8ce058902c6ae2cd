/** The step of a pipeline that decides about a passage, in pipeline order. */
import type { Cause } from './explanation.ts';

export const DECISIONS = [
  'retrieved',
  'duplicate-above',
  'moved-down',
  'below-k',
  'outside-candidates',
  'filtered',
] as const satisfies readonly Cause[];
export type Decision = (typeof DECISIONS)[number];

export interface DecidedPassage {
  /** After the rerankers, from 1. `undefined` if no search returns it. */
  readonly rank?: number | undefined;
  /** Before the rerankers. */
  readonly retrievedRank?: number | undefined;
  /** Whether a store only returns it without its filter. */
  readonly isFiltered?: boolean;
  /** Whether a passage within k is nearly the same. */
  readonly isRepeat?: boolean;
}

export function decisionOf(
  { rank, retrievedRank, isFiltered, isRepeat }: DecidedPassage,
  { k, candidates }: { readonly k: number; readonly candidates: number },
): Decision {
  if (rank !== undefined && rank <= k) return 'retrieved';
  if (rank === undefined || rank > candidates) return isFiltered ? 'filtered' : 'outside-candidates';
  if (isRepeat) return 'duplicate-above';
  return retrievedRank !== undefined && retrievedRank <= k ? 'moved-down' : 'below-k';
}
