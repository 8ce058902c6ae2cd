/** The links of figures to the queries that they consist of, or that cause their difference. Pure. */
import type { PerspectiveEvaluation, QueryEvaluation } from '../../../src/evaluation/evaluation.ts';
import type { Place } from '../../../src/core/coverage-states.ts';
import {
  coveredShareAt,
  isCoveredAt,
  judgedAt,
  measuredAt,
  placeAt,
  rankAt,
} from '../../../src/evaluation/reading.ts';
import { baselineOf } from '../outcomes.ts';
import type { ShownSet } from '../shown-set.ts';

/** The result of queries under a pipeline compared with the baseline. */
export type Wanted = 'differing' | 'won' | 'lost' | 'tied';

/**
 * `versus`: queries whose measure differs from the baseline's in the wanted way. `short`: queries whose measure is
 * below 1. `place`: queries with a perspective in that place. `unjudged`: queries whose top k is not fully judged.
 */
export type Lead =
  | { readonly to: 'versus'; readonly pipeline: string; readonly measure: string; readonly wanted: Wanted }
  | { readonly to: 'short'; readonly pipeline: string; readonly measure: string }
  | { readonly to: 'place'; readonly pipeline: string; readonly place: Place }
  | { readonly to: 'unjudged'; readonly pipeline: string };

/** Whether the figure links to the query. False if its pipeline is not in the data set. */
export function leadsTo(lead: Lead, set: ShownSet, query: QueryEvaluation): boolean {
  const index = set.pipelines.findIndex(({ name }) => name === lead.pipeline);
  if (index < 0) return false;
  switch (lead.to) {
    case 'versus':
      return matchesVersus(lead, set, query, index);
    case 'short':
      return (figureOf(set, query, lead.measure, index) ?? coveredShareAt(query, index)) < 1;
    case 'place':
      return query.perspectives.some((one) => placeAt(one, index) === lead.place);
    case 'unjudged':
      return judgedAt(query, index) < 1;
  }
}

function matchesVersus(
  { measure, wanted }: Extract<Lead, { to: 'versus' }>,
  set: ShownSet,
  query: QueryEvaluation,
  index: number,
): boolean {
  const baseline = baselineOf(set) ?? index;
  const ours = figureOf(set, query, measure, index);
  const theirs = figureOf(set, query, measure, baseline);
  if (ours === undefined || theirs === undefined)
    return wanted === 'differing' && ranksDiffer(set, query, index, baseline);
  const difference = ours - theirs;
  // Smaller differences are rounding errors.
  const same = Math.abs(difference) < 1e-9;
  if (wanted === 'differing') return !same;
  if (wanted === 'tied') return same;
  return !same && difference > 0 === (wanted === 'won');
}

/** The measure of a single query, if the comparison contains it. */
export function figureOf(
  set: ShownSet,
  query: QueryEvaluation,
  measure: string,
  index: number,
): number | undefined {
  return measure === `StRecall@${set.k}`
    ? coveredShareAt(query, index)
    : measuredAt(query, index, measure)?.value;
}

/** Whether a measure that the comparison only has as a mean can differ for this query. */
function ranksDiffer({ k }: ShownSet, query: QueryEvaluation, one: number, other: number): boolean {
  const precisionAt = (place: number): number | undefined =>
    measuredAt(query, place, `Precision@${k}`)?.value;
  const rankWithin = (perspective: PerspectiveEvaluation, place: number): number | undefined =>
    isCoveredAt(perspective, place) ? rankAt(perspective, place) : undefined;
  return (
    precisionAt(one) !== precisionAt(other) ||
    query.perspectives.some((perspective) => rankWithin(perspective, one) !== rankWithin(perspective, other))
  );
}
