/** Variants of a pipeline that differ in one step, to try beside the code that retrieves. */
import { MEANING, WEIGHT_OF_MEANING } from '../../../core/embedding/built-in.ts';
import { withProjection } from '../../../core/pipeline-needs.ts';
import { isExternal, parsePipeline, type Pipeline, type RetrieverSpec } from '../../../core/pipeline.ts';
import {
  DEFAULT_PROJECTION,
  type CrossEncoderSpec,
  type RerankerSpec,
} from '../../../core/rerank/rerankers.ts';

type WhatIfKind = 'mmr' | 'without-mmr' | 'hybrid' | 'pap' | 'cross-encoder' | 'best-order';

export interface WhatIf {
  readonly kind: WhatIfKind;
  /** As shown beside the code, e.g. `+MMR 0.75`. */
  readonly name: string;
  readonly pipeline: Pipeline;
  /** Information from the eval set that no real program has. `undefined` if it gets none. */
  readonly oracle: Oracle | undefined;
}

export const ORACLES = ['perspectives', 'labels'] as const;
export type Oracle = (typeof ORACLES)[number];

/** The weight of relevance to try. */
export const MMR_WEIGHT = 0.75;
/** Rerankers select from the top 100 (BERDS, appendix A.6). */
const POOL = 100;

export interface WhatIfOptions {
  /** Whether the queries to try them on have perspectives. */
  readonly hasPerspectives: boolean;
  /** A cross-encoder of the workspace; `undefined` if there is none. */
  readonly crossEncoder?: CrossEncoderSpec | undefined;
  /** Whether labels may order the candidates, which shows the best that any reranker could reach. */
  readonly bestOrder?: boolean | undefined;
}

/** The useful one-step changes of a pipeline, most informative first. */
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
    changes.push(
      whatIf('hybrid', retriever.type === 'bm25' ? '+meaning' : '+words', {
        ...plain,
        retriever: hybridOf(retriever),
      }),
    );
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

/** The embedder that measures similarity: the retriever's own if Parallax has its vectors. */
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
