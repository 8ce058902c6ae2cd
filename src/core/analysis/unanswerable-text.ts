/** Sentences about retrieval for questions without an answer. */
import * as l10n from '@vscode/l10n';
import type { UnanswerableReport } from './unanswerable.ts';

const percent = (share: number): string => (share * 100).toFixed(1);

/** Whether a threshold on the scores helps, and its cost. */
export function thresholdText({ threshold, none }: UnanswerableReport): string {
  if (threshold) {
    const { score, falseRetrieval, lost } = threshold;
    return l10n.t`With a threshold of ${Number(score.toPrecision(4))} on the score, passages are found for ${percent(falseRetrieval)}% of them, and ${percent(lost)}% of the covered perspectives are lost (on questions that were not used to choose the threshold).`;
  }
  if (none === 'same')
    return l10n.t('No threshold helps: these questions do not score differently from others.');
  if (none === 'price')
    return l10n.t('No threshold helps: it loses more perspectives than it refuses questions.');
  return l10n.t(
    'There are too few questions for a threshold: it needs five with an answer and five without.',
  );
}

/** `0.81 [0.74, 0.88]`. */
export function aurocText({ auroc }: UnanswerableReport): string {
  return auroc ? `${auroc.value.toFixed(2)} [${auroc.low.toFixed(2)}, ${auroc.high.toFixed(2)}]` : '–';
}
