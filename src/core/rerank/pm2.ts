import type { Ranked } from '../model.ts';
import { checkLambda, limitOf } from './arguments.ts';
import { perspectiveScoresOf, type PerspectiveInput } from './perspective-scores.ts';
import { takeBest } from './take-best.ts';

export interface Pm2Input extends PerspectiveInput {
  /** n; they are in rank order, which is all that PM-2 takes from their relevance to the query. */
  readonly candidates: number;
  /** In [0, 1]: 1 looks only at the perspective whose turn it is, 0 only at the others. */
  readonly lambda: number;
  /** How many candidates to return; all when left out. */
  readonly k?: number | undefined;
}

/**
 * PM-2: ranks are seats that perspectives win in proportion to their weights. The perspective i with the
 * greatest Sainte-Laguë quotient vᵢ / (2 sᵢ + 1) has its turn, and the candidate with the greatest
 * λ · quotientᵢ · P(d|pᵢ) + (1 − λ) Σⱼ≠ᵢ quotientⱼ · P(d|pⱼ) takes the seat, which is then counted for all
 * perspectives in proportion to the candidate's scores. Equal quotients go to the perspective that comes
 * first, equal scores keep their order.
 *
 * Source: Dang and Croft 2012, section 4.2, with perspectives in place of query aspects.
 *
 * @returns positions in the given order (from 0) with their scores, best first; none for no candidates
 * @throws ParallaxError `bad-argument` for λ, k, scores or weights that do not fit
 */
export function pm2({ candidates, lambda, k, ...perspectives }: Pm2Input): Ranked<number>[] {
  checkLambda(lambda);
  const { scores, weights } = perspectiveScoresOf(perspectives, candidates);
  /** `[m]` the seats each perspective holds so far, in fractions. */
  const seats = new Float64Array(weights.length);

  const scoresOfRound = (): ((candidate: number) => number) => {
    const quotients = weights.map((weight, i) => weight / (2 * seats[i]! + 1));
    const turn = quotients.indexOf(Math.max(...quotients));
    const factors = quotients.map((quotient, i) => quotient * (i === turn ? lambda : 1 - lambda));
    return (candidate) => scores.reduce((sum, own, i) => sum + factors[i]! * own[candidate]!, 0);
  };
  const occupy = (candidate: number): void => {
    const total = scores.reduce((sum, own) => sum + own[candidate]!, 0);
    if (total > 0) scores.forEach((own, i) => (seats[i]! += own[candidate]! / total));
  };
  return takeBest(candidates, limitOf(candidates, k), scoresOfRound, occupy);
}
