/** Labels of pipelines and their parts without a name. The same in every language, like the names of measures. */
import { HASHED_WORDS, MEANING } from './embedding/built-in.ts';
import { isStore, storeLabel } from './external/store-types.ts';
import { passagesOf } from './expansion/rewrite.ts';
import {
  BUILT_IN_PIPELINES,
  type DenseRetriever,
  type ExpansionSpec,
  type HybridRetriever,
  type NamedPipeline,
  type Pipeline,
  type RetrieverSpec,
} from './pipeline.ts';
import { folderName, FROM_LABELS, projectionLabel, rerankerLabel } from './rerank/rerankers.ts';

/** A short label: `BM25`, `Meaning (minilm)`, `Words and meaning`, then k. */
export function pipelineLabel(pipeline: Pipeline): string {
  const { name, retriever, expansion, projection, rerank, k } = pipeline;
  if (name !== undefined) return name;
  const steps = [
    retrieverLabel(retriever),
    ...(expansion ? [expansionLabel(expansion)] : []),
    ...(projection ? [projectionLabel(projection)] : []),
    ...rerank.map(rerankerLabel),
  ];
  return `${steps.join(' + ')}, k = ${k}`;
}

/** The display names of built-in pipelines; other pipelines have their own name. */
export function pipelineTitle({ name, pipeline }: NamedPipeline): string {
  const builtIn = Object.entries(BUILT_IN_PIPELINES).find(([builtInName]) => builtInName === name)?.[1];
  if (!builtIn || JSON.stringify(builtIn) !== JSON.stringify(pipeline)) return name;
  return builtIn.retriever.type === 'bm25' ? 'Words' : retrieverLabel(builtIn.retriever);
}

/** With the names that panels show: *Words*, not `bm25`, unless another pipeline has that name. */
export function titledPipelines(pipelines: readonly NamedPipeline[]): NamedPipeline[] {
  const names = new Set(pipelines.map(({ name }) => name));
  return pipelines.map(({ name, pipeline }) => {
    const title = pipelineTitle({ name, pipeline });
    return { name: names.has(title) ? name : title, pipeline };
  });
}

export function expansionLabel(expansion: ExpansionSpec): string {
  switch (expansion.type) {
    case 'perspectives':
      return `expansion (${FROM_LABELS[expansion.perspectives]})`;
    case 'hyde':
      return `HyDE${numberLabel(passagesOf(expansion))}`;
    case 'query2doc':
      return 'query2doc';
    case 'mugi':
      return `MuGI${numberLabel(passagesOf(expansion))}`;
  }
}

function numberLabel(passages: number): string {
  return passages === 1 ? '' : ` ×${passages}`;
}

/** Hashed words do not capture meaning. */
function vectorsLabel({ embedder, search }: DenseRetriever): string {
  const isBuiltIn = embedder === MEANING || embedder === HASHED_WORDS;
  const details = [...(isBuiltIn ? [] : [embedder]), ...(search === 'int8' ? ['int8'] : [])].join(', ');
  return `${embedder === HASHED_WORDS ? 'Hashed words' : 'Meaning'}${details && ` (${details})`}`;
}

/** The dense part of a hybrid whose other part is BM25. */
function meaningBesideWords({ retrievers }: HybridRetriever): DenseRetriever | undefined {
  const [words, meaning, another] = retrievers;
  const isPair = words?.type === 'bm25' && meaning?.type === 'dense' && another === undefined;
  return isPair && meaning.embedder !== HASHED_WORDS ? meaning : undefined;
}

function hybridLabel(hybrid: HybridRetriever): string {
  const meaning = meaningBesideWords(hybrid);
  if (meaning) return vectorsLabel(meaning).replace('Meaning', 'Words and meaning');
  return `Hybrid (${hybrid.retrievers.map(retrieverLabel).join(' + ')})`;
}

/** The label of a retriever. */
export function retrieverLabel(retriever: RetrieverSpec): string {
  if (isStore(retriever)) return storeLabel(retriever);
  switch (retriever.type) {
    case 'bm25':
      return 'BM25';
    case 'dense':
      return vectorsLabel(retriever);
    case 'hybrid':
      return hybridLabel(retriever);
    case 'command':
      return `command (${folderName(retriever.command.at(-1) ?? '')})`;
    case 'http':
      return `endpoint (${retriever.url.replace(/^https?:\/\//i, '').split(/[/?#]/, 1)[0] ?? ''})`;
    case 'run':
      return `run (${folderName(retriever.file)})`;
  }
}
