/**
 * Projection with adjustable weights: candidates are fetched once, and every further weight only costs arithmetic on
 * four numbers per candidate and perspective.
 *
 * The score of any method depends only on inner products among the query q, its root r, the perspective p and a passage
 * c. So the space can be rotated until q, r and p lie along its first three axes, with the rest of each passage in one
 * more coordinate: d coordinates become 4, and the same formulas (project.ts) give the same scores.
 */
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../errors.ts';
import { mergeInTurns } from '../expansion/merge.ts';
import type { Ranked } from '../model.ts';
import { planProjection, scoreRows, type ProjectionInput, type ProjectionMethod } from './project.ts';
import { addScaled, dot, length, scaled } from './vectors.ts';

/** Coordinates that remain of d. */
const REDUCED_DIMENSIONS = 4;

/**
 * The vectors of one perspective and of the candidates, reduced to four dimensions. Plain data that can be sent to
 * another process.
 */
export interface ReducedProjection {
  /** `[4]` */
  readonly query: Float64Array;
  /** `[4]` */
  readonly root: Float64Array;
  /** `[4]` */
  readonly perspective: Float64Array;
  /** `[n, 4]` */
  readonly passages: Float64Array;
}

/** A vector shorter than this share of what it was computed from is rounding error. */
const DEPENDENT = 1e-9;

/**
 * Reduces the vectors of one perspective and of the candidates to four dimensions. Preserves all inner products except
 * those between two passages.
 *
 * @param input `[d]` each
 * @param rows `[n, d]`
 * @throws ParallaxError `bad-argument` if the rows do not have the input's dimensions
 */
export function reduceProjection(
  { query, root, perspective }: Record<'query' | 'root' | 'perspective', ArrayLike<number>>,
  rows: Float32Array,
): ReducedProjection {
  const dimensions = perspective.length;
  if (rows.length % dimensions !== 0)
    throw new ParallaxError(
      'bad-argument',
      l10n.t`${rows.length} numbers are not vectors of ${dimensions} dimensions.`,
    );
  const axes = orthonormal([perspective, query, root]);
  const turned = (vector: ArrayLike<number>): number[] =>
    Array.from({ length: REDUCED_DIMENSIONS - 1 }, (_, i) => (axes[i] ? dot(vector, axes[i]) : 0));
  const withoutRest = (vector: ArrayLike<number>): Float64Array => Float64Array.from([...turned(vector), 0]);
  const count = rows.length / dimensions;
  const passages = new Float64Array(count * REDUCED_DIMENSIONS);
  for (let row = 0; row < count; row++) {
    const passage = rows.subarray(row * dimensions, (row + 1) * dimensions);
    const along = turned(passage);
    const rest = Math.max(0, dot(passage, passage) - dot(along, along));
    passages.set([...along, Math.sqrt(rest)], row * REDUCED_DIMENSIONS);
  }
  return {
    query: withoutRest(query),
    root: withoutRest(root),
    perspective: withoutRest(perspective),
    passages,
  };
}

/** Orthonormal axes that span the vectors. Fewer if these are linearly dependent. */
function orthonormal(vectors: readonly ArrayLike<number>[]): Float64Array[] {
  const axes: Float64Array[] = [];
  for (const vector of vectors) {
    let rest: Float64Array = Float64Array.from(vector);
    // Twice, as after one pass the rounding errors of a short rest are still along the other axes.
    for (const axis of [...axes, ...axes]) rest = addScaled(rest, -dot(rest, axis), axis);
    const size = length(rest);
    if (size > DEPENDENT * length(vector)) axes.push(scaled(1 / size, rest));
  }
  return axes;
}

/** Ranks one query's candidates under any weight, like one search per perspective with interleaved results. */
export class ProjectionWhatIf {
  readonly #method: ProjectionMethod;
  readonly #projections: readonly ReducedProjection[];
  readonly #order: readonly number[];

  /**
   * @param projections one per perspective in the order of interleaving, all of the same candidates
   * @param order `[n]` of the candidates: ties go to the smaller number
   * @throws ParallaxError `bad-argument` without a perspective, or if a projection has other candidates
   */
  constructor(method: ProjectionMethod, projections: readonly ReducedProjection[], order: readonly number[]) {
    if (projections.length === 0)
      throw new ParallaxError('bad-argument', l10n.t('There is no perspective to project by.'));
    const mismatch = projections.find(
      ({ passages }) => passages.length !== order.length * REDUCED_DIMENSIONS,
    );
    if (mismatch)
      throw new ParallaxError(
        'bad-argument',
        l10n.t`${mismatch.passages.length / REDUCED_DIMENSIONS} projected passages are not one for each of ${order.length} candidates.`,
      );
    this.#method = method;
    this.#projections = projections;
    this.#order = order;
  }

  /**
   * @param weight emphasis on the perspective; 0 leaves the query unchanged
   * @returns positions in the given order (from 0), best first; scored by the method for a single perspective, else by
   *   the position in the merged list
   * @throws ParallaxError `bad-argument` like `planProjection`, for instance if nothing remains of the query
   */
  rerank(weight: number): Ranked<number>[] {
    const lists = this.#projections.map((projection) => this.#ranked(projection, weight));
    const [only] = lists;
    if (lists.length === 1 && only) return only;
    if (this.#order.length === 0) return [];
    const merged = mergeInTurns(
      lists.map((list) => list.map(({ item }) => item)),
      this.#order.length,
    );
    return merged.map(({ item }, index) => ({ item, score: 1 / (index + 1) }));
  }

  #ranked({ passages, ...vectors }: ReducedProjection, weight: number): Ranked<number>[] {
    const input: ProjectionInput = { ...vectors, weight };
    const scores = scoreRows(planProjection(this.#method, input), passages);
    return Array.from(scores, (score, item) => ({ item, score })).sort(
      (a, b) => b.score - a.score || this.#order[a.item]! - this.#order[b.item]!,
    );
  }
}
