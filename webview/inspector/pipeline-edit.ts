/**
 * A pipeline as the panel's controls show and change it. Pure, and types only from src/core/pipeline.ts, whose
 * schemas would come along; defaults are filled in by the host's schema.
 */
import type { Pipeline, PipelineInput, RetrieverSpec } from '../../src/core/pipeline.ts';

export type RetrieverType = RetrieverSpec['type'];

/** A retriever in a few words: `BM25`, `Dense (hashing)`, `BM25 + Dense (hashing)`. */
export function retrieverText(retriever: RetrieverSpec): string {
  switch (retriever.type) {
    case 'bm25':
      return 'BM25';
    case 'dense':
      return `Dense (${retriever.embedder})`;
    case 'hybrid':
      return retriever.retrievers.map(retrieverText).join(' + ');
  }
}

/** The embedder of the first dense retriever; `undefined` where words alone decide. */
export function embedderOf(retriever: RetrieverSpec): string | undefined {
  if (retriever.type === 'dense') return retriever.embedder;
  if (retriever.type === 'bm25') return undefined;
  return retriever.retrievers.map(embedderOf).find((embedder) => embedder !== undefined);
}

/** Another kind of retriever with its default settings; the embedder stays where there is one. */
export function withRetriever(
  pipeline: Pipeline,
  type: RetrieverType,
  fallbackEmbedder: string,
): PipelineInput {
  const embedder = embedderOf(pipeline.retriever) ?? fallbackEmbedder;
  const dense = { type: 'dense' as const, embedder };
  const bm25 = { type: 'bm25' as const };
  const retrievers = { bm25, dense, hybrid: { type: 'hybrid' as const, retrievers: [bm25, dense] } };
  return unnamed({ ...pipeline, retriever: retrievers[type] });
}

/** The same retriever on another embedder, in all its dense parts. */
export function withEmbedder(pipeline: Pipeline, embedder: string): PipelineInput {
  const { retriever } = pipeline;
  if (retriever.type === 'bm25') return pipeline;
  if (retriever.type === 'dense') return unnamed({ ...pipeline, retriever: { ...retriever, embedder } });
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

/** A pipeline that no longer is what its name stands for. */
function unnamed(pipeline: PipelineInput): PipelineInput {
  const { retriever, k, candidates } = pipeline;
  return {
    retriever,
    ...(k === undefined ? {} : { k }),
    ...(candidates === undefined ? {} : { candidates }),
  };
}
