/**
 * Tries out other orders of an answer's candidates with sliders: the weight of meaning beside words, the weight of a
 * projection, then λ of MMR. Fetches rankings, vectors and similarities from the engine once per answer; after that a
 * change is only arithmetic.
 */
import { HASHED_WORDS } from '../../../core/embedding/built-in.ts';
import { reciprocalRankFusion } from '../../../core/fusion.ts';
import { projectionPlan, withProjection } from '../../../core/pipeline-needs.ts';
import { fusionWeights, type HybridRetriever, type Pipeline } from '../../../core/pipeline.ts';
import { ProjectionWhatIf } from '../../../core/projection/what-if.ts';
import { MmrWhatIf } from '../../../core/rerank/mmr.ts';
import type { Ranked } from '../../../core/model.ts';
import type { InspectorState } from '../contract/panel.ts';
import type { Result } from '../../../shared/rpc.ts';
import type { EngineClient } from '../../../extension/engine-process/engine-client.ts';
import type { Answer } from './answer.ts';
import type { RerankerSpec } from '../../../core/rerank/rerankers.ts';

/** The positions of the sliders. `undefined` for a slider that was not moved. */
export interface Tried {
  readonly lambda?: number | undefined;
  readonly weight?: number | undefined;
  /** The weight of meaning; words have the rest. */
  readonly fusion?: number | undefined;
}

/**
 * The offered weights. 0 leaves the query unchanged, 1 removes the perspective from it (the paper), and 2 mirrors it:
 * PAP then compares with the mirrored query, PAP+ gives the same result as at 0.
 */
const WEIGHTS = { least: 0, most: 2 };

type Results = NonNullable<InspectorState['results']>;
type Similarities = Result<'similarities'>;
/** Ids of passages, best first: by words alone and by meaning alone. */
type Rankings = readonly [words: readonly string[], meaning: readonly string[]];

/** The data that the sliders need from the engine, as far as it has been fetched. */
interface Fetched {
  readonly rankings?: Rankings | undefined;
  readonly projection?: ProjectionWhatIf | undefined;
  readonly similarities?: Float64Array | undefined;
}

export class WhatIf {
  readonly #answer: Answer;
  readonly #engine: Pick<EngineClient, 'request'>;
  /** The current positions of the sliders, whose order may not be in view yet. */
  #wanted: Tried = {};
  /** The slider positions of the order in view. */
  #tried: Tried = {};
  #fetchedSimilarities: Promise<Similarities> | undefined;
  #similarities: Similarities | undefined;
  #fetchedProjection: Promise<ProjectionWhatIf> | undefined;
  #fetchedRankings: Promise<Rankings> | undefined;
  /** Whether some of the best passages at the tried weight of meaning are not candidates. */
  #isIncomplete = false;

  constructor(answer: Answer, engine: Pick<EngineClient, 'request'>) {
    this.#answer = answer;
    this.#engine = engine;
  }

  /**
   * Orders the candidates by the sliders; a slider that is not named keeps its position.
   *
   * @throws ParallaxError if the weight removes all of the query, or the engine's error; the order then stays unchanged
   */
  async try(change: Tried): Promise<void> {
    if (this.#answer.candidates.length === 0) return;
    this.#wanted = { ...this.#wanted, ...change };
    try {
      const rankings = this.#wanted.fusion === undefined ? undefined : await this.#rankings();
      const projection = this.#wanted.weight === undefined ? undefined : await this.#projection();
      if (this.#wanted.lambda !== undefined) this.#similarities = await this.#fetchSimilarities();
      this.#reorder({ rankings, projection, similarities: this.#similarities?.matrix });
    } catch (error) {
      this.#wanted = this.#tried;
      throw error;
    }
  }

  /** The sliders may have moved or been reset while data was fetched. */
  #reorder({ rankings, projection, similarities }: Fetched): void {
    const { lambda, weight, fusion } = this.#wanted;
    const isMissing =
      (weight !== undefined && !projection) ||
      (lambda !== undefined && !similarities) ||
      (fusion !== undefined && !rankings);
    if (isMissing || !isTouched(this.#wanted)) return;
    const fused = fusion === undefined || !rankings ? this.#answer.ranking : this.#fused(rankings, fusion);
    const projected = weight === undefined || !projection ? fused : projection.rerank(weight);
    const ranking =
      lambda === undefined || !similarities ? projected : diversified(projected, similarities, lambda);
    this.#answer.reorder(ranking.map(({ item }) => item));
    this.#tried = { lambda, weight, fusion };
  }

  /** Passages found only by a ranking of weight 0 are left out, as in a search with that weight. */
  #fused(rankings: Rankings, weight: number): Ranked<number>[] {
    const { candidates, pipeline } = this.#answer;
    const { rrfK } = pipeline.retriever as HybridRetriever;
    const places = new Map(candidates.map(({ id }, place) => [id, place]));
    const fused = reciprocalRankFusion(rankings, { rrfK, weights: [1 - weight, weight] });
    this.#isIncomplete = fused.slice(0, pipeline.k).some(({ item }) => !places.has(item));
    return fused.flatMap(({ item, score }): Ranked<number>[] => {
      const place = places.get(item);
      return place === undefined ? [] : [{ item: place, score }];
    });
  }

  /** Returns to the pipeline's own order. */
  end(): void {
    this.#wanted = this.#tried = {};
    this.#isIncomplete = false;
    this.#answer.reorder(undefined);
  }

  /** The pipeline with the changes of the what-if. `undefined` if no slider was moved. */
  get adopted(): Pipeline | undefined {
    const { lambda, weight, fusion } = this.#tried;
    if (!isTouched(this.#tried)) return undefined;
    // A changed pipeline loses its name.
    const basePipeline = { ...this.#answer.pipeline, name: undefined };
    const pipeline = fusion === undefined ? basePipeline : withFusion(basePipeline, fusion);
    const projected =
      weight === undefined
        ? pipeline
        : withProjection(pipeline, { ...projectionPlan(pipeline).projection, weight });
    if (lambda === undefined || !this.#similarities) return projected;
    const otherRerankers = projected.rerank.filter(({ type }) => type !== 'mmr');
    const { embedder } = this.#similarities;
    return { ...projected, rerank: [...otherRerankers, { type: 'mmr', lambda, embedder }] };
  }

  view(): Pick<Results, 'whatIf' | 'projectionSlider' | 'fusionSlider'> {
    const { lambda, weight, fusion } = this.#tried;
    const slider = this.#projectionSlider;
    const fusionSlider = weightOfMeaning(this.#answer.pipeline);
    return {
      ...(slider ? { projectionSlider: slider } : {}),
      ...(fusionSlider === undefined ? {} : { fusionSlider }),
      ...(isTouched(this.#tried)
        ? {
            whatIf: {
              ...(lambda === undefined || !this.#similarities
                ? {}
                : { lambda, embedder: this.#similarities.embedder }),
              ...(weight === undefined ? {} : { weight }),
              ...(fusion === undefined ? {} : { fusion }),
              ...(this.#isIncomplete ? { isIncomplete: true } : {}),
            },
          }
        : {}),
    };
  }

  /** Projection needs perspectives and replaces an expansion. */
  get #projectionSlider(): Results['projectionSlider'] {
    const { pipeline, perspectives } = this.#answer;
    const isProjected = pipeline.projection !== undefined || pipeline.rerank.some(isProjection);
    if (pipeline.expansion || (!isProjected && perspectives.length === 0)) return undefined;
    const { method, weight: projectionWeight } = projectionPlan(pipeline).projection;
    const weight = isProjected ? projectionWeight : 0;
    return {
      method,
      untouched: weight,
      least: Math.min(WEIGHTS.least, weight),
      most: Math.max(WEIGHTS.most, weight),
    };
  }

  #fetchSimilarities(): Promise<Similarities> {
    const { corpus, pipeline, candidates } = this.#answer;
    const slots = candidates.map(({ slot }) => slot);
    this.#fetchedSimilarities ??= this.#engine.request('similarities', { corpus, pipeline, slots });
    // Failures are not cached, because the model may be available next time.
    this.#fetchedSimilarities.catch(() => (this.#fetchedSimilarities = undefined));
    return this.#fetchedSimilarities;
  }

  /** Rankings of the pipeline with each of its two retrievers alone. */
  #rankings(): Promise<Rankings> {
    const { corpus, query, perspectives, pipeline } = this.#answer;
    const search = async (weight: number): Promise<string[]> => {
      const alone = withFusion(pipeline, weight);
      const params = { corpus, query, perspectives: [...perspectives], pipeline: alone, atOnce: true };
      const { candidates } = await this.#engine.request('search', params);
      return candidates.map(({ id }) => id);
    };
    this.#fetchedRankings ??= Promise.all([search(0), search(1)]);
    this.#fetchedRankings.catch(() => (this.#fetchedRankings = undefined));
    return this.#fetchedRankings;
  }

  #projection(): Promise<ProjectionWhatIf> {
    const { corpus, query, perspectives, pipeline, candidates } = this.#answer;
    const slots = candidates.map(({ slot }) => slot);
    this.#fetchedProjection ??= this.#engine
      .request('projections', { corpus, query, perspectives, pipeline, slots })
      .then(
        ({ projections, order }) =>
          new ProjectionWhatIf(projectionPlan(pipeline).projection.method, projections, order),
      );
    this.#fetchedProjection.catch(() => (this.#fetchedProjection = undefined));
    return this.#fetchedProjection;
  }
}

function isTouched({ lambda, weight, fusion }: Tried): boolean {
  return lambda !== undefined || weight !== undefined || fusion !== undefined;
}

function withFusion(pipeline: Pipeline, weight: number): Pipeline {
  return {
    ...pipeline,
    retriever: { ...(pipeline.retriever as HybridRetriever), weights: undefined, weight },
  };
}

/** The weight of meaning in the fusion. `undefined` unless the order results from words and meaning alone. */
function weightOfMeaning({ retriever, expansion, rerank }: Pipeline): number | undefined {
  if (retriever.type !== 'hybrid' || expansion || rerank.length > 0) return undefined;
  const [words, meaning, another] = retriever.retrievers;
  if (words?.type !== 'bm25' || meaning?.type !== 'dense' || another) return undefined;
  if (meaning.embedder === HASHED_WORDS) return undefined;
  const [first, second] = fusionWeights(retriever) ?? [1, 1];
  return first! + second! === 0 ? undefined : second! / (first! + second!);
}

function isProjection({ type }: RerankerSpec): boolean {
  return type === 'projection';
}

/**
 * @param ranking n positions among the m candidates with their scores, best first
 * @param similarities `[m, m]` by those positions
 */
function diversified(
  ranking: readonly Ranked<number>[],
  similarities: Float64Array,
  lambda: number,
): Ranked<number>[] {
  const n = ranking.length;
  const m = Math.sqrt(similarities.length);
  const inOrder = new Float64Array(n * n);
  ranking.forEach(({ item: a }, i) =>
    ranking.forEach(({ item: b }, j) => (inOrder[i * n + j] = similarities[a * m + b]!)),
  );
  const relevance = ranking.map(({ score }) => score);
  return new MmrWhatIf(relevance, inOrder)
    .rerank(lambda)
    .map(({ item, score }) => ({ item: ranking[item]!.item, score }));
}
