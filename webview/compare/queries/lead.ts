/** Where a figure leads: to the queries that it is made of, or that make its difference. Pure. */
import type { QueryResultView } from '../../../src/shared/panels/compare.ts';
import { baselineOf, coveredShare, placeOf, type Place } from '../outcomes.ts';
import type { ShownSet } from '../shown-set.ts';

/** Queries by their figures under a pipeline, against the baseline's. */
export type Wanted = 'differing' | 'won' | 'lost' | 'tied';

/**
 * `versus`: queries on which a measure differs from the baseline's in the wanted way. `short`: queries on which a
 * measure is below 1. `place`: queries with a perspective in that place. `unjudged`: queries whose top k is not
 * judged whole.
 */
export type Lead =
  | { readonly to: 'versus'; readonly pipeline: string; readonly measure: string; readonly wanted: Wanted }
  | { readonly to: 'short'; readonly pipeline: string; readonly measure: string }
  | { readonly to: 'place'; readonly pipeline: string; readonly place: LeadPlace }
  | { readonly to: 'unjudged'; readonly pipeline: string };

/** A place of the query table; what is lost is told apart by whether anything is known to support it. */
export type LeadPlace = Exclude<Place, 'lost'> | 'not-retrieved' | 'not-found';

/** Whether the query is one that the figure leads to; none is where its pipeline is not in the data set. */
export function leadsTo(lead: Lead, set: ShownSet, query: QueryResultView): boolean {
  const index = set.pipelines.findIndex(({ name }) => name === lead.pipeline);
  if (index < 0) return false;
  switch (lead.to) {
    case 'versus':
      return matchesVersus(lead, set, query, index);
    case 'short':
      return (figureOf(set, query, lead.measure, index) ?? coveredShare(set, query, index)) < 1;
    case 'place':
      return query.perspectives.some((one) => leadPlace(set, query, one, index) === lead.place);
    case 'unjudged':
      return (query.judged[index] ?? 0) < 1;
  }
}

function matchesVersus(
  { measure, wanted }: Extract<Lead, { to: 'versus' }>,
  set: ShownSet,
  query: QueryResultView,
  index: number,
): boolean {
  const baseline = baselineOf(set) ?? index;
  const ours = figureOf(set, query, measure, index);
  const theirs = figureOf(set, query, measure, baseline);
  if (ours === undefined || theirs === undefined)
    return wanted === 'differing' && ranksDiffer(set, query, index, baseline);
  const difference = ours - theirs;
  // Two figures that are no further apart are the same, but for rounding.
  const same = Math.abs(difference) < 1e-9;
  if (wanted === 'differing') return !same;
  if (wanted === 'tied') return same;
  return !same && difference > 0 === (wanted === 'won');
}

/** The measure of a single query, where the comparison says it. */
export function figureOf(
  set: ShownSet,
  query: QueryResultView,
  measure: string,
  index: number,
): number | undefined {
  switch (measure) {
    case `MRecall@${set.k}`:
      return query.mrecall[index];
    case `Precision@${set.k}`:
      return query.precision[index];
    case `StRecall@${set.k}`:
      return coveredShare(set, query, index);
    default:
      return undefined;
  }
}

/** For measures that the comparison gives as a mean only: whether they can differ at all. */
function ranksDiffer({ k }: ShownSet, query: QueryResultView, one: number, other: number): boolean {
  const within = (rank: number | null | undefined): number => Math.min(rank ?? Infinity, k + 1);
  return (
    query.precision[one] !== query.precision[other] ||
    query.perspectives.some(({ ranks }) => within(ranks[one]) !== within(ranks[other]))
  );
}

function leadPlace(
  set: ShownSet,
  query: QueryResultView,
  perspective: QueryResultView['perspectives'][number],
  index: number,
): LeadPlace {
  const place = placeOf(set, query, perspective, index);
  if (place !== 'lost') return place;
  return perspective.supportKnown === false ? 'not-found' : 'not-retrieved';
}
