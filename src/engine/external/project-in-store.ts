/** Projection over the candidates of a store: the store cannot score by a plan, but can find what a plan points at. */
import type { Certainty } from '../../core/external/certainty.ts';
import type { ExternalResult } from '../../core/external/spec.ts';
import { certainOf, mostBeyond } from '../../core/projection/beyond-pool.ts';
import { scoreRows, type ScoringPlan } from '../../core/projection/project.ts';
import { dot, length, scaled } from '../../core/projection/vectors.ts';
import type { StoredVectors } from './stores/remote-store.ts';

/**
 * A store may keep and compare vectors in half precision, 11 bits a number: its order then is that of cosines which are
 * off by as much as this.
 */
const COSINE_ERROR = 1e-3;

interface StoreLimits {
  readonly approximate: boolean;
  readonly holds?: number | undefined;
}

export interface ProjectedInStore {
  /** Best first; records that vanished meanwhile are left out. */
  readonly results: readonly ExternalResult[];
  /** How many the store returned for the plan's direction. */
  readonly returned: number;
  /** How many of the first nothing else in the store can displace; absent where that cannot be told. */
  readonly certainty?: Certainty | undefined;
}

/**
 * Has the store look for the plan's direction, and scores what it finds by the plan. Where the plan is a plain search
 * for that direction (PAP) and the store ranks by cosine, the order is that of the whole store. Where it scores otherwise
 * (PAP+), the store is also asked for what lies close to the perspective and opposite of it, which such a score lifts most;
 * `beyond-pool.ts` tells what may still be missed.
 *
 * @param pool how many candidates the store is asked for, each time; as many are returned at most
 * @param limits.approximate whether the store may overlook passages that are nearer than those it returns
 * @param limits.holds how many it holds, where that is known
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
  const found = new Map(
    [...near, ...along.flat()].flatMap((one) => (one.key === undefined ? [] : [[one.key, one]])),
  );
  const vectors = await store.fetch([...found.keys()], signal);
  const scored = [...found].flatMap(([key, result]) => {
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

/** An approximate index may end before it has as many as are asked for. */
function hasMore(returned: number, asked: number, { approximate, holds = Infinity }: StoreLimits): boolean {
  return returned < holds && (approximate || returned >= asked);
}

/**
 * @returns the cosine that no record has which was not returned: −1 where the store has no more; nothing where it does not
 *   rank by cosines (as its scores tell; inner products of vectors of one length are the same)
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
    // It vanished meanwhile.
    if (!vector) continue;
    const cosine = dot(axis, vector) / (length(axis) * length(vector));
    if (Math.abs(cosine - score) > COSINE_ERROR) return undefined;
    least = Math.min(least, cosine);
  }
  return more ? Math.min(least + 2 * COSINE_ERROR, 1) : -1;
}
