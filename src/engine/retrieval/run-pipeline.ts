/**
 * Runs a whole pipeline for one query: expansion, retrieval, rerankers. {@link PipelineServices} answers what needs a
 * model or a judge, so that the editor, the command line and tests can provide their own.
 */
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../../core/errors.ts';
import { expandedQueries, mergeInTurns } from '../../core/expansion/merge.ts';
import { leastCertain, type Certainty } from '../../core/external/certainty.ts';
import { shortOf, worstShortfall, type Shortfall } from '../../core/external/shortfall.ts';
import type { TextsOfMean } from '../../core/expansion/rewrite.ts';
import type { VectorStoreRetriever } from '../../core/external/stores.ts';
import {
  leastSure,
  searchesByVector,
  type DenseRetriever,
  type Pipeline,
  type SearchKind,
} from '../../core/pipeline.ts';
import { pm2 } from '../../core/rerank/pm2.ts';
import { xquad } from '../../core/rerank/xquad.ts';
import type { MeaningSoFar } from '../../shared/requests/corpora.ts';
import type { MatchCounts } from '../external/match-passages.ts';
import type { Hit, Slot, WorkOptions } from '../types.ts';
import { coverageStep, type CoverageEvidence } from './coverage-step.ts';
import { fastMmr } from './fast-mmr.ts';
import type { PipelineQuery, PipelineServices } from './pipeline-services.ts';
import { perspectiveTexts, queryParts, type ProjectedQuery, type QueryParts } from './query-parts.ts';
import { retrieve, sumMatches, type Retrieval, type RetrievalIndexes } from './retrieve.ts';
import type {
  CrossEncoderSpec,
  PerspectivesFrom,
  ProjectionReranker,
  ProjectionSpec,
  RerankerSpec,
} from '../../core/rerank/rerankers.ts';

export interface PipelineIndexes extends RetrievalIndexes {
  projected(
    query: ProjectedQuery,
    projection: ProjectionSpec,
    retriever: DenseRetriever | VectorStoreRetriever,
    depth: number,
    work: WorkOptions,
  ): Promise<Retrieval>;
  /** Vectors of some passages, [n, d]. Embeds missing ones now. */
  vectors(embedder: string, slots: readonly Slot[], work: WorkOptions): Promise<Float32Array>;
  /** How similar some passages are to a projected query, [n]. */
  projectedScores(
    query: ProjectedQuery,
    projection: ProjectionReranker,
    slots: readonly Slot[],
    work: WorkOptions,
  ): Promise<ArrayLike<number>>;
  /** How relevant a cross-encoder finds some passages, [n]. */
  relevance(
    spec: CrossEncoderSpec,
    query: string,
    slots: readonly Slot[],
    work: WorkOptions,
  ): Promise<ArrayLike<number>>;
}

export interface PipelineResult {
  /** Best first, at most `depth`. */
  readonly hits: readonly Hit[];
  /** The order before the rerankers. */
  readonly retrieved: readonly Slot[];
  readonly search: SearchKind;
  readonly matches?: MatchCounts | undefined;
  /** `undefined` if no store returned fewer candidates than the pipeline considers. */
  readonly short?: Shortfall | undefined;
  /** Vectors that the search did not wait for. `undefined` if it had all. */
  readonly meaning?: MeaningSoFar | undefined;
  /** For a projection over what a store returned. `undefined` if rerankers order the passages after it. */
  readonly certainty?: Certainty | undefined;
  /** The parts that a model split the query into, if the pipeline asks for that. */
  readonly splits?: readonly QueryParts[] | undefined;
  /** How a judge's answers ordered the passages, if a coverage reranker asked one. */
  readonly evidence?: CoverageEvidence | undefined;
}

/** Result of the retriever alone, before the rerankers. */
type Retrieved = Pick<PipelineResult, 'splits'> & Retrieval;

/**
 * @param depth the most passages to return; the rerankers see `pipeline.candidates`
 * @throws ParallaxError `bad-argument` if a step needs perspectives and the query has none
 */
export async function runPipeline(
  indexes: PipelineIndexes,
  services: PipelineServices,
  pipeline: Pipeline,
  query: PipelineQuery,
  depth: number,
  work: WorkOptions = {},
): Promise<PipelineResult> {
  const run = new PipelineRun(indexes, services, pipeline, query, work);
  const { hits, search, splits, matches, short, meaning, certainty } = await run.retrieveTo(depth);
  const retrieved = hits.map(({ item }) => item);
  let candidates: readonly Hit[] = hits.slice(0, pipeline.candidates);
  for (const reranker of pipeline.rerank)
    if (candidates.length > 0) candidates = await run.rerank(reranker, candidates);
  const below = hits.slice(candidates.length);
  return {
    hits: [...candidates, ...below].slice(0, depth),
    retrieved,
    search,
    splits,
    matches,
    short: shortOf(short, pipeline.candidates),
    meaning,
    certainty: pipeline.rerank.length === 0 ? certainty : undefined,
    evidence: run.evidence,
  };
}

class PipelineRun {
  readonly #indexes: PipelineIndexes;
  readonly #services: PipelineServices;
  readonly #pipeline: Pipeline;
  readonly #query: PipelineQuery;
  readonly #work: WorkOptions;
  /** The evidence of the last reranker, if it asks a judge. */
  evidence: CoverageEvidence | undefined;

  constructor(
    indexes: PipelineIndexes,
    services: PipelineServices,
    pipeline: Pipeline,
    query: PipelineQuery,
    work: WorkOptions,
  ) {
    this.#indexes = indexes;
    this.#services = services;
    this.#pipeline = pipeline;
    this.#query = query;
    this.#work = work;
  }

  /**
   * The candidates of the pipeline, followed by deeper passages, so that the requested depth changes no rank. Fused
   * lists and approximate searches find other first passages if asked for more.
   */
  async retrieveTo(depth: number): Promise<Retrieved> {
    const { candidates, retriever } = this.#pipeline;
    const deep = await this.#retrieve(Math.max(depth, candidates));
    const isSteady = deep.search === 'exact' && retriever.type !== 'hybrid';
    if (depth <= candidates || isSteady) return deep;
    const near = await this.#retrieve(candidates);
    const nearItems = new Set(near.hits.map(({ item }) => item));
    return { ...near, hits: [...near.hits, ...deep.hits.filter(({ item }) => !nearItems.has(item))] };
  }

  async #retrieve(depth: number): Promise<Retrieved> {
    const { expansion, projection } = this.#pipeline;
    if (projection) return this.#projected(projection, depth);
    if (!expansion) return this.#search(this.#query.text, depth);
    if (expansion.type !== 'perspectives') {
      const { retriever } = this.#pipeline;
      const { text, mean } = await this.#services.rewrite(this.#query.text, expansion, retriever, this.#work);
      return this.#search(text, depth, mean);
    }
    const perspectives = await this.#perspectiveTexts(expansion, 'expansion');
    const lists: Retrieval[] = [];
    for (const text of expandedQueries(this.#query.text, perspectives, expansion.queryText))
      lists.push(await this.#search(text, depth));
    return mergedLists(lists, depth);
  }

  /** One projected search per perspective. A plain search if a model finds that the query names none. */
  async #projected(projection: ProjectionSpec, depth: number): Promise<Retrieved> {
    const { retriever } = this.#pipeline;
    if (!searchesByVector(retriever))
      throw new ParallaxError(
        'bad-pipeline',
        l10n.t('Projection needs a retriever that ranks only by vectors.'),
      );
    const parts = await queryParts(this.#query, projection, this.#services, this.#work);
    const lists: Retrieval[] = [];
    for (const { root, perspective, full } of parts)
      lists.push(
        perspective === undefined
          ? await this.#search(full, depth)
          : await this.#indexes.projected(
              { root, perspective, full },
              projection,
              retriever,
              depth,
              this.#work,
            ),
      );
    const [only] = lists;
    const list = lists.length === 1 && only ? only : mergedLists(lists, depth);
    return projection.split === 'model' ? { ...list, splits: parts } : list;
  }

  async rerank(reranker: RerankerSpec, candidates: readonly Hit[]): Promise<Hit[]> {
    // Only the reranker that orders the passages last gives reasons.
    this.evidence = undefined;
    switch (reranker.type) {
      case 'mmr':
        return this.#mmr(reranker, candidates);
      case 'xquad':
      case 'pm2':
        return this.#byPerspectives(reranker, candidates);
      case 'projection':
        return this.#byProjection(reranker, candidates);
      case 'coverage':
        return this.#coverage(reranker, candidates);
      case 'cross-encoder':
        return this.#crossEncoder(reranker, candidates);
    }
  }

  /** @param mean what to search for by vectors, if that is not the text */
  #search(text: string, depth: number, mean?: TextsOfMean): Promise<Retrieval> {
    // Another text is another query, which a file of results must not answer with this query's results.
    const { id } = text === this.#query.text ? this.#query : {};
    return retrieve(this.#indexes, this.#pipeline.retriever, { id, text, mean }, depth, this.#work);
  }

  async #mmr(
    { lambda, embedder, datasetMaximum }: Extract<RerankerSpec, { type: 'mmr' }>,
    candidates: readonly Hit[],
  ): Promise<Hit[]> {
    if (datasetMaximum === 'auto')
      throw new ParallaxError(
        'bad-pipeline',
        l10n.t(
          'Pipeline: the datasetMaximum "auto" of a reranker is worked out over the questions of an evaluation. For one question give a number, or leave it out.',
        ),
      );
    const slots = candidates.map(({ item }) => item);
    const vectors = await this.#indexes.vectors(embedder, slots, this.#work);
    const relevance = candidates.map(({ score }) => score);
    const normalisation = datasetMaximum === undefined ? 'per-query' : { datasetMaximum };
    return reordered(candidates, fastMmr(relevance, vectors, { lambda, normalisation }));
  }

  async #byPerspectives(
    reranker: Extract<RerankerSpec, { type: 'xquad' | 'pm2' }>,
    candidates: readonly Hit[],
  ): Promise<Hit[]> {
    const perspectives = await this.#perspectiveTexts(reranker, reranker.type);
    const perspectiveScores: number[][] = [];
    for (const text of perspectives) perspectiveScores.push(await this.#scores(text, candidates));
    const { lambda } = reranker;
    return reordered(
      candidates,
      reranker.type === 'xquad'
        ? xquad({ relevance: candidates.map(({ score }) => score), perspectiveScores, lambda })
        : pm2({ candidates: candidates.length, perspectiveScores, lambda }),
    );
  }

  /** A query that names no perspective, according to a model, keeps its order. */
  async #byProjection(reranker: ProjectionReranker, candidates: readonly Hit[]): Promise<Hit[]> {
    const parts = await queryParts(this.#query, reranker, this.#services, this.#work);
    const slots = candidates.map(({ item }) => item);
    const orders: Hit[][] = [];
    for (const { root, perspective, full } of parts) {
      if (perspective === undefined) {
        orders.push([...candidates]);
        continue;
      }
      const query = { root, perspective, full };
      orders.push(
        sortedByScore(slots, await this.#indexes.projectedScores(query, reranker, slots, this.#work)),
      );
    }
    const [only] = orders;
    return orders.length === 1 && only ? only : mergedHits(orders, candidates.length);
  }

  /** How the retriever scores each candidate for another text. 0 if it does not retrieve it. */
  async #scores(text: string, candidates: readonly Hit[]): Promise<number[]> {
    const { hits } = await this.#search(text, this.#pipeline.candidates);
    const scores = new Map(hits.map(({ item, score }) => [item, score]));
    return candidates.map(({ item }) => scores.get(item) ?? 0);
  }

  async #coverage(
    spec: Extract<RerankerSpec, { type: 'coverage' }>,
    candidates: readonly Hit[],
  ): Promise<Hit[]> {
    const outcome = await coverageStep(
      spec,
      candidates,
      this.#query,
      this.#pipeline.k,
      this.#services,
      this.#work,
    );
    this.evidence = outcome.evidence;
    return outcome.hits;
  }

  async #crossEncoder(spec: CrossEncoderSpec, candidates: readonly Hit[]): Promise<Hit[]> {
    const slots = candidates.map(({ item }) => item);
    return sortedByScore(slots, await this.#indexes.relevance(spec, this.#query.text, slots, this.#work));
  }

  #perspectiveTexts(from: PerspectivesFrom, step: string): Promise<readonly string[]> {
    return perspectiveTexts(this.#query, from, step, this.#services, this.#work);
  }
}

/** Best first. Passages with equal scores keep their order. */
function sortedByScore(slots: readonly Slot[], scores: ArrayLike<number>): Hit[] {
  return slots.map((item, index) => ({ item, score: scores[index]! })).sort((a, b) => b.score - a.score);
}

/** Merges lists of different queries by rank, since their scores cannot be compared. */
function mergedHits(lists: readonly (readonly Hit[])[], depth: number): Hit[] {
  const merged = mergeInTurns(
    lists.map((hits) => hits.map(({ item }) => item)),
    depth,
  );
  return merged.map(({ item }, index) => ({ item, score: 1 / (index + 1) }));
}

function mergedLists(lists: readonly Retrieval[], depth: number): Retrieval {
  return {
    hits: mergedHits(
      lists.map(({ hits }) => hits),
      depth,
    ),
    search: leastSure(lists.map(({ search }) => search)),
    matches: sumMatches(lists),
    short: worstShortfall(lists),
    meaning: lists.at(-1)?.meaning,
    certainty: leastCertain(lists),
  };
}

/** Candidates in a new order, with the scores that ordered them. */
function reordered(candidates: readonly Hit[], order: readonly { item: number; score: number }[]): Hit[] {
  return order.map(({ item, score }) => ({ item: candidates[item]!.item, score }));
}
