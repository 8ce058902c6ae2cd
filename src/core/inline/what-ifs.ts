/** Variants of a pipeline that differ in one step, to be tried beside the code that retrieves. */
import { MEANING, WEIGHT_OF_MEANING } from '../embedding/built-in.ts';
import { withProjection } from '../pipeline-needs.ts';
import {
  DEFAULT_PROJECTION,
  isExternal,
  parsePipeline,
  type CrossEncoderSpec,
  type Pipeline,
  type RerankerSpec,
  type RetrieverSpec,
} from '../pipeline.ts';

type WhatIfKind = 'mmr' | 'without-mmr' | 'hybrid' | 'pap' | 'cross-encoder' | 'best-order';

export interface WhatIf {
  readonly kind: WhatIfKind;
  /** As it stands beside the code, e.g. `+MMR 0.75`. */
  readonly name: string;
  readonly pipeline: Pipeline;
  /** What it is handed of the eval set, as no program in use is; `undefined` if it is handed nothing. */
  readonly oracle: Oracle | undefined;
}

export const ORACLES = ['perspectives', 'labels'] as const;
export type Oracle = (typeof ORACLES)[number];

/** Weight on relevance that is tried. */
export const MMR_WEIGHT = 0.75;
/** Rerankers choose from the top 100 (BERDS, appendix A.6). */
const POOL = 100;

export interface WhatIfOptions {
  /** Whether the queries that they are tried on come with perspectives. */
  readonly hasPerspectives: boolean;
  /** A cross-encoder of the workspace; `undefined` if there is none. */
  readonly crossEncoder?: CrossEncoderSpec | undefined;
  /** Whether the labels may order the candidates, which shows how good any reranker of them could be. */
  readonly bestOrder?: boolean | undefined;
}

/** The one-step changes that make sense for a pipeline, most telling first. */
export function whatIfs(
  base: Pipeline,
  { hasPerspectives, crossEncoder, bestOrder = false }: WhatIfOptions,
): readonly WhatIf[] {
  const { retriever, projection, expansion, rerank } = base;
  const plain = { ...base, name: undefined };
  const candidates = Math.max(base.candidates, POOL);
  const changes: WhatIf[] = [];
  if (rerank.some(isMmr))
    changes.push(whatIf('without-mmr', '−MMR', { ...plain, rerank: rerank.filter((step) => !isMmr(step)) }));
  else
    changes.push(
      whatIf('mmr', `+MMR ${MMR_WEIGHT}`, {
        ...plain,
        rerank: [...rerank, { type: 'mmr', lambda: MMR_WEIGHT, embedder: embedderOf(retriever) }],
        candidates,
      }),
    );
  if (crossEncoder && !rerank.some(({ type }) => type === 'cross-encoder'))
    changes.push(
      whatIf('cross-encoder', '+cross-encoder', {
        ...plain,
        rerank: [crossEncoder, ...rerank],
        candidates,
      }),
    );
  if ((retriever.type === 'bm25' || retriever.type === 'dense') && !projection)
    changes.push(whatIf('hybrid', '+hybrid', { ...plain, retriever: hybridOf(retriever) }));
  if (hasPerspectives && !projection && !expansion && !rerank.some(({ type }) => type === 'projection'))
    changes.push(
      whatIf('pap', '+PAP', { ...withProjection(plain, DEFAULT_PROJECTION), candidates }, 'perspectives'),
    );
  if (hasPerspectives && bestOrder)
    changes.push(
      whatIf(
        'best-order',
        'best order',
        { ...plain, rerank: [{ type: 'coverage', judge: 'labels' }], candidates },
        'labels',
      ),
    );
  return changes;
}

function whatIf(kind: WhatIfKind, name: string, pipeline: unknown, oracle?: Oracle): WhatIf {
  return { kind, name, pipeline: parsePipeline(pipeline), oracle };
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
