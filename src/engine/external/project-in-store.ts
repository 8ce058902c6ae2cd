/**
 * Projection over the candidates of a store. The store cannot score by a plan, but can search in the plan's
 * directions.
 */
import type { Certainty } from '../../core/external/certainty.ts';
import type { ExternalResult } from '../../core/external/spec.ts';
import { certainOf, mostBeyond } from '../../core/projection/beyond-pool.ts';
import { scoreRows, type ScoringPlan } from '../../core/projection/project.ts';
import { dot, length, scaled } from '../../core/projection/vectors.ts';
import type { StoredVectors } from './stores/remote-store.ts';

/**
 * A store may keep and compare vectors in half precision, 11 bits per number. Its order is then that of cosines with
 * errors up to this size.
 */
const COSINE_ERROR = 1e-3;

interface StoreLimits {
  readonly approximate: boolean;
  readonly holds?: number | undefined;
}

export interface ProjectedInStore {
  /** Best first, without records that were deleted during the search. */
  readonly results: readonly ExternalResult[];
  /** The number of results for the plan's direction. */
  readonly returned: number;
  /** How many of the first results no other record of the store can displace. `undefined` if unknown. */
  readonly certainty?: Certainty | undefined;
}

/**
 * Has the store search in the plan's direction, and scores the results by the plan. If the plan is a plain search in
 * that direction (PAP) and the store ranks by cosine, the order is that of the whole store. If it scores differently
 * (PAP+), the store is also asked for what is close to the perspective and to its opposite, which such a score lifts
 * most; `beyond-pool.ts` computes what may still be missed.
 *
 * @param pool the candidates to request each time, and the most to return
 * @param limits.approximate whether the store may miss passages that are nearer than those it returns
 * @param limits.holds the number of its records, if known
 * @throws ParallaxError `retriever-failed`, `cancelled`
 */
export async function projectedInStore(
  store: StoredVectors,
  plan: ScoringPlan,
  pool: number,
  limits: StoreLimits,
  signal: AbortSignal | undefined,
): Promise<ProjectedInStore> {
  const near = await store.nearest(Float32Array.from(plan.direction), pool, signal);
  const axes = plan.norm ? [plan.norm.axis, scaled(-1, plan.norm.axis)] : [];
  const along: (readonly ExternalResult[])[] = [];
  for (const axis of axes) along.push(await store.nearest(Float32Array.from(axis), pool, signal));
  const resultsByKey = new Map(
    [...near, ...along.flat()].flatMap((one) => (one.key === undefined ? [] : [[one.key, one]])),
  );
  const vectors = await store.fetch([...resultsByKey.keys()], signal);
  const scored = [...resultsByKey].flatMap(([key, result]) => {
    const vector = vectors.get(key);
    return vector ? [{ ...result, score: scoreRows(plan, vector)[0]! }] : [];
  });
  scored.sort((a, b) => b.score - a.score);
  const results = scored.slice(0, pool);
  const furthest = (list: readonly ExternalResult[], axis: ArrayLike<number>): number | undefined =>
    leastCosine(list, axis, vectors, hasMore(list.length, pool, limits));
  const nearest = furthest(near, plan.direction);
  const reach = along.map((list, index) => furthest(list, axes[index]!));
  const most =
    nearest === undefined || reach.includes(undefined)
      ? undefined
      : mostBeyond(plan, nearest, Math.max(0, ...reach.map((cosine) => cosine!)));
  const scores = results.map(({ score }) => score);
  return {
    results,
    returned: near.length,
    ...(most === undefined
      ? {}
      : {
          certainty: {
            certain: certainOf(scores, most),
            scored: scored.length,
            approximate: limits.approximate,
          },
        }),
  };
}

/** An approximate index may stop before it has as many as requested. */
function hasMore(returned: number, limit: number, { approximate, holds = Infinity }: StoreLimits): boolean {
  return returned < holds && (approximate || returned >= limit);
}

/**
 * @returns an upper bound of the cosine of all records that were not returned: −1 if the store has no more; undefined
 *   if it does not rank by cosines (according to its scores; inner products of vectors of one length are the same)
 */
function leastCosine(
  list: readonly ExternalResult[],
  axis: ArrayLike<number>,
  vectors: ReadonlyMap<string, Float32Array>,
  more: boolean,
): number | undefined {
  let least = 1;
  for (const { key = '', score } of list) {
    const vector = vectors.get(key);
    // It was deleted during the search.
    if (!vector) continue;
    const cosine = dot(axis, vector) / (length(axis) * length(vector));
    if (Math.abs(cosine - score) > COSINE_ERROR) return undefined;
    least = Math.min(least, cosine);
  }
  return more ? Math.min(least + 2 * COSINE_ERROR, 1) : -1;
}
