/**
 * The questions that test a pipeline's behaviour: each question unchanged, and with one change whose effect is known
 * without labels (metamorphic testing).
 */
import { isStore } from '../../../core/external/store-types.ts';
import type { StoreRetriever } from '../../../core/external/stores.ts';
import { externalParts, type Pipeline, type RetrieverSpec } from '../../../core/pipeline.ts';

/** Changes that Parallax cannot make to a user's own retriever. The user names a pipeline for each. */
export const NAMED_VARIANTS = [
  'lambda0',
  'lambda1',
  'withoutMmr',
  'withoutRerank',
  'withoutFilter',
  'nextPage',
] as const;
export type NamedVariant = (typeof NAMED_VARIANTS)[number];
export type Variant = NamedVariant | 'plain' | 'again' | 'deeper' | 'reworded';
export type NamedPipelines = { readonly [V in NamedVariant]?: Pipeline };

export interface Asked {
  readonly variant: Variant;
  readonly pipeline: Pipeline;
  readonly question: string;
  /** The number of passages to request. */
  readonly depth: number;
}

/** The number of additional passages that a second request asks for. */
export const DEEPER = 5;
/** How deep to look for the position of a reranked passage before reranking. */
const UNRANKED_DEPTH = 50;

/** @returns all requests for one question, the unchanged one first */
export function askedFor(question: string, pipeline: Pipeline, named: NamedPipelines): Asked[] {
  const { k, candidates } = pipeline;
  const base = { pipeline, question };
  const variants = { ...derivedVariants(pipeline), ...named };
  const canGoDeeper = pipeline.rerank.length === 0 || k + DEEPER <= candidates;
  return [
    { variant: 'plain', ...base, depth: k },
    { variant: 'again', ...base, depth: k },
    ...(canGoDeeper ? [{ variant: 'deeper', ...base, depth: k + DEEPER } as const] : []),
    // A file of results only has the original wording.
    ...(pipeline.retriever.type === 'run'
      ? []
      : [{ variant: 'reworded', pipeline, question: reworded(question), depth: k } as const]),
    ...NAMED_VARIANTS.flatMap((variant): Asked[] => {
      const variantPipeline = variants[variant];
      return variantPipeline
        ? [{ variant, pipeline: variantPipeline, question, depth: depthOf(variant, k) }]
        : [];
    }),
  ];
}

function depthOf(variant: NamedVariant, k: number): number {
  if (variant === 'withoutRerank') return Math.max(UNRANKED_DEPTH, k + DEEPER);
  return variant === 'withoutMmr' ? k + DEEPER : k;
}

/** The question in lower case and without its final punctuation. */
function reworded(question: string): string {
  const plainQuestion = withoutEndMark(question);
  return plainQuestion.toLowerCase() === question ? `${plainQuestion}?` : plainQuestion.toLowerCase();
}

function withoutEndMark(question: string): string {
  let end = question.length;
  while (end > 0 && /[?!.\s]/u.test(question[end - 1]!)) end--;
  return question.slice(0, end).trim();
}

/**
 * Whether a pipeline is a user's own retriever without further steps, so that it is asked exactly as by the program.
 */
export function asksRetrieverAlone({ retriever, expansion, projection, rerank }: Pipeline): boolean {
  const isOwn = retriever.type !== 'hybrid' && externalParts(retriever).length === 1;
  return isOwn && !expansion && !projection && rerank.length === 0;
}

/** The changes that can be derived from a pipeline's configuration. */
export function derivedVariants(pipeline: Pipeline): NamedPipelines {
  const { retriever, rerank } = pipeline;
  const withRetriever = (changed: RetrieverSpec): Pipeline => ({ ...pipeline, retriever: changed });
  const unfiltered = isStore(retriever) ? withoutFilter(retriever) : undefined;
  return {
    ...mmrVariants(pipeline, withRetriever),
    ...(rerank.some(({ type }) => type === 'cross-encoder')
      ? { withoutRerank: { ...pipeline, rerank: rerank.filter(({ type }) => type !== 'cross-encoder') } }
      : {}),
    ...(unfiltered ? { withoutFilter: withRetriever(unfiltered) } : {}),
  };
}

function mmrVariants(
  pipeline: Pipeline,
  withRetriever: (changed: RetrieverSpec) => Pipeline,
): NamedPipelines {
  const { retriever, rerank } = pipeline;
  if (rerank.some(({ type }) => type === 'mmr')) {
    const at = (lambda: number): Pipeline => ({
      ...pipeline,
      rerank: rerank.map((step) => (step.type === 'mmr' ? { ...step, lambda } : step)),
    });
    const withoutMmr = { ...pipeline, rerank: rerank.filter(({ type }) => type !== 'mmr') };
    return { lambda0: at(0), lambda1: at(1), withoutMmr };
  }
  if ((retriever.type !== 'qdrant' && retriever.type !== 'opensearch') || !retriever.mmr) return {};
  return {
    lambda0: withRetriever(atLambda(retriever, 0)),
    lambda1: withRetriever(atLambda(retriever, 1)),
    withoutMmr: withRetriever({ ...retriever, mmr: undefined }),
  };
}

type StoreWithMmr = Extract<StoreRetriever, { type: 'qdrant' | 'opensearch' }>;

/** On the store's own scale: 1 means relevance only in some stores, and diversity only in others. */
function atLambda(store: StoreWithMmr, lambda: number): StoreWithMmr {
  if (!store.mmr) return store;
  if (store.type === 'qdrant') return { ...store, mmr: { ...store.mmr, diversity: 1 - lambda } };
  return store.engine === 'elasticsearch'
    ? { ...store, mmr: { ...store.mmr, lambda } }
    : { ...store, mmr: { ...store.mmr, diversity: 1 - lambda } };
}

/** @returns `undefined` if there is no filter */
function withoutFilter(store: StoreRetriever): StoreRetriever | undefined {
  if (store.type === 'postgres')
    return Object.keys(store.where).length === 0 ? undefined : { ...store, where: {} };
  if (store.type === 'chroma') return store.where && { ...store, where: undefined };
  return store.filter === undefined ? undefined : { ...store, filter: undefined };
}
