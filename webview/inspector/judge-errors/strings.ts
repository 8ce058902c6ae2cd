/** The texts about a judge's errors, and about an order based on its answers. */
import * as l10n from '@vscode/l10n';
import { counted } from '../../../src/core/counted.ts';
import type { PerspectiveView } from '../../../src/features/inspector/contract/panel.ts';
import type {
  Raised,
  TakenCorrelation,
  TakenErrors,
} from '../../../src/features/validation/core/taken-errors.ts';
import { percent } from '../../components/words.ts';

/** From this chance on, an event is more likely than not. */
const LIKELY = 0.5;

export const strings = {
  /**
   * Beside the passage. Without the chances, because above 0.5 they are up to 9 points off (docs/expected-coverage.md).
   */
  raised: ({ supports, only }: Raised, letter: string): string => {
    if (only >= LIKELY) return l10n.t`Moved up: likely the only one for ${letter}`;
    if (supports >= LIKELY) return l10n.t`Moved up: likely for ${letter}`;
    return l10n.t`Moved up: perhaps for ${letter}`;
  },
  raisedHint: ({ only }: Raised, { text }: PerspectiveView): string =>
    only >= LIKELY
      ? l10n.t`By the verdicts so far, this passage supports “${text}”, and no other passage shown does. The judge may be wrong.`
      : l10n.t`By the verdicts so far, this passage supports “${text}”. The judge may be wrong.`,
  /** Below figures of one question. */
  validated: ({ judge, yesOfSupport, yesOfNone, labels = 0 }: TakenErrors): string =>
    counted(
      l10n.t(
        'On {0} [0:label|labels] of people, “{1}” said yes to {2} of the passages that support a perspective and to {3} of the others. A comparison over many questions corrects its figures for that; those of one question are as counted.',
      ),
      labels,
      judge,
      percent.format(yesOfSupport),
      percent.format(yesOfNone),
    ),
  /** Above the passages. */
  taken: (taken: TakenErrors): string =>
    [takenRates(taken), takenFrom(taken), ...(taken.together ? [takenTogether(taken.together)] : [])].join(
      ' ',
    ),
};

function takenRates({ judge, yesOfSupport, yesOfNone }: TakenErrors): string {
  return l10n.t`Ordered by the verdicts of “${judge}”, assuming that it says yes to ${percent.format(yesOfSupport)} of the passages that support a perspective and to ${percent.format(yesOfNone)} of the others.`;
}

function whatVotesAreWorth(judges: number, votes: string): string {
  if (judges === 2)
    return Number(votes) < 2
      ? l10n.t`The two judges make joint errors: their two answers carry the information of ${votes} independent ones.`
      : l10n.t('The two judges make no joint errors: their answers count as independent.');
  return l10n.t`The ${judges} judges make joint errors: they are worth ${votes} votes, not ${judges}.`;
}

const measuredOn = (labels: number): string =>
  counted(l10n.t('That was measured on {0} [0:label|labels] of people.'), labels);

/** The value of further judges. */
function takenTogether({ judges, votes, correlation, from, pairs = 0 }: TakenCorrelation): string {
  const worth = whatVotesAreWorth(judges.length, votes.toFixed(1));
  switch (from) {
    case 'pipeline':
      return l10n.t`${worth} The pipeline states the correlation of their errors, ${correlation}.`;
    case 'validation':
      return `${worth} ${measuredOn(pairs)}`;
    case 'default':
      return l10n.t`${worth} That is assumed: validate them together to have their own correlation.`;
  }
}

function takenFrom({ from, labels = 0, leftOut = 0 }: TakenErrors): string {
  switch (from) {
    case 'pipeline':
      return l10n.t('The pipeline says so.');
    case 'validation':
      return leftOut === 0
        ? measuredOn(labels)
        : counted(
            l10n.t(
              'That was measured on {0} [0:label|labels] of people; {1} about this question’s own perspectives [1:is|are] left out.',
            ),
            labels,
            leftOut,
          );
    case 'default':
      return l10n.t(
        'These are cautious defaults: this judge has been compared with too few labels on other questions. Validate it to measure its own rates.',
      );
  }
}
