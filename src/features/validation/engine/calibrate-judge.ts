/** Chooses the threshold of a judge with probabilities, on labelled pairs. */
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../../../core/errors.ts';
import { calibrateThreshold, heldOutFigures, type CalibrationObjective } from '../core/threshold.ts';
import type { DecidedVerdict } from '../../../core/model.ts';
import type { ReferencePair } from '../core/reference-set.ts';
import type { CalibrationReport } from '../../../shared/calibration.ts';
import type { Judge } from '../../../engine/judges/judge.ts';
import type { WorkOptions } from '../../../engine/types.ts';
import { answersOf } from './ask-judge.ts';

interface ScoredPair {
  readonly perspective: string;
  readonly score: number;
  readonly label: DecidedVerdict;
}

/**
 * @param judge returns a `confidence` with each judgement
 * @throws ParallaxError
 *   `bad-argument` if the labels are all of one class; what the judge throws if it cannot answer; `cancelled`
 */
export async function calibrateJudge(
  judge: Judge,
  pairs: readonly ReferencePair[],
  objective: CalibrationObjective,
  work: WorkOptions = {},
): Promise<CalibrationReport> {
  const labelled = pairs.filter(({ verdict }) => verdict === 'yes' || verdict === 'no');
  const { answers, error } = await answersOf({ judge }, labelled, work);
  if (error) throw error;
  const scored = labelled.flatMap(({ perspective, verdict }, index): ScoredPair[] => {
    const score = answers[index]?.judgement.confidence;
    return score === undefined ? [] : [{ perspective, score, label: verdict as DecidedVerdict }];
  });
  if (scored.length === 0 && labelled.length > 0)
    throw new ParallaxError(
      'bad-argument',
      l10n.t`"${judge.name}" gives no probabilities, so no threshold can be chosen.`,
    );
  const scores = scored.map(({ score }) => score);
  const labels = scored.map(({ label }) => label);
  const groups = scored.map(({ perspective }) => perspective);
  const { threshold, figures, counts } = calibrateThreshold(scores, labels, objective);
  return {
    judge: judge.name,
    judgeKey: judge.key,
    threshold,
    objective,
    counts,
    figures,
    heldOut: heldOutFigures(scores, labels, groups, objective) ?? null,
    leftOut: pairs.length - scored.length,
  };
}
