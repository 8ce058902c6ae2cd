import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../../core/errors.ts';
import type { Pipeline } from '../../core/pipeline.ts';
import type { CorpusIndex } from '../corpora/corpus-index.ts';
import type { WorkOptions } from '../types.ts';
import type { PipelineQuery, PipelineServices } from '../retrieval/pipeline-services.ts';
import { searchQuery } from '../retrieval/search-query.ts';
import { isOfOneQuery } from './query-errors.ts';

/**
 * Replaces every `"datasetMaximum": "auto"` by a number: the greatest relevance of any candidate of any query when it
 * reaches that reranker (BERDS, appendix A.6). A query that fails is skipped.
 *
 * @param queries of the data set, or of its development part if the test part must have no influence
 * @returns the same pipeline if there is nothing to compute
 * @throws ParallaxError `bad-argument` if no relevance is above 0, and what a search throws
 */
export async function withDatasetMaximum(
  corpus: CorpusIndex,
  pipeline: Pipeline,
  queries: readonly PipelineQuery[],
  services: PipelineServices,
  work: WorkOptions = {},
): Promise<Pipeline> {
  const place = pipeline.rerank.findIndex((step) => step.type === 'mmr' && step.datasetMaximum === 'auto');
  if (place < 0) return pipeline;
  const before = { ...pipeline, rerank: pipeline.rerank.slice(0, place) };
  const scoresOf = async (query: PipelineQuery): Promise<number[]> => {
    const { signal, onRequest } = work;
    const own = { signal, onRequest };
    try {
      const { hits } = await searchQuery(corpus, before, query, before.candidates, services, own);
      return hits.map(({ score }) => score);
    } catch (error) {
      if (isOfOneQuery(error)) return [];
      throw error;
    }
  };
  let datasetMaximum = 0;
  for (const [index, query] of queries.entries()) {
    for (const score of await scoresOf(query)) datasetMaximum = Math.max(datasetMaximum, score);
    work.onProgress?.({ done: index + 1, total: queries.length });
  }
  if (datasetMaximum === 0)
    throw new ParallaxError(
      'bad-argument',
      l10n.t`rerank.${place}.datasetMaximum cannot be worked out: no candidate of any question has a relevance above 0.`,
    );
  const rerank = pipeline.rerank.map((step, index) =>
    index === place ? { ...step, datasetMaximum } : step,
  ) as Pipeline['rerank'];
  return withDatasetMaximum(corpus, { ...pipeline, rerank }, queries, services, work);
}
