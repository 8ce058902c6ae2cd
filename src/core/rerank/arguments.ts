/** Argument checks shared by the rerankers. Messages name candidates by rank, from 1. */
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../errors.ts';

/** @throws ParallaxError `bad-argument` unless λ is in [0, 1] */
export function checkLambda(lambda: number): void {
  if (!(lambda >= 0 && lambda <= 1))
    throw new ParallaxError('bad-argument', l10n.t`lambda must be between 0 and 1, not ${lambda}.`);
}

/**
 * @param perspective index of the scores' perspective, from 0; `undefined` for the query's scores
 * @throws ParallaxError `bad-argument` for a score that is not a finite number
 */
export function checkScores(scores: ArrayLike<number>, perspective?: number): void {
  for (let i = 0; i < scores.length; i++)
    if (!Number.isFinite(scores[i]))
      throw new ParallaxError(
        'bad-argument',
        perspective === undefined
          ? l10n.t`The score of candidate ${i + 1} for the query is ${scores[i]!}, not a finite number.`
          : l10n.t`The score of candidate ${i + 1} for perspective ${perspective + 1} is ${scores[i]!}, not a finite number.`,
      );
}

/** The number of candidates to return: k, or all if there are fewer or no k is given. */
export function limitOf(candidates: number, k = Infinity): number {
  if (!(k >= 1)) throw new ParallaxError('bad-argument', l10n.t`k must be 1 or more, not ${k}.`);
  return Math.min(candidates, Math.floor(k));
}
