/** Changes of a pipeline that may bring a passage into its top k, smallest first. */
import { EXPANSION_FORMS } from '../../../core/expansion/merge.ts';
import { withoutFilter } from './store-filter.ts';
import { expansionLabel, retrieverLabel } from '../../../core/pipeline-label.ts';
import {
  DEFAULT_BM25,
  fusionWeights,
  type DenseRetriever,
  type Pipeline,
  type RetrieverSpec,
} from '../../../core/pipeline.ts';
import type { TriedChange } from './explanation.ts';

export type Change = Omit<TriedChange, 'rank'>;

/** What is known about the passage under the unchanged pipeline. */
export interface PassageRanks {
  readonly rank?: number | undefined;
  /** Before the rerankers. */
  readonly retrievedRank?: number | undefined;
  /** Whether the filter of a store excludes it. */
  readonly isFiltered?: boolean;
}

/** A larger k costs tokens with every question. Up to this factor it is tried first. */
const SMALL_FACTOR = 2;
const LARGEST_K = 50;
const WEIGHTS = [0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9];
const LAMBDAS = [0.5, 0.75, 0.9, 0.95, 0.99];

/**
 * @param ranks of the passage under the unchanged pipeline
 * @param retrievers other retrievers that are available
 * @returns pipelines that differ in one setting: rerankers first if they moved the passage down, else a small increase
 *   of k first, and a large one last
 */
export function possibleChanges(
  pipeline: Pipeline,
  ranks: PassageRanks,
  retrievers: readonly RetrieverSpec[],
): Change[] {
  const larger = largerK(pipeline, ranks);
  const isSmall = larger !== undefined && larger.pipeline.k <= SMALL_FACTOR * pipeline.k;
  const isMovedDown = ranks.retrievedRank !== undefined && ranks.retrievedRank <= pipeline.k;
  const small = larger && isSmall ? [larger] : [];
  const reranking = rerankerChanges(pipeline);
  return [
    ...(ranks.isFiltered ? [filterChange(pipeline)] : []),
    ...(isMovedDown ? [...reranking, ...small] : [...small, ...reranking]),
    ...expansionChanges(pipeline),
    ...weightChanges(pipeline),
    ...candidateChanges(pipeline),
    ...embedderChanges(pipeline, retrievers),
    ...retrieverChanges(pipeline, retrievers),
    ...parameterChanges(pipeline),
    ...(larger && !isSmall ? [larger] : []),
  ];
}

/**
 * The name of the changed pipeline: `bm25, k 8`.
 *
 * @param before the name of the unchanged pipeline
 * @param usedNames names of other pipelines
 */
export function changedName(before: string, change: TriedChange, usedNames: readonly string[]): string {
  const words = change.label.split(' ');
  const settings = words.filter((word, at) => word !== '→' && words[at + 1] !== '→').join(' ');
  const { retriever } = change.pipeline;
  const name = [before, change.kind === 'retriever' ? retrieverLabel(retriever) : settings].join(', ');
  for (let number = 1; ; number++) {
    const free = number === 1 ? name : `${name} (${number})`;
    if (!usedNames.includes(free)) return free;
  }
}

/** The changed pipeline without its name, which would refer to the pipeline of `parallax.json`. */
function changed(pipeline: Pipeline, change: Partial<Pipeline>): Pipeline {
  const { name: _, ...unnamed } = { ...pipeline, ...change };
  return unnamed;
}

function largerK(pipeline: Pipeline, { rank }: PassageRanks): Change | undefined {
  const { k } = pipeline;
  if (rank === undefined || rank <= k || rank > LARGEST_K) return undefined;
  const candidates = Math.max(pipeline.candidates, rank);
  return { kind: 'k', label: `k ${k} → ${rank}`, pipeline: changed(pipeline, { k: rank, candidates }) };
}

function filterChange(pipeline: Pipeline): Change {
  const retriever = withoutFilter(pipeline.retriever);
  return { kind: 'filter', label: 'without the filter', pipeline: changed(pipeline, { retriever }) };
}

/** Never adds an expansion, as that would call a model. */
function expansionChanges(pipeline: Pipeline): Change[] {
  const { expansion } = pipeline;
  if (!expansion) return [];
  const { expansion: _, ...plain } = changed(pipeline, {});
  const removed: Change = {
    kind: 'expansion',
    label: `without ${expansionLabel(expansion)}`,
    pipeline: plain,
  };
  if (expansion.type !== 'perspectives') return [removed];
  const forms = EXPANSION_FORMS.filter((form) => form !== expansion.queryText).map((queryText): Change => ({
    kind: 'expansion',
    label: `queryText ${expansion.queryText} → ${queryText}`,
    pipeline: changed(pipeline, { expansion: { ...expansion, queryText } }),
  }));
  return [...forms, removed];
}

/** Replaces the embedder of the dense retriever. */
function embedderChanges(pipeline: Pipeline, retrievers: readonly RetrieverSpec[]): Change[] {
  const { retriever } = pipeline;
  const denseRetrievers = retrievers.filter((each) => each.type === 'dense');
  return denseRetrievers.flatMap((dense): Change[] => {
    const present = denseParts(retriever);
    if (present.length !== 1 || present[0]!.embedder === dense.embedder) return [];
    const next =
      retriever.type === 'hybrid'
        ? {
            ...retriever,
            retrievers: retriever.retrievers.map((part) => (part.type === 'dense' ? dense : part)),
          }
        : dense;
    return [
      {
        kind: 'embedder',
        label: `${retrieverLabel(present[0]!)} → ${retrieverLabel(dense)}`,
        pipeline: changed(pipeline, { retriever: next }),
      },
    ];
  });
}

function denseParts(retriever: RetrieverSpec): DenseRetriever[] {
  const parts = retriever.type === 'hybrid' ? retriever.retrievers : [retriever];
  return parts.filter((part) => part.type === 'dense');
}

/** Removes one of the rerankers, or gives relevance more weight. */
function rerankerChanges(pipeline: Pipeline): Change[] {
  return pipeline.rerank.flatMap((reranker, place): Change[] => {
    const without = changed(pipeline, { rerank: pipeline.rerank.toSpliced(place, 1) });
    const removed: Change = { kind: 'reranker', label: `without ${reranker.type}`, pipeline: without };
    if (reranker.type !== 'mmr') return [removed];
    const closer = LAMBDAS.filter((lambda) => lambda !== reranker.lambda).sort(
      (a, b) => Math.abs(a - reranker.lambda) - Math.abs(b - reranker.lambda),
    );
    const moved = closer.map((lambda): Change => ({
      kind: 'reranker',
      label: `MMR λ ${reranker.lambda} → ${lambda}`,
      pipeline: changed(pipeline, { rerank: pipeline.rerank.with(place, { ...reranker, lambda }) }),
    }));
    return [...moved, removed];
  });
}

/** Other weights for the last search of a hybrid of two, nearest first. */
function weightChanges(pipeline: Pipeline): Change[] {
  const { retriever } = pipeline;
  if (retriever.type !== 'hybrid' || retriever.retrievers.length !== 2) return [];
  const { weight: _, weights: _weights, ...unweighted } = retriever;
  const [first = 1, last = 1] = fusionWeights(retriever) ?? [];
  const present = first + last === 0 ? 0.5 : last / (first + last);
  return WEIGHTS.filter((weight) => Math.abs(weight - present) > 0.01)
    .sort((a, b) => Math.abs(a - present) - Math.abs(b - present))
    .map((weight) => ({
      kind: 'weights',
      label: `weight of ${retrieverLabel(retriever.retrievers[1]!)} ${rounded(present)} → ${weight}`,
      pipeline: changed(pipeline, { retriever: { ...unweighted, weight } }),
    }));
}

/** More candidates only help if a reranker reorders them. */
function candidateChanges(pipeline: Pipeline): Change[] {
  if (pipeline.rerank.length === 0) return [];
  return [2, 5, 10].map((factor) => {
    const candidates = Math.min(10_000, pipeline.candidates * factor);
    return {
      kind: 'candidates',
      label: `candidates ${pipeline.candidates} → ${candidates}`,
      pipeline: changed(pipeline, { candidates }),
    };
  });
}

function retrieverChanges(pipeline: Pipeline, retrievers: readonly RetrieverSpec[]): Change[] {
  const present = retrieverLabel(pipeline.retriever);
  // Changing the embedder is a smaller step than changing the type.
  const isDense = pipeline.retriever.type === 'dense';
  return retrievers
    .filter((retriever) => retrieverLabel(retriever) !== present && !(isDense && retriever.type === 'dense'))
    .map((retriever) => {
      const { projection: _, ...plain } = changed(pipeline, { retriever });
      return { kind: 'retriever', label: `${present} → ${retrieverLabel(retriever)}`, pipeline: plain };
    });
}

/** BM25 with other weights of passage length and repeated words. */
function parameterChanges(pipeline: Pipeline): Change[] {
  const { retriever } = pipeline;
  if (retriever.type !== 'bm25') return [];
  const values = [
    { b: 0 },
    { b: 0.75 },
    { k1: 0.4 },
    { k1: 1.6 },
    { b: DEFAULT_BM25.b, k1: DEFAULT_BM25.k1, analyzer: DEFAULT_BM25.analyzer },
  ];
  return values.flatMap((value): Change[] => {
    const next = { ...retriever, ...value };
    const label = Object.entries(value)
      .filter(([name, to]) => retriever[name as keyof typeof value] !== to)
      .map(([name, to]) => `${name} ${String(retriever[name as keyof typeof value])} → ${to}`)
      .join(', ');
    return label === ''
      ? []
      : [{ kind: 'parameters', label, pipeline: changed(pipeline, { retriever: next }) }];
  });
}

const rounded = (value: number): number => Math.round(value * 100) / 100;
