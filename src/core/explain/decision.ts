/** The step of a pipeline that decides about a passage, in the order in which a pipeline decides. */
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
  /** After the rerankers, from 1; absent if no search returns it. */
  readonly rank?: number | undefined;
  /** Before the rerankers. */
  readonly retrievedRank?: number | undefined;
  /** A store returns it only without its filter. */
  readonly isFiltered?: boolean;
  /** A passage within k says nearly the same. */
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
