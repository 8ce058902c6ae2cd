/** What a pipeline needs besides the corpus, derived from its steps. */
import * as l10n from '@vscode/l10n';
import { isSameCollection, isStore, searchesApproximately, storeLabel } from './external/store-types.ts';
import type { StoreRetriever } from './external/stores.ts';
import { BUILT_IN_EMBEDDERS, MEANING } from './embedding/built-in.ts';
import { passagesOf } from './expansion/rewrite.ts';
import {
  externalParts,
  searchesByVector,
  type DenseRetriever,
  type ExpansionSpec,
  type Pipeline,
  type RetrieverSpec,
  type RewriteSpec,
} from './pipeline.ts';
import {
  DEFAULT_PROJECTION,
  type CrossEncoderSpec,
  type PerspectivesFrom,
  type ProjectionSpec,
  type RerankerSpec,
} from './rerank/rerankers.ts';

type Step = ExpansionSpec | ProjectionSpec | RerankerSpec;
type CoverageSpec = Extract<RerankerSpec, { type: 'coverage' }>;

export interface PipelineNeeds {
  /** Whether a step reads the perspectives of the query. */
  readonly givenPerspectives: boolean;
  /** Judges, or the default generator (`undefined`), whose model writes for it, once per request of a query. */
  readonly writers: readonly (string | undefined)[];
  /** Files of proposed perspectives. */
  readonly files: readonly string[];
  /** Judges that a step calls. */
  readonly judges: readonly string[];
  readonly embedders: readonly string[];
  /** Whether a part of the retriever is external. */
  readonly external: boolean;
  readonly crossEncoders: readonly CrossEncoderSpec[];
}

export function needsOf(pipeline: Pipeline): PipelineNeeds {
  const steps = stepsOf(pipeline);
  const sources = steps.filter(hasPerspectiveSource);
  return {
    givenPerspectives: steps.some(readsGivenPerspectives),
    writers: steps
      .filter(asksWriter)
      .flatMap((step) => Array<string | undefined>(requestsOf(step)).fill(step.model)),
    files: sources.flatMap(({ perspectives, file }) => (perspectives === 'file' && file ? [file] : [])),
    judges: steps.filter(isCoverage).flatMap(({ judge, also = [] }) => [judge, ...also]),
    embedders: [
      ...denseParts(pipeline.retriever).map(({ embedder }) => embedder),
      ...pipeline.rerank.flatMap((step) => ('embedder' in step ? [step.embedder] : [])),
    ],
    external: externalParts(pipeline.retriever).length > 0,
    crossEncoders: pipeline.rerank.filter((step) => step.type === 'cross-encoder'),
  };
}

/** Whether a model orders its passages for coverage. */
export function isRerankedByJudge(pipeline: Pipeline): boolean {
  return needsOf(pipeline).judges.some((judge) => judge !== 'labels');
}

/**
 * Whether perspectives or texts are written for each query text: by a model, which costs, or by a file, which covers
 * few queries.
 */
export function dependsOnWriting({ writers, files }: PipelineNeeds): boolean {
  return writers.length + files.length > 0;
}

/** The pipeline without steps that read the perspectives of a query. */
export function withoutGivenPerspectives(pipeline: Pipeline): Pipeline {
  const { expansion, projection, rerank } = pipeline;
  const unlessGiven = <T extends Step>(step: T | undefined): T | undefined =>
    step && readsGivenPerspectives(step) ? undefined : step;
  return {
    ...pipeline,
    expansion: unlessGiven(expansion),
    projection: unlessGiven(projection),
    rerank: rerank.filter((step) => !readsGivenPerspectives(step)),
  };
}

/** Whether {@link withExactSearch} makes a pipeline search exactly. Some stores do not support it. */
export function canSearchExactly({ retriever, projection }: Pipeline): boolean {
  // Stores do not score projections; only their candidates are scored.
  if (isStore(retriever) && projection) return false;
  return retriever.type === 'hybrid' ? retriever.retrievers.every(hasExactForm) : hasExactForm(retriever);
}

function hasExactForm(part: Exclude<RetrieverSpec, { type: 'hybrid' }>): boolean {
  return !isStore(part) || 'exact' in part || !searchesApproximately(part);
}

/** The pipeline with exact search in every part that supports it. */
export function withExactSearch(pipeline: Pipeline): Pipeline {
  const exact = <T extends RetrieverSpec>(part: T): T => {
    if (part.type === 'dense') return { ...part, search: 'exact' };
    return 'exact' in part ? { ...part, exact: true } : part;
  };
  const { retriever } = pipeline;
  return {
    ...pipeline,
    retriever:
      retriever.type === 'hybrid'
        ? { ...retriever, retrievers: retriever.retrievers.map(exact) }
        : exact(retriever),
  };
}

/**
 * How many queries of an evaluation may run at once: as many as the stores and endpoints accept. Otherwise one, as
 * parallel queries are no faster on this machine, and models count requests.
 */
export function queriesAtOnce(pipeline: Pipeline): number {
  const { writers, judges } = needsOf(pipeline);
  const { retriever } = pipeline;
  const parts = retriever.type === 'hybrid' ? retriever.retrievers : [retriever];
  if (writers.length + judges.length > 0) return 1;
  return Math.min(...parts.map((part) => (isStore(part) || part.type === 'http' ? part.connections : 1)));
}

function denseParts(retriever: RetrieverSpec): DenseRetriever[] {
  if (retriever.type === 'hybrid') return retriever.retrievers.flatMap(denseParts);
  return retriever.type === 'dense' ? [retriever] : [];
}

/**
 * The embedder whose vectors measure the likeness of a pipeline's passages: the one of the first dense index it
 * searches, else the one its rerankers use. These vectors exist once it has searched, so no model is called.
 *
 * @returns `undefined` if it has none for certain, so that the corpus decides
 */
export function likenessEmbedder({ retriever, rerank }: Pipeline): string | undefined {
  const searched = denseParts(retriever).find((part) => !(part.englishOnly && part.embedder === MEANING));
  const compared = rerank.find((step) => 'embedder' in step);
  return searched?.embedder ?? compared?.embedder;
}

/** Whether every passage of the corpus has such a vector after a search, or gets one for free. */
export function likensWholeCorpus(pipeline: Pipeline): boolean {
  const embedder = likenessEmbedder(pipeline);
  const isFree = embedder === undefined || BUILT_IN_EMBEDDERS.some((builtIn) => builtIn === embedder);
  return isFree || denseParts(pipeline.retriever).length > 0;
}

/** How a pipeline projects or would project. */
export interface ProjectionPlan {
  readonly projection: ProjectionSpec;
  readonly embedder: string;
  /** `search`: one search per perspective. `candidates`: reorders the candidates. */
  readonly place: 'search' | 'candidates';
}

/** A retriever that ranks by vectors alone searches with the projection. For others, the candidates are reordered. */
export function projectionPlan({ retriever, projection, rerank }: Pipeline): ProjectionPlan {
  const reranker = rerank.findLast((step) => step.type === 'projection');
  if (reranker && !projection)
    return { projection: reranker, embedder: reranker.embedder, place: 'candidates' };
  if (searchesByVector(retriever))
    return { projection: projection ?? DEFAULT_PROJECTION, embedder: retriever.embedder, place: 'search' };
  const embedder = denseParts(retriever)[0]?.embedder ?? MEANING;
  return { projection: DEFAULT_PROJECTION, embedder, place: 'candidates' };
}

/** The pipeline with a projection in the place given by {@link projectionPlan}. */
export function withProjection(pipeline: Pipeline, projection: ProjectionSpec): Pipeline {
  const { embedder, place } = projectionPlan(pipeline);
  if (place === 'search') return { ...pipeline, projection };
  const otherRerankers = pipeline.rerank.filter(({ type }) => type !== 'projection');
  // After all rerankers for relevance and before diversity, which compares passages afterwards.
  const diversity = otherRerankers.findIndex(({ type }) => type === 'mmr');
  const at = diversity < 0 ? otherRerankers.length : diversity;
  const reranker = { ...projection, type: 'projection' as const, embedder };
  return { ...pipeline, rerank: [...otherRerankers.slice(0, at), reranker, ...otherRerankers.slice(at)] };
}

function stepsOf({ expansion, projection, rerank }: Pipeline): Step[] {
  return [...(expansion ? [expansion] : []), ...(projection ? [projection] : []), ...rerank];
}

function hasPerspectiveSource(step: Step): step is Step & PerspectivesFrom {
  return 'perspectives' in step;
}

function isCoverage(step: Step): step is CoverageSpec {
  return 'type' in step && step.type === 'coverage';
}

function readsGivenPerspectives(step: Step): boolean {
  if (isCoverage(step)) return true;
  return hasPerspectiveSource(step) && step.perspectives === 'given' && !asksWriter(step);
}

function asksWriter(step: Step): step is Step & { readonly model?: string } {
  if ('split' in step && step.split === 'model') return true;
  if (hasPerspectiveSource(step)) return step.perspectives === 'model';
  return isRewrite(step);
}

function isRewrite(step: Step): step is RewriteSpec {
  return 'type' in step && (step.type === 'hyde' || step.type === 'query2doc' || step.type === 'mugi');
}

function requestsOf(step: Step): number {
  return isRewrite(step) ? passagesOf(step) : 1;
}

/** The entries of `parallax.json` that define where passages are stored. */
export interface Homes {
  readonly corpora: Readonly<Record<string, { readonly store?: StoreRetriever | undefined }>>;
  readonly pipelines: Readonly<Record<string, Pick<Pipeline, 'retriever'>>>;
}

/** @returns the first store that a pipeline searches and that is not a corpus; `undefined` if there is none */
export function storeOfPipelines({ corpora, pipelines }: Homes): StoreRetriever | undefined {
  const homes = Object.values(corpora).flatMap(({ store }) => store ?? []);
  return Object.values(pipelines)
    .flatMap(({ retriever }) => externalParts(retriever).filter(isStore))
    .find((store) => !homes.some((home) => isSameCollection(home, store)));
}

/**
 * A sentence on a missing corpus. Often it exists in the store that pipelines search.
 *
 * @param config without a corpus
 */
export function missingCorpusText(config: Homes): string {
  const store = storeOfPipelines(config);
  return store
    ? l10n.t`parallax.json names no corpus, though its pipelines search ${storeLabel(store)}. If all passages are there, say so: "corpora": {"articles": {"store": {…}}} with what is in the pipeline. Nothing is indexed then.`
    : l10n.t('parallax.json names no corpus.');
}
