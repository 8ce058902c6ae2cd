/** Scores pipelines on queries with judgements. */
import { evaluateRun, type RunEvaluation } from '../../core/metrics/evaluate.ts';
import type { Measure } from '../../core/metrics/measures.ts';
import type { Qrels, Query, Ranked } from '../../core/model.ts';
import type { Pipeline } from '../../core/pipeline.ts';
import type { CorpusIndex } from '../corpora/corpus-index.ts';
import type { PipelineServices } from '../retrieval/pipeline-services.ts';
import { searchQuery } from '../retrieval/search-query.ts';
import type { WorkOptions } from '../types.ts';

export interface PipelineEvaluation {
  readonly pipeline: Pipeline;
  /** Ranked passage ids per query, as deep as the measures look. */
  readonly run: ReadonlyMap<string, readonly Ranked[]>;
  readonly scores: RunEvaluation;
}

/**
 * Runs every query through the pipeline. All queries with judgements count, those that retrieve nothing
 * included.
 *
 * @param depth how many passages per query, whatever the pipeline's own k
 */
export async function evaluatePipeline(
  corpus: CorpusIndex,
  pipeline: Pipeline,
  queries: readonly Query[],
  qrels: Qrels,
  measures: readonly Measure[],
  depth: number,
  services: PipelineServices,
  { signal, onProgress }: WorkOptions = {},
): Promise<PipelineEvaluation> {
  const run = new Map<string, readonly Ranked[]>();
  for (const [index, query] of queries.entries()) {
    const { hits } = await searchQuery(corpus, pipeline, query, depth, services, { signal });
    run.set(
      query.id,
      hits.map(({ item, score }) => ({ item: corpus.passageId(item), score })),
    );
    onProgress?.({ done: index + 1, total: queries.length });
  }
  return { pipeline, run, scores: evaluateRun(run, qrels, measures) };
}
