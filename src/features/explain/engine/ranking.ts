/** How one pipeline ranks all passages for one question. */
import type { CapturedRetrieval } from '../../capture/core/span-reading.ts';
import { filterText, withoutFilter } from '../core/store-filter.ts';
import { isExternal, type Pipeline, type RetrieverSpec } from '../../../core/pipeline.ts';
import type { SplitSpec } from '../../../core/split/spec.ts';
import type { CorpusIndex } from '../../../engine/corpora/corpus-index.ts';
import type { CorpusSearches } from '../../../engine/corpora/corpus-searches.ts';
import type { PipelineQuery, PipelineServices } from '../../../engine/retrieval/pipeline-services.ts';
import type { PipelineIndexes, PipelineResult } from '../../../engine/retrieval/run-pipeline.ts';
import type { Slot, WorkOptions } from '../../../engine/types.ts';

export interface RankedQuestion {
  readonly query: PipelineQuery;
  readonly pipeline: Pipeline;
}

export interface RankedCorpus {
  readonly index: CorpusIndex;
  /** The searches for the question. */
  readonly searches: PipelineIndexes;
  readonly services: PipelineServices;
}

export interface ExplainContext extends RankedCorpus {
  readonly terms: Pick<CorpusSearches, 'explainTerms'>;
  /** Names of embedders on this machine, which are free. */
  readonly embedders: readonly string[];
  /** Temporarily indexes the corpus with another split. @throws ParallaxError as `CorpusIndex.update` */
  readonly withSplit: <T>(
    split: SplitSpec,
    use: (corpus: RankedCorpus) => Promise<T>,
    work: WorkOptions,
  ) => Promise<T>;
  /** Names of other corpora that have a document, by its id or its absolute path. */
  readonly corporaWith: (document: string, file: string) => Promise<readonly string[]>;
  readonly log: (message: string) => void;
  /** What the user's programs returned for a question, the newest answer of each call first. */
  readonly programs: (question: string) => readonly CapturedRetrieval[];
}

/** The most passages to request from a retriever outside of the index. */
const DEPTH_ELSEWHERE = 1_000;

/** The deepest rank to search for. Sorting all of a large corpus takes longer than a user waits for an explanation. */
const MAX_EXPLAINED_RANK = 10_000;

/**
 * The depths at which to search for a passage: the candidates, and the deepest one. A retriever elsewhere is asked
 * once.
 */
export function explainedDepths(index: CorpusIndex, retriever: RetrieverSpec, candidates: number): number[] {
  const whole = wholeDepth(index, retriever);
  const deepest = Math.min(whole, Math.max(MAX_EXPLAINED_RANK, candidates));
  return isExternal(retriever) || deepest <= candidates ? [deepest] : [candidates, deepest];
}

/** The number of passages that can be ranked. */
export function wholeDepth(index: CorpusIndex, retriever: RetrieverSpec): number {
  return isExternal(retriever) ? DEPTH_ELSEWHERE : Math.max(index.status.passages, 1);
}

/** @throws ParallaxError as a search with that pipeline */
export function rankTo(
  depth: number,
  { query, pipeline }: RankedQuestion,
  { index, searches, services }: RankedCorpus,
  work: WorkOptions,
): Promise<PipelineResult> {
  return index.searchIn(searches, pipeline, query, depth, services, work);
}

/**
 * Passages that a store returns without its filter, best first. Empty for a retriever without a filter.
 *
 * @throws ParallaxError as a search with that pipeline
 */
export async function foundWithoutFilter(
  { query, pipeline }: RankedQuestion,
  context: RankedCorpus,
  work: WorkOptions,
): Promise<readonly Slot[]> {
  const { retriever } = pipeline;
  if (filterText(retriever) === '') return [];
  const open = { ...pipeline, retriever: withoutFilter(retriever), rerank: [] };
  const { retrieved } = await rankTo(DEPTH_ELSEWHERE, { query, pipeline: open }, context, work);
  return retrieved;
}
