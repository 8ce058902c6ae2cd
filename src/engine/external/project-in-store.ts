/** Projection over the candidates of a store: the store cannot score by a plan, but can find what a plan points at. */
import type { ExternalResult } from '../../core/external/spec.ts';
import { scoreRows, type ScoringPlan } from '../../core/projection/project.ts';
import type { StoredVectors } from './stores/remote-store.ts';

/**
 * Has the store look for the plan's direction, and scores what it finds by the plan. Where the plan is a plain search
 * for that direction (PAP) and the store ranks by cosine, the order is that of the whole store; for the other methods
 * what lies beyond the candidates is not seen.
 *
 * @param pool how many candidates the store is asked for
 * @returns best first; records that vanished meanwhile are left out
 * @throws ParallaxError `retriever-failed`, `cancelled`
 */
export async function projectedInStore(
  store: StoredVectors,
  plan: ScoringPlan,
  pool: number,
  signal: AbortSignal | undefined,
): Promise<ExternalResult[]> {
  const found = await store.nearest(Float32Array.from(plan.direction), pool, signal);
  const vectors = await store.fetch(
    found.flatMap(({ key }) => key ?? []),
    signal,
  );
  return found
    .flatMap((result) => {
      const vector = result.key === undefined ? undefined : vectors.get(result.key);
      return vector ? [{ ...result, score: scoreRows(plan, vector)[0]! }] : [];
    })
    .sort((a, b) => b.score - a.score);
}
