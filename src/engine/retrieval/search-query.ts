import * as l10n from '@vscode/l10n';
import { inContext } from '../../core/errors.ts';
import type { Pipeline } from '../../core/pipeline.ts';
import type { CorpusIndex } from '../corpora/corpus-index.ts';
import type { WorkOptions } from '../types.ts';
import { QueryPages } from '../../features/web-corpus/engine/query-pages.ts';
import type { CorpusSearches } from '../corpora/corpus-searches.ts';
import type { QueryCorpus } from '../../features/web-corpus/engine/query-corpus.ts';
import type { PipelineResult } from './run-pipeline.ts';
import type { PipelineQuery, PipelineServices } from './pipeline-services.ts';

/**
 * The searches for a question: of the whole corpus, or of the question's pages if the corpus has pages per question.
 *
 * @param atOnce a user is waiting, so passages without a vector are left to the background
 * @throws ParallaxError `not-found` for a question without its own pages
 */
export async function searchesFor(
  corpus: CorpusIndex,
  query: PipelineQuery,
  atOnce = false,
): Promise<CorpusSearches | QueryCorpus> {
  const pages = query.text.trim() === '' ? undefined : await QueryPages.of(corpus);
  if (pages) return pages.corpusFor(query);
  return atOnce ? corpus.searchesAtOnce : corpus.searches;
}

/**
 * The passages that a pipeline retrieves for a question, best first, at most `depth`.
 *
 * @throws ParallaxError what the search throws; as {@link searchesFor}
 */
export async function searchCorpus(
  corpus: CorpusIndex,
  pipeline: Pipeline,
  query: PipelineQuery,
  depth: number,
  services: PipelineServices,
  work: WorkOptions = {},
): Promise<PipelineResult> {
  return corpus.searchIn(await searchesFor(corpus, query), pipeline, query, depth, services, work);
}

/** The same for a user who is waiting. */
export async function searchCorpusAtOnce(
  corpus: CorpusIndex,
  pipeline: Pipeline,
  query: PipelineQuery,
  depth: number,
  services: PipelineServices,
  work: WorkOptions = {},
): Promise<PipelineResult> {
  return corpus.searchIn(await searchesFor(corpus, query, true), pipeline, query, depth, services, work);
}

/**
 * One of many searches. An error names the query.
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
    throw inContext((sentence) => l10n.t`Question "${query.id ?? query.text}": ${sentence}`, error);
  });
}
