/** The outcome of a check whose figures depend on unjudged passages. */
import { atLeast, exactly, type Measured } from '../../../core/measured.ts';
import { TIE } from '../../../core/metrics/differences.ts';
import { definitionNamed } from '../../../core/metrics/measures.ts';
import type { CheckOutcome, GateCheck } from './report.ts';

/**
 * @param ifNone whether it is missed if no unjudged passage supports, as figures are counted
 * @param ifAll whether it is missed if all unjudged passages support
 */
export function outcomeOf(ifNone: boolean, ifAll: boolean): CheckOutcome {
  if (ifNone !== ifAll) return 'undecided';
  return ifNone ? 'missed' : 'passed';
}

/** @param most the value if all unjudged passages supported */
export function measuredIn(metric: string, value: number, most: number): Measured {
  if (Math.abs(most - value) <= TIE) return exactly(value);
  return definitionNamed(metric)?.risesWithSupport ? atLeast(value, most) : { value, bound: 'open', most };
}

/** The value of a query as counted, and if all unjudged passages supported. */
export interface QueryBounds {
  readonly id: string;
  readonly value: number;
  readonly most: number;
}

type Fails = (value: number, id: string) => boolean;

/** Ids of the queries that fail whatever the unjudged passages are. */
export function failingQueries(queries: readonly QueryBounds[], fails: Fails): string[] {
  return idsOf(queries, ({ id, value, most }) => fails(value, id) && fails(most, id));
}

/** Queries whose failure depends on unjudged passages. If there are none, those that move the mean. */
export function openQueries(
  outcome: CheckOutcome,
  queries: readonly QueryBounds[],
  fails: Fails,
): Pick<GateCheck, 'open'> {
  if (outcome === 'passed') return {};
  const open = idsOf(queries, ({ id, value, most }) => fails(value, id) !== fails(most, id));
  const moving =
    outcome === 'undecided' ? idsOf(queries, ({ value, most }) => Math.abs(most - value) > TIE) : [];
  const ids = open.length > 0 ? open : moving;
  return ids.length > 0 ? { open: ids } : {};
}

function idsOf(queries: readonly QueryBounds[], isOf: (query: QueryBounds) => boolean): string[] {
  return queries.filter(isOf).map(({ id }) => id);
}
