/** Labels of pipelines and their parts without a name. The same in every language, like the names of measures. */
import { HASHED_WORDS, MEANING } from './embedding/built-in.ts';
import { isStore, storeLabel } from './external/store-types.ts';
import { passagesOf } from './expansion/rewrite.ts';
import { BUILT_IN_PIPELINES } from './pipeline.ts';
import type {
  DenseRetriever,
  ExpansionSpec,
  HybridRetriever,
  NamedPipeline,
  Pipeline,
  ProjectionSpec,
  RerankerSpec,
  RetrieverSpec,
} from './pipeline.ts';
import { isPlainAim } from './rerank/expected-aims.ts';

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

function projectionLabel({ method, weight, split, perspectives }: ProjectionSpec): string {
  const emphasis = weight === 1 ? '' : ` w ${weight}`;
  const from = split === 'model' ? 'split by the model' : FROM_LABELS[perspectives];
  return `${METHOD_LABELS[method] ?? method}${emphasis} (${from})`;
}

const METHOD_LABELS: Partial<Record<ProjectionSpec['method'], string>> = { pap: 'PAP', 'pap+': 'PAP+' };

export function rerankerLabel(reranker: RerankerSpec): string {
  switch (reranker.type) {
    case 'mmr':
      return `MMR ${reranker.lambda}`;
    case 'xquad':
      return `xQuAD ${reranker.lambda} (${FROM_LABELS[reranker.perspectives]})`;
    case 'pm2':
      return `PM-2 ${reranker.lambda} (${FROM_LABELS[reranker.perspectives]})`;
    case 'projection':
      return projectionLabel(reranker);
    case 'coverage':
      return `coverage (${[reranker.judge, ...(reranker.also ?? [])].join(', ')}${isPlainAim(reranker.aim) ? '' : ', for α-nDCG'})`;
    case 'cross-encoder':
      return `cross-encoder (${folderName(reranker.path)})`;
  }
}

const folderName = (path: string): string => path.split(/[\\/]+/u).findLast((part) => part !== '') ?? path;

/** Given perspectives are an oracle, so the label always mentions them. */
const FROM_LABELS = {
  given: 'given perspectives',
  model: 'proposed perspectives',
  file: 'perspectives from file',
} as const;

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
