/** The passages of each query to label (BERDS, appendix A.4). */
import { labelPool, type LabelPool } from '../core/label-set.ts';
import type { Query } from '../../../core/model.ts';
import type { Params } from '../../../shared/rpc.ts';
import type { CorpusIndex } from '../../../engine/corpora/corpus-index.ts';
import type { PipelineServices } from '../../../engine/retrieval/pipeline-services.ts';
import { searchCorpus } from '../../../engine/retrieval/search-query.ts';
import type { StoredPassage, WorkOptions } from '../../../engine/types.ts';

export interface QueryPool extends LabelPool<StoredPassage> {
  readonly query: Query;
}

/**
 * @returns one pool per query with perspectives, in their order, without passages that a foreign retriever returned
 *   without text, since they cannot be labelled
 * @throws ParallaxError as a search
 */
export async function labelSet(
  index: CorpusIndex,
  services: PipelineServices,
  { queries, pipelines, k }: Omit<Params<'labelSet'>, 'corpus'>,
  { signal, onProgress }: WorkOptions,
): Promise<QueryPool[]> {
  const pools: QueryPool[] = [];
  const queriesWithPerspectives = queries.filter(({ perspectives }) => perspectives.length > 0);
  for (const query of queriesWithPerspectives) {
    const lists: StoredPassage[][] = [];
    for (const pipeline of pipelines) {
      const { hits } = await searchCorpus(index, pipeline, query, k, services, { signal });
      const passages = index.passages(hits.map(({ item }) => item));
      lists.push(passages.filter(({ text }) => text !== ''));
    }
    pools.push({ query, ...labelPool(lists, k) });
    onProgress?.({ done: pools.length, total: queriesWithPerspectives.length });
  }
  return pools;
}
