/**
 * A pipeline as the panel's controls show and change it. Pure, and types only from src/core/pipeline.ts, whose
 * schemas would come along; defaults are filled in by the host's schema.
 */
import type {
  Pipeline,
  PipelineInput,
  ProjectionSpec,
  RerankerSpec,
  RetrieverSpec,
} from '../../src/core/pipeline.ts';
import { MEANING, WEIGHT_OF_MEANING } from '../../src/core/embedding/built-in.ts';
import { decimals } from '../components/figures.ts';

/** Retrievers that are indexes of the corpus; the user's own are set up in `parallax.json`. */
export type RetrieverType = Extract<RetrieverSpec['type'], 'bm25' | 'dense' | 'hybrid'>;

/** The embedder of the first dense retriever; `undefined` where words alone decide. */
export function embedderOf(retriever: RetrieverSpec): string | undefined {
  if (retriever.type === 'dense') return retriever.embedder;
  if (retriever.type !== 'hybrid') return undefined;
  return retriever.retrievers.map(embedderOf).find((embedder) => embedder !== undefined);
}

/** Steps after (or in the place of) plain retrieval in a few words: `PAP w 0.8`, `MMR 0.5`, `cross-encoder`. */
export function stepTexts({ expansion, projection, rerank }: Pipeline): string[] {
  return [
    ...(expansion ? [expansion.type === 'perspectives' ? 'expansion' : expansion.type] : []),
    ...(projection ? [`${methodName(projection.method)} w ${round(projection.weight)}`] : []),
    ...rerank.map((step) => {
      const name = RERANKERS[step.type] ?? step.type;
      return 'lambda' in step ? `${name} ${round(step.lambda)}` : name;
    }),
  ];
}

/** Those that are not written as in `parallax.json`. */
const RERANKERS: Partial<Record<RerankerSpec['type'], string>> = { mmr: 'MMR', xquad: 'xQuAD', pm2: 'PM-2' };

const round = decimals(0, 2);

/** PAP and PAP+ as they are written in the paper; other methods by their names in `parallax.json`. */
export function methodName(method: ProjectionSpec['method']): string {
  return method === 'pap' || method === 'pap+' ? method.toUpperCase() : method;
}

/** Another kind of retriever with its default settings; the embedder stays where there is one. */
export function withRetriever(pipeline: Pipeline, type: RetrieverType): PipelineInput {
  const embedder = embedderOf(pipeline.retriever) ?? MEANING;
  const dense = { type: 'dense' as const, embedder };
  const bm25 = { type: 'bm25' as const };
  const hybrid =
    embedder === MEANING
      ? { retrievers: [bm25, { ...dense, englishOnly: true }], weight: WEIGHT_OF_MEANING }
      : { retrievers: [bm25, dense] };
  const retrievers = { bm25, dense, hybrid: { type: 'hybrid' as const, ...hybrid } };
  // A projection works on embeddings alone.
  const projection = type === 'dense' ? pipeline.projection : undefined;
  return unnamed({ ...pipeline, retriever: retrievers[type], projection });
}

/** The same retriever on another embedder, in all its dense parts. */
export function withEmbedder(pipeline: Pipeline, embedder: string): PipelineInput {
  const { retriever } = pipeline;
  if (retriever.type === 'dense') return unnamed({ ...pipeline, retriever: { ...retriever, embedder } });
  if (retriever.type !== 'hybrid') return pipeline;
  const retrievers = retriever.retrievers.map((one) => (one.type === 'dense' ? { ...one, embedder } : one));
  return unnamed({ ...pipeline, retriever: { ...retriever, retrievers } });
}

/** Another depth. Candidates are never fewer than k. */
export function withDepth(
  pipeline: Pipeline,
  depth: Partial<Pick<Pipeline, 'k' | 'candidates'>>,
): PipelineInput {
  const { k, candidates } = { ...pipeline, ...depth };
  const raised = depth.k === undefined ? candidates : Math.max(candidates, k);
  const lowered = depth.candidates === undefined ? k : Math.min(k, candidates);
  return unnamed({ ...pipeline, k: lowered, candidates: raised });
}

/** The name of the pipeline in use among those to choose from; `undefined` for one that the user put together. */
export function chosenName(
  pipeline: Pipeline,
  choices: readonly { readonly name: string; readonly pipeline: Pipeline }[],
): string | undefined {
  const settings = JSON.stringify(unnamed(pipeline));
  return (
    choices.find((choice) => choice.name === pipeline.name) ??
    choices.find((choice) => JSON.stringify(unnamed(choice.pipeline)) === settings)
  )?.name;
}

/** A pipeline that no longer is what its name stands for; all its steps stay. */
function unnamed(pipeline: PipelineInput): PipelineInput {
  const settings = Object.entries(pipeline).filter(
    ([field, value]) => field !== 'name' && value !== undefined,
  );
  return Object.fromEntries(settings) as PipelineInput;
}
