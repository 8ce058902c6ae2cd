/** How a gate searches: as such, or with what comparisons found before. */
import type { Pipeline } from '../../core/pipeline.ts';
import type { CorpusIndex } from '../corpora/corpus-index.ts';
import type { PipelineQuery, PipelineServices } from '../retrieval/pipeline-services.ts';
import { searchCorpus } from '../retrieval/search-query.ts';
import type { Slot, WorkOptions } from '../types.ts';

/** A pipeline that is ready to search; best first. */
export type GateSearcher = (
  query: PipelineQuery,
  work: WorkOptions,
) => Promise<{ readonly slots: readonly Slot[] }>;

export interface GateSearches {
  /** @param depth how many passages a search returns at most */
  prepare(pipeline: Pipeline, depth: number): Promise<GateSearcher>;
}

export function directSearches(index: CorpusIndex, services: PipelineServices): GateSearches {
  return {
    prepare: async (pipeline, depth) => async (query, work) => {
      const { hits } = await searchCorpus(index, pipeline, query, depth, services, work);
      return { slots: hits.map(({ item }) => item) };
    },
  };
}
