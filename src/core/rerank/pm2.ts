import type { Ranked } from '../model.ts';
import { checkLambda, limitOf } from './arguments.ts';
import { perspectiveScoresOf, type PerspectiveInput } from './perspective-scores.ts';
import { takeBest } from './take-best.ts';

export interface Pm2Input extends PerspectiveInput {
  /** n candidates in rank order. PM-2 uses nothing else of their relevance to the query. */
  readonly candidates: number;
  /** In [0, 1]: 1 only considers the perspective whose turn it is, 0 only the others. */
  readonly lambda: number;
  /** The number of candidates to return. Defaults to all. */
  readonly k?: number | undefined;
}

/**
 * PM-2: ranks are seats that perspectives win in proportion to their weights. The perspective i with the greatest
 * Sainte-Laguë quotient vᵢ / (2 sᵢ + 1) has its turn. The candidate with the greatest λ · quotientᵢ · P(d|pᵢ) + (1 − λ)
 * Σⱼ≠ᵢ quotientⱼ · P(d|pⱼ) takes the seat, which is then divided among all perspectives in proportion to the
 * candidate's scores. Equal quotients go to the first perspective, and equal scores keep their order.
 *
 * Source: Dang and Croft 2012, section 4.2, with perspectives in place of query aspects.
 *
 * @returns positions in the given order (from 0) with their scores, best first; empty without candidates
 * @throws ParallaxError `bad-argument` for an invalid λ, k, score or weight
 */
export function pm2({ candidates, lambda, k, ...perspectives }: Pm2Input): Ranked<number>[] {
  checkLambda(lambda);
  const { scores, weights } = perspectiveScoresOf(perspectives, candidates);
  /** `[m]` the seats of each perspective so far, in fractions. */
  const seats = new Float64Array(weights.length);

  const scoresOfRound = (): ((candidate: number) => number) => {
    const quotients = weights.map((weight, i) => weight / (2 * seats[i]! + 1));
    const turn = quotients.indexOf(Math.max(...quotients));
    const factors = quotients.map((quotient, i) => quotient * (i === turn ? lambda : 1 - lambda));
    return (candidate) =>
      scores.reduce((sum, perspectiveScores, i) => sum + factors[i]! * perspectiveScores[candidate]!, 0);
  };
  const occupy = (candidate: number): void => {
    const total = scores.reduce((sum, perspectiveScores) => sum + perspectiveScores[candidate]!, 0);
    if (total > 0)
      scores.forEach((perspectiveScores, i) => (seats[i]! += perspectiveScores[candidate]! / total));
  };
  return takeBest(candidates, limitOf(candidates, k), scoresOfRound, occupy);
}
