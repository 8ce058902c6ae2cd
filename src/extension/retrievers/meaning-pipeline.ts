/** The pipeline of a workspace with another encoder, so that the two differ in nothing else. Pure. */
import { MEANING, WEIGHT_OF_MEANING } from '../../core/embedding/built-in.ts';
import {
  BUILT_IN_PIPELINES,
  DEFAULT_BM25,
  parsePipeline,
  type DenseRetriever,
  type HybridRetriever,
  type NamedPipeline,
  type Pipeline,
  type RetrieverSpec,
} from '../../core/pipeline.ts';

/**
 * @param embedder as `parallax.json` names it
 * @returns the pipeline with that embedder wherever it compares meaning; beside its words where it did not
 */
export function withMeaning(pipeline: Pipeline, embedder: string): Pipeline {
  const { retriever, expansion, projection, rerank, k, candidates } = pipeline;
  return parsePipeline({
    k,
    candidates,
    ...(expansion ? { expansion } : {}),
    retriever: retrieverOn(retriever, embedder),
    // A projection works on vectors alone, and so does the retriever only where it did before.
    ...(projection && retriever.type === 'dense' ? { projection } : {}),
    rerank: rerank.map((step) => ('embedder' in step ? { ...step, embedder } : step)),
  });
}

function retrieverOn(retriever: RetrieverSpec, embedder: string): RetrieverSpec {
  if (retriever.type === 'dense') return denseOn(retriever, embedder);
  if (retriever.type === 'bm25') return besideWords(retriever, embedder);
  if (retriever.type !== 'hybrid' || !retriever.retrievers.some(({ type }) => type === 'dense'))
    return besideWords(DEFAULT_BM25, embedder);
  return {
    ...retriever,
    retrievers: retriever.retrievers.map((part) => (part.type === 'dense' ? denseOn(part, embedder) : part)),
  };
}

/** The encoder that ships is left out where the corpus is not English; any other is not. */
function denseOn(dense: DenseRetriever, embedder: string): DenseRetriever {
  const { type, search, ef, rescore } = dense;
  return {
    type,
    embedder,
    search,
    ef,
    ...(rescore === undefined ? {} : { rescore }),
    ...(embedder === MEANING ? { englishOnly: true } : {}),
  };
}

function besideWords(words: HybridRetriever['retrievers'][number], embedder: string): HybridRetriever {
  const [, meaning] = (BUILT_IN_PIPELINES.hybrid.retriever as HybridRetriever).retrievers;
  return {
    ...(BUILT_IN_PIPELINES.hybrid.retriever as HybridRetriever),
    retrievers: [words, denseOn(meaning as DenseRetriever, embedder)],
    weight: WEIGHT_OF_MEANING,
  };
}

/** A name for it that no pipeline has. */
export function meaningName(embedder: string, pipeline: Pipeline, taken: readonly NamedPipeline[]): string {
  const kind = pipeline.retriever.type === 'dense' ? 'meaning' : 'words and meaning';
  const base = `${kind} (${embedder})`;
  for (let number = 1; ; number++) {
    const name = number === 1 ? base : `${base} ${number}`;
    if (!taken.some((other) => other.name === name)) return name;
  }
}
