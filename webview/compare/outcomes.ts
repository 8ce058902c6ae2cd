/** The outcome of a query under a pipeline, compared with the baseline. Pure. */
import type { PipelineEvaluation, QueryEvaluation } from '../../src/evaluation/evaluation.ts';
import { judgedAt, measuredAt } from '../../src/evaluation/reading.ts';
import type { ShownSet } from './shown-set.ts';

/** A pipeline that could be run, with its index in the lists of {@link QueryEvaluation}. */
export interface RanPipeline extends PipelineEvaluation {
  readonly index: number;
  readonly label: string;
}

/** The pipelines that could be run, in the order of comparison. */
export function ranPipelines({ pipelines, labels }: ShownSet): RanPipeline[] {
  return pipelines
    .map((pipeline, index) => ({ ...pipeline, index, label: labels[index] ?? pipeline.name }))
    .filter(({ error }) => error === undefined);
}

/** The index of the first pipeline that could be run, with which the others are compared. */
export function baselineOf({ pipelines }: Pick<ShownSet, 'pipelines'>): number | undefined {
  const place = pipelines.findIndex(({ error }) => error === undefined);
  return place < 0 ? undefined : place;
}

/**
 * MRecall of the query, 1 or 0. `undefined` if the pipeline did not run, nothing in its top k is judged, or unjudged
 * passages may turn the 0 into a 1.
 */
export function outcome({ k }: ShownSet, query: QueryEvaluation, index: number): number | undefined {
  if (judgedAt(query, index) === 0) return undefined;
  const measured = measuredAt(query, index, `MRecall@${k}`);
  return measured?.bound === 'exact' ? measured.value : undefined;
}

/** `won` if the pipeline covers all perspectives and the baseline does not; `lost` if the opposite is true. */
export type Versus = 'won' | 'lost' | 'tied';

/** `undefined` if either has no outcome, and for the baseline itself. */
export function versusBaseline(set: ShownSet, query: QueryEvaluation, index: number): Versus | undefined {
  const baseline = baselineOf(set);
  if (baseline === undefined || index === baseline) return undefined;
  const ours = outcome(set, query, index);
  const theirs = outcome(set, query, baseline);
  if (ours === undefined || theirs === undefined) return undefined;
  if (ours === theirs) return 'tied';
  return ours > theirs ? 'won' : 'lost';
}
