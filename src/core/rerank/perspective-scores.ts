/** The relevance of candidates to perspectives, as input of xQuAD and PM-2. */
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../errors.ts';
import { checkScores } from './arguments.ts';

/**
 * How scores are made comparable. `maximum`: divided by the greatest among the candidates, so that the best has 1.
 * `sum`: divided by their sum, so that they are a probability distribution over the candidates as in the papers. With
 * `maximum` one best passage satisfies a perspective; with `sum` and many candidates none comes close. Negative scores
 * count as 0.
 */
export type ScoreNormalisation = 'maximum' | 'sum';

export interface PerspectiveInput {
  /** `[m, n]`: for each perspective, the score of every candidate, in rank order. */
  readonly perspectiveScores: readonly ArrayLike<number>[];
  /** `[m]` importance of each perspective, at least 0, with any sum. Defaults to uniform. */
  readonly weights?: readonly number[] | undefined;
  /** Defaults to `maximum`. */
  readonly normalisation?: ScoreNormalisation | undefined;
}

export interface PerspectiveScores {
  /** `[m][n]` in [0, 1]. */
  readonly scores: readonly Float64Array[];
  /** `[m]`, sum 1. */
  readonly weights: readonly number[];
}

/**
 * @param candidates n
 * @throws ParallaxError `bad-argument` without perspectives, or for invalid scores or weights
 */
export function perspectiveScoresOf(
  { perspectiveScores, weights, normalisation = 'maximum' }: PerspectiveInput,
  candidates: number,
): PerspectiveScores {
  if (perspectiveScores.length === 0)
    throw new ParallaxError('bad-argument', l10n.t('The question has no perspectives to rerank by.'));
  perspectiveScores.forEach((scores, perspective) => {
    if (scores.length !== candidates)
      throw new ParallaxError(
        'bad-argument',
        l10n.t`Perspective ${perspective + 1} has ${scores.length} scores for ${candidates} candidates.`,
      );
    checkScores(scores, perspective);
  });
  return {
    scores: perspectiveScores.map((scores) => normaliseScores(scores, normalisation)),
    weights: shares(weights ?? perspectiveScores.map(() => 1), perspectiveScores.length),
  };
}

/** See {@link ScoreNormalisation}. If no score is above 0, all become 0. */
export function normaliseScores(scores: ArrayLike<number>, by: ScoreNormalisation): Float64Array {
  const positive = Float64Array.from(scores, (score) => Math.max(0, score));
  const divisor = positive.reduce((a, b) => (by === 'sum' ? a + b : Math.max(a, b)), 0);
  return divisor === 0 ? positive : positive.map((score) => score / divisor);
}

function shares(weights: readonly number[], perspectives: number): number[] {
  if (weights.length !== perspectives)
    throw new ParallaxError(
      'bad-argument',
      l10n.t`There are ${weights.length} weights for ${perspectives} perspectives.`,
    );
  const sum = weights.reduce((a, b) => a + b, 0);
  if (weights.some((weight) => !(weight >= 0)) || !(sum > 0 && Number.isFinite(sum)))
    throw new ParallaxError(
      'bad-argument',
      l10n.t`The weights of perspectives must be 0 or more and not all 0, not [${weights.join(', ')}].`,
    );
  return weights.map((weight) => weight / sum);
}
