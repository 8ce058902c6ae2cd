import { throwIfCancelled } from '../../../../core/errors.ts';
import type { Ranked, Run } from '../../../../core/model.ts';
import type { Pipeline } from '../../../../core/pipeline.ts';
import type { CorpusIndex } from '../../../../engine/corpora/corpus-index.ts';
import type { PipelineQuery, PipelineServices } from '../../../../engine/retrieval/pipeline-services.ts';
import { searchQuery } from '../../../../engine/retrieval/search-query.ts';
import type { WorkOptions } from '../../../../engine/types.ts';

export interface TaskParts {
  /** The passages of the task, under the task's ids. */
  readonly corpus: CorpusIndex;
  readonly services: PipelineServices;
}

/** A query of the task, with the pipeline to search it. */
export interface TaskSearch {
  readonly id: string;
  readonly query: PipelineQuery;
  readonly pipeline: Pipeline;
}

/**
 * The top k of every query, one after the other. A failed query ends the run, because figures of the benchmark are over
 * all of its queries.
 *
 * @param step called after each query
 * @throws ParallaxError the errors of a search, `cancelled`
 */
export async function taskRun(
  searches: readonly TaskSearch[],
  { corpus, services }: TaskParts,
  k: number,
  { signal }: WorkOptions,
  step: () => void,
): Promise<Run> {
  const ranked = new Map<string, readonly Ranked[]>();
  for (const { id, query, pipeline } of searches) {
    throwIfCancelled(signal);
    const { hits } = await searchQuery(corpus, pipeline, query, k, services, { signal });
    ranked.set(
      id,
      hits.map(({ item, score }) => ({ item: corpus.passageId(item), score })),
    );
    step();
  }
  return ranked;
}
