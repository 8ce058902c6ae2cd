/** Perspectives that the top k of a pipeline do not cover, and why. Pure. */
import type { DatasetView, QueryResultView } from '../shared/panels/compare.ts';

/** Why the top k has no passage that is known to support a perspective. */
export type LossReason = 'below-k' | 'not-retrieved' | 'unjudged' | 'not-found';

/** A perspective that a pipeline loses, or of which nobody knows whether it does. */
export interface LostPerspective {
  readonly query: QueryResultView;
  readonly perspective: QueryResultView['perspectives'][number];
  readonly reason: LossReason;
  /** The rank of the first passage that supports it, among the candidates. */
  readonly rank: number | undefined;
}

/** The most recoverable loss first: known to be in the corpus, near the top. */
export const REASONS: Readonly<Record<LossReason, string>> = {
  'below-k': 'A passage that supports it was found, but below k.',
  'not-retrieved': 'A passage that supports it is known, but is not among the candidates.',
  unjudged: 'Nobody has judged any passage for it: it may be covered.',
  'not-found':
    'None of the passages that were judged for it supports it. That does not mean that the corpus has none.',
};
export const LOSS_ORDER = Object.keys(REASONS) as readonly LossReason[];

/**
 * @param place of the pipeline
 * @returns what helps most first
 */
export function lostPerspectives(
  { queries }: Pick<DatasetView, 'queries'>,
  k: number,
  place = 0,
): LostPerspective[] {
  return queries
    .flatMap((query) =>
      query.perspectives.flatMap((perspective) => {
        const rank = perspective.ranks[place] ?? undefined;
        if (rank !== undefined && rank <= k) return [];
        return [{ query, perspective, rank, reason: reasonOf(query, perspective, rank, place) }];
      }),
    )
    .toSorted(
      (a, b) => LOSS_ORDER.indexOf(a.reason) - LOSS_ORDER.indexOf(b.reason) || (a.rank ?? 0) - (b.rank ?? 0),
    );
}

function reasonOf(
  query: QueryResultView,
  { supportKnown, where }: LostPerspective['perspective'],
  rank: number | undefined,
  place: number,
): LossReason {
  const found = where?.[place];
  // Misses of an approximate search are among the candidates of an exact one only.
  if (found && found !== 'covered') return found === 'approximate-miss' ? 'not-retrieved' : found;
  if (rank !== undefined) return 'below-k';
  if (supportKnown === true) return 'not-retrieved';
  return query.judged[place]! < 1 ? 'unjudged' : 'not-found';
}
