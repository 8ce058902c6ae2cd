/** The queries of the table and their order. Pure. */
import type { QueryEvaluation } from '../../../src/evaluation/evaluation.ts';
import { isCoveredAt } from '../../../src/evaluation/reading.ts';
import {
  baselineOf,
  outcome,
  ranPipelines,
  versusBaseline,
  type RanPipeline,
  type Versus,
} from '../outcomes.ts';
import type { ShownSet } from '../shown-set.ts';
import { leadsTo, type Lead } from './lead.ts';

/**
 * `disagree`: some pipelines cover all perspectives, others do not. `lost-by-baseline-only`: all but the baseline do.
 * `won` and `lost`: at least one pipeline does better, or worse, than the baseline.
 */
export const QUERY_FILTERS = [
  'all',
  'disagree',
  'lost-by-all',
  'lost-by-baseline-only',
  'won',
  'lost',
] as const;
export type QueryFilter = (typeof QUERY_FILTERS)[number];

const QUERY_ORDERS = ['disagreement', 'eval-set'] as const;
export type QueryOrder = (typeof QUERY_ORDERS)[number];

export function isFilter(value: unknown): value is QueryFilter {
  return QUERY_FILTERS.some((filter) => filter === value);
}

export function isOrder(value: unknown): value is QueryOrder {
  return QUERY_ORDERS.some((order) => order === value);
}

export interface QuerySelection {
  readonly filter: QueryFilter;
  readonly order: QueryOrder;
  /** Words that a query must contain. */
  readonly words: string;
  /** A tag that a query must have. */
  readonly tag: string | undefined;
  /** The figure whose queries are shown. Not kept when the panel is reloaded. */
  readonly lead: Lead | undefined;
}

/** The current selection. Ignores a tag that only another data set has. */
export function selectionOf({
  set,
  draft: { filter, order, words, tag, lead },
}: {
  readonly set: ShownSet;
  readonly draft: QuerySelection;
}): QuerySelection {
  return { filter, order, words, tag: tagsOf(set).find((one) => one === tag), lead };
}

/** The part of a selection that applies to every filter. */
type Narrowing = Pick<QuerySelection, 'words' | 'tag' | 'lead'>;

/** The queries that match the filter, words, tag and lead, in the chosen order. */
export function selectedQueries(set: ShownSet, selection: QuerySelection): QueryEvaluation[] {
  const known = summariesOf(set);
  const summary = (query: QueryEvaluation): QuerySummary => known.get(query)!;
  const matchingQueries = set.queries.filter(
    (query) => matches(set, query, selection) && passes(summary(query), selection.filter),
  );
  if (selection.order === 'eval-set') return matchingQueries;
  return matchingQueries.toSorted((one, other) => summary(other).disagreement - summary(one).disagreement);
}

/** The number of queries for each filter, with words, tag and lead applied. */
export function filterCounts(set: ShownSet, selection: Narrowing): Record<QueryFilter, number> {
  const counts = Object.fromEntries(QUERY_FILTERS.map((filter) => [filter, 0])) as Record<
    QueryFilter,
    number
  >;
  for (const [query, summary] of summariesOf(set))
    if (matches(set, query, selection))
      for (const filter of QUERY_FILTERS) if (passes(summary, filter)) counts[filter]++;
  return counts;
}

/** Every tag of the queries, in alphabetical order. */
export function tagsOf({ queries }: ShownSet): string[] {
  return [...new Set(queries.flatMap(({ tags }) => tags))].sort((a, b) => a.localeCompare(b, 'en'));
}

function matches(set: ShownSet, query: QueryEvaluation, { words, tag, lead }: Narrowing): boolean {
  if (lead && !leadsTo(lead, set, query)) return false;
  if (tag !== undefined && !query.tags.includes(tag)) return false;
  if (words.trim() === '') return true;
  const text = [query.id, query.text, ...query.perspectives.map((one) => one.text)].join('\n').toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/u)
    .every((word) => text.includes(word));
}

/** The outcomes of a query over the pipelines. */
interface QuerySummary {
  /** The outcomes of the pipelines that have one. */
  readonly outcomes: readonly number[];
  /** The outcome of the baseline. `undefined` if it has none. */
  readonly baseline: number | undefined;
  /** The results compared with the baseline, for pipelines with an outcome if the baseline has one. */
  readonly versus: readonly Versus[];
  readonly disagreement: number;
}

/** Cached per data set, because lists are filtered and sorted on every keystroke. */
function summariesOf(set: ShownSet): ReadonlyMap<QueryEvaluation, QuerySummary> {
  const known = SUMMARIES.get(set);
  if (known) return known;
  const ran = ranPipelines(set);
  const baseline = baselineOf(set);
  const summaries = new Map(
    set.queries.map((query) => [
      query,
      {
        outcomes: ran.flatMap(({ index }) => outcome(set, query, index) ?? []),
        baseline: baseline === undefined ? undefined : outcome(set, query, baseline),
        versus: ran.flatMap(({ index }) => versusBaseline(set, query, index) ?? []),
        disagreement: disagreement(set, query, ran),
      },
    ]),
  );
  SUMMARIES.set(set, summaries);
  return summaries;
}

const SUMMARIES = new WeakMap<ShownSet, ReadonlyMap<QueryEvaluation, QuerySummary>>();

function passes({ outcomes, baseline, versus }: QuerySummary, filter: QueryFilter): boolean {
  switch (filter) {
    case 'all':
      return true;
    case 'disagree':
      return outcomes.some((one) => one !== outcomes[0]);
    case 'lost-by-all':
      return outcomes.length > 0 && outcomes.every((one) => one === 0);
    case 'lost-by-baseline-only':
      return baseline === 0 && versus.length > 0 && versus.every((one) => one === 'won');
    case 'won':
      return versus.includes('won');
    case 'lost':
      return versus.includes('lost');
  }
}

/**
 * How far the pipelines disagree: pairs in which one covers all perspectives and the other does not, then pairs in
 * which one covers a single perspective and the other does not.
 */
function disagreement(set: ShownSet, query: QueryEvaluation, ran: readonly RanPipeline[]): number {
  const pairs = (covered: readonly boolean[]): number => {
    const yes = covered.filter(Boolean).length;
    return yes * (covered.length - yes);
  };
  const outcomes = ran.flatMap(({ index }) => outcome(set, query, index) ?? []);
  const whole = pairs(outcomes.map((one) => one === 1));
  const single = query.perspectives.map((perspective) =>
    pairs(ran.map(({ index }) => isCoveredAt(perspective, index))),
  );
  const most = query.perspectives.length * ran.length ** 2 + 1;
  return whole + single.reduce((sum, one) => sum + one, 0) / most;
}
