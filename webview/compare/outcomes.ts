/** What a pipeline made of a query, and how that compares with the baseline. Pure. */
import type { Comparison, PipelineResultView, QueryResultView } from '../../src/shared/compare.ts';

/** A pipeline that could be run, with its place in the lists of {@link QueryResultView}. */
export interface RanPipeline extends PipelineResultView {
  readonly index: number;
}

/** The first of the comparison is the baseline. */
export const BASELINE = 0;

/** Those that could be run, in the order of comparison. */
export function ranPipelines({ pipelines }: Comparison): RanPipeline[] {
  return pipelines
    .map((pipeline, index) => ({ ...pipeline, index }))
    .filter(({ error }) => error === undefined);
}

/** MRecall of the query, 1 or 0; `undefined` where the pipeline did not run or nothing in its top k is judged. */
export function outcome(comparison: Comparison, query: QueryResultView, index: number): number | undefined {
  if (comparison.pipelines[index]?.error !== undefined || query.judged[index] === 0) return undefined;
  return query.mrecall[index];
}

/** `won` where the pipeline covers all perspectives and the baseline does not; `lost` the other way round. */
export type Versus = 'won' | 'lost' | 'tied';

/** `undefined` where either has no outcome, and for the baseline itself. */
export function versusBaseline(
  comparison: Comparison,
  query: QueryResultView,
  index: number,
): Versus | undefined {
  if (index === BASELINE) return undefined;
  const ours = outcome(comparison, query, index);
  const theirs = outcome(comparison, query, BASELINE);
  if (ours === undefined || theirs === undefined) return undefined;
  if (ours === theirs) return 'tied';
  return ours > theirs ? 'won' : 'lost';
}

/** How many queries a pipeline won, lost and tied against the baseline. */
export function tally(comparison: Comparison, index: number): Record<Versus, number> {
  const counts = { won: 0, lost: 0, tied: 0 };
  for (const query of comparison.queries) {
    const versus = versusBaseline(comparison, query, index);
    if (versus) counts[versus]++;
  }
  return counts;
}

type PerspectiveResult = QueryResultView['perspectives'][number];

/** What a pipeline made of one perspective. `unjudged`: nothing known supports it, and part of the top k is unjudged. */
export type Place = 'covered' | 'below-k' | 'lost' | 'unjudged';

export function placeOf(
  { k }: Comparison,
  query: QueryResultView,
  perspective: PerspectiveResult,
  index: number,
): Place {
  const rank = perspective.ranks[index] ?? null;
  if (rank !== null) return rank <= k ? 'covered' : 'below-k';
  return (query.judged[index] ?? 0) < 1 && perspective.supportKnown !== true ? 'unjudged' : 'lost';
}
