/** Edits a pipeline for the panel's controls. Pure. The host's schema fills in defaults. */
import type { Pipeline, PipelineInput, RetrieverSpec } from '../../src/core/pipeline.ts';
import { MEANING, WEIGHT_OF_MEANING } from '../../src/core/embedding/built-in.ts';
import { decimals } from '../components/figures.ts';
import { RERANKERS, type ProjectionSpec } from '../../src/core/rerank/rerankers.ts';

/** Retrievers that use an index of the corpus; the user's own are set up in `parallax.json`. */
export type RetrieverType = Extract<RetrieverSpec['type'], 'bm25' | 'dense' | 'hybrid'>;

/** The embedder of the first dense retriever. `undefined` if there is none. */
export function embedderOf(retriever: RetrieverSpec): string | undefined {
  if (retriever.type === 'dense') return retriever.embedder;
  if (retriever.type !== 'hybrid') return undefined;
  return retriever.retrievers.map(embedderOf).find((embedder) => embedder !== undefined);
}

/** The steps after plain retrieval, or replacing it, in a few words: `PAP w 0.8`, `MMR 0.5`, `cross-encoder`. */
export function stepTexts({ expansion, projection, rerank }: Pipeline): string[] {
  return [
    ...(expansion ? [expansion.type === 'perspectives' ? 'expansion' : expansion.type] : []),
    ...(projection ? [`${methodName(projection.method)} w ${round(projection.weight)}`] : []),
    ...rerank.map((step) => {
      const { short } = RERANKERS[step.type];
      return 'lambda' in step ? `${short} ${round(step.lambda)}` : short;
    }),
  ];
}

const round = decimals(0, 2);

/** PAP and PAP+ as in the paper; other methods by their names in `parallax.json`. */
export function methodName(method: ProjectionSpec['method']): string {
  return method === 'pap' || method === 'pap+' ? method.toUpperCase() : method;
}

/** Switches to another kind of retriever with default settings; keeps the embedder. */
export function withRetriever(pipeline: Pipeline, type: RetrieverType): PipelineInput {
  const embedder = embedderOf(pipeline.retriever) ?? MEANING;
  const dense = { type: 'dense' as const, embedder };
  const bm25 = { type: 'bm25' as const };
  const hybrid =
    embedder === MEANING
      ? { retrievers: [bm25, { ...dense, englishOnly: true }], weight: WEIGHT_OF_MEANING }
      : { retrievers: [bm25, dense] };
  const retrievers = { bm25, dense, hybrid: { type: 'hybrid' as const, ...hybrid } };
  // A projection works only on embeddings.
  const projection = type === 'dense' ? pipeline.projection : undefined;
  return unnamed({ ...pipeline, retriever: retrievers[type], projection });
}

/** Changes the embedder of all dense parts of the retriever. */
export function withEmbedder(pipeline: Pipeline, embedder: string): PipelineInput {
  const { retriever } = pipeline;
  if (retriever.type === 'dense') return unnamed({ ...pipeline, retriever: { ...retriever, embedder } });
  if (retriever.type !== 'hybrid') return pipeline;
  const retrievers = retriever.retrievers.map((one) => (one.type === 'dense' ? { ...one, embedder } : one));
  return unnamed({ ...pipeline, retriever: { ...retriever, retrievers } });
}

/** Changes k. Raises the number of candidates to k if needed. */
export function withDepth(
  pipeline: Pipeline,
  depth: Partial<Pick<Pipeline, 'k' | 'candidates'>>,
): PipelineInput {
  const { k, candidates } = { ...pipeline, ...depth };
  const raised = depth.k === undefined ? candidates : Math.max(candidates, k);
  const lowered = depth.candidates === undefined ? k : Math.min(k, candidates);
  return unnamed({ ...pipeline, k: lowered, candidates: raised });
}

/** The name of the pipeline in use among those to choose from. `undefined` for one that the user composed. */
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

/** Removes the name of a changed pipeline; keeps all its steps. */
function unnamed(pipeline: PipelineInput): PipelineInput {
  const settings = Object.entries(pipeline).filter(
    ([field, value]) => field !== 'name' && value !== undefined,
  );
  return Object.fromEntries(settings) as PipelineInput;
}
