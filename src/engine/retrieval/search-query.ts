import * as l10n from '@vscode/l10n';
import { inContext } from '../../core/errors.ts';
import type { Pipeline } from '../../core/pipeline.ts';
import type { CorpusIndex } from '../corpora/corpus-index.ts';
import type { WorkOptions } from '../types.ts';
import { QueryPages } from '../web/query-pages.ts';
import { runPipeline, type PipelineResult } from './run-pipeline.ts';
import type { PipelineQuery, PipelineServices } from './pipeline-services.ts';

/**
 * The passages that a pipeline retrieves for a question, best first, `depth` at most: of the whole corpus, or of
 * the question's own pages where the corpus keeps them apart.
 *
 * @throws ParallaxError what the search throws; `not-found` for a question without pages of its own
 */
export async function searchCorpus(
  corpus: CorpusIndex,
  pipeline: Pipeline,
  query: PipelineQuery,
  depth: number,
  services: PipelineServices,
  work: WorkOptions = {},
): Promise<PipelineResult> {
  const pages = query.text.trim() === '' ? undefined : await QueryPages.of(corpus);
  return pages
    ? runPipeline(pages.corpusFor(query), services, pipeline, query, depth, work)
    : corpus.search(pipeline, query, depth, services, work);
}

/** The same for somebody who waits: {@link CorpusIndex.searchAtOnce}. */
export async function searchCorpusAtOnce(
  corpus: CorpusIndex,
  pipeline: Pipeline,
  query: PipelineQuery,
  depth: number,
  services: PipelineServices,
  work: WorkOptions = {},
): Promise<PipelineResult> {
  const pages = query.text.trim() === '' ? undefined : await QueryPages.of(corpus);
  return pages
    ? runPipeline(pages.corpusFor(query), services, pipeline, query, depth, work)
    : corpus.searchAtOnce(pipeline, query, depth, services, work);
}

/**
 * One of many searches: an error says for which query it was.
 *
 * @throws ParallaxError what the search throws
 */
export function searchQuery(
  corpus: CorpusIndex,
  pipeline: Pipeline,
  query: PipelineQuery,
  depth: number,
  services: PipelineServices,
  work: WorkOptions = {},
): Promise<PipelineResult> {
  return searchCorpus(corpus, pipeline, query, depth, services, work).catch((error: unknown) => {
    throw inContext((sentence) => l10n.t`Query "${query.id ?? query.text}": ${sentence}`, error);
  });
}
