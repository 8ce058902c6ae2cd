/**
 * Orders of an answer's candidates that are tried out with sliders: the weight of a projection, then λ of MMR.
 * Vectors and similarities are fetched from the engine once per answer; after that a step is arithmetic.
 */
import { projectionPlan, withProjection } from '../../core/pipeline-needs.ts';
import type { Pipeline, RerankerSpec } from '../../core/pipeline.ts';
import { ProjectionWhatIf } from '../../core/projection/what-if.ts';
import { MmrWhatIf } from '../../core/rerank/mmr.ts';
import type { Ranked } from '../../core/model.ts';
import type { InspectorState } from '../../shared/panels/inspector.ts';
import type { Result } from '../../shared/rpc.ts';
import type { EngineClient } from '../engine-process/engine-client.ts';
import type { Answer } from './answer.ts';

/** Where the sliders stand; absent for one that was not touched. */
export interface Tried {
  readonly lambda?: number | undefined;
  readonly weight?: number | undefined;
}

/**
 * The weights that are offered. 0 leaves the query as it is, 1 takes the perspective out of it (the paper), and
 * 2 turns it to the other side: PAP then compares with the query mirrored, PAP+ says the same as at 0.
 */
const WEIGHTS = { least: 0, most: 2 };

type Results = NonNullable<InspectorState['results']>;
type Similarities = Result<'similarities'>;

export class WhatIf {
  readonly #answer: Answer;
  readonly #engine: Pick<EngineClient, 'request'>;
  /** The positions of the sliders. */
  #wanted: Tried = {};
  /** The positions that the order in view was made with. */
  #tried: Tried = {};
  #fetchedSimilarities: Promise<Similarities> | undefined;
  #similarities: Similarities | undefined;
  #fetchedProjection: Promise<ProjectionWhatIf> | undefined;

  constructor(answer: Answer, engine: Pick<EngineClient, 'request'>) {
    this.#answer = answer;
    this.#engine = engine;
  }

  /**
   * Orders the candidates by what the sliders say; a slider that is not named stays where it is.
   *
   * @throws ParallaxError where the weight leaves nothing of the query, and what the engine says; the order
   *   then stays as it was
   */
  async try(change: Tried): Promise<void> {
    if (this.#answer.candidates.length === 0) return;
    this.#wanted = { ...this.#wanted, ...change };
    try {
      const projection = this.#wanted.weight === undefined ? undefined : await this.#projection();
      if (this.#wanted.lambda !== undefined) this.#similarities = await this.#fetchSimilarities();
      this.#reorder(projection, this.#similarities?.matrix);
    } catch (error) {
      this.#wanted = this.#tried;
      throw error;
    }
  }

  /** The sliders may have moved on, or been let go, while something was fetched. */
  #reorder(projection: ProjectionWhatIf | undefined, similarities: Float64Array | undefined): void {
    const { lambda, weight } = this.#wanted;
    const isIncomplete = (weight !== undefined && !projection) || (lambda !== undefined && !similarities);
    if (isIncomplete || (lambda === undefined && weight === undefined)) return;
    const projected = weight === undefined || !projection ? this.#answer.ranking : projection.rerank(weight);
    const ranking =
      lambda === undefined || !similarities ? projected : diversified(projected, similarities, lambda);
    this.#answer.reorder(ranking.map(({ item }) => item));
    this.#tried = { lambda, weight };
  }

  /** Back to the pipeline's own order. */
  end(): void {
    this.#wanted = this.#tried = {};
    this.#answer.reorder(undefined);
  }

  /** The pipeline with what is being tried out; nothing before a slider was touched. */
  get adopted(): Pipeline | undefined {
    const { lambda, weight } = this.#tried;
    if (lambda === undefined && weight === undefined) return undefined;
    // It is no longer the pipeline of that name.
    const pipeline = { ...this.#answer.pipeline, name: undefined };
    const projected =
      weight === undefined
        ? pipeline
        : withProjection(pipeline, { ...projectionPlan(pipeline).projection, weight });
    if (lambda === undefined || !this.#similarities) return projected;
    const others = projected.rerank.filter(({ type }) => type !== 'mmr');
    const { embedder } = this.#similarities;
    return { ...projected, rerank: [...others, { type: 'mmr', lambda, embedder }] };
  }

  view(): Pick<Results, 'whatIf' | 'projectionSlider'> {
    const { lambda, weight } = this.#tried;
    const slider = this.#projectionSlider;
    const isTried = lambda !== undefined || weight !== undefined;
    return {
      ...(slider ? { projectionSlider: slider } : {}),
      ...(isTried
        ? {
            whatIf: {
              ...(lambda === undefined || !this.#similarities
                ? {}
                : { lambda, embedder: this.#similarities.embedder }),
              ...(weight === undefined ? {} : { weight }),
            },
          }
        : {}),
    };
  }

  /** Projection needs perspectives, and takes the place of an expansion. */
  get #projectionSlider(): Results['projectionSlider'] {
    const { pipeline, perspectives } = this.#answer;
    const isProjected = pipeline.projection !== undefined || pipeline.rerank.some(isProjection);
    if (pipeline.expansion || (!isProjected && perspectives.length === 0)) return undefined;
    const { method, weight: own } = projectionPlan(pipeline).projection;
    const weight = isProjected ? own : 0;
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
    // A failure must not be remembered: the model may be there next time.
    this.#fetchedSimilarities.catch(() => (this.#fetchedSimilarities = undefined));
    return this.#fetchedSimilarities;
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

function isProjection({ type }: RerankerSpec): boolean {
  return type === 'projection';
}

/**
 * @param ranking positions among n candidates with their scores, best first
 * @param similarities `[n, n]` by those positions
 */
function diversified(
  ranking: readonly Ranked<number>[],
  similarities: Float64Array,
  lambda: number,
): Ranked<number>[] {
  const n = ranking.length;
  const inOrder = new Float64Array(n * n);
  ranking.forEach(({ item: a }, i) =>
    ranking.forEach(({ item: b }, j) => (inOrder[i * n + j] = similarities[a * n + b]!)),
  );
  const relevance = ranking.map(({ score }) => score);
  return new MmrWhatIf(relevance, inOrder)
    .rerank(lambda)
    .map(({ item, score }) => ({ item: ranking[item]!.item, score }));
}
