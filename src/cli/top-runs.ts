/** What pipelines retrieve for the questions of a data set, no deeper than is needed. */
import type { Ranked, Run } from '../core/model.ts';
import { withDatasetMaximum } from '../engine/retrieval/dataset-maximum.ts';
import { searchQuery } from '../engine/retrieval/search-query.ts';
import type { Dataset } from './datasets.ts';
import type { NamedPipeline } from './pipeline-option.ts';
import { progressLine } from './progress.ts';
import type { Io } from './terminal.ts';

/**
 * The top k of every pipeline, in their order.
 *
 * @throws ParallaxError what a search throws
 */
export async function topRuns(
  { index, queries, services, name: title }: Dataset,
  pipelines: readonly NamedPipeline[],
  k: number,
  io: Io,
): Promise<Run[]> {
  const runs: Run[] = [];
  for (const { name, pipeline: given } of pipelines) {
    const onProgress = progressLine(io, `${title} ${name}`.trim());
    const pipeline = await withDatasetMaximum(index, given, queries, services, { onProgress });
    const run = new Map<string, readonly Ranked[]>();
    for (const query of queries) {
      const { hits } = await searchQuery(index, pipeline, query, k, services);
      const ranked = hits.slice(0, k).map(({ item, score }) => ({ item: index.passageId(item), score }));
      run.set(query.id, ranked);
      onProgress({ done: run.size, total: queries.length });
    }
    runs.push(run);
  }
  return runs;
}
