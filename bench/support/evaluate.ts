/** Searches like an evaluation, without the engine's cache, because a benchmark measures the search. */
import { evaluateRun, type RunEvaluation } from '../../src/core/metrics/evaluate.ts';
import type { Measure } from '../../src/core/metrics/measures.ts';
import type { Qrels, Query, Ranked, Run } from '../../src/core/model.ts';
import type { Pipeline } from '../../src/core/pipeline.ts';
import type { CorpusIndex } from '../../src/engine/corpora/corpus-index.ts';
import type { PipelineServices } from '../../src/engine/retrieval/pipeline-services.ts';
import { searchQuery } from '../../src/engine/retrieval/search-query.ts';

export interface Evaluation {
  readonly run: Run;
  readonly scores: RunEvaluation;
}

/** @param depth the number of passages of a query */
export async function evaluate(
  { corpus, services }: { readonly corpus: CorpusIndex; readonly services: PipelineServices },
  pipeline: Pipeline,
  queries: readonly Query[],
  qrels: Qrels,
  measures: readonly Measure[],
  depth: number,
): Promise<Evaluation> {
  const run = new Map<string, readonly Ranked[]>();
  for (const query of queries) {
    const { hits } = await searchQuery(corpus, pipeline, query, depth, services);
    run.set(
      query.id,
      hits.map(({ item, score }) => ({ item: corpus.passageId(item), score })),
    );
  }
  return { run, scores: evaluateRun(run, qrels, measures) };
}
