/**
 * Maximal marginal relevance: each rank goes to the candidate that is relevant and unlike those above it.
 *
 * Source: Carbonell and Goldstein 1998; BERDS, section 6, equation 1 and appendix A.6.
 */
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../errors.ts';
import type { Ranked } from '../model.ts';
import { checkLambda, checkScores, limitOf } from './arguments.ts';
import { CandidateVectors, type InnerProducts } from './similarity.ts';

/**
 * The divisor that makes relevance comparable with a cosine: the greatest relevance among the query's own candidates
 * (as in the code of BERDS), or a given one over all queries of a data set (as in its text).
 */
export type MmrNormalisation = 'per-query' | { readonly datasetMaximum: number };

export interface MmrOptions {
  /** In [0, 1]: 1 ranks by relevance only, 0 by dissimilarity only. */
  readonly lambda: number;
  /** The number of candidates to return. Defaults to all. */
  readonly k?: number | undefined;
  /** Defaults to `per-query`. */
  readonly normalisation?: MmrNormalisation | undefined;
}

/**
 * Reranks by λ · Sim1 / max(Sim1) − (1 − λ) · max Sim2, with Sim1 the candidate's relevance and Sim2 its cosine with a
 * candidate already taken. The first candidate stays first, and equal scores keep their order. If no relevance is above
 * 0, the divisor is the greatest magnitude, so that a better relevance stays greater. If all are 0, only dissimilarity
 * decides.
 *
 * @param relevance `[n]` Sim1 of each candidate, in rank order
 * @param vectors `[n, d]` of the candidates, of any length; a zero vector has similarity 0 to all others
 * @param products computes inner products, which is most of the work; defaults to plain loops
 * @returns positions in the given order (from 0) with their MMR scores, best first; empty without candidates
 * @throws ParallaxError `bad-argument` for an invalid λ, k, maximum, score or vector
 */
export function mmr(
  relevance: ArrayLike<number>,
  vectors: Float32Array,
  { lambda, k, normalisation }: MmrOptions,
  products?: InnerProducts,
): Ranked<number>[] {
  checkLambda(lambda);
  const normalised = normalise(relevance, normalisation);
  const candidates = new CandidateVectors(vectors, relevance.length, products);
  return select(normalised, (a, b) => candidates.similarity(a, b), lambda, limitOf(relevance.length, k));
}

/**
 * MMR with adjustable λ: similarities are precomputed, so that every λ only costs n · k comparisons. The matrix is
 * plain data that can be sent to another process.
 */
export class MmrWhatIf {
  readonly #relevance: Float64Array;
  readonly #similarities: Float64Array;

  /**
   * @param relevance `[n]`, as for {@link mmr}
   * @param similarities `[n, n]` from `similarityMatrix`
   * @throws ParallaxError `bad-argument` like {@link mmr}
   */
  constructor(relevance: ArrayLike<number>, similarities: Float64Array, normalisation?: MmrNormalisation) {
    if (similarities.length !== relevance.length ** 2)
      throw new ParallaxError(
        'bad-argument',
        l10n.t`${similarities.length} similarities are not one for each pair of ${relevance.length} candidates.`,
      );
    this.#relevance = normalise(relevance, normalisation);
    this.#similarities = similarities;
  }

  /** Returns exactly what {@link mmr} does for this λ and k. */
  rerank(lambda: number, k?: number): Ranked<number>[] {
    checkLambda(lambda);
    const count = this.#relevance.length;
    const similarities = this.#similarities;
    return select(this.#relevance, (a, b) => similarities[a * count + b]!, lambda, limitOf(count, k));
  }
}

function normalise(
  relevance: ArrayLike<number>,
  normalisation: MmrNormalisation = 'per-query',
): Float64Array {
  checkScores(relevance);
  const scores = Float64Array.from(relevance);
  const divisor = normalisation === 'per-query' ? ownDivisor(scores) : normalisation.datasetMaximum;
  if (!(divisor > 0 && Number.isFinite(divisor)))
    throw new ParallaxError(
      'bad-argument',
      l10n.t`The greatest relevance in the data set must be above 0 for MMR, not ${divisor}.`,
    );
  return scores.map((score) => score / divisor);
}

/**
 * The greatest score. If none is above 0, or it is negligible beside the magnitude of the others, the greatest
 * magnitude, or 1 if all are 0. Always above 0.
 */
function ownDivisor(scores: Float64Array): number {
  let greatest = -Infinity;
  let magnitude = 0;
  for (const score of scores) {
    greatest = Math.max(greatest, score);
    magnitude = Math.max(magnitude, Math.abs(score));
  }
  return greatest > Number.EPSILON * magnitude ? greatest : magnitude || 1;
}

/**
 * Greedy selection that computes a similarity only if it can matter. A candidate's score can only fall as others are
 * taken, so it is skipped if its last known score does not beat the best of this rank.
 */
function select(
  relevance: Float64Array,
  similarity: (a: number, b: number) => number,
  lambda: number,
  limit: number,
): Ranked<number>[] {
  const remaining = Array.from(relevance.keys()).slice(1);
  const selection: Ranked<number>[] = limit === 0 ? [] : [{ item: 0, score: lambda * relevance[0]! }];
  /** `[n]` greatest similarity to the first `compared` taken candidates. No cosine is below −1. */
  const nearest = new Float64Array(relevance.length).fill(-1);
  const compared = new Uint32Array(relevance.length);
  const scoreOf = (candidate: number): number =>
    lambda * relevance[candidate]! - (1 - lambda) * nearest[candidate]!;

  /** The candidate's score, or any value that does not beat `bar` if the score does not. */
  const scoreAbove = (candidate: number, bar: number): number => {
    let score = scoreOf(candidate);
    while (score > bar && compared[candidate]! < selection.length) {
      const cosine = similarity(candidate, selection[compared[candidate]!++]!.item);
      if (cosine > nearest[candidate]!) {
        nearest[candidate] = cosine;
        score = scoreOf(candidate);
      }
    }
    return score;
  };

  while (selection.length < limit) {
    let best = -1;
    let bestScore = -Infinity;
    for (let i = 0; i < remaining.length; i++) {
      const score = scoreAbove(remaining[i]!, bestScore);
      if (score > bestScore) {
        best = i;
        bestScore = score;
      }
    }
    selection.push({ item: remaining.splice(best, 1)[0]!, score: bestScore });
  }
  return selection;
}
