/** Checks how many questions without an answer have passages in the top k. */
import { exactly } from '../../../core/measured.ts';
import { TIE } from '../../../core/metrics/differences.ts';
import type { Scored } from './evaluated.ts';
import type { GateCheck } from './report.ts';
import type { GateSpec } from './spec.ts';
import { falseRetrievalReason, noneUnanswerableReason } from './wording.ts';

/**
 * One check per pipeline whose eval set has questions without an answer. If no eval set has any, or a pipeline could not
 * be asked them, the check is undecided.
 */
export function falseRetrievalChecks(
  all: readonly Scored[],
  { falseRetrieval, k }: Pick<GateSpec, 'falseRetrieval' | 'k'>,
): GateCheck[] {
  if (!falseRetrieval) return [];
  const { max } = falseRetrieval;
  const asked = all.filter(({ dataset }) => (dataset.unanswerable ?? 0) > 0);
  return (asked.length > 0 ? asked : all.slice(0, 1)).map(({ dataset, pipeline }): GateCheck => {
    const found = pipeline.unanswerable;
    const isMissed = found !== undefined && found.falseRetrieval > max + TIE;
    return {
      kind: 'unanswerable',
      dataset: dataset.name,
      pipeline: pipeline.name,
      metric: `falseRetrieval@${k}`,
      ...exactly(found?.falseRetrieval ?? 0),
      queries: found?.questions ?? 0,
      max,
      outcome: found ? (isMissed ? 'missed' : 'passed') : 'undecided',
      reason: found ? falseRetrievalReason(found, max) : noneUnanswerableReason(asked.length > 0),
      failing: [],
    };
  });
}
