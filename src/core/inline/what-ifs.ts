/** Variants of a pipeline that differ in one step, to be tried beside the code that retrieves. */
import { MEANING } from '../embedding/built-in.ts';
import {
  isExternal,
  parsePipeline,
  searchesByVector,
  WEIGHT_OF_MEANING,
  type Pipeline,
  type RerankerSpec,
  type RetrieverSpec,
} from '../pipeline.ts';

type WhatIfKind = 'mmr' | 'without-mmr' | 'hybrid' | 'pap';

export interface WhatIf {
  readonly kind: WhatIfKind;
  /** As it stands beside the code, e.g. `+MMR 0.75`. */
  readonly name: string;
  readonly pipeline: Pipeline;
  /** It is handed the perspectives of the eval set, as no program in use is: an upper bound. */
  readonly oracle: boolean;
}

/** Weight on relevance that is tried. */
export const MMR_WEIGHT = 0.75;
/** MMR chooses from the top 100 (BERDS, appendix A.6). */
const MMR_CANDIDATES = 100;

/**
 * The one-step changes that make sense for a pipeline, most telling first.
 *
 * @param hasPerspectives whether the queries that they are tried on come with perspectives
 */
export function whatIfs(base: Pipeline, hasPerspectives: boolean): readonly WhatIf[] {
  const { retriever, projection, expansion } = base;
  const plain = { ...base, name: undefined };
  const reranked = base.rerank.some(isMmr);
  const found: WhatIf[] = [];
  if (!reranked)
    found.push(
      whatIf('mmr', `+MMR ${MMR_WEIGHT}`, {
        ...plain,
        rerank: [...base.rerank, { type: 'mmr', lambda: MMR_WEIGHT, embedder: embedderOf(retriever) }],
        candidates: Math.max(base.candidates, MMR_CANDIDATES),
      }),
    );
  else
    found.push(
      whatIf('without-mmr', '−MMR', { ...plain, rerank: base.rerank.filter((step) => !isMmr(step)) }),
    );
  if (retriever.type === 'bm25' || retriever.type === 'dense')
    if (!projection) found.push(whatIf('hybrid', '+hybrid', { ...plain, retriever: hybridOf(retriever) }));
  if (hasPerspectives && !projection && !expansion && searchesByVector(retriever))
    found.push(whatIf('pap', '+PAP', { ...plain, projection: { method: 'pap' } }));
  return found;
}

function whatIf(kind: WhatIfKind, name: string, pipeline: unknown): WhatIf {
  return { kind, name, pipeline: parsePipeline(pipeline), oracle: kind === 'pap' };
}

function isMmr({ type }: RerankerSpec): boolean {
  return type === 'mmr';
}

/** Whose vectors say how similar passages are: the retriever's own, where Parallax has them. */
function embedderOf(retriever: RetrieverSpec): string {
  if (isExternal(retriever) || retriever.type === 'bm25') return MEANING;
  if (retriever.type === 'dense') return retriever.embedder;
  return retriever.retrievers.find((inner) => inner.type === 'dense')?.embedder ?? MEANING;
}

function hybridOf(retriever: Extract<RetrieverSpec, { type: 'bm25' | 'dense' }>): unknown {
  return {
    type: 'hybrid',
    retrievers:
      retriever.type === 'bm25'
        ? [retriever, { type: 'dense', embedder: MEANING, englishOnly: true }]
        : [{ type: 'bm25' }, retriever],
    weight: WEIGHT_OF_MEANING,
  };
}
