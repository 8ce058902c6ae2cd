/** The outcome of a query under a pipeline, and how it compares with the baseline. Pure. */
import type { PipelineResultView, QueryResultView } from '../../src/shared/panels/compare.ts';
import type { ShownSet } from './shown-set.ts';

/** A pipeline that could be run, with its place in the lists of {@link QueryResultView}. */
export interface RanPipeline extends PipelineResultView {
  readonly index: number;
  readonly label: string;
}

/** Those that could be run, in the order of comparison. */
export function ranPipelines({ pipelines, labels }: ShownSet): RanPipeline[] {
  return pipelines
    .map((pipeline, index) => ({ ...pipeline, index, label: labels[index] ?? pipeline.name }))
    .filter(({ error }) => error === undefined);
}

/** The place of the first pipeline that could be run: the others are held against it. */
export function baselineOf({ pipelines }: Pick<ShownSet, 'pipelines'>): number | undefined {
  const place = pipelines.findIndex(({ error }) => error === undefined);
  return place < 0 ? undefined : place;
}

/**
 * MRecall of the query, 1 or 0; `undefined` where the pipeline did not run, nothing in its top k is judged, or what nobody
 * has judged there may make a 1 of the 0.
 */
export function outcome(set: ShownSet, query: QueryResultView, index: number): number | undefined {
  if (set.pipelines[index]?.error !== undefined || query.judged[index] === 0) return undefined;
  return query.mayRise?.[index] === true ? undefined : query.mrecall[index];
}

/** `won` where the pipeline covers all perspectives and the baseline does not; `lost` the other way round. */
export type Versus = 'won' | 'lost' | 'tied';

/** `undefined` where either has no outcome, and for the baseline itself. */
export function versusBaseline(set: ShownSet, query: QueryResultView, index: number): Versus | undefined {
  const baseline = baselineOf(set);
  if (baseline === undefined || index === baseline) return undefined;
  const ours = outcome(set, query, index);
  const theirs = outcome(set, query, baseline);
  if (ours === undefined || theirs === undefined) return undefined;
  if (ours === theirs) return 'tied';
  return ours > theirs ? 'won' : 'lost';
}

type PerspectiveResult = QueryResultView['perspectives'][number];

/** Where a pipeline finds a perspective. `unjudged`: nobody judged any passage for it. */
export type Place = 'covered' | 'below-k' | 'lost' | 'unjudged';

export function placeOf(
  { k }: ShownSet,
  query: QueryResultView,
  perspective: PerspectiveResult,
  index: number,
): Place {
  const rank = perspective.ranks[index] ?? null;
  if (rank !== null) return rank <= k ? 'covered' : 'below-k';
  const said = perspective.where?.[index];
  if (said) return said === 'unjudged' ? 'unjudged' : 'lost';
  return (query.judged[index] ?? 0) < 1 && perspective.supportKnown !== true ? 'unjudged' : 'lost';
}

/** Share of the perspectives of a query that the top k cover. */
export function coveredShare({ k }: ShownSet, { perspectives }: QueryResultView, index: number): number {
  if (perspectives.length === 0) return 0;
  return perspectives.filter(({ ranks }) => (ranks[index] ?? Infinity) <= k).length / perspectives.length;
}
