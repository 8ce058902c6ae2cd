/** A pipeline with another encoder and otherwise no difference. Pure. */
import { MEANING, WEIGHT_OF_MEANING } from '../../../core/embedding/built-in.ts';
import {
  BUILT_IN_PIPELINES,
  DEFAULT_BM25,
  parsePipeline,
  type DenseRetriever,
  type HybridRetriever,
  type NamedPipeline,
  type Pipeline,
  type RetrieverSpec,
} from '../../../core/pipeline.ts';

/**
 * @param embedder its name in `parallax.json`
 * @returns the pipeline with this embedder in each step that compares meaning; if there is none, meaning is added
 *   beside words
 */
export function withMeaning(pipeline: Pipeline, embedder: string): Pipeline {
  const { retriever, expansion, projection, rerank, k, candidates } = pipeline;
  return parsePipeline({
    k,
    candidates,
    ...(expansion ? { expansion } : {}),
    retriever: retrieverOn(retriever, embedder),
    // A projection needs vectors alone, so it stays only if the retriever was dense already.
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

/** The built-in encoder is skipped for corpora that are not English; others are not. */
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

/** An unused name for the pipeline. */
export function meaningName(
  embedder: string,
  pipeline: Pipeline,
  usedPipelines: readonly NamedPipeline[],
): string {
  const kind = pipeline.retriever.type === 'dense' ? 'meaning' : 'words and meaning';
  const base = `${kind} (${embedder})`;
  for (let number = 1; ; number++) {
    const name = number === 1 ? base : `${base} ${number}`;
    if (!usedPipelines.some((each) => each.name === name)) return name;
  }
}
