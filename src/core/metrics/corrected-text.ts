/** Sentences about a correction, for people. */
import * as l10n from '@vscode/l10n';
import { LEAST_DECIDED } from '../statistics/prediction-powered.ts';
import { LEAST_POSITIVES, WANTED_REACH, type Correction } from './corrected.ts';

/** One or two sentences. */
export function correctionText(correction: Correction): string {
  return correction.lacks === undefined ? restsOn(correction) : whyNot(correction);
}

function whyNot({ lacks, decided, positives, more }: Correction): string {
  switch (lacks!) {
    case 'queries':
      return l10n.t`Not corrected for the judge's errors: people have decided ${decided} queries, and it takes ${LEAST_DECIDED}; label what the top k of ${more} more depends on.`;
    case 'positives':
      return l10n.t`Not corrected for the judge's errors: people said yes to ${positives} of the pairs that the judge answered, and it takes ${LEAST_POSITIVES}.`;
    case 'unanswered':
      return l10n.t`Not corrected for the judge's errors: the judge has not answered the pairs that people labelled; have it validated on them.`;
  }
}

function restsOn({ decided, queries, more, assumesRandom }: Correction): string {
  const basis = l10n.t`Corrected for the judge's errors by ${decided} of ${queries} queries that people decided; 95% intervals.`;
  const assumed =
    assumesRandom && decided < queries
      ? l10n.t(
          'These were not drawn by chance: if they are easier or harder for the judge than the others, the correction is wrong.',
        )
      : '';
  const wider =
    more > 0 ? l10n.t`About ${more} more would bring it to ± ${Math.round(100 * WANTED_REACH)} points.` : '';
  return [basis, assumed, wider].filter(Boolean).join(' ');
}
