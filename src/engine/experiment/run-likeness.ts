/** Likeness of the passages of rankings, for measures that ask. */
import { candidateDepth } from '../../core/analysis/lost.ts';
import type { RankedLikeness, RunLikeness } from '../../core/likeness/ranked-likeness.ts';
import { definitionOf, type Measure } from '../../core/metrics/measures.ts';
import { likenessEmbedder } from '../../core/pipeline-needs.ts';
import { Pace } from '../concurrency/pace.ts';
import { rankedLikeness } from '../likeness/ranked-likeness.ts';
import type { WorkOptions } from '../types.ts';
import type { RanDataset } from './experiments.ts';
import type { PipelineRuns } from './pipeline-runs.ts';

/** By the names of pipelines. */
export type Likenesses = ReadonlyMap<string, RunLikeness>;

/**
 * @param measures nothing is worked out where none of them asks what passages look like
 * @throws ParallaxError what an embedder throws; `cancelled`
 */
export async function runLikenesses(
  { index, runs }: Pick<RanDataset, 'index' | 'runs'>,
  measures: readonly Measure[],
  work: WorkOptions,
): Promise<Likenesses> {
  const asking = measures.filter((measure) => definitionOf(measure).needs === 'passages');
  if (asking.length === 0) return new Map();
  const depth = Math.max(...asking.map(({ k }) => k ?? 0));
  const pace = new Pace(work);
  const found = new Map<string, RunLikeness>();
  for (const run of runs) found.set(run.name, await ofRun(run));
  return found;

  async function ofRun({ resolved, questions }: PipelineRuns): Promise<RunLikeness> {
    const vectors = likenessEmbedder(resolved);
    const rankings = new Map<string, RankedLikeness>();
    for (const [query, ranked] of questions) {
      const slots = ranked.slice(0, candidateDepth(resolved, depth));
      rankings.set(query, await rankedLikeness(index, vectors, { slots, depth }, work));
      if (pace.due) await pace.rest();
    }
    return { vectors, rankings };
  }
}
