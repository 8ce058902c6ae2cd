import type { Ranked } from '../model.ts';
import { checkLambda, checkScores, limitOf } from './arguments.ts';
import { normaliseScores, perspectiveScoresOf, type PerspectiveInput } from './perspective-scores.ts';
import { takeBest } from './take-best.ts';

export interface XquadInput extends PerspectiveInput {
  /** `[n]` score of each candidate for the query, in rank order. Normalised like those of a perspective. */
  readonly relevance: ArrayLike<number>;
  /** In [0, 1], as in the paper and unlike MMR: 0 ranks by relevance only, 1 by perspectives only. */
  readonly lambda: number;
  /** The number of candidates to return. Defaults to all. */
  readonly k?: number | undefined;
}

/**
 * xQuAD: each rank goes to the candidate d with the greatest (1 − λ) P(d|q) + λ Σᵢ P(pᵢ|q) P(d|pᵢ) Πⱼ (1 − P(dⱼ|pᵢ)),
 * with j over the candidates above it, and normalised scores in place of the probabilities. Equal scores keep their
 * order.
 *
 * Source: Santos, Macdonald and Ounis 2010, section 3, with perspectives in place of sub-queries.
 *
 * @returns positions in the given order (from 0) with their scores, best first; empty without candidates
 * @throws ParallaxError `bad-argument` for an invalid λ, k, score or weight
 */
export function xquad({ relevance, lambda, k, ...perspectives }: XquadInput): Ranked<number>[] {
  checkLambda(lambda);
  checkScores(relevance);
  const candidates = relevance.length;
  const { scores, weights } = perspectiveScoresOf(perspectives, candidates);
  const ofQuery = normaliseScores(relevance, perspectives.normalisation ?? 'maximum');
  /** `[m]` weight of each perspective × how far the candidates taken so far leave it unsatisfied. */
  const needs = Float64Array.from(weights);

  const scoreOf = (candidate: number): number => {
    const novelty = scores.reduce(
      (sum, perspectiveScores, i) => sum + needs[i]! * perspectiveScores[candidate]!,
      0,
    );
    return (1 - lambda) * ofQuery[candidate]! + lambda * novelty;
  };
  return takeBest(
    candidates,
    limitOf(candidates, k),
    () => scoreOf,
    (candidate) => scores.forEach((perspectiveScores, i) => (needs[i]! *= 1 - perspectiveScores[candidate]!)),
  );
}
