import { inContext } from '../../core/errors.ts';
import type { Pipeline } from '../../core/pipeline.ts';
import type { CorpusIndex } from '../corpus-index.ts';
import type { WorkOptions } from '../types.ts';
import type { PipelineQuery, PipelineResult, PipelineServices } from './run-pipeline.ts';

/**
 * One of many searches: an error says for which query it was.
 *
 * @throws ParallaxError what the search throws
 */
export function searchQuery(
  corpus: Pick<CorpusIndex, 'search'>,
  pipeline: Pipeline,
  query: PipelineQuery,
  depth: number,
  services: PipelineServices,
  work: WorkOptions = {},
): Promise<PipelineResult> {
  return corpus.search(pipeline, query, depth, services, work).catch((error: unknown) => {
    throw inContext(`Query "${query.id ?? query.text}"`, error);
  });
}
